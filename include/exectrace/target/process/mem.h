/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The memory of another process, stopped or not. Nothing read from it is trusted: every length is bounded. */
#ifndef EXECTRACE_TARGET_PROCESS_MEM_H
#define EXECTRACE_TARGET_PROCESS_MEM_H

#include <exectrace/base/buf.h>
#include <exectrace/base/strv.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Addresses in another process: never dereferenced, so never a pointer. */
typedef uint64_t remote_addr_t;

#define MEM_STRINGS_MAX (8u << 20) /* bytes: more than the kernel accepts for argv and envp together (execve(2)) */

/* Reads exactly n bytes (process_vm_readv(2), and /proc/TID/mem where that is denied). 0 or -errno, -EFAULT when only a
 * part is there, -EPERM or -EACCES when neither way is allowed. */
int mem_read(pid_t tid, remote_addr_t addr, void *to, size_t n);

/* Reads n pieces of `bytes` bytes each, one behind the other. */
int mem_read_pages(pid_t tid, const remote_addr_t *at, size_t n, size_t bytes, unsigned char *to);

/* Writes exactly n bytes to writable memory (process_vm_writev(2)). 0 or -errno. */
int mem_write(pid_t tid, remote_addr_t addr, const void *from, size_t n);

/* Writes exactly n bytes also where the program may not, such as its text (/proc/TID/mem, proc(5)). 0 or -errno. */
int mem_poke(pid_t tid, remote_addr_t addr, const void *from, size_t n);

/* Writing in two steps, for callers who write often: the file of tid's memory, to be closed by the caller, or -errno.
 * It stays that of the program which tid executes now. */
int mem_open(pid_t tid);
int mem_put(int fd, remote_addr_t addr, const void *from, size_t n);

/* Adds the string at addr to out, without its NUL, up to max bytes. 0; -EFAULT; -E2BIG when longer; -ENOMEM. */
int mem_read_str(pid_t tid, remote_addr_t addr, size_t max, struct buf *out);

/*
 * Adds the strings of a NULL-ended vector of pointers, `word` bytes each (argv, envp), to out. A NULL vector is an
 * empty one. 0 or -errno; what was read before a failure stays. Reads never cross into a page that the strings do not
 * reach.
 */
int mem_read_vector(pid_t tid, remote_addr_t addr, unsigned word, struct strv *out);

/* Whether two threads share their memory, so that one space serves both: 1, 0, or -errno (kcmp(2)). */
int mem_shared(pid_t one, pid_t other);

#endif
