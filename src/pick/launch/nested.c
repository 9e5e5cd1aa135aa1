/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/pick/launch/nested.h>

#include "attach.h"
#include "door.h"
#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/fd.h>
#include <exectrace/base/pidfd.h>
#include <exectrace/target/arch/arch.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

/* "exectrac": in no half of an address space. */
#define NESTED_PATH 0x6361727463657865UL
#define VERSION 1

#ifndef SECCOMP_ADDFD_FLAG_SEND /* Linux 5.14 */
#define SECCOMP_ADDFD_FLAG_SEND (1UL << 1)
#endif

/* --- The inner one ------------------------------------------------------------------------------------------------ */

/* Where others answer for a listener, anything may be the result. */
bool nested_is_feed(int fd)
{
	return fd > STDERR_FILENO && door_is_socket(fd);
}

static int hear(int feed, struct nested_hello *hello)
{
	int none = -1;
	int err = door_hear(feed, hello, sizeof(*hello), &none);

	fd_close(&none);
	return err;
}

static int fetch(const struct nested_hello *hello)
{
	cleanup_fd int pidfd = pidfd_of(hello->outer);
	int listener = pidfd < 0 ? -1 : pidfd_fetch(pidfd, hello->listener);

	if (listener >= 0 && attach_is_listener(getpid(), listener))
		return listener;
	fd_close(&listener);
	return -EBUSY;
}

/* It has no effect but to be there. */
static void add_filter(void)
{
	struct sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	const struct sock_fprog prog = {.len = 1, .filter = &allow};

	(void)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW, &prog);
}

int nested_ask(pid_t supervisor, int *feed)
{
	long got = syscall(SYS_execve, NESTED_PATH, (long)supervisor, (long)VERSION);
	struct nested_hello hello = {0};
	int listener = -EBUSY;

	if (got < 0 || !nested_is_feed((int)got))
		return -EBUSY;
	*feed = fd_high((int)got);
	if (*feed >= 0 && hear(*feed, &hello) == 0 && hello.pid == getpid())
		listener = fetch(&hello);
	if (listener < 0)
		fd_close(feed);
	else
		add_filter();
	return listener;
}

int nested_receive(int feed, struct slot *slot)
{
	ssize_t n = recv(feed, &slot->notif, sizeof(slot->notif), 0);

	if (n == (ssize_t)sizeof(slot->notif))
		return 0;
	memset(&slot->notif, 0, sizeof(slot->notif));
	return n < 0 ? -errno : -ENOENT;
}

void nested_say_again(int feed, pid_t tid)
{
	(void)door_send(feed, &tid, sizeof(tid), -1);
}

/* --- The outer one ------------------------------------------------------------------------------------------------ */

static bool is_execve(const struct seccomp_data *call)
{
	const struct arch *arch = arch_by_call(call->arch, (uint32_t)call->nr);

	return arch && (uint32_t)call->nr == arch->nr_execve;
}

bool nested_asks(const struct seccomp_data *call, pid_t *supervisor)
{
	if (call->args[0] != NESTED_PATH || call->args[2] != VERSION || !is_execve(call))
		return false;
	*supervisor = (pid_t)call->args[1];
	return true;
}

bool nested_parks(const struct seccomp_data *call)
{
	return !call->args[0] && !call->args[1] && !call->args[2] && is_execve(call);
}

int nested_answer(int listener, const struct slot *slot)
{
	struct nested_hello hello;
	struct seccomp_notif_addfd add = {
		.id = slot->notif.id,
		.flags = SECCOMP_ADDFD_FLAG_SEND,
		.newfd_flags = O_CLOEXEC,
	};
	int ends[2];
	int err = fd_socketpair(ends);

	if (err)
		return err;
	memset(&hello, 0, sizeof(hello)); /* its padding, too */
	hello.pid = (pid_t)slot->notif.pid;
	hello.outer = getpid();
	hello.listener = listener;
	err = door_send(ends[0], &hello, sizeof(hello), -1);
	add.srcfd = (uint32_t)ends[1];
	if (!err && ioctl(listener, SECCOMP_IOCTL_NOTIF_ADDFD, &add) < 0)
		err = -errno;
	fd_close(&ends[1]);
	if (err)
		fd_close(&ends[0]);
	return err ? err : ends[0];
}

pid_t nested_hear(int feed)
{
	pid_t tid = 0;
	int none = -1;

	if (door_receive(feed, &tid, sizeof(tid), &none))
		return 0;
	fd_close(&none);
	return tid;
}

int nested_send(int feed, const struct slot *slot)
{
	return door_send(feed, &slot->notif, sizeof(slot->notif), -1);
}
