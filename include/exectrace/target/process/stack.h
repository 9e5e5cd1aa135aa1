/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The initial stack of a new program: argc, argv, envp and the auxiliary vector as the kernel lays them out (System V
 * ABI, process initialization). At PTRACE_EVENT_EXEC it is complete and nobody has looked at it yet.
 */
#ifndef EXECTRACE_TARGET_PROCESS_STACK_H
#define EXECTRACE_TARGET_PROCESS_STACK_H

#include <exectrace/base/strv.h>
#include <exectrace/target/arch/arch.h>
#include <exectrace/target/process/mem.h>

/*
 * Bytes that can be added at most. execve leaves 128 KiB below the stack pointer; beyond that the stack grows as its
 * limit allows, of which the arguments and variables of an execve have a quarter, and never more than 6 MiB
 * (fs/exec.c).
 */
#define STACK_MORE_MAX (6u << 20)

/* The words on it, as they are in memory. */
struct stack_image {
	pid_t tid;
	unsigned word;
	remote_addr_t sp;
	uint64_t *words; /* argc, argv..., 0, envp..., 0, auxv pairs..., AT_NULL pair */
	size_t n;        /* words */
	size_t argc;
	size_t envc;
};

/* Reads it from a thread stopped at its exec. 0 or -errno; -EINVAL when it does not look like one. */
int stack_read(struct stack_image *image, pid_t tid, const struct regs *regs);
void stack_release(struct stack_image *image);

/* Writes the words that were read: undoes stack_extend. 0 or -errno. */
int stack_write(const struct stack_image *image);

/* Where the pointer to argument i, or to variable i, is: index into words. */
size_t stack_arg(const struct stack_image *image, size_t i);
size_t stack_env(const struct stack_image *image, size_t i);

/* Takes all but the first n arguments out of the image; nothing is written. */
void stack_keep_args(struct stack_image *image, size_t n);

/*
 * Writes a new image below the old one: with args added behind the arguments and each NAME=VALUE of env set (replacing
 * one of that name), and points regs' stack pointer at it. The caller sets the registers. 0 or -errno; -E2BIG when the
 * stack cannot grow so far.
 */
int stack_extend(const struct stack_image *image, struct regs *regs, const struct strv *args, const struct strv *env);

/* The arguments of an execve that re-executes a program in place: addresses in its own memory. */
struct stack_exec {
	remote_addr_t path;
	remote_addr_t argv;
	remote_addr_t envp;
};

/*
 * Writes, below the stack, the vector front..., then the last `keep` of the old arguments; and finds the environment
 * where it is. front[0] is the path to execute. 0 or -errno.
 */
int stack_prepare_exec(const struct stack_image *image, const struct strv *front, size_t keep, struct stack_exec *call);

#endif
