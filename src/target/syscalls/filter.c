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
	long nr;
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

static bool item_is(const struct item *item, const struct syscall_desc *desc, uint32_t nr)
{
	if (item->all || (item->nr >= 0 && (uint32_t)item->nr == nr))
		return true;
	if (!desc)
		return false;
	if (item->classes & desc->classes || (item->name && strcmp(item->name, desc->name) == 0))
		return true;
	return item->regex && regexec(item->regex, desc->name, 0, NULL, 0) == 0;
}

/* Adds or removes what the item means. False when it means no call at all. */
static bool apply(struct syscall_filter *f, const struct item *item)
{
	bool any = item->all;

	if (item->all)
		f->unknown = !item->remove;
	for (unsigned abi = 0; abi < SYSCALL_ABIS; abi++) {
		const struct arch *arch = arch_by_name(abis[abi]);

		for (uint32_t nr = 0; arch && nr < SYSCALL_NR_MAX; nr++) {
			uint64_t bit = UINT64_C(1) << nr % 64, *word = &f->bits[abi][nr / 64];

			if (!item_is(item, syscall_by_nr(arch, nr | arch->nr_bit), nr))
				continue;
			any = true;
			*word = item->remove ? *word & ~bit : *word | bit;
		}
	}
	return any;
}

static int parse_class(struct item *item, struct buf *err)
{
	item->all = strcmp(item->text, "%all") == 0;
	item->classes = syscall_class(item->text + 1);
	return item->all || item->classes ? 0 : refuse(err, item, "no such class of system calls");
}

static int parse_number(struct item *item, struct buf *err)
{
	char *end;

	item->nr = strtol(item->text, &end, 10);
	return *end || item->nr >= SYSCALL_NR_MAX ? refuse(err, item, "no such system call") : 0;
}

static int apply_regex(struct syscall_filter *f, struct item *item, struct buf *err)
{
	cleanup_free char *pattern = strndup(item->text + 1, strlen(item->text) - 2);
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

static int parse_item(struct syscall_filter *f, struct item *item, struct buf *err)
{
	size_t n = strlen(item->text);
	int rc = 0;

	if (!n)
		return refuse(err, item, "a system call is missing");
	if (*item->text == '/')
		return n > 2 && item->text[n - 1] == '/' ? apply_regex(f, item, err)
		                                         : refuse(err, item, "no / at its end");
	if (*item->text == '%')
		rc = parse_class(item, err);
	else if (isdigit((unsigned char)*item->text))
		rc = parse_number(item, err);
	else if (strcmp(item->text, "all") == 0)
		item->all = true;
	else
		item->name = item->text;
	if (rc)
		return rc;
	return apply(f, item) ? 0 : refuse(err, item, "no such system call");
}

/* The length of the item at text: up to a comma, or behind the second / of a regex. */
static size_t item_length(const char *text)
{
	size_t start = *text == '!', n;

	if (text[start] != '/')
		return strcspn(text, ",");
	/* A comma may be part of a regex, whose end is a / with a comma or the end of the text behind it. */
	for (n = start + 1; text[n] && !(text[n] == '/' && (!text[n + 1] || text[n + 1] == ',')); n++)
		;
	return text[n] ? n + 1 : n;
}

int syscall_filter_parse(struct syscall_filter *f, const char *text, struct buf *err)
{
	const char *at = text;

	memset(f, 0, sizeof(*f));
	if (*text == '!')
		syscall_filter_all(f);
	for (;;) {
		size_t n = item_length(at);
		bool remove = *at == '!';
		cleanup_free char *copy = strndup(at + remove, n - remove);
		struct item item = {.text = copy, .at = (size_t)(at - text), .remove = remove, .nr = -1};
		int rc = copy ? parse_item(f, &item, err) : -ENOMEM;

		if (rc)
			return rc;
		at += n;
		if (!*at)
			return 0;
		at++;
	}
}
