/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The thread that owns the control words (layout.h) has to be the one that traces: the kernel changes the words of a
 * thread that dies (exit_robust_list) before it lets its tracees go (exit_ptrace), and so none of them runs on with an
 * agent that nobody looks after. Its number must end with the byte 1, so numbers are used up until it is the next one:
 * 128 of them on the average, each some ten microseconds.
 *
 * The list that the kernel follows (set_robust_list(2)) is in memory of our own, each node before the page of its word,
 * which the program can write to.
 */
#include "private.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define TRIES 2048
#define NEAR 4 /* numbers before the one that is wanted; they are taken one by one */
#define NODE_TO_WORD (2 * sizeof(struct robust_list)) /* from the end of one page to the next */

struct owner {
	pid_t tid;
	struct robust_list_head list;
};

/* Of a thread that has none any more. */
static struct robust_list_head none = {.list = {&none.list}, .futex_offset = NODE_TO_WORD};

struct body {
	int (*run)(void *user);
	void *user;
	sigset_t signals; /* that the caller blocks */
	bool done;
	int result;
};

static bool can_own(void)
{
	return (syscall(SYS_gettid) & 0xff) == 1;
}

static void *run_body(void *user)
{
	struct body *body = user;

	if (!can_own())
		return NULL;
	pthread_sigmask(SIG_SETMASK, &body->signals, NULL);
	body->done = true;
	body->result = body->run(body->user);
	return NULL;
}

/* clone(2) of what ends at once, should it ever be: what that returns here, or a negative errno. */
static long clone_nothing(unsigned long flags, uintptr_t parent_tid)
{
#if defined(__x86_64__)
	register long zero __asm__("r10") = 0;
	long number;

	/* Both have the same stack, which the new one does not touch. */
	__asm__ volatile("mov %[zero], %%r8\n\t"
	                 "syscall\n\t"
	                 "test %%rax, %%rax\n\t"
	                 "jnz 1f\n\t"
	                 "mov %[exit], %%eax\n\t"
	                 "xor %%edi, %%edi\n\t"
	                 "syscall\n"
	                 "1:"
	                 : "=a"(number)
	                 : "a"((long)SYS_clone), "D"(flags), "S"(0L),
	                   "d"(parent_tid), [zero] "r"(zero), [exit] "i"(SYS_exit)
	                 : "rcx", "r8", "r11", "memory", "cc");
	return number;
#else
	(void)flags;
	(void)parent_tid;
	return -ENOTSUP;
#endif
}

#define SHARED (CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_SYSVSEM)
#define NOWHERE ((uintptr_t)-4096) /* no address of a program's */

/* A thread takes a number: that, or a negative errno. */
static long take_number(void)
{
	return clone_nothing(SHARED | CLONE_THREAD, 0);
}

/*
 * Nobody takes n numbers, in a third of the time: where the descriptor of a new process cannot be stored it has its
 * number already, and is given up before it runs (copy_process, kernel/fork.c).
 */
static void skip_numbers(long n)
{
	while (n-- > 0 && clone_nothing(SHARED | CLONE_PIDFD, NOWHERE) == -EFAULT)
		;
}

/* Whether the thread that is made next can own, as far as is known: others take numbers, too. */
static bool is_next(void)
{
	long number = take_number();
	long left = number < 0 ? 0 : -number & 0xff;

	skip_numbers(left - NEAR);
	return left == 0;
}

int inside_run(int (*run)(void *user), void *user)
{
	struct body body = {.run = run, .user = user};
	pthread_attr_t attributes;
	pthread_t thread;
	sigset_t all;
	int err = pthread_attr_init(&attributes);

	if (err)
		return run(user);
	sigfillset(&all); /* all that comes is for the thread */
	pthread_sigmask(SIG_SETMASK, &all, &body.signals);
	(void)pthread_attr_setstacksize(&attributes, 1u << 20);
	for (int i = 0; i < TRIES && !err && !body.done; i++) {
		if (!is_next())
			continue;
		err = pthread_create(&thread, &attributes, run_body, &body);
		if (!err)
			pthread_join(thread, NULL);
	}
	pthread_attr_destroy(&attributes);
	pthread_sigmask(SIG_SETMASK, &body.signals, NULL);
	return body.done ? body.result : run(user);
}

int owner_start(struct owner **made)
{
	struct owner *owner = can_own() ? calloc(1, sizeof(*owner)) : NULL;

	if (!owner)
		return can_own() ? -ENOMEM : -ENOTSUP;
	owner->tid = (pid_t)syscall(SYS_gettid);
	owner->list.list.next = &owner->list.list;
	owner->list.futex_offset = NODE_TO_WORD;
	if (syscall(SYS_set_robust_list, &owner->list, sizeof(owner->list))) {
		free(owner);
		return -errno;
	}
	*made = owner;
	return 0;
}

void owner_stop(struct owner *owner)
{
	(void)syscall(SYS_set_robust_list, &none, sizeof(none));
	free(owner);
}

static uint32_t *word_of(const struct data *data)
{
	return &data_control(data)->word;
}

/* Our page, and behind it the file. */
static unsigned char *map_file(int fd)
{
	const size_t bytes = INSIDE_PAGE + INSIDE_DATA_BYTES;
	unsigned char *map =
		mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (map == MAP_FAILED)
		return NULL;
	if ((unsigned char *)mmap(map + INSIDE_PAGE, INSIDE_DATA_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
	                          fd, 0) == map + INSIDE_PAGE)
		return map;
	munmap(map, bytes);
	return NULL;
}

int owner_map(struct owner *owner, int fd, struct data **made)
{
	struct data *data = calloc(1, sizeof(*data));

	if (!data)
		return -ENOMEM;
	data->map = map_file(fd);
	if (!data->map) {
		free(data);
		return -ENOMEM;
	}
	data->refs = 1;
	data->used[0] = true;
	data->node = (struct robust_list *)(void *)(data_at(data, 0) - NODE_TO_WORD);
	*word_of(data) = (uint32_t)owner->tid;
	data->node->next = owner->list.list.next;
	__atomic_store_n(&owner->list.list.next, data->node, __ATOMIC_RELEASE);
	*made = data;
	return 0;
}

void owner_let_go(struct data *data)
{
	__atomic_store_n(word_of(data), FUTEX_OWNER_DIED, __ATOMIC_RELEASE);
}

void owner_drop(struct owner *owner, struct data *data)
{
	struct robust_list *at = &owner->list.list;

	if (--data->refs)
		return;
	while (at->next != data->node && at->next != &owner->list.list)
		at = at->next;
	if (at->next == data->node)
		__atomic_store_n(&at->next, data->node->next, __ATOMIC_RELEASE);
	munmap(data->map, INSIDE_PAGE + INSIDE_DATA_BYTES);
	free(data);
}
