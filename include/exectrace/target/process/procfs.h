/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What /proc says of a process (proc(5)). Always asked by thread: a process whose leader has exited has no memory or
 * links under its own pid. */
#ifndef EXECTRACE_TARGET_PROCESS_PROCFS_H
#define EXECTRACE_TARGET_PROCESS_PROCFS_H

#include <exectrace/base/buf.h>
#include <exectrace/base/strv.h>
#include <exectrace/target/process/procdir.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Signals of a thread, as bit masks: bit N-1 is signal N. */
struct proc_signals {
	uint64_t pending; /* its own and its process's */
	uint64_t blocked;
	uint64_t caught;
	char state; /* R S D T t Z X ... */
};

struct proc_status {
	pid_t tgid;
	pid_t ppid;
	pid_t tracer; /* 0: not traced */
	uid_t euid;
	unsigned long locked; /* memory, kB */
	unsigned filters; /* seccomp filters of it; before Linux 5.9, and in strict mode: 1, whatever their number */
	struct proc_signals signals;
};

/* Whether it is a zombie, or less. */
static inline bool proc_status_ended(const struct proc_status *status)
{
	return status->signals.state == 'Z' || status->signals.state == 'X';
}

/* What a thread may do with files (credentials(7), capabilities(7)), but for its groups. */
struct proc_rights {
	uid_t uid;             /* of its accesses to files */
	uint64_t capabilities; /* effective ones: bit N is number N, of its own user namespace */
	uint64_t ambient;      /* those that an ordinary user's next program has */
};

/* Bytes that tell one program image from the next: two equal ids of one thread mean that it did not exec in between. */
struct proc_image {
	unsigned char id[16];
};

/* Reads /proc/TID/status for signals. 0 or -errno. */
int proc_signals(pid_t tid, struct proc_signals *signals);

/* The pids of pid's children as text, separated by blanks (/proc/PID/task/PID/children). The length, 0 when unknown, or
 * -errno. */
long proc_children(pid_t pid, char *text, size_t max);

/* Reads /proc/TID/status. 0 or -errno (-ESRCH, -ENOENT: gone). */
int proc_status(pid_t tid, struct proc_status *status);

/* True of a zombie, and of what is gone or cannot be looked at. */
bool proc_has_ended(pid_t tid);

/* Whether what /proc/TID/NAME leads to ("root", "ns/mnt") is that of the caller; false when it cannot be told. */
bool proc_shares(pid_t tid, const char *name);

/* True when tid's group, or one of its supplementary groups, is gid. */
bool proc_in_group(pid_t tid, gid_t gid);

/* Reads the rights of tid from /proc/TID/status. 0 or -errno. */
int proc_rights(pid_t tid, struct proc_rights *rights);

/* The effective user of tid, by the owner of /proc/TID, which costs less than to read a file there; (uid_t)-1 when it
 * is gone. */
uid_t proc_owner(pid_t tid);

/* The pid that traces tid, 0 for none, or -errno. */
pid_t proc_tracer(pid_t tid);

/* Adds the target of /proc/TID/NAME ("cwd", "exe", "root", "fd/3"). 0 or -errno. */
int proc_link(pid_t tid, const char *name, struct buf *out);

/* Whether a descriptor of tid is a netlink socket. */
bool proc_is_netlink(pid_t tid, int fd);

/*
 * The protocol (NETLINK_*) of a netlink socket of tid's network, by its inode (/proc/TID/net/netlink). -ENOENT: it is
 * none, or has no address yet; or -errno.
 */
int proc_netlink(pid_t tid, unsigned long inode);

/* Opens /proc/TID/NAME. A descriptor (close-on-exec) or -errno. */
int proc_open(pid_t tid, const char *name, int flags);

/* Adds the NUL-separated strings of /proc/TID/NAME ("cmdline", "environ") to out. 0 or -errno. */
int proc_strings(pid_t tid, const char *name, struct strv *out);

/* Bytes of a pointer in the program that tid runs: 4 or 8, by its auxiliary vector; that of this machine when it cannot
 * be read. */
unsigned proc_word_size(pid_t tid);

/* From /proc/PID/stat, which is cheaper to read than status (proc_pid_stat(5)). */
struct proc_stat {
	pid_t ppid;
	unsigned threads; /* of the whole process, also of a thread's stat */
	uint64_t start;   /* clock ticks since boot: with the pid it names a process for good */
	int cpu;          /* it runs on, or ran on last */
	int stop;         /* the signal that has stopped the process; 0: none, we may not know, or its parent does */
};

/* Reads /proc/PID/stat. 0 or -ESRCH. */
int proc_stat(pid_t pid, struct proc_stat *stat);

/* Start time of the process in clock ticks since boot (field 22 of stat), which with the pid names it for good. 0 when
 * it is gone. */
uint64_t proc_start_time(pid_t pid);

/*
 * Reads the image id: the 16 random bytes the kernel gives each new program (AT_RANDOM, getauxval(3)). A leader that
 * has ended before its process has no memory any more; then another thread is asked. 0 or -errno.
 */
int proc_image(pid_t tid, struct proc_image *image);

/* Entry `type` (AT_*) of tid's auxiliary vector. 0 or -errno; -ENOENT when there is none. */
int proc_auxv(pid_t tid, unsigned long type, uint64_t *value);

/* The wait(2) status of a zombie (field 52 of stat), while it is one. 0 or -errno; -EAGAIN when it has not ended. */
int proc_zombie_status(pid_t pid, int *status);

#endif
