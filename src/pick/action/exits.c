/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/pick/action/exits.h>

#include "trial.h"
#include <errno.h>
#include <exectrace/base/clock.h>
#include <exectrace/base/fd.h>
#include <exectrace/pick/action/exit_watch.h>
#include <linux/cn_proc.h>
#include <linux/connector.h>
#include <linux/filter.h>
#include <linux/netlink.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define ENTRIES 65536u   /* two processes whose pids are the same but for multiples of that cannot both be followed */
#define BUFFER (4 << 20) /* bytes of events that wait for us, where that may be asked for */

/* Of linux/cn_proc.h: what an event is about. They are no enumerators of their own in every version of the header. */
#define EVENT_FORK 0x00000001u
#define EVENT_EXIT 0x80000000u

/* Where the parts of a datagram are. */
#define AT_EVENT (NLMSG_HDRLEN + sizeof(struct cn_msg))
#define AT_DATA (AT_EVENT + offsetof(struct proc_event, event_data))

static uint32_t number(const unsigned char *data, size_t at)
{
	uint32_t value = 0;

	memcpy(&value, data + at, sizeof(value));
	return value;
}

bool exits_parse(const void *data, size_t n, struct exits_event *event)
{
	const unsigned char *bytes = data;
	uint32_t what = n >= AT_DATA + 4 * sizeof(uint32_t) ? number(bytes, AT_EVENT) : 0;

	if (what == EVENT_EXIT)
		*event = (struct exits_event){.tid = (pid_t)number(bytes, AT_DATA),
		                              .pid = (pid_t)number(bytes, AT_DATA + 4),
		                              .ended = true,
		                              .code = (int)number(bytes, AT_DATA + 8)};
	else if (what == EVENT_FORK)
		*event = (struct exits_event){.tid = (pid_t)number(bytes, AT_DATA + 8),
		                              .pid = (pid_t)number(bytes, AT_DATA + 12)};
	else
		return false;
	return event->ended || event->tid != event->pid;
}

/* In the kernel, so that we are not woken for what does not matter: numbers are loaded as of the network. */
static int filter(int fd)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, AT_EVENT),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __builtin_bswap32(EVENT_EXIT), 5, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __builtin_bswap32(EVENT_FORK), 0, 5),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, AT_DATA + 8),
		BPF_STMT(BPF_MISC | BPF_TAX, 0),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, AT_DATA + 12),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_X, 0, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, UINT32_MAX),
		BPF_STMT(BPF_RET | BPF_K, 0),
	};
	struct sock_fprog program = {sizeof(code) / sizeof(code[0]), code};

	return setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program)) ? -errno : 0;
}

static int ask_for_events(int fd)
{
	unsigned char message[NLMSG_SPACE(sizeof(struct cn_msg) + sizeof(uint32_t))] = {0};
	const uint32_t listen = PROC_CN_MCAST_LISTEN;
	const struct nlmsghdr head = {
		.nlmsg_len = NLMSG_LENGTH(sizeof(struct cn_msg) + sizeof(listen)),
		.nlmsg_type = NLMSG_DONE,
	};
	const struct cn_msg order = {.id = {.idx = CN_IDX_PROC, .val = CN_VAL_PROC}, .len = sizeof(listen)};

	memcpy(message, &head, sizeof(head));
	memcpy(message + NLMSG_HDRLEN, &order, sizeof(order));
	memcpy(message + AT_EVENT, &listen, sizeof(listen));
	return send(fd, message, head.nlmsg_len, 0) < 0 ? -errno : 0;
}

static int open_socket(void)
{
	const struct sockaddr_nl group = {.nl_family = AF_NETLINK, .nl_groups = CN_IDX_PROC};
	const int bytes = BUFFER;
	int fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_CONNECTOR);
	int err = 0;

	fd = fd < 0 ? -errno : fd_high(fd);
	if (fd < 0)
		return fd;
	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes)))
		(void)setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes));
	err = filter(fd);
	if (!err && bind(fd, (const struct sockaddr *)&group, sizeof(group)))
		err = -errno;
	if (!err)
		err = ask_for_events(fd);
	if (!err)
		return fd;
	close(fd);
	return err;
}

bool exits_are_told(void)
{
	struct exec_end end = {0};
	struct exit_watch watch = {.fd = -1};
	struct trial trial;
	int err = trial_begin(&trial);

	if (err)
		return false;
	err = exit_watch_open(&watch, trial.pid);
	trial_end(&trial);
	if (!err)
		(void)exit_watch_look(&watch, &end);
	exit_watch_close(&watch);
	return end.known;
}

static bool try_events(struct exits *exits)
{
	struct pollfd fd = {.fd = exits->fd, .events = POLLIN};
	struct trial trial;
	int status = 0;
	bool known = false;
	uint64_t limit = clock_now() + TRIAL_LIMIT_MS * NS_PER_MS;

	if (trial_begin(&trial))
		return false;
	(void)exits_follow(exits, trial.pid);
	trial_end(&trial);
	while (!known && clock_now() < limit && poll(&fd, 1, TRIAL_LIMIT_MS) == 1) {
		exits_hear(exits);
		known = exits_know(exits, trial.pid, &status);
	}
	exits_leave(exits, trial.pid);
	return known && status == TRIAL_STATUS << 8;
}

int exits_open(struct exits *exits)
{
	int err = 0;

	*exits = (struct exits){.fd = open_socket()};
	if (exits->fd < 0) {
		err = exits->fd;
		exits->fd = -1;
		return err;
	}
	exits->entry = calloc(ENTRIES, sizeof(*exits->entry));
	if (!exits->entry)
		err = -ENOMEM;
	else if (!try_events(exits))
		err = -ENODATA;
	if (err)
		exits_close(exits);
	return err;
}

static struct exits_entry *entry_of(const struct exits *exits, pid_t pid)
{
	return &exits->entry[(unsigned)pid % ENTRIES];
}

bool exits_follow(struct exits *exits, pid_t pid)
{
	struct exits_entry *entry = exits->fd >= 0 ? entry_of(exits, pid) : NULL;

	if (!entry || (entry->users && entry->pid != pid))
		return false;
	if (!exits->users) /* nobody has listened since */
		exits_hear(exits);
	if (!entry->users)
		*entry = (struct exits_entry){.pid = pid};
	else if (entry->led && !entry->made) /* another process of that number */
		entry->unclear = true;
	entry->users++;
	exits->users++;
	return true;
}

void exits_leave(struct exits *exits, pid_t pid)
{
	struct exits_entry *entry = entry_of(exits, pid);

	entry->users--;
	exits->users--;
}

void exits_note(struct exits *exits, const struct exits_event *event)
{
	struct exits_entry *entry = entry_of(exits, event->pid);

	if (!entry->users || entry->pid != event->pid)
		return;
	if (!event->ended) {
		entry->made++;
	} else if (event->tid == event->pid) {
		entry->differs = entry->other && entry->other != event->code;
		entry->led = true;
		entry->code = event->code;
	} else {
		entry->gone++;
		entry->other = event->code;
		entry->differs |= entry->led && event->code != entry->code;
	}
}

static void forget(struct exits *exits)
{
	for (unsigned i = 0; i < ENTRIES; i++) {
		if (exits->entry[i].users)
			exits->entry[i].unclear = true;
	}
}

void exits_hear(struct exits *exits)
{
	unsigned char data[1024];
	struct exits_event event;
	ssize_t n = 0;

	if (exits->fd < 0)
		return;
	for (;;) {
		n = recv(exits->fd, data, sizeof(data), 0);
		if (n < 0 && errno == ENOBUFS) /* some were lost, one does not know of whom */
			forget(exits);
		else if (n < 0 && errno != EINTR)
			return;
		else if (n >= 0 && exits_parse(data, (size_t)n, &event))
			exits_note(exits, &event);
	}
}

/*
 * That of the first thread, or of who called exit_group(2) or met a signal: which ends all threads alike. Where they
 * have ended differently the first one may have ended before by itself, and only a signal says that it ended all.
 */
bool exits_know(const struct exits *exits, pid_t pid, int *status)
{
	const struct exits_entry *entry = exits->fd >= 0 ? entry_of(exits, pid) : NULL;

	if (!entry || !entry->users || entry->pid != pid || entry->unclear || !entry->led || entry->gone < entry->made)
		return false;
	if (entry->differs && !(entry->other & 0x7f))
		return false;
	*status = entry->differs ? entry->other : entry->code;
	return true;
}

void exits_close(struct exits *exits)
{
	fd_close(&exits->fd);
	free(exits->entry);
	exits->entry = NULL;
}
