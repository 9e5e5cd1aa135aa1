/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Entries of directories: getdents(2). */
#include <exectrace/target/decode/values/printer.h>

#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <string.h>

static void put_count(struct printer *p, unsigned count)
{
	put_format(p, " /* %u entr%s */", count, count == 1 ? "y" : "ies");
}

unsigned count_entries(const void *bytes, uint64_t n, unsigned length_at)
{
	unsigned count = 0;

	for (uint64_t at = 0; at + length_at + 2 < n; count++) {
		uint64_t length = load_number((const char *)bytes + at + length_at, 2);

		if (length <= length_at + 2)
			break;
		at += length;
	}
	return count;
}

/* Bytes before the name of an entry of getdents64: type and length lie behind its two numbers. */
#define NAME64_AT (ENTRY_LENGTH_AT + 3u)

static void put_name(struct printer *p, const char *name, size_t n)
{
	put_quoted(p, name, strnlen(name, n), false);
}

/* One of `length` bytes. Of getdents the type is the last of them. */
static void put_dent(struct printer *p, const char *entry, size_t length, unsigned length_at)
{
	bool is64 = length_at == ENTRY_LENGTH_AT && strcmp(p->state->call->name, "getdents64") == 0;
	unsigned word = length_at / 2, name_at = is64 ? NAME64_AT : length_at + 2;

	put_format(p, "{d_ino=%llu, d_off=%lld, d_reclen=%zu", (unsigned long long)load_number(entry, word),
	           (long long)(int64_t)load_number(entry + word, word), length);
	if (is64) {
		put_text(p, ", d_type=");
		put_enum(p, load_number(entry + length_at + 2, 1), SET_direntry);
	}
	put_text(p, ", d_name=");
	put_name(p, entry + name_at, length - name_at - !is64);
	if (!is64) {
		put_text(p, ", d_type=");
		put_enum(p, load_number(entry + length - 1, 1), SET_direntry);
	}
	put_text(p, "}");
}

static void put_whole_dents(struct printer *p, const char *bytes, uint64_t n, unsigned length_at)
{
	const unsigned least = length_at + 4; /* of an entry with a name and a type */
	size_t length;

	put_text(p, "[");
	for (uint64_t at = 0; at + least <= n; at += length) {
		length = load_number(bytes + at + length_at, 2);
		if (length < least || length > n - at)
			break;
		put_text(p, at ? ", " : "");
		put_dent(p, bytes + at, length, length_at);
	}
	put_text(p, "]");
}

static void put_dents(struct printer *p, uint64_t addr, unsigned length_at)
{
	uint64_t n = returned_bytes(p);
	cleanup_buf struct buf bytes = BUF_INIT;
	unsigned count = 0;

	if (n > DENTS_MAX)
		n = DENTS_MAX;
	if (p->d->shallow) {
		put_addr(p, addr);
		return;
	}
	if (!p->d->verbose)
		put_addr(p, addr);
	if (!p->d->verbose && p->d->entries && p->d->entries(p->d->user, addr, &count)) {
		put_count(p, count);
		return;
	}
	if (buf_reserve(&bytes, n)) {
		p->rc = -ENOMEM;
		return;
	}
	if (!peek_bytes(p, addr, bytes.data, n)) {
		if (p->d->verbose)
			put_addr(p, addr);
		return;
	}
	if (p->d->verbose)
		put_whole_dents(p, bytes.data, n, length_at);
	else
		put_count(p, count_entries(bytes.data, n, length_at));
}

void print_dents(struct printer *p, uint64_t value, unsigned aux)
{
	(void)aux;
	put_dents(p, value, 2 * p->word);
}

void print_dents64(struct printer *p, uint64_t value, unsigned aux)
{
	(void)aux;
	put_dents(p, value, ENTRY_LENGTH_AT);
}
