/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pagecalls [SEED]
 * Calls with what they point to at the end of a page, with counts of nothing and of far too much, and with registers
 * whose upper halves are garbage. None of them is done: a filter answers that the address is bad. With SEED others
 * follow, whose arguments are taken by chance.
 */
#include "victim.h"

#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timex.h>
#include <sys/uio.h>

#define BASE 0x10000000ul /* the same in each run */
#define PAGES_SIZE 0x8000ul
#define CHANCES 4000

static char *end; /* of what can be read */

/* Puts n bytes before the end. */
static long at_end(const void *bytes, size_t n)
{
	return (long)(intptr_t)memcpy(end - n, bytes, n);
}

static void waits(void)
{
	const struct epoll_event event = {.events = EPOLLIN | EPOLLOUT, .data.u64 = 7};
	struct pollfd polls[40];

	for (int i = 0; i < 40; i++)
		polls[i] = (struct pollfd){.fd = i, .events = (short)(i % 2 ? POLLIN : POLLOUT)};
	syscall(SYS_epoll_ctl, -1, EPOLL_CTL_ADD, -2, at_end(&event, sizeof(event)));
	syscall(SYS_epoll_pwait, -1, end - 12, 1, -1, at_end("\1\0\0\0\0\0\0", 8), 8);
	syscall(SYS_poll, at_end(polls, sizeof(polls)), 40, 0);
	syscall(SYS_poll, at_end(polls, 32 * sizeof(*polls)), 33, 0);
	syscall(SYS_poll, at_end(polls, 2 * sizeof(*polls)), -1, 0);
	syscall(SYS_futex, end - 4, FUTEX_WAIT | FUTEX_CLOCK_REALTIME, 5, NULL);
	syscall(SYS_futex, end - 4, FUTEX_WAKE_BITSET | FUTEX_CLOCK_REALTIME, 5, 0, 0, 6);
	syscall(SYS_futex, end - 4, 77, 5, end - 16, 0, 6);
}

static void vectors(void)
{
	struct iovec parts[3] = {{end - 3, 3}, {end - 33, 33}, {end - 32, (size_t)-1}};

	syscall(SYS_writev, -1, at_end(parts, sizeof(parts)), 3);
	syscall(SYS_writev, -1, end - sizeof(parts), 4);
	syscall(SYS_readv, -1, end - sizeof(parts), -1);
	syscall(SYS_vmsplice, -1, end - sizeof(parts), 2, 0);
	syscall(SYS_write, -1, end - 33, 33);
	syscall(SYS_write, -1, end - 32, 33);
	syscall(SYS_write, -1, end - 32, 32);
}

static void pages(void)
{
	const long addresses[] = {4096, 0, 8192};
	const int nodes[] = {1, -1};

	syscall(SYS_move_pages, 0, 3L, at_end(addresses, sizeof(addresses)), NULL, end - 8, 2);
	syscall(SYS_move_pages, 0, 2L, NULL, at_end(nodes, sizeof(nodes)), end - 8, 1);
	syscall(SYS_move_pages, 0, 0L, end, end, end, 0);
	for (unsigned long bits = 0; bits < 70; bits += 23)
		syscall(SYS_set_mempolicy, 0, end - 8, bits);
	syscall(SYS_mbind, 4096L, 4096L, 0x100001L << 12, NULL, 0L, 0);
	syscall(SYS_get_mempolicy, end - 4, end - 8, 0L, NULL, 0L);
	syscall(SYS_mincore, 4096L, -1L, end - 1);
}

static void others(void)
{
	const struct timespec times[] = {{0, UTIME_NOW}, {0, 0}, {1, 5}};
	const long attributes[] = {04001, 10, 11, 12, 0, 0, 0, 0};
	const unsigned char handle[] = {4, 0, 0, 0, 1, 0, 0, 0, 0xab, 0xcd, 0xef, 1};

	syscall(SYS_utimensat, -1, "x", at_end(times, 2 * sizeof(*times)), 0);
	syscall(SYS_utimensat, -1, "x", at_end(times + 1, 2 * sizeof(*times)), 0);
	syscall(SYS_utimensat, -1, "x", end - sizeof(*times), 0);
	syscall(SYS_mq_open, "x", O_CREAT | O_RDWR, 0600, at_end(attributes, sizeof(attributes)));
	syscall(SYS_mq_getsetattr, -1, end - sizeof(attributes), NULL);
	syscall(SYS_syslog, 8, NULL, 8);
	syscall(SYS_syslog, 8, NULL, -1);
	syscall(SYS_open_by_handle_at, -1, at_end(handle, sizeof(handle)), 0);
	syscall(SYS_open_by_handle_at, -1, end - 9, 0);
	syscall(SYS_name_to_handle_at, -1, "x", at_end(handle, sizeof(handle)), end - 4, 0);
	syscall(SYS_mknod, "x", S_ISUID | 0640, 0);
	syscall(SYS_mknod, "x", S_IFMT, 0);
	syscall(SYS_openat, -1, "x", 04000000 | 020000000 | O_DIRECT | O_ASYNC, 0600);
	syscall(SYS_truncate, "x", -1L);
	syscall(SYS_sched_setaffinity, 0, (long)0xdeadbeef00000004, end - 4);
}

/* --- By chance --- */

static uint64_t state;

static unsigned chance(unsigned n)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(state >> 33) % n;
}

static unsigned long any_address(void)
{
	switch (chance(8)) {
	case 0:
		return 0;
	case 1:
		return BASE + PAGES_SIZE;
	case 2:
		return BASE + PAGES_SIZE - chance(160);
	case 3:
		return 0xdeadbeef;
	default:
		return BASE + (chance(PAGES_SIZE / 2) & ~7u);
	}
}

static unsigned long any_word(void)
{
	switch (chance(9)) {
	case 0:
		return chance(16);
	case 1:
		return (unsigned long)-(long)chance(110);
	case 2:
		return 1ul << chance(64);
	case 3:
		return 0xdeadbeeful << 32 | chance(40);
	case 4:
		return ~0ul << 32 | chance(10);
	case 5:
		return 8;
	default:
		return any_address();
	}
}

static void scatter(unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		unsigned long word = chance(3) ? any_word() : chance(64);

		memcpy((char *)BASE + (chance(PAGES_SIZE - 16) & ~7u), &word, sizeof(word));
	}
}

/* Calls of which strace's names are those of all kernels. */
static const short calls[] = {
	SYS_read,
	SYS_write,
	SYS_close,
	SYS_poll,
	SYS_lseek,
	SYS_mprotect,
	SYS_munmap,
	SYS_rt_sigprocmask,
	SYS_pread64,
	SYS_pwrite64,
	SYS_readv,
	SYS_writev,
	SYS_access,
	SYS_mremap,
	SYS_shmat,
	SYS_dup2,
	SYS_nanosleep,
	SYS_getitimer,
	SYS_alarm,
	SYS_sendfile,
	SYS_execve,
	SYS_wait4,
	SYS_kill,
	SYS_semop,
	SYS_msgsnd,
	SYS_truncate,
	SYS_ftruncate,
	SYS_getdents,
	SYS_rename,
	SYS_mkdir,
	SYS_link,
	SYS_readlink,
	SYS_chmod,
	SYS_chown,
	SYS_umask,
	SYS_gettimeofday,
	SYS_getrlimit,
	SYS_times,
	SYS_setuid,
	SYS_setpgid,
	SYS_getgroups,
	SYS_setgroups,
	SYS_setresuid,
	SYS_capget,
	SYS_capset,
	SYS_rt_sigpending,
	SYS_rt_sigsuspend,
	SYS_utime,
	SYS_ustat,
	SYS_getpriority,
	SYS_sethostname,
	SYS_iopl,
	SYS_readahead,
	SYS_getxattr,
	SYS_listxattr,
	SYS_tkill,
	SYS_time,
	SYS_epoll_create,
	SYS_remap_file_pages,
	SYS_timer_create,
	SYS_timer_settime,
	SYS_clock_gettime,
	SYS_clock_nanosleep,
	SYS_epoll_wait,
	SYS_epoll_ctl,
	SYS_tgkill,
	SYS_utimes,
	SYS_mq_unlink,
	SYS_mq_timedsend,
	SYS_mq_timedreceive,
	SYS_mq_notify,
	SYS_mq_getsetattr,
	SYS_waitid,
	SYS_mkdirat,
	SYS_futimesat,
	SYS_newfstatat,
	SYS_linkat,
	SYS_symlinkat,
	SYS_readlinkat,
	SYS_fchmodat,
	SYS_faccessat,
	SYS_ppoll,
	SYS_set_robust_list,
	SYS_splice,
	SYS_tee,
	SYS_sync_file_range,
	SYS_utimensat,
	SYS_epoll_pwait,
	SYS_timerfd_create,
	SYS_eventfd,
	SYS_fallocate,
	SYS_timerfd_settime,
	SYS_epoll_create1,
	SYS_inotify_init1,
	SYS_preadv,
	SYS_pwritev,
	SYS_prlimit64,
	SYS_syncfs,
	SYS_process_vm_readv,
	SYS_process_vm_writev,
	SYS_mlock2,
	SYS_copy_file_range,
};

static void by_chance(void)
{
	scatter(3000);
	for (unsigned i = 0; i < CHANCES; i++) {
		unsigned long a[6];

		for (unsigned k = 0; k < 6; k++)
			a[k] = any_word();
		scatter(12);
		syscall(calls[chance(sizeof(calls) / sizeof(calls[0]))], a[0], a[1], a[2], a[3], a[4], a[5]);
	}
}

static void answer_all(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EFAULT),
	};
	const struct sock_fprog program = {sizeof(filter) / sizeof(filter[0]), filter};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program))
		die("seccomp");
}

int main(int argc, char **argv)
{
	struct timex time = {0};

	if (mmap((void *)BASE, PAGES_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) ==
	    MAP_FAILED)
		die("mmap");
	end = (char *)BASE + PAGES_SIZE;
	adjtimex(&time); /* the tests look at what comes behind it */
	answer_all();
	waits();
	vectors();
	pages();
	others();
	if (argc > 1) {
		state = strtoull(argv[1], NULL, 0);
		by_chance();
	}
	syscall(SYS_exit_group, 0);
}
