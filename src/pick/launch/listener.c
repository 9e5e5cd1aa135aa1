/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/pick/launch/listener.h>

#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <poll.h>
#include <seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#ifndef SECCOMP_IOCTL_NOTIF_SET_FLAGS /* Linux 6.6 */
#define SECCOMP_IOCTL_NOTIF_SET_FLAGS SECCOMP_IOW(4, __u64)
#define SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP (1UL << 0)
#endif

#define PROGRAM_MAX 4096u /* instructions: BPF_MAXINSNS */
#define TRIES 16          /* to give an answer, or to ask for a caller */

/* Native and every other ABI the machine runs, in one filter. */
static scmp_filter_ctx make_filter(void)
{
	scmp_filter_ctx ctx = seccomp_init(SCMP_ACT_ALLOW);
	/* A call of an architecture the filter does not name must stay what it is. */
	int err = ctx ? seccomp_attr_set(ctx, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_ALLOW) : -ENOMEM;

	if (!err && seccomp_arch_native() == SCMP_ARCH_X86_64) {
		err = seccomp_arch_add(ctx, SCMP_ARCH_X86);
		if (!err)
			err = seccomp_arch_add(ctx, SCMP_ARCH_X32);
	}
	if (!err)
		err = seccomp_rule_add(ctx, SCMP_ACT_NOTIFY, SCMP_SYS(execve), 0);
	if (!err)
		err = seccomp_rule_add(ctx, SCMP_ACT_NOTIFY, SCMP_SYS(execveat), 0);
	if (err) {
		seccomp_release(ctx);
		return NULL;
	}
	return ctx;
}

/* The program as instructions; the caller frees prog->filter. 0 or -errno. */
static int compile(struct sock_fprog *prog)
{
	cleanup_fd int fd = memfd_create("exectrace-filter", MFD_CLOEXEC);
	scmp_filter_ctx ctx = make_filter();
	size_t room = PROGRAM_MAX * sizeof(struct sock_filter);
	long n = 0;

	prog->filter = malloc(room);
	if (!ctx || fd < 0 || !prog->filter || seccomp_export_bpf(ctx, fd) || lseek(fd, 0, SEEK_SET) < 0)
		n = -EINVAL;
	else
		n = fd_read_all(fd, prog->filter, room);
	seccomp_release(ctx);
	if (n <= 0) {
		free(prog->filter);
		return n < 0 ? (int)n : -EINVAL;
	}
	prog->len = (unsigned short)((size_t)n / sizeof(struct sock_filter));
	return 0;
}

static int install(const struct sock_fprog *prog)
{
	long fd = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, LISTENER_FLAGS, prog);

	return fd < 0 ? -errno : (int)fd;
}

/* An instruction of no effect. */
static struct sock_filter mark_of(uint32_t mark)
{
	return (struct sock_filter)BPF_STMT(BPF_LD | BPF_IMM, mark);
}

long listener_lay_out(void *to, size_t room, uint64_t at, uint32_t mark)
{
	const struct sock_filter begin = mark_of(mark);
	struct sock_fprog prog = {0};
	struct sock_fprog there = {0};
	char *insns = (char *)to + sizeof(there);
	int err = compile(&prog);
	size_t n = (prog.len + 1u) * sizeof(begin);

	if (err)
		return err;
	if (sizeof(there) + n <= room) {
		there.len = (unsigned short)(prog.len + 1);
		there.filter = (struct sock_filter *)(uintptr_t)(at + sizeof(there)); /* not ours */
		memcpy(to, &there, sizeof(there));
		memcpy(insns, &begin, sizeof(begin));
		memcpy(insns + sizeof(begin), prog.filter, n - sizeof(begin));
	}
	free(prog.filter);
	return sizeof(there) + n <= room ? (long)(sizeof(there) + n) : -E2BIG;
}

bool listener_is_marked(const struct sock_filter *insns, size_t n, uint32_t mark)
{
	const struct sock_filter begin = mark_of(mark);

	return n > 0 && memcmp(insns, &begin, sizeof(begin)) == 0;
}

static bool before(int major, int minor)
{
	struct utsname name;
	int a = 0;
	int b = 0;

	return uname(&name) == 0 && sscanf(name.release, "%d.%d", &a, &b) == 2 &&
	       (a < major || (a == major && b < minor));
}

void listener_explain(struct buf *why, int err)
{
	struct utsname name;

	if (err == -EBUSY)
		(void)buf_puts(why, "this process tree is traced already (by exectrace or another seccomp listener)");
	else if ((err == -EINVAL || err == -ENOSYS) && before(5, 19) && uname(&name) == 0)
		(void)buf_printf(why, "no seccomp listener: needs Linux 5.19 or later, this is %s", name.release);
	else
		(void)buf_printf(why, "no seccomp listener: %s", strerror(-err));
}

int listener_install(bool nnp)
{
	struct seccomp_notif_sizes sizes = {0};
	struct sock_fprog prog = {0};
	int fd = -1;
	int err = 0;

	if (syscall(SYS_seccomp, SECCOMP_GET_NOTIF_SIZES, 0, &sizes))
		return -errno;
	if (sizes.seccomp_notif > SLOT_BYTES)
		return -E2BIG;
	err = compile(&prog);
	if (err)
		return err;
	fd = nnp && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ? -errno : install(&prog);
	free(prog.filter);
	return fd < 0 ? fd : fd_high(fd);
}

bool listener_sync_wakeup(int listener, bool on)
{
	unsigned long flags = on ? SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP : 0;

	return ioctl(listener, SECCOMP_IOCTL_NOTIF_SET_FLAGS, flags) == 0;
}

int listener_receive(int listener, struct slot *slot)
{
	return ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &slot->notif) ? -errno : 0;
}

/* Nobody waits for it: the caller is gone, or was answered. */
static bool is_over(int err)
{
	return err == -ENOENT || err == -EINPROGRESS;
}

int listener_give(int listener, uint64_t id, int answer)
{
	struct seccomp_notif_resp reply = {.id = id};
	int err = -EAGAIN;

	if (answer == ANSWER_CONTINUE)
		reply.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
	else
		reply.error = answer;
	for (int i = 0; i < TRIES && err && !is_over(err); i++)
		err = ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &reply) ? -errno : 0;
	return is_over(err) ? 0 : err;
}

bool listener_settle(int listener, struct slot *slot, int answer)
{
	if (listener_give(listener, slot->notif.id, answer)) {
		slot->owed = answer;
		atomic_store(&slot->busy, SLOT_OWED);
		return false;
	}
	slot_free(slot);
	return true;
}

int listener_try(int listener)
{
	const uint64_t nobody = 0;

	return ioctl(listener, SECCOMP_IOCTL_NOTIF_ID_VALID, &nobody) && errno != ENOENT ? -errno : 0;
}

bool listener_valid(int listener, uint64_t id)
{
	int err = -EINTR; /* of the lock that it takes (seccomp_notify_id_valid, kernel/seccomp.c) */

	for (int i = 0; i < TRIES && err && err != -ENOENT; i++)
		err = ioctl(listener, SECCOMP_IOCTL_NOTIF_ID_VALID, &id) ? -errno : 0;
	return !err;
}

bool listener_ended(int listener)
{
	struct pollfd fd = {.fd = listener};

	return poll(&fd, 1, 0) == 1 && (fd.revents & (POLLHUP | POLLERR | POLLNVAL));
}

bool listener_lives_on(int listener)
{
	const struct timespec moment = {.tv_nsec = 1000000};

	for (int i = 0; i < 20 && !listener_ended(listener); i++)
		nanosleep(&moment, NULL);
	return !listener_ended(listener);
}
