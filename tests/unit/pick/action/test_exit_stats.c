/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Statistics of threads that end: their bytes, whatever is wrong with them, and what they say of a process. */
#include "tap.h"
#include <exectrace/pick/action/exit_stats.h>
#include <fcntl.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <linux/taskstats.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define FAMILY 31
#define PID 70001
#define MS 1000000ull
#define STATS_BYTES 400 /* of a structure as the kernel sends it */
#define EXITED(code) ((code) << 8)

/* A message that is made piece by piece. */
struct message {
	unsigned char bytes[2048];
	size_t n;
};

static void add(struct message *m, const void *data, size_t n)
{
	memcpy(m->bytes + m->n, data, n);
	m->n += n;
}

/* An attribute with n bytes that are added next. */
static void attribute(struct message *m, uint16_t type, size_t n)
{
	const struct nlattr attr = {.nla_len = (uint16_t)(NLA_HDRLEN + n), .nla_type = type};

	add(m, &attr, sizeof(attr));
}

/* The numbers of a thread, as linux/taskstats.h has them. tgid: 0: of a version that has none */
static void stats_of(unsigned char *bytes, uint32_t tid, uint32_t tgid)
{
	struct taskstats stats = {
		.version = tgid ? 12 : 8,
		.ac_exitcode = EXITED(3),
		.ac_pid = tid,
		.cpu_run_virtual_total = 600 * MS,
		.ac_utime = 300000,
		.ac_stime = 100000,
		.hiwater_rss = 32768,
		.read_char = 4096,
		.write_char = 1024,
	};

	memset(bytes, 0, STATS_BYTES);
	memcpy(bytes, &stats, sizeof(stats) < STATS_BYTES ? sizeof(stats) : STATS_BYTES);
	memset(bytes + 328, 0, STATS_BYTES - 328);
	memcpy(bytes + 368, &tgid, sizeof(tgid));
}

/* A thread has ended; more: its process, of which it was the last of several, or 0. */
static void make(struct message *m, uint32_t tid, uint32_t tgid, uint32_t more)
{
	const size_t inner = NLA_HDRLEN + sizeof(tid) + NLA_HDRLEN + STATS_BYTES;
	const struct genlmsghdr what = {.cmd = TASKSTATS_CMD_NEW, .version = 1};
	struct nlmsghdr head = {.nlmsg_type = FAMILY};
	unsigned char stats[STATS_BYTES];

	*m = (struct message){.n = NLMSG_HDRLEN};
	add(m, &what, sizeof(what));
	attribute(m, TASKSTATS_TYPE_AGGR_PID, inner);
	attribute(m, TASKSTATS_TYPE_PID, sizeof(tid));
	add(m, &tid, sizeof(tid));
	attribute(m, TASKSTATS_TYPE_STATS, STATS_BYTES);
	stats_of(stats, tid, tgid);
	add(m, stats, sizeof(stats));
	if (more) {
		attribute(m, TASKSTATS_TYPE_AGGR_TGID, inner);
		attribute(m, TASKSTATS_TYPE_TGID, sizeof(more));
		add(m, &more, sizeof(more));
		attribute(m, TASKSTATS_TYPE_STATS, STATS_BYTES);
		add(m, stats, sizeof(stats));
	}
	head.nlmsg_len = (uint32_t)m->n;
	memcpy(m->bytes, &head, sizeof(head));
}

/* What is cut is read from memory that ends there, so that sanitizers see who reads on. */
static bool parse(const struct message *m, size_t n, struct exit_stats_event *event)
{
	unsigned char *copy = malloc(n ? n : 1);
	bool done;

	memcpy(copy, m->bytes, n);
	done = exit_stats_parse(copy, n, FAMILY, event);
	free(copy);
	return done;
}

static void bytes(void)
{
	struct exit_stats_event event;
	struct message m;

	make(&m, PID + 1, PID, 0);
	CHECK(parse(&m, m.n, &event));
	CHECK(event.tid == PID + 1 && event.pid == PID && !event.more && event.code == EXITED(3));
	CHECK(event.usage.cpu && event.usage.io);
	CHECK_INT(event.usage.user, 450 * MS); /* the exact total, as the ticks divide it */
	CHECK_INT(event.usage.system, 150 * MS);
	CHECK_INT(event.usage.peak, 32 << 20);
	CHECK_INT(event.usage.read, 4096);
	CHECK_INT(event.usage.written, 1024);
	make(&m, PID, 0, PID);
	CHECK(parse(&m, m.n, &event));
	CHECK(event.tid == PID && !event.pid && event.more == PID);
	CHECK(!exit_stats_parse(m.bytes, m.n, FAMILY + 1, &event));
}

static void damaged(void)
{
	const size_t pid_at = NLMSG_HDRLEN + GENL_HDRLEN + 2 * NLA_HDRLEN, stats_at = pid_at + 4 + NLA_HDRLEN;
	struct exit_stats_event event;
	struct message m;
	uint32_t length;
	bool none = true;

	make(&m, PID, PID, PID);
	for (size_t cut = 0; cut < m.n; cut++)
		none &= !parse(&m, cut, &event);
	CHECK(none); /* it says how long it is */
	length = NLMSG_HDRLEN;
	memcpy(m.bytes, &length, sizeof(length));
	CHECK(!parse(&m, m.n, &event));
	for (size_t at = NLMSG_HDRLEN; at < stats_at + STATS_BYTES; at++) {
		make(&m, PID, PID, PID);
		for (unsigned byte = 0; byte < 256; byte += 15) { /* lengths and types of all kinds among them */
			m.bytes[at] = (unsigned char)byte;
			(void)parse(&m, m.n, &event);
		}
	}
	make(&m, PID, PID, 0);
	m.bytes[stats_at + offsetof(struct taskstats, ac_pid)]++; /* as where the fields are elsewhere */
	CHECK(!parse(&m, m.n, &event));
	make(&m, PID, PID, 0);
	m.bytes[stats_at - NLA_HDRLEN] = 0x80; /* a structure that is too short */
	m.bytes[stats_at - NLA_HDRLEN + 1] = 0;
	CHECK(!parse(&m, m.n, &event));
	make(&m, PID, PID, 0);
	memset(m.bytes + stats_at + offsetof(struct taskstats, hiwater_rss), 0,
	       8); /* a kernel without CONFIG_TASK_XACCT */
	CHECK(parse(&m, m.n, &event) && event.usage.cpu && !event.usage.peak && !event.usage.io);
}

static struct exit_stats new_stats(void)
{
	return (struct exit_stats){.fd = open("/dev/null", O_RDONLY | O_CLOEXEC),
	                           .tick = 4 * MS,
	                           .entry = calloc(65536, sizeof(struct exit_stats_entry))};
}

/* Threads end: tid, pid, more of each. What is known then. */
static struct exec_end story(const uint32_t (*threads)[3], size_t n)
{
	struct exit_stats stats = new_stats();
	struct exec_end end = {.ended = true};
	struct exit_stats_event event;
	struct message m;

	CHECK(exit_stats_follow(&stats, PID));
	for (size_t i = 0; i < n; i++) {
		make(&m, threads[i][0], threads[i][1], threads[i][2]);
		CHECK(parse(&m, m.n, &event));
		exit_stats_note(&stats, &event);
	}
	exit_stats_know(&stats, PID, &end);
	exit_stats_leave(&stats, PID);
	CHECK_INT(stats.users, 0);
	exit_stats_close(&stats);
	CHECK_INT(stats.fd, -1);
	return end;
}

static void stories(void)
{
	static const uint32_t one[][3] = {{PID + 9, PID + 9, 0}, {PID, PID, 0}},
			      two[][3] = {{PID + 1, PID, 0}, {PID, PID, PID}}, other[][3] = {{PID + 1, PID, 0}},
			      old[][3] = {{PID + 1, 0, PID + 9}, {PID, 0, 0}},
			      old_led[][3] = {{PID, 0, 0}, {PID + 1, 0, PID}};
	struct exec_end end = story(one, 2);

	CHECK(end.known && end.wait_status == EXITED(3) && end.usage.cpu && end.usage.io);
	CHECK_INT(end.usage.user + end.usage.system, 600 * MS);
	end = story(two, 2);
	CHECK(!end.known && end.usage.cpu && end.usage.io);
	CHECK_INT(end.usage.user + end.usage.system, 1200 * MS);
	CHECK_INT(end.usage.peak, 32 << 20);
	CHECK_INT(end.usage.written, 2048);
	end = story(other, 1); /* the first one is missing */
	CHECK(!end.known && !end.usage.cpu && !end.usage.io && !end.usage.peak);
	end = story(old, 2); /* before threads had processes */
	CHECK(end.known && end.usage.cpu);
	end = story(old_led, 2); /* there were others, of which nothing is known */
	CHECK(!end.known && !end.usage.cpu && !end.usage.io && !end.usage.peak);
}

static void ticks(void)
{
	struct exit_stats stats = new_stats();
	struct exit_stats_event event = {.tid = PID, .pid = PID, .usage = {.cpu = true, .user = 3 * MS, .peak = 4096}};
	struct exec_end end = {.known = true, .wait_status = 9, .usage = {.io = true, .read = 1}};

	CHECK(exit_stats_follow(&stats, PID));
	CHECK(!exit_stats_follow(&stats, PID + 65536)); /* two of one place */
	exit_stats_note(&stats, &event);
	exit_stats_know(&stats, PID, &end);
	CHECK(!end.usage.cpu && end.usage.peak == 4096);                    /* a tick more or less */
	CHECK(end.wait_status == 9 && end.usage.io && end.usage.read == 1); /* what was known stays */
	CHECK(exit_stats_follow(&stats, PID));                              /* of another process of that number? */
	end = (struct exec_end){0};
	exit_stats_know(&stats, PID, &end);
	CHECK(!end.known && !end.usage.peak);
	exit_stats_leave(&stats, PID);
	exit_stats_leave(&stats, PID);
	exit_stats_close(&stats);
}

/* The kernel's own, where they can be had: CPU time of a child, against what wait says. */
static void living(void)
{
	const size_t size = 16 << 20;
	struct exit_stats stats;
	struct exec_end end = {0};
	int go[2], err = exit_stats_open(&stats);
	pid_t pid, ended;
	char c = 0;

	if (err) {
		printf("# no statistics here: %s\n", strerror(-err));
		CHECK_INT(stats.fd, -1);
		return;
	}
	if (!CHECK(pipe(go) == 0))
		return;
	pid = fork();
	if (pid == 0) {
		char *memory = malloc(size);

		close(go[1]);
		while (read(go[0], &c, 1) > 0)
			;
		memset(memory, 1, size);
		__asm__ volatile("" ::"r"(memory) : "memory");
		while (clock() < CLOCKS_PER_SEC / 4)
			;
		_exit(7);
	}
	close(go[0]);
	CHECK(exit_stats_follow(&stats, pid));
	close(go[1]);
	/* The kernel tells of all processes that end: there is not room for those of a quarter of a second. */
	while ((ended = waitpid(pid, NULL, WNOHANG)) == 0) {
		struct pollfd readable = {stats.fd, POLLIN, 0};

		(void)poll(&readable, 1, 10);
		exit_stats_hear(&stats);
	}
	CHECK(ended == pid);
	exit_stats_hear(&stats);
	exit_stats_know(&stats, pid, &end);
	CHECK(end.known && end.wait_status == EXITED(7));
	CHECK(end.usage.cpu && end.usage.user + end.usage.system > 200 * MS);
	CHECK(end.usage.user + end.usage.system < 400 * MS);
	CHECK(end.usage.peak > size && end.usage.peak < 4 * size);
	exit_stats_leave(&stats, pid);
	exit_stats_close(&stats);
}

int main(void)
{
	bytes();
	damaged();
	stories();
	ticks();
	living();
	return TAP_DONE();
}
