/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The messages of taskstats: what is asked, and what comes. */
#include "exit_stats_socket.h"

#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/clock.h>
#include <exectrace/base/fd.h>
#include <exectrace/target/exec/usage.h>
#include <fcntl.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <linux/taskstats.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define BUFFER (4 << 20) /* bytes of messages that wait for us */
#define MESSAGE 8192     /* bytes of one: two structures that grow with each version */
#define CPUS 1024        /* bytes of a list of processors */

/* --- Sending ------------------------------------------------------------------------------------------------------ */

/* A command of a family with one text. 0 or -errno. */
static int ask(int fd, uint16_t family, uint8_t command, uint16_t attribute, const char *text)
{
	unsigned char message[NLMSG_SPACE(GENL_HDRLEN) + NLA_HDRLEN + CPUS] = {0};
	size_t n = strlen(text) + 1;
	const struct genlmsghdr what = {.cmd = command, .version = TASKSTATS_GENL_VERSION};
	const struct nlattr attr = {.nla_len = (uint16_t)(NLA_HDRLEN + n), .nla_type = attribute};
	const struct nlmsghdr head = {
		.nlmsg_len = (uint32_t)(NLMSG_LENGTH(GENL_HDRLEN) + NLA_ALIGN(attr.nla_len)),
		.nlmsg_type = family,
		.nlmsg_flags = NLM_F_REQUEST,
	};

	if (n > CPUS)
		return -E2BIG;
	memcpy(message, &head, sizeof(head));
	memcpy(message + NLMSG_HDRLEN, &what, sizeof(what));
	memcpy(message + NLMSG_HDRLEN + GENL_HDRLEN, &attr, sizeof(attr));
	memcpy(message + NLMSG_HDRLEN + GENL_HDRLEN + NLA_HDRLEN, text, n);
	return send(fd, message, head.nlmsg_len, 0) < 0 ? -errno : 0;
}

/* The processors that threads can end on, as the kernel lists them. */
static void all_processors(char *list, size_t max)
{
	cleanup_fd int fd = open("/sys/devices/system/cpu/possible", O_RDONLY | O_CLOEXEC);
	long n = fd < 0 ? 0 : fd_read_all(fd, list, max - 1);

	list[n > 0 ? n : 0] = 0;
	list[strcspn(list, "\n")] = 0;
	if (!*list)
		snprintf(list, max, "0-%ld", sysconf(_SC_NPROCESSORS_CONF) - 1);
}

/* --- Parsing ------------------------------------------------------------------------------------------------------ */

/* Attributes that are left of a message. */
struct attributes {
	const unsigned char *at;
	size_t n;
};

/* The next one: its type and what is in it. False at the end, or where its length is wrong. */
static bool next(struct attributes *left, uint16_t *type, struct attributes *content)
{
	struct nlattr attr;
	size_t step;

	if (left->n < sizeof(attr))
		return false;
	memcpy(&attr, left->at, sizeof(attr));
	if (attr.nla_len < NLA_HDRLEN || attr.nla_len > left->n)
		return false;
	*type = attr.nla_type & NLA_TYPE_MASK;
	*content = (struct attributes){left->at + NLA_HDRLEN, attr.nla_len - (size_t)NLA_HDRLEN};
	step = NLA_ALIGN(attr.nla_len);
	step = step < left->n ? step : left->n;
	left->at += step;
	left->n -= step;
	return true;
}

/* The attribute of that type among some. */
static bool find(struct attributes left, uint16_t wanted, struct attributes *content)
{
	uint16_t type;

	while (next(&left, &type, content)) {
		if (type == wanted)
			return true;
	}
	return false;
}

static bool find_u32(struct attributes in, uint16_t wanted, uint32_t *value)
{
	struct attributes content;

	if (!find(in, wanted, &content) || content.n < sizeof(*value))
		return false;
	memcpy(value, content.at, sizeof(*value));
	return true;
}

/* What is in a message of a family. */
static bool open_message(const void *data, size_t n, uint16_t family, struct attributes *content)
{
	const size_t before = NLMSG_HDRLEN + GENL_HDRLEN;
	struct nlmsghdr head;

	if (n < before)
		return false;
	memcpy(&head, data, sizeof(head));
	if (head.nlmsg_type != family || head.nlmsg_len < before || head.nlmsg_len > n)
		return false;
	*content = (struct attributes){(const unsigned char *)data + before, head.nlmsg_len - before};
	return true;
}

#define AT(member) offsetof(struct taskstats, member)

/* Behind what the first versions have: ac_tgid, which not every version of the header has. */
#define AT_PROCESS 368
#define PROCESS_VERSION 12

static uint64_t wide(const unsigned char *stats, size_t at)
{
	uint64_t value;

	memcpy(&value, stats + at, sizeof(value));
	return value;
}

static uint32_t narrow(const unsigned char *stats, size_t at)
{
	uint32_t value;

	memcpy(&value, stats + at, sizeof(value));
	return value;
}

/*
 * Linux 6.14 had its new fields in the middle (version 15), which later ones took back: then the number of the thread
 * is not where it belongs. Bytes moved are counted by the same option of the kernel as the peak (CONFIG_TASK_XACCT).
 */
static bool read_stats(struct attributes stats, uint32_t tid, struct exit_stats_event *event)
{
	uint16_t version;

	if (stats.n < AT(write_char) + sizeof(uint64_t) || narrow(stats.at, AT(ac_pid)) != tid)
		return false;
	memcpy(&version, stats.at + AT(version), sizeof(version));
	*event = (struct exit_stats_event){.tid = (pid_t)tid, .code = (int)narrow(stats.at, AT(ac_exitcode))};
	if (version >= PROCESS_VERSION && stats.n >= AT_PROCESS + sizeof(uint32_t))
		event->pid = (pid_t)narrow(stats.at, AT_PROCESS);
	exec_usage_set_cpu(&event->usage, wide(stats.at, AT(cpu_run_virtual_total)),
	                   wide(stats.at, AT(ac_utime)) * NS_PER_US, wide(stats.at, AT(ac_stime)) * NS_PER_US);
	event->usage.peak = wide(stats.at, AT(hiwater_rss)) << 10;
	event->usage.io = event->usage.peak != 0;
	if (event->usage.io) {
		event->usage.read = wide(stats.at, AT(read_char));
		event->usage.written = wide(stats.at, AT(write_char));
	}
	return event->pid >= 0 && event->tid > 0;
}

bool exit_stats_parse(const void *data, size_t n, uint16_t family, struct exit_stats_event *event)
{
	struct attributes content, thread, stats, process;
	uint32_t tid, more;

	if (!open_message(data, n, family, &content) || !find(content, TASKSTATS_TYPE_AGGR_PID, &thread) ||
	    !find_u32(thread, TASKSTATS_TYPE_PID, &tid) || !find(thread, TASKSTATS_TYPE_STATS, &stats) ||
	    !read_stats(stats, tid, event))
		return false;
	if (find(content, TASKSTATS_TYPE_AGGR_TGID, &process) && find_u32(process, TASKSTATS_TYPE_TGID, &more))
		event->more = (pid_t)more;
	return true;
}

/* --- Opening ------------------------------------------------------------------------------------------------------ */

/* The number of the family. 0 or -errno. */
static int find_family(int fd, uint16_t *family)
{
	unsigned char data[MESSAGE];
	struct attributes content, id;
	ssize_t n = 0;
	int err = ask(fd, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, CTRL_ATTR_FAMILY_NAME, TASKSTATS_GENL_NAME);

	if (err)
		return err;
	n = recv(fd, data, sizeof(data), 0); /* the answer was there when send returned */
	if (n < 0)
		return -errno;
	if (!open_message(data, (size_t)n, GENL_ID_CTRL, &content) || !find(content, CTRL_ATTR_FAMILY_ID, &id) ||
	    id.n < sizeof(*family))
		return -ENOENT;
	memcpy(family, id.at, sizeof(*family));
	return 0;
}

int exit_stats_socket(uint16_t *family)
{
	const struct sockaddr_nl address = {.nl_family = AF_NETLINK};
	const int bytes = BUFFER;
	char processors[CPUS];
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_GENERIC);
	int err = 0;

	fd = fd < 0 ? -errno : fd_high(fd);
	if (fd < 0)
		return fd;
	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes)))
		(void)setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes));
	if (bind(fd, (const struct sockaddr *)&address, sizeof(address)))
		err = -errno;
	if (!err)
		err = find_family(fd, family);
	all_processors(processors, sizeof(processors));
	if (!err)
		err = ask(fd, *family, TASKSTATS_CMD_GET, TASKSTATS_CMD_ATTR_REGISTER_CPUMASK, processors);
	if (!err)
		return fd;
	close(fd);
	return err;
}

/* Only the kernel's address is 0. */
int exit_stats_receive(int fd, uint16_t family, struct exit_stats_event *event)
{
	unsigned char data[MESSAGE];
	struct sockaddr_nl from = {0};
	socklen_t n_from = sizeof(from);
	ssize_t n = recvfrom(fd, data, sizeof(data), 0, (struct sockaddr *)&from, &n_from);

	if (n < 0)
		return -errno;
	return from.nl_pid == 0 && exit_stats_parse(data, (size_t)n, family, event);
}

bool exit_stats_refused(int fd)
{
	struct nlmsghdr head;

	return recv(fd, &head, sizeof(head), MSG_PEEK) >= (ssize_t)sizeof(head) && head.nlmsg_type == NLMSG_ERROR;
}
