/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/target/syscalls/filter.h>

#include <ctype.h>
#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#define MESSAGE_MAX 128

static const char *const abis[SYSCALL_ABIS] =
	{[SYSCALL_X86_64] = "x86_64", [SYSCALL_I386] = "i386", [SYSCALL_X32] = "x32"};

/* One item of the list. */
struct item {
	const char *text; /* as it stands there, without the `!` */
	size_t at;        /* its offset */
	bool remove;
	uint32_t classes;
	bool all;
	regex_t *regex;
	const char *name;
	const char *names; /* of a class that is a list: with a blank before and behind each */
	const char *abi;   /* of "name@64"; NULL: all */
	bool may_lack;     /* "?name": there may be no such call */
	long nr;
};

/* Classes of strace(1) beside those that calls have in the tables (table.h). */
static const struct {
	const char *class, *names;
} lists[] = {
	{"%stat", " stat stat64 oldstat "},
	{"%lstat", " lstat lstat64 oldlstat "},
	{"%fstat", " fstat fstat64 oldfstat fstatat64 newfstatat "},
	{"%%stat", " stat stat64 oldstat lstat lstat64 oldlstat fstat fstat64 oldfstat fstatat64 newfstatat statx "},
	{"%statfs", " statfs statfs64 "},
	{"%fstatfs", " fstatfs fstatfs64 "},
	{"%%statfs", " statfs statfs64 fstatfs fstatfs64 ustat "},
	{"%clock",
         " adjtimex clock_adjtime clock_adjtime64 clock_getres clock_getres_time64 clock_gettime clock_gettime64 "
         "clock_settime clock_settime64 gettimeofday settimeofday stime time "},
	{"%creds",
         " capget capset getegid geteuid getgid getgroups getresgid getresuid getuid setfsgid setfsuid setgid "
         "setgroups setregid setresgid setresuid setreuid setuid getegid32 geteuid32 getgid32 getgroups32 "
         "getresgid32 getresuid32 getuid32 setfsgid32 setfsuid32 setgid32 setgroups32 setregid32 setresgid32 "
         "setresuid32 setreuid32 setuid32 prctl "},
	{"%pure",
         " getegid geteuid getgid getpgrp getpid getppid gettid getuid getegid32 geteuid32 getgid32 getuid32 "},
};

static int refuse(struct buf *err, const struct item *item, const char *why)
{
	int rc = buf_printf(err, "%s: %s (at offset %zu)", item->text, why, item->at);

	return rc ? rc : -EINVAL;
}

void syscall_filter_all(struct syscall_filter *f)
{
	memset(f->bits, 0xff, sizeof(f->bits));
	f->unknown = true;
}

void syscall_filter_add(struct syscall_filter *f, const struct syscall_filter *more)
{
	for (size_t abi = 0; abi < SYSCALL_ABIS; abi++)
		for (size_t i = 0; i < SYSCALL_NR_MAX / 64; i++)
			f->bits[abi][i] |= more->bits[abi][i];
	f->unknown |= more->unknown;
}

void syscall_filter_keep(struct syscall_filter *f, const struct syscall_filter *of)
{
	for (unsigned abi = 0; abi < SYSCALL_ABIS; abi++)
		for (unsigned i = 0; i < SYSCALL_NR_MAX / 64; i++)
			f->bits[abi][i] &= of->bits[abi][i];
	f->unknown &= of->unknown;
}

void syscall_filter_invert(struct syscall_filter *f)
{
	for (size_t abi = 0; abi < SYSCALL_ABIS; abi++)
		for (size_t i = 0; i < SYSCALL_NR_MAX / 64; i++)
			f->bits[abi][i] = ~f->bits[abi][i];
	f->unknown = !f->unknown;
}

bool syscall_filter_has(const struct syscall_filter *f, const struct arch *arch, uint32_t nr)
{
	enum syscall_abi abi = syscall_abi(arch);

	nr &= ~arch->nr_bit;
	return abi < SYSCALL_ABIS && nr < SYSCALL_NR_MAX ? f->bits[abi][nr / 64] >> nr % 64 & 1 : f->unknown;
}

bool syscall_filter_has_exec(const struct syscall_filter *f)
{
	for (size_t i = 0; arch_at(i); i++) {
		if (syscall_filter_has(f, arch_at(i), arch_at(i)->nr_execve) ||
		    syscall_filter_has(f, arch_at(i), arch_at(i)->nr_execveat))
			return true;
	}
	return false;
}

/* Whether the name is one of the list. */
static bool is_listed(const char *names, const char *name)
{
	size_t n = strlen(name);

	for (const char *at = strstr(names, name); at; at = strstr(at + 1, name))
		if (at > names && at[-1] == ' ' && at[n] == ' ')
			return true;
	return false;
}

static bool item_is(const struct item *item, const struct syscall_desc *desc)
{
	if (item->classes & desc->classes || (item->name && strcmp(item->name, desc->name) == 0))
		return true;
	if (item->names && is_listed(item->names, desc->name))
		return true;
	return item->regex && regexec(item->regex, desc->name, 0, NULL, 0) == 0;
}

/* Whether the item means the number: each, one, or those of a description. */
static bool number_is(const struct item *item, const struct arch *arch, uint32_t nr, const struct syscall_desc *desc)
{
	if (desc)
		return syscall_by_nr(arch, nr | arch->nr_bit) == desc;
	return item->all || item->nr == (long)nr;
}

/* Adds or removes the numbers that the item means in its ABIs. False: there is none. */
static bool mark(struct syscall_filter *f, const struct item *item, const struct syscall_desc *desc)
{
	bool any = false;

	for (unsigned abi = 0; abi < SYSCALL_ABIS; abi++) {
		const struct arch *arch = arch_by_name(abis[abi]);

		if (item->abi && strcmp(item->abi, abis[abi]) != 0)
			continue;
		for (uint32_t nr = 0; arch && nr < SYSCALL_NR_MAX; nr++) {
			uint64_t bit = UINT64_C(1) << nr % 64, *word = &f->bits[abi][nr / 64];

			if (!number_is(item, arch, nr, desc))
				continue;
			any = true;
			*word = item->remove ? *word & ~bit : *word | bit;
		}
	}
	return any;
}

/* Adds or removes what the item means. False when it means no call at all. */
static bool apply(struct syscall_filter *f, const struct item *item)
{
	const struct syscall_desc *desc;
	bool any = false;

	if (item->all)
		f->unknown = !item->remove;
	if (item->all || item->nr >= 0)
		return mark(f, item, NULL) || item->all;
	/* By description: a name is compared once with each, not once with each number of each ABI. */
	for (size_t i = 0; (desc = syscall_at(i)); i++)
		if (item_is(item, desc))
			any |= mark(f, item, desc);
	return any;
}

static int parse_class(struct item *item, struct buf *err)
{
	item->all = strcmp(item->text, "%all") == 0;
	item->classes = syscall_class(item->text + 1);
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		if (strcmp(item->text, lists[i].class) == 0)
			item->names = lists[i].names;
	return item->all || item->classes || item->names ? 0 : refuse(err, item, "no such class of system calls");
}

static int parse_number(struct item *item, struct buf *err)
{
	char *end;

	item->nr = strtol(item->text, &end, 10);
	return *end || item->nr >= SYSCALL_NR_MAX ? refuse(err, item, "no such system call") : 0;
}

static int apply_regex(struct syscall_filter *f, struct item *item, struct buf *err)
{
	size_t n = strlen(item->text);
	cleanup_free char *pattern = strndup(item->text + 1, n - 1 - (item->text[n - 1] == '/'));
	char message[MESSAGE_MAX];
	regex_t regex;
	bool any;
	int rc;

	if (!pattern)
		return -ENOMEM;
	rc = regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB);
	if (rc == REG_ESPACE)
		return -ENOMEM;
	if (rc) {
		regerror(rc, &regex, message, sizeof(message));
		return refuse(err, item, message);
	}
	item->regex = &regex;
	any = apply(f, item);
	regfree(&regex);
	return any ? 0 : refuse(err, item, "matches no system call");
}

/* "name@64": only that ABI. */
static int parse_abi(struct item *item, char *text, struct buf *err)
{
	static const struct {
		const char *name, *abi;
	} names[] = {{"64", "x86_64"}, {"32", "i386"}, {"x32", "x32"}};
	char *at = strrchr(text, '@');

	if (!at)
		return 0;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(at + 1, names[i].name) == 0)
			item->abi = names[i].abi;
	if (!item->abi) /* part of the regex */
		return *text == '/' ? 0 : refuse(err, item, "not @64, @32 or @x32");
	*at = '\0';
	return 0;
}

/* Those that strace(1) takes without the sign, too, although ipc(2) and signal(2) are calls. */
static const char old_classes[] = " desc file ipc memory network process signal ";

static int parse_item(struct syscall_filter *f, struct item *item, struct buf *err)
{
	size_t n = strlen(item->text), said = err->len;
	int rc = 0;

	if (!n)
		return refuse(err, item, "a system call is missing");
	if (*item->text == '/')
		return n > 1 + (item->text[n - 1] == '/') ? apply_regex(f, item, err)
		                                          : refuse(err, item, "an expression is missing");
	if (strcmp(item->text, "none") == 0)
		return 0;
	if (*item->text == '%')
		rc = parse_class(item, err);
	else if (isdigit((unsigned char)*item->text))
		rc = parse_number(item, err);
	else if (strcmp(item->text, "all") == 0)
		item->all = true;
	else if (is_listed(old_classes, item->text))
		item->classes = syscall_class(item->text);
	else
		item->name = item->text;
	if (rc == -EINVAL && item->may_lack) {
		buf_cut(err, said);
		return 0;
	}
	if (rc)
		return rc;
	return apply(f, item) || item->may_lack ? 0 : refuse(err, item, "no such system call");
}

/* The length of the item at text: up to a comma, or behind the second / of a regex. */
static size_t item_length(const char *text)
{
	size_t start = *text == '!', comma = strcspn(text, ",");

	/* A comma may be part of a regex that has a / at its end, with a comma or the end of the text behind it.
	 * Without, as strace(1) has it, the regex ends at the first comma. */
	for (size_t n = start + 1; text[start] == '/' && text[n]; n++) {
		if (text[n] == '/' && text[n - 1] == ',')
			break;
		if (text[n] == '/' && (!text[n + 1] || text[n + 1] == ','))
			return n + 1;
	}
	return comma;
}

int syscall_filter_parse(struct syscall_filter *f, const char *text, struct buf *err)
{
	const char *at = text;
	bool any = false;

	memset(f, 0, sizeof(*f));
	if (*text == '!')
		syscall_filter_all(f);
	for (;;) {
		size_t n = item_length(at);
		bool remove = *at == '!';
		bool lacks = at[remove] == '?';
		cleanup_free char *copy = strndup(at + remove + lacks, n - remove - lacks);
		struct item item = {.text = copy,
		                    .at = (size_t)(at - text),
		                    .remove = remove,
		                    .may_lack = lacks,
		                    .nr = -1};
		int rc = copy ? parse_abi(&item, copy, err) : -ENOMEM;

		if (!rc && (n || !(any || at[n])))
			rc = parse_item(f, &item, err);
		if (rc)
			return rc;
		any |= n > 0;
		at += n;
		if (!*at)
			return 0;
		at++;
	}
}
