/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/target/process/stack.h>

#include <errno.h>
#include <exectrace/base/buf.h>
#include <exectrace/target/process/mem.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#define ALIGN 16u  /* of the stack pointer at a program's start, all architectures here */
#define BELOW 512u /* bytes left alone under the stack pointer: more than any red zone */
#define WORDS_MAX (1u << 21)
#define STACK_MORE_MIN (96u << 10)

/* The stack may have to grow for it, which the kernel does for /proc/PID/mem alone (since Linux 6.5). 0 or -errno;
 * -E2BIG when it cannot. */
static int write_grown(pid_t tid, remote_addr_t at, const void *bytes, size_t n)
{
	int err = mem_write(tid, at, bytes, n);

	if (err && err != -ESRCH)
		err = mem_poke(tid, at, bytes, n);
	return err == -EIO || err == -EFAULT ? -E2BIG : err;
}

/*
 * How far below its stack pointer a new program can be given something: 128 KiB are there, and execve has used a
 * quarter of the stack's limit at most. The kernel holds us to our own limit, not to the program's (acct_stack_growth,
 * mm/vma.c).
 */
static remote_addr_t room_below(pid_t tid)
{
	struct rlimit limit = {0};
	rlim_t half = 0;

	if (prlimit(tid, RLIMIT_STACK, NULL, &limit) && getrlimit(RLIMIT_STACK, &limit))
		return STACK_MORE_MIN;
	half = limit.rlim_cur / 2;
	if (half < STACK_MORE_MIN)
		return STACK_MORE_MIN;
	return half < STACK_MORE_MAX ? half : STACK_MORE_MAX;
}

static uint64_t word_at(const unsigned char *raw, size_t i, unsigned word)
{
	uint64_t value = 0;

	memcpy(&value, raw + i * word, word);
	return value;
}

/* Reads on until the end of the stack or `WORDS_MAX` words. */
static int read_words(struct stack_image *image)
{
	struct buf raw = BUF_INIT;
	unsigned char page[4096];
	remote_addr_t at = image->sp;
	int err = 0;

	while (!err && raw.len < WORDS_MAX * sizeof(uint64_t)) {
		size_t n = sizeof(page) - (size_t)(at % sizeof(page));

		err = mem_read(image->tid, at, page, n);
		if (!err)
			err = buf_append(&raw, page, n);
		at += n;
	}
	if (err == -EFAULT) /* the end of the stack */
		err = 0;
	image->n = raw.len / image->word;
	image->words = err ? NULL : calloc(image->n + 1, sizeof(*image->words));
	for (size_t i = 0; image->words && i < image->n; i++)
		image->words[i] = word_at((unsigned char *)raw.data, i, image->word);
	buf_release(&raw);
	if (err)
		return err;
	return image->words ? 0 : -ENOMEM;
}

/* Counts the words up to a 0, from *at on, and moves *at behind it. False when there is none. */
static bool count_to_null(const struct stack_image *image, size_t *at, size_t step, size_t *count)
{
	size_t start = *at;

	for (; *at < image->n; *at += step) {
		if (image->words[*at])
			continue;
		*count = (*at - start) / step;
		*at += step;
		return *at <= image->n;
	}
	return false;
}

int stack_read(struct stack_image *image, pid_t tid, const struct regs *regs)
{
	size_t at = 1;
	size_t pairs = 0;
	size_t argc = 0;
	int err = 0;

	*image = (struct stack_image){.tid = tid,
	                              .word = regs->arch->word,
	                              .sp = arch_reg(regs->arch, regs->raw, REG_SP)};
	err = read_words(image);
	if (err)
		return err;
	image->argc = image->n ? (size_t)image->words[0] : 0;
	if (!count_to_null(image, &at, 1, &argc) || argc != image->argc ||
	    !count_to_null(image, &at, 1, &image->envc) || !count_to_null(image, &at, 2, &pairs)) {
		stack_release(image);
		return -EINVAL;
	}
	image->n = at;
	return 0;
}

void stack_release(struct stack_image *image)
{
	free(image->words);
	*image = (struct stack_image){0};
}

size_t stack_arg(const struct stack_image *image, size_t i)
{
	(void)image;
	return 1 + i;
}

size_t stack_env(const struct stack_image *image, size_t i)
{
	return 1 + image->argc + 1 + i;
}

void stack_keep_args(struct stack_image *image, size_t n)
{
	size_t gone = n < image->argc ? image->argc - n : 0;
	uint64_t *args = image->words + 1;

	memmove(args + image->argc - gone, args + image->argc, (image->n - 1 - image->argc) * sizeof(*args));
	image->n -= gone;
	image->argc -= gone;
	image->words[0] = image->argc;
}

/* Strings to be written at one place, and the address each will have. */
struct strings {
	struct buf bytes;
	remote_addr_t base;
};

static int strings_place(struct strings *s, remote_addr_t top, const struct strv *a, const struct strv *b)
{
	size_t total = 0;

	for (size_t i = 0; i < a->n; i++)
		total += strlen(a->items[i]) + 1;
	for (size_t i = 0; b && i < b->n; i++)
		total += strlen(b->items[i]) + 1;
	if (total > STACK_MORE_MAX)
		return -E2BIG;
	s->base = (top - total) & ~(remote_addr_t)(ALIGN - 1);
	return 0;
}

static int strings_add(struct strings *s, const char *text, uint64_t *addr)
{
	*addr = s->base + s->bytes.len;
	return buf_append(&s->bytes, text, strlen(text) + 1);
}

static int write_words(const struct stack_image *image, remote_addr_t at, const uint64_t *words, size_t n)
{
	struct buf raw = BUF_INIT;
	int err = buf_reserve(&raw, n * image->word);

	for (size_t i = 0; i < n && !err; i++)
		err = buf_append(&raw, &words[i], image->word);
	if (!err && n)
		err = write_grown(image->tid, at, raw.data, raw.len);
	buf_release(&raw);
	return err;
}

int stack_write(const struct stack_image *image)
{
	return write_words(image, image->sp, image->words, image->n);
}

/* Which variable of the old environment `setting` (NAME=VALUE) replaces: envc when none. 0 or -errno. */
static int find_variable(const struct stack_image *image, const char *setting, size_t *at)
{
	size_t name = strcspn(setting, "=") + 1;
	char *old = malloc(name);
	int err = old ? 0 : -ENOMEM;

	for (*at = 0; !err && *at < image->envc; ++*at) {
		err = mem_read(image->tid, image->words[stack_env(image, *at)], old, name);
		if (!err && memcmp(old, setting, name) == 0)
			break;
		if (err == -EFAULT) /* shorter than the name, at the very end of the stack */
			err = 0;
	}
	free(old);
	return err;
}

/* True when a later setting has the same name: the last one counts. */
static bool set_again(const struct strv *env, size_t i)
{
	size_t name = strcspn(env->items[i], "=") + 1;

	for (size_t later = i + 1; later < env->n; later++) {
		if (strncmp(env->items[later], env->items[i], name) == 0)
			return true;
	}
	return false;
}

/* Builds the words of the extended image. */
static int extend_words(const struct stack_image *image, struct strings *s, const struct strv *args,
                        const struct strv *env, struct buf *out)
{
	size_t rest = stack_env(image, image->envc); /* the 0 behind the environment */
	struct buf more = BUF_INIT;
	uint64_t *vars = NULL;
	uint64_t value = image->argc + args->n;
	int err = buf_append(out, &value, sizeof(value));

	if (!err)
		err = buf_append(out, image->words + 1, image->argc * sizeof(value));
	for (size_t i = 0; i < args->n && !err; i++) {
		err = strings_add(s, args->items[i], &value);
		if (!err)
			err = buf_append(out, &value, sizeof(value));
	}
	value = 0;
	if (!err)
		err = buf_append(out, &value, sizeof(value));
	if (!err)
		err = buf_append(&more, image->words + stack_env(image, 0), image->envc * sizeof(value));
	for (size_t i = 0; i < env->n && !err; i++) {
		size_t at = 0;

		if (set_again(env, i))
			continue;
		err = find_variable(image, env->items[i], &at);
		if (!err)
			err = strings_add(s, env->items[i], &value);
		vars = (uint64_t *)(void *)more.data;
		if (!err && at < image->envc)
			vars[at] = value;
		else if (!err)
			err = buf_append(&more, &value, sizeof(value));
	}
	if (!err && more.len)
		err = buf_append(out, more.data, more.len);
	if (!err)
		err = buf_append(out, image->words + rest, (image->n - rest) * sizeof(value));
	buf_release(&more);
	return err;
}

int stack_extend(const struct stack_image *image, struct regs *regs, const struct strv *args, const struct strv *env)
{
	struct strings s = {BUF_INIT, 0};
	struct buf words = BUF_INIT;
	remote_addr_t sp = 0;
	/* The old words may be overwritten: only what is added goes below them. */
	int err = strings_place(&s, image->sp + image->n * image->word, args, env);

	if (!err)
		err = extend_words(image, &s, args, env, &words);
	if (!err) {
		sp = (s.base - words.len / sizeof(uint64_t) * image->word) & ~(remote_addr_t)(ALIGN - 1);
		if (image->sp - sp > room_below(image->tid))
			err = -E2BIG;
	}
	/* The words first: they reach lowest, and when that fails nothing has been changed. */
	if (!err)
		err = write_words(image, sp, (const uint64_t *)(const void *)words.data, words.len / sizeof(uint64_t));
	if (!err && s.bytes.len)
		err = write_grown(image->tid, s.base, s.bytes.data, s.bytes.len);
	if (!err)
		arch_set_reg(regs->arch, regs->raw, REG_SP, sp);
	buf_release(&s.bytes);
	buf_release(&words);
	return err;
}

int stack_prepare_exec(const struct stack_image *image, const struct strv *front, size_t keep, struct stack_exec *call)
{
	struct strings s = {BUF_INIT, 0};
	size_t rest = keep < image->argc ? keep : image->argc;
	uint64_t *argv = calloc(front->n + rest + 1, sizeof(*argv));
	int err = argv ? strings_place(&s, image->sp - BELOW, front, NULL) : -ENOMEM;

	for (size_t i = 0; i < front->n && !err; i++)
		err = strings_add(&s, front->items[i], &argv[i]);
	if (!err) {
		memcpy(argv + front->n, image->words + stack_arg(image, image->argc - rest), rest * sizeof(*argv));
		call->path = argv[0];
		call->argv = (s.base - (front->n + rest + 1) * image->word) & ~(remote_addr_t)(ALIGN - 1);
		call->envp = image->sp + stack_env(image, 0) * image->word;
		if (image->sp - call->argv > room_below(image->tid))
			err = -E2BIG;
	}
	if (!err)
		err = write_grown(image->tid, s.base, s.bytes.data, s.bytes.len);
	if (!err)
		err = write_words(image, call->argv, argv, front->n + rest + 1);
	buf_release(&s.bytes);
	free(argv);
	return err;
}
