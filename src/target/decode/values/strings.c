/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Strings and bytes: paths, buffers, the vectors of execve. */
#include <exectrace/target/decode/values/printer.h>

#include <exectrace/base/cleanup.h>
#include <limits.h>
#include <linux/limits.h>
#include <string.h>
#include <sys/mount.h>

#define PAGE 4096u
#define MEMFD_NAME_BYTES 250u
#define ENV_COUNT_MAX 100000 /* pointers that are counted at most */

void put_short_name(struct printer *p, uint64_t addr, size_t max)
{
	cleanup_buf struct buf text = BUF_INIT;
	int ended = peek_string(p, addr, max, &text);

	if (ended < 0 || p->rc)
		put_addr(p, addr);
	else
		put_quoted(p, text.data ? text.data : "", text.len, !ended);
}

/* Of memfd_create(2): the kernel looks no further for its end. */
void print_memfd_name(struct printer *p, uint64_t value, unsigned aux)
{
	if (p->d->string_max < MEMFD_NAME_BYTES)
		print_str(p, value, aux);
	else
		put_short_name(p, value, MEMFD_NAME_BYTES);
}

static void put_path_context(struct printer *p, uint64_t addr)
{
	cleanup_buf struct buf path = BUF_INIT;

	if (addr && peek_string(p, addr, PATH_MAX - 1, &path) == 1)
		put_context(p, 0, p->dirfd, path.data ? path.data : "");
}

void print_path(struct printer *p, uint64_t value, unsigned aux)
{
	(void)aux;
	put_string(p, value, PATH_MAX - 1);
	if (p->d->context)
		put_path_context(p, value);
}

void print_str(struct printer *p, uint64_t value, unsigned aux)
{
	(void)aux;
	put_string(p, value, p->d->string_max);
}

/* aux: the register with its length. */
void print_buf(struct printer *p, uint64_t value, unsigned aux)
{
	put_bytes(p, value, call_arg(p, aux));
}

/* As long as the result says. */
void print_obuf(struct printer *p, uint64_t value, unsigned aux)
{
	(void)aux;
	put_bytes(p, value, returned_bytes(p));
}

void put_hexadecimal(struct printer *p, uint64_t value, uint64_t n)
{
	unsigned char byte;

	if (!peek_text(p, value, &byte, 1)) {
		put_addr(p, value);
		return;
	}
	put_text(p, "\"");
	for (uint64_t i = 0; i < n && i < p->d->string_max && peek_text(p, value + i, &byte, 1); i++)
		put_format(p, "\\x%02x", byte);
	put_text(p, n > p->d->string_max ? "\"..." : "\"");
}

/* Random bytes. */
void print_orandom(struct printer *p, uint64_t value, unsigned aux)
{
	(void)aux;
	put_hexadecimal(p, value, returned_bytes(p));
}

void put_xattr_value(struct printer *p, uint64_t addr, uint64_t n)
{
	char last = 1;

	if (n && n <= p->d->string_max && peek_text(p, addr + n - 1, &last, 1) && !last)
		n--;
	put_bytes(p, addr, n);
}

/* One that is too long is refused before it is read. aux: the register with its length. */
void print_xattr(struct printer *p, uint64_t value, unsigned aux)
{
	if (call_arg(p, aux) > XATTR_SIZE_MAX)
		put_addr(p, value);
	else
		put_xattr_value(p, value, call_arg(p, aux));
}

/* Names, each with a NUL behind it. */
void print_oxattr_names(struct printer *p, uint64_t value, unsigned aux)
{
	if (call_arg(p, aux))
		put_bytes(p, value, returned_bytes(p));
	else
		put_addr(p, value);
}

void print_oxattr(struct printer *p, uint64_t value, unsigned aux)
{
	if (call_arg(p, aux))
		put_xattr_value(p, value, returned_bytes(p));
	else
		put_addr(p, value);
}

/* What mount(2) does not look at is no string: register 3 says. */
static void put_unless(struct printer *p, uint64_t value, uint64_t flags)
{
	uint64_t given = call_arg(p, 3);

	if ((given & MS_MGC_MSK) == MS_MGC_VAL)
		given &= 0xffff;
	if (given & flags)
		put_addr(p, value);
	else
		print_str(p, value, 0);
}

#define MOUNT_MOVES (MS_BIND | MS_MOVE | MS_SHARED | MS_PRIVATE | MS_SLAVE | MS_UNBINDABLE)

void print_mount_type(struct printer *p, uint64_t value, unsigned aux)
{
	(void)aux;
	put_unless(p, value, MOUNT_MOVES | MS_REMOUNT);
}

void print_mount_data(struct printer *p, uint64_t value, unsigned aux)
{
	(void)aux;
	put_unless(p, value, call_arg(p, 3) & MS_REMOUNT ? 0 : MOUNT_MOVES);
}

/* One that is too long is refused before it is read (sethostname(2)). aux: the register with its length. */
void print_hostname(struct printer *p, uint64_t value, unsigned aux)
{
	if ((int)call_arg(p, aux) > HOST_NAME_MAX || (int)call_arg(p, aux) < 0)
		put_addr(p, value);
	else
		put_bytes(p, value, call_arg(p, aux));
}

/* Characters in a field, ended by a NUL or the end of the field. */
void print_chars(struct printer *p, uint64_t value, unsigned aux)
{
	(void)value;
	(void)aux;
	if (p->raw) {
		size_t n;

		/* Behind as many bytes as it is said to have a string has its end. */
		if (p->counted && p->items < p->size)
			p->size = (unsigned)p->items + 1;
		n = strnlen((const char *)p->raw, p->size);

		/* One that is not ended there is shown but for its last byte. */
		bool cut = (n > 1 || p->counted) && n == p->size;

		put_quoted(p, (const char *)p->raw, cut ? n - 1 : n, cut);
	}
}

/* The strings that a vector ended by NULL points to. */
static void put_strings(struct printer *p, uint64_t addr)
{
	uint64_t string;

	for (unsigned i = 0;; i++, addr += p->word) {
		bool readable = peek_number(p, addr, p->word, &string);

		if (readable && !string) {
			put_text(p, i ? "]" : "[]");
			return;
		}
		if (!put_item_begin(p, addr, i, items_max(p), readable))
			return;
		put_string(p, string, p->d->string_max);
	}
}

void print_argv(struct printer *p, uint64_t value, unsigned aux)
{
	(void)aux;
	put_strings(p, value);
}

/* Pointers up to the NULL at the end; *whole is false when there is none in what can be read. A page at a time. */
static unsigned count_pointers(struct printer *p, uint64_t addr, bool *whole)
{
	unsigned char page[PAGE];
	unsigned n = 0;

	for (*whole = true; n < ENV_COUNT_MAX;) {
		size_t size = (PAGE - addr % PAGE) / p->word * p->word;

		/* A pointer that lies across two pages is read for itself. */
		if (!size)
			size = p->word;
		if (!peek_bytes(p, addr, page, size))
			break;
		for (size_t at = 0; at < size; at += p->word, n++) {
			if (!load_number(page + at, p->word))
				return n;
		}
		addr += size;
	}
	*whole = false;
	return n;
}

void print_envp(struct printer *p, uint64_t value, unsigned aux)
{
	bool whole;
	unsigned n;

	(void)aux;
	if (p->d->verbose) {
		put_strings(p, value);
		return;
	}
	put_addr(p, value);
	if (!value)
		return;
	n = count_pointers(p, value, &whole);
	if (n || whole)
		put_format(p, " /* %u var%s%s */", n, n == 1 ? "" : "s", whole ? "" : ", unterminated");
}

void put_char(struct printer *p, unsigned char c, bool space)
{
	if (space && c >= '\t' && c <= '\r')
		put_format(p, "'\\%c'", "tnvfr"[c - '\t']);
	else if (c == '\'' || c == '\\')
		put_format(p, "'\\%c'", c);
	else if (c >= ' ' && c < 0x7f)
		put_format(p, "'%c'", c);
	else
		put_format(p, "'\\x%02x'", c);
}
