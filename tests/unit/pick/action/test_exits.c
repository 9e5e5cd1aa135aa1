/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Events of processes that end: their bytes, and what they say of a process with threads. */
#include "program.h"
#include "tap.h"
#include <exectrace/pick/action/exits.h>
#include <linux/cn_proc.h>
#include <linux/connector.h>
#include <linux/netlink.h>

#define PID 70001
#define EXITED(code) ((code) << 8)

/* As the kernel sends it: process_pid, process_tgid, exit_code, exit_signal of an exit; parent and child of a fork. */
static size_t datagram(unsigned char *to, uint32_t what, const uint32_t data[4])
{
	const size_t at = NLMSG_HDRLEN + sizeof(struct cn_msg);

	memset(to, 0xee, at + sizeof(struct proc_event));
	memcpy(to + at, &what, sizeof(what));
	memcpy(to + at + 16, data, 4 * sizeof(*data));
	return at + sizeof(struct proc_event);
}

static void bytes(void)
{
	static const uint32_t exits[] = {71, 70, EXITED(3), SIGCHLD}, thread[] = {1, 2, 71, 70},
			      process[] = {1, 2, 70, 70};
	struct exits_event event;
	unsigned char data[256];
	size_t n = datagram(data, 0x80000000, exits);

	CHECK(exits_parse(data, n, &event));
	CHECK(event.ended && event.tid == 71 && event.pid == 70 && event.code == EXITED(3));
	for (size_t cut = 0; cut < 68; cut++)
		CHECK(!exits_parse(data, cut, &event));
	CHECK(exits_parse(data, 68, &event));
	n = datagram(data, 1, thread);
	CHECK(exits_parse(data, n, &event));
	CHECK(!event.ended && event.tid == 71 && event.pid == 70);
	n = datagram(data, 1, process);
	CHECK(!exits_parse(data, n, &event));
	n = datagram(data, 2, exits); /* an exec */
	CHECK(!exits_parse(data, n, &event));
	n = datagram(data, 0, exits); /* an acknowledgement */
	CHECK(!exits_parse(data, n, &event));
}

/* Events: t a thread begins; e, E it, or the first one, ends with the number that follows. status -1: not known. */
static void story(const char *text, int want)
{
	struct exits exits = {.fd = open("/dev/null", O_RDONLY | O_CLOEXEC),
	                      .entry = calloc(65536, sizeof(*exits.entry))};
	int status = -1;

	CHECK(exits_follow(&exits, PID));
	for (const char *at = text; *at;) {
		struct exits_event event = {.pid = PID, .tid = *at == 'E' ? PID : PID + 1, .ended = *at != 't'};
		char *end = NULL;

		event.code = (int)strtol(at + 1, &end, 10);
		exits_note(&exits, &event);
		event.pid++; /* nobody follows that one */
		event.code = EXITED(99);
		exits_note(&exits, &event);
		for (at = end; *at == ' ';)
			at++;
	}
	if (!exits_know(&exits, PID, &status))
		status = -1;
	if (!CHECK_INT(status, want))
		printf("# %s\n", text);
	exits_leave(&exits, PID);
	CHECK(!exits_know(&exits, PID, &status));
	CHECK_INT(exits.users, 0);
	exits_close(&exits);
	CHECK_INT(exits.fd, -1);
}

static void stories(void)
{
	story("", -1);
	story("E0", 0);
	story("E768", 768);
	story("E139", 139);
	story("t e0 E768", 768); /* the last one */
	story("t E0", -1);       /* the other one may end it otherwise */
	story("t E0 e0", 0);
	story("t E768 e768", 768); /* exit_group by either */
	story("t E0 e768", -1);    /* by itself, or exit_group after the first one had ended? */
	story("t E0 e15", 15);     /* a signal ends all */
	story("t t E0 e15 e15", 15);
	story("t t E0 e0", -1); /* one is still there */
	story("t t E0 e0 e9", 9);
	story("t e256 E0", -1);
	story("t e0 t e0 E512", 512);
}

static void crowded(void)
{
	struct exits exits = {.fd = open("/dev/null", O_RDONLY | O_CLOEXEC),
	                      .entry = calloc(65536, sizeof(*exits.entry))};
	struct exits_event event = {.pid = PID, .tid = PID, .ended = true};
	struct exits none = {.fd = -1};
	int status;

	CHECK(exits_follow(&exits, PID) && exits_follow(&exits, PID));
	CHECK(!exits_follow(&exits, PID + 65536)); /* the same place */
	exits_note(&exits, &event);
	CHECK(exits_know(&exits, PID, &status) && !exits_know(&exits, PID + 65536, &status));
	CHECK(exits_follow(&exits, PID)); /* another process, while somebody still asks for the former */
	CHECK(!exits_know(&exits, PID, &status));
	for (int i = 0; i < 3; i++)
		exits_leave(&exits, PID);
	CHECK(exits_follow(&exits, PID + 65536));
	exits_close(&exits);
	CHECK(!exits_follow(&none, PID) && !exits_know(&none, PID, &status));
	exits_hear(&none);
}

/* Of this kernel: a grandchild, which its parent reaps at once. */
static void real(void)
{
	struct exits exits;
	int tell[2], go[2], status = -1;
	int err = exits_open(&exits);
	pid_t parent, pid = 0;
	char c;

	if (err) {
		printf("# skipped: no process events here: %s\n", strerror(-err));
		return;
	}
	if (pipe2(tell, O_CLOEXEC) || pipe2(go, O_CLOEXEC))
		return;
	parent = child();
	if (parent == 0) {
		pid = child();
		if (pid == 0) {
			(void)!read(go[0], &c, 1);
			_exit(23);
		}
		(void)!write(tell[1], &pid, sizeof(pid));
		_exit(end_of(pid) == EXITED(23) ? 0 : 1);
	}
	CHECK_INT(read(tell[0], &pid, sizeof(pid)), sizeof(pid));
	CHECK(exits_follow(&exits, pid));
	CHECK(!exits_know(&exits, pid, &status));
	(void)!write(go[1], "x", 1);
	CHECK_INT(end_of(parent), 0);
	for (int i = 0; i < 1000 && !exits_know(&exits, pid, &status); i++) {
		nap(2);
		exits_hear(&exits);
	}
	CHECK_INT(status, EXITED(23));
	exits_leave(&exits, pid);
	exits_close(&exits);
	for (int i = 0; i < 2; i++) {
		close(tell[i]);
		close(go[i]);
	}
}

int main(void)
{
	scratch_begin(60);
	bytes();
	stories();
	crowded();
	real();
	return TAP_DONE();
}
