/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text and memory: what all printers are made of. */
#include <exectrace/target/decode/values/printer.h>

#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define PAGE 4096u
#define ARRAY_ITEM_MAX 256  /* bytes of the largest item of an array */
#define ITEMS_MAX 65536u    /* items that are shown with `verbose` */
#define ESCAPE_BYTES 4      /* that a byte is shown as, at most */
#define BY_NUMBER 1         /* forms of bytes */
#define ANGLE 2             /* ... by its number between < and > only */
#define TEXT_MAX (4u << 20) /* bytes of text behind which no more items of arrays, and of arrays in them, are shown */

static const char digits[] = "0123456789abcdef";

uint64_t call_arg(const struct printer *p, unsigned n)
{
	uint64_t value = n < SYSCALL_ARGS ? p->call->args[n] : 0;

	return p->word == 4 ? (uint32_t)value : value;
}

int64_t as_signed(const struct printer *p, uint64_t value)
{
	switch (p->size) {
	case 1:
		return (int8_t)value;
	case 2:
		return (int16_t)value;
	case 4:
		return (int32_t)value;
	default:
		return (int64_t)value;
	}
}

bool call_succeeded(const struct printer *p)
{
	return p->at_exit && !p->result.error;
}

uint64_t returned_bytes(const struct printer *p)
{
	return p->result.value > 0 ? (uint64_t)p->result.value : 0;
}

uint64_t received_bytes(const struct printer *p, unsigned aux)
{
	uint64_t n = returned_bytes(p), room = call_arg(p, aux);

	return n < room ? n : room;
}

static void keep(struct printer *p, int rc)
{
	if (rc)
		p->rc = rc;
}

void put_span(struct printer *p, const char *text, size_t n)
{
	keep(p, buf_append(p->out, text, n));
}

void put_few(struct printer *p, uint64_t word, size_t n)
{
	keep(p, buf_word(p->out, word, n));
}

static __attribute__((format(printf, 3, 0))) void put_va(struct printer *p, struct buf *out, const char *fmt,
                                                         va_list ap)
{
	char text[128];
	int n = vsnprintf(text, sizeof(text), fmt, ap);

	if (n > 0)
		keep(p, buf_append(out, text, (size_t)n < sizeof(text) ? (size_t)n : sizeof(text) - 1));
}

void put_format(struct printer *p, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	put_va(p, p->out, fmt, ap);
	va_end(ap);
}

void put_unsigned(struct printer *p, uint64_t value)
{
	keep(p, buf_decimal(p->out, value, 1));
}

void put_signed(struct printer *p, int64_t value)
{
	if (value < 0)
		put_text(p, "-");
	put_unsigned(p, value < 0 ? -(uint64_t)value : (uint64_t)value);
}

void put_note(struct printer *p, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	put_va(p, &p->note, fmt, ap);
	va_end(ap);
}

void note_print(struct printer *p, print_fn *print, uint64_t value, unsigned aux)
{
	struct buf *out = p->out;
	struct buf note = p->note;

	p->out = &note;
	print(p, value, aux);
	p->out = out;
	p->note = note;
}

void put_hex(struct printer *p, uint64_t value)
{
	char text[2 + 2 * sizeof(value)], *end = text + sizeof(text), *at = end;

	if (!value) {
		put_text(p, "0");
		return;
	}
	for (; value; value >>= 4)
		*--at = digits[value & 15];
	*--at = 'x';
	*--at = '0';
	put_span(p, at, (size_t)(end - at));
}

void put_addr(struct printer *p, uint64_t addr)
{
	if (addr)
		put_hex(p, addr);
	else
		put_text(p, "NULL");
}

/* --- Strings --- */

/* How bytes are shown: 0 as they are, by their number, or as a letter behind a backslash. */
static const char forms[256] = {
	[0 ... '\t' - 1] = BY_NUMBER,
	['\t'] = 't',
	['\n'] = 'n',
	['\v'] = 'v',
	['\f'] = 'f',
	['\r'] = 'r',
	['\r' + 1 ... ' ' - 1] = BY_NUMBER,
	['"'] = '"',
	['\\'] = '\\',
	['<'] = ANGLE,
	['>'] = ANGLE,
	[0x7f ... 0xff] = BY_NUMBER,
};

/* Returns the end. three: all three digits, for another one follows. */
static char *write_escape(const struct printer *p, char *to, unsigned char c, bool three)
{
	*to++ = '\\';
	if (forms[c] > ANGLE) {
		*to++ = forms[c];
	} else if (p->d->hex == DECODE_HEX_BYTES) {
		*to++ = 'x';
		*to++ = digits[c >> 4];
		*to++ = digits[c & 15];
	} else {
		if (three || c >= 0100)
			*to++ = (char)('0' + (c >> 6));
		if (three || c >= 010)
			*to++ = (char)('0' + (c >> 3 & 7));
		*to++ = (char)('0' + (c & 7));
	}
	return to;
}

/* Whether it is shown as it is; angled: < and > are not. */
static inline bool is_shown(unsigned char c, bool angled)
{
	return !forms[c] || (forms[c] == ANGLE && !angled);
}

/* Each byte is at its place at once: this is done for all that programs read and write. */
static void escape(struct printer *p, const char *bytes, size_t n, bool angled)
{
	int rc = buf_reserve(p->out, ESCAPE_BYTES * n);
	char *to;

	keep(p, rc);
	if (rc)
		return;
	to = p->out->data + p->out->len;
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)bytes[i];

		if (is_shown(c, angled))
			*to++ = (char)c;
		else
			to = write_escape(p, to, c, i + 1 < n && bytes[i + 1] >= '0' && bytes[i + 1] <= '7');
	}
	*to = 0;
	p->out->len = (size_t)(to - p->out->data);
}

void put_escaped(struct printer *p, const char *bytes, size_t n)
{
	escape(p, bytes, n, false);
}

void escape_from(struct printer *p, size_t start)
{
	const char *bytes = p->out->data + start, *end = p->out->data + p->out->len;
	size_t n = p->out->len - start;
	cleanup_buf struct buf raw = BUF_INIT;

	while (bytes < end && !forms[(unsigned char)*bytes])
		bytes++;
	if (bytes == end)
		return;
	keep(p, buf_append(&raw, p->out->data + start, n));
	buf_cut(p->out, start);
	if (raw.data)
		escape(p, raw.data, raw.len, true);
}

/* Whether it has something that is neither a printable character nor white space. */
static bool is_binary(const char *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (((unsigned char)bytes[i] < ' ' && (bytes[i] < '\t' || bytes[i] > '\r')) ||
		    (unsigned char)bytes[i] >= 0x7f)
			return true;
	return false;
}

void put_quoted(struct printer *p, const char *bytes, size_t n, bool cut)
{
	bool hex = p->d->hex == DECODE_HEX_ALL || (p->d->hex == DECODE_HEX_STRINGS && is_binary(bytes, n));

	put_text(p, "\"");
	for (size_t i = 0; hex && i < n; i++)
		put_format(p, "\\x%02x", (unsigned char)bytes[i]);
	if (!hex)
		put_escaped(p, bytes, n);
	put_text(p, cut ? "\"..." : "\"");
}

/* --- Memory --- */

bool peek_text(struct printer *p, uint64_t addr, void *to, size_t n)
{
	if (!n)
		return true;
	if (!addr || addr + n < addr || (p->word == 4 && addr + n > UINT64_C(0x100000000)))
		return false;
	return p->d->read(p->d->user, addr, to, n) == 0;
}

bool peek_bytes(struct printer *p, uint64_t addr, void *to, size_t n)
{
	return (!n || !p->d->shallow) && peek_text(p, addr, to, n);
}

uint64_t load_number(const void *bytes, unsigned size)
{
	uint64_t wide = 0;

	/* The machines of this layer's tables are all little-endian, and so is the one that traces them. */
	memcpy(&wide, bytes, size <= sizeof(wide) ? size : sizeof(wide));
	return wide;
}

bool peek_number(struct printer *p, uint64_t addr, unsigned size, uint64_t *value)
{
	unsigned char bytes[8];

	if (size > sizeof(bytes) || !peek_bytes(p, addr, bytes, size))
		return false;
	*value = load_number(bytes, size);
	return true;
}

int peek_string(struct printer *p, uint64_t addr, size_t max, struct buf *out)
{
	size_t before = out->len;
	char bytes[PAGE];

	while (out->len - before < max) {
		size_t n = PAGE - addr % PAGE;
		const char *end;

		if (n > max - (out->len - before))
			n = max - (out->len - before);
		if (!peek_text(p, addr, bytes, n))
			return -1;
		end = memchr(bytes, 0, n);
		keep(p, buf_append(out, bytes, end ? (size_t)(end - bytes) : n));
		if (end || p->rc)
			return 1;
		addr += n;
	}
	return 0;
}

void put_string(struct printer *p, uint64_t addr, size_t max)
{
	struct buf text = BUF_INIT;
	int ended = peek_string(p, addr, max + 1, &text);

	if (ended < 0 || p->rc)
		put_addr(p, addr);
	else
		put_quoted(p, text.data ? text.data : "", text.len > max ? max : text.len, !ended);
	buf_release(&text);
}

void put_bytes(struct printer *p, uint64_t addr, uint64_t n)
{
	size_t shown = n < p->d->string_max ? (size_t)n : p->d->string_max;
	size_t looked_at = n > shown ? shown + 1 : shown; /* whether it goes on, too */
	cleanup_buf struct buf text = BUF_INIT;
	char few[256], *bytes = few;

	if (!addr) {
		put_text(p, "NULL");
		return;
	}
	if (looked_at > sizeof(few)) {
		keep(p, buf_reserve(&text, looked_at));
		bytes = text.data;
	}
	if (bytes && peek_text(p, addr, bytes, looked_at))
		put_quoted(p, bytes, shown, n > shown);
	else
		put_addr(p, addr);
}

uint64_t items_max(const struct printer *p)
{
	return p->d->verbose ? ITEMS_MAX : p->d->string_max;
}

bool put_item_begin(struct printer *p, uint64_t addr, uint64_t i, uint64_t max, bool readable)
{
	p->unread |= !readable;
	if (!readable && !i) {
		put_addr(p, addr);
	} else if (!readable) {
		put_format(p, ", ... /* %#llx */]", (unsigned long long)addr);
	} else {
		put_text(p, i ? ", " : "[");
		if (i < max && p->out->len - p->began < TEXT_MAX)
			return true;
		put_text(p, "...]");
	}
	return false;
}

/* Whether the items end behind the last address that there can be. */
static bool wraps(const struct array *array)
{
	return array->size && array->n > (UINT64_MAX - array->addr) / array->size;
}

void put_array(struct printer *p, const struct array *array)
{
	uint64_t max = array->max ? array->max : items_max(p);
	unsigned char item[ARRAY_ITEM_MAX];

	if (!array->addr || !array->n) {
		put_text(p, array->addr ? "[]" : "NULL");
		return;
	}
	if (array->size > sizeof(item) || wraps(array)) {
		p->unread = true;
		put_addr(p, array->addr);
		return;
	}
	for (uint64_t i = 0; i < array->n; i++) {
		uint64_t addr = array->addr + i * array->size;

		if (array->capped && i == max) {
			put_text(p, ", ...]");
			return;
		}
		if (!put_item_begin(p, addr, i, max, peek_bytes(p, addr, item, array->size)))
			return;
		array->print(p, addr, array->aux);
	}
	put_text(p, "]");
}
