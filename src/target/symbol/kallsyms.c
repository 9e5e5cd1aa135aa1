/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/target/symbol/kallsyms.h>

#include <errno.h>
#include <exectrace/base/buf.h>
#include <exectrace/base/cleanup.h>
#include <stdlib.h>
#include <string.h>

#define TOKENS 256
#define DIGIT 0x30              /* the token of a character that is used is the character itself */
#define TOKENS_SIZE (64u << 10) /* of the token table's rest and what is behind it: more than there ever is */
#define INDEX_SIZE (TOKENS * 2) /* of the index of tokens */
#define BEFORE (4u << 20)       /* of names, markers and sequence numbers, usually: 250,000 symbols, ... */
#define BEFORE_MAX (16u << 20)  /* ... and at most */
#define SYMBOLS_MIN 1000        /* fewer are no kernel */
#define NAME_MAX_BYTES 1024     /* KSYM_NAME_LEN is 512 */
#define NAMES_MAX (96u << 20)   /* of all names */
#define CHUNK (1u << 20)        /* that is searched at a time */
#define CANDIDATES 64           /* token tables looked at */
#define STEPS (1u << 26)        /* symbols stepped over in search of the first one, in all */
#define MARKED 256              /* symbols a marker */

static const char digits[] = "0\0001\0002\0003\0004\0005\0006\0007\0008\0009";

/* A candidate: a copy of what is around a table of tokens. */
struct kallsyms_table {
	const struct kallsyms_memory *memory;
	uint64_t start;            /* of the copy in the memory */
	uint8_t *bytes;            /* the copy: up to the end of the index */
	size_t size;               /* of the copy; slack of 8 bytes behind it */
	size_t tokens;             /* first token: offset into the copy */
	uint16_t index[TOKENS];    /* of each token, from there */
	size_t head, names, count; /* the number of symbols, the names: offsets; how many symbols */
	size_t markers;            /* offset */
	uint64_t steps;            /* left */
};

static uint32_t get32(const struct kallsyms_table *t, size_t at)
{
	uint32_t v;

	memcpy(&v, t->bytes + at, sizeof(v));
	return v;
}

static size_t align(size_t at, size_t to)
{
	return (at + to - 1) & ~(to - 1);
}

static bool read_at(const struct kallsyms_memory *memory, uint64_t offset, void *to, size_t n)
{
	return offset <= memory->size && n <= memory->size - offset && memory->read(memory->user, offset, to, n);
}

/* --- Tokens ----------------------------------------------------------------------------------------------------- */

/* The 256 growing numbers, somewhere in the words from `at` on. Their offset; 0: none. */
static size_t find_index(const uint8_t *bytes, size_t at, size_t size)
{
	for (size_t i = at; i + INDEX_SIZE <= size && i < at + 256; i++) {
		uint16_t last = 0, v = 0;
		unsigned k = 1;

		memcpy(&last, bytes + i, sizeof(last));
		if (last)
			continue;
		for (; k < TOKENS; k++, last = v) {
			memcpy(&v, bytes + i + 2 * k, sizeof(v));
			if (v <= last)
				break;
		}
		if (k == TOKENS)
			return i;
	}
	return 0;
}

/* Where the tokens from that of the digit 0 on end. 0: not within the bytes. */
static size_t skip_tokens(const uint8_t *bytes, size_t size)
{
	size_t at = 0;

	for (unsigned i = DIGIT; i < TOKENS; i++) {
		size_t n = strnlen((const char *)bytes + at, size - at);

		at += n + 1;
		if (at >= size)
			return 0;
	}
	return at;
}

/*
 * Copies what is around the digits at `offset`, when they are those of a table of tokens, with so many bytes before
 * them. 0; -ENOENT, -ENOMEM.
 */
static int copy_table(struct kallsyms_table *t, uint64_t offset, uint64_t bytes)
{
	cleanup_free uint8_t *ahead = malloc(TOKENS_SIZE);
	uint64_t left = t->memory->size - offset;
	size_t size = left < TOKENS_SIZE ? (size_t)left : TOKENS_SIZE, end, index, before;

	if (!ahead)
		return -ENOMEM;
	if (!read_at(t->memory, offset, ahead, size))
		return -ENOENT;
	end = skip_tokens(ahead, size);
	index = end ? find_index(ahead, end, size) : 0;
	if (!index)
		return -ENOENT;
	memcpy(t->index, ahead + index, INDEX_SIZE);
	if (offset < t->index[DIGIT])
		return -ENOENT;
	t->start = (offset < bytes ? 0 : offset - bytes) & ~7ull; /* what is aligned there is in the copy */
	before = (size_t)(offset - t->start);
	t->size = before + index + INDEX_SIZE;
	t->bytes = malloc(t->size + 8);
	if (!t->bytes)
		return -ENOMEM;
	memset(t->bytes + t->size, 0, 8);
	t->tokens = before - t->index[DIGIT];
	return read_at(t->memory, t->start, t->bytes, t->size) ? 0 : -ENOENT;
}

/* Each token but the first begins behind the NUL of another; the zeros behind the copy end the last one. */
static bool tokens_sound(const struct kallsyms_table *t)
{
	for (unsigned i = 0; i < TOKENS; i++) {
		if (t->tokens + t->index[i] >= t->size || (i && t->bytes[t->tokens + t->index[i] - 1]))
			return false;
	}
	return true;
}

static const char *token(const struct kallsyms_table *t, uint8_t number)
{
	return (const char *)t->bytes + t->tokens + t->index[number];
}

static bool is_type(char c)
{
	return c && strchr("ABbDdRrTtWwVvNnCcUuGgSsIi?-a", c) != NULL;
}

/* --- Names ------------------------------------------------------------------------------------------------------ */

/* One entry: where its tokens are, how many. The offset behind it; 0: it is none. */
static size_t entry(const struct kallsyms_table *t, size_t at, size_t *tokens, size_t *n)
{
	size_t length;

	if (at + 2 > t->tokens)
		return 0;
	length = t->bytes[at++];
	if (length & 0x80)
		length = (length & 0x7f) | (size_t)t->bytes[at++] << 7;
	*tokens = at;
	*n = length;
	if (!length || length > t->tokens - at || !is_type(*token(t, t->bytes[at])))
		return 0;
	return at + length;
}

/* Walks over the names behind the head. True when they and the markers behind them are what they should be. */
static bool walk(struct kallsyms_table *t)
{
	size_t at = t->names, marks[2] = {0, 0}, tokens, n;

	for (size_t i = 0; i < t->count; i++) {
		if (!t->steps)
			return false;
		t->steps--;
		if (i && i % MARKED == 0 && i / MARKED <= 2)
			marks[i / MARKED - 1] = at - t->names;
		at = entry(t, at, &tokens, &n);
		if (!at)
			return false;
	}
	for (size_t to = 8; to >= 4; to -= 4) {
		t->markers = align(at, to);
		if (t->markers + 12 <= t->tokens && !get32(t, t->markers) && get32(t, t->markers + 4) == marks[0] &&
		    get32(t, t->markers + 8) == marks[1])
			return true;
	}
	return false;
}

/* Looks back from the tokens for the number of symbols, which takes eight bytes, and four from Linux 7 on. */
static bool find_head(struct kallsyms_table *t)
{
	for (size_t at = t->tokens & ~3ull; at >= 4;) {
		at -= 4;
		t->count = get32(t, at);
		if (t->count < SYMBOLS_MIN || t->count > KALLSYMS_MAX || t->count * 3 > t->tokens - at)
			continue;
		t->head = at;
		t->names = at + (get32(t, at + 4) ? 4 : 8);
		if (walk(t))
			return true;
		if (!t->steps)
			break;
	}
	return false;
}

/* --- Addresses -------------------------------------------------------------------------------------------------- */

/* Of the kernel's half, as _text is: in the last 2 GiB, on a page. */
static bool is_base(uint64_t v)
{
	return v >= 0xffffffff80000000 && !(v & 0xfff);
}

/* The offsets before the head (to Linux 6.3): then the base, then up to two words of padding. */
static bool offsets_before(const struct kallsyms_table *t, int32_t *offsets, uint64_t *base)
{
	uint64_t head = t->start + t->head;
	size_t size = align(t->count * 4, 8);

	for (unsigned back = 8; back <= 24; back += 8) {
		if (head >= back + size && read_at(t->memory, head - back, base, 8) && is_base(*base))
			return read_at(t->memory, head - back - size, offsets, t->count * 4);
	}
	return false;
}

/* The offsets behind the index of tokens (from Linux 6.4 on), then the base. */
static bool offsets_behind(const struct kallsyms_table *t, int32_t *offsets, uint64_t *base)
{
	uint64_t at = (t->start + t->size + 7) & ~7ull;

	return read_at(t->memory, at + align(t->count * 4, 8), base, 8) && is_base(*base) &&
	       read_at(t->memory, at, offsets, t->count * 4);
}

/* Addresses without a base: each counts from its own place (Linux 7). The address of the first place. */
static bool offsets_in_place(const struct kallsyms_table *t, int32_t *offsets, uint64_t *place)
{
	uint64_t at = (t->start + t->size + 3) & ~3ull;

	*place = t->memory->address + at;
	return t->memory->address && read_at(t->memory, at, offsets, t->count * 4) &&
	       is_base(*place + (uint64_t)(int64_t)offsets[0]);
}

/*
 * With CONFIG_KALLSYMS_ABSOLUTE_PERCPU what is not negative is an address itself, and else counts down from the base;
 * without it all count up.
 */
static bool counts_down(const int32_t *offsets, size_t n)
{
	size_t negative = 0;

	for (size_t i = 0; i < n; i++)
		negative += offsets[i] < 0;
	return negative > n / 2;
}

static int read_addresses(const struct kallsyms_table *t, struct kallsyms *ret)
{
	cleanup_free int32_t *offsets = malloc(t->count * sizeof(*offsets));
	uint64_t base = 0;
	bool down;

	if (!offsets)
		return -ENOMEM;
	if (!offsets_before(t, offsets, &base) && !offsets_behind(t, offsets, &base)) {
		if (!offsets_in_place(t, offsets, &base))
			return -ENOENT;
		for (size_t i = 0; i < t->count; i++)
			ret->items[i].address = base + 4 * i + (uint64_t)(int64_t)offsets[i];
		return 0;
	}
	down = counts_down(offsets, t->count);
	for (size_t i = 0; i < t->count; i++) {
		if (!down)
			ret->items[i].address = base + (uint32_t)offsets[i];
		else if (offsets[i] >= 0)
			ret->items[i].address = (uint64_t)offsets[i];
		else
			ret->items[i].address = base - 1 - (uint64_t)(int64_t)offsets[i];
	}
	return 0;
}

/* --- All of it -------------------------------------------------------------------------------------------------- */

/* Spells out n tokens: the type, then the name. 0; -ENOENT: too long; -ENOMEM. */
static int spell(const struct kallsyms_table *t, size_t tokens, size_t n, struct kallsym *symbol, struct buf *names)
{
	size_t start = names->len;
	int rc = 0;

	symbol->name = (uint32_t)start;
	symbol->type = *token(t, t->bytes[tokens]);
	for (size_t i = 0; i < n && !rc; i++) {
		const char *text = token(t, t->bytes[tokens + i]);

		rc = buf_puts(names, text + (i == 0));
		if (!rc && (names->len - start > NAME_MAX_BYTES || names->len > NAMES_MAX))
			rc = -ENOENT;
	}
	return rc ? rc : buf_putc(names, '\0');
}

static int read_names(const struct kallsyms_table *t, struct kallsyms *ret, struct buf *names)
{
	size_t at = t->names, tokens = 0, n = 0;

	for (size_t i = 0; i < t->count; i++) {
		int rc;

		if (i % MARKED == 0 && (t->markers + i / MARKED * 4 + 4 > t->tokens ||
		                        get32(t, t->markers + i / MARKED * 4) != at - t->names))
			return -ENOENT;
		at = entry(t, at, &tokens, &n);
		rc = at ? spell(t, tokens, n, &ret->items[i], names) : -ENOENT;
		if (rc)
			return rc;
	}
	return 0;
}

static int read_table(const struct kallsyms_table *t, struct kallsyms *ret)
{
	cleanup_buf struct buf names = BUF_INIT;
	int rc;

	ret->items = calloc(t->count, sizeof(*ret->items));
	if (!ret->items)
		return -ENOMEM;
	rc = read_addresses(t, ret);
	if (!rc)
		rc = read_names(t, ret, &names);
	if (rc)
		return rc;
	ret->n = t->count;
	ret->names_size = names.len;
	ret->names = buf_steal(&names);
	kallsyms_sort(ret);
	return ret->names ? 0 : -ENOMEM;
}

static int try_with(const struct kallsyms_memory *memory, uint64_t offset, uint64_t bytes, uint64_t *steps,
                    struct kallsyms *ret)
{
	struct kallsyms_table t = {.memory = memory, .steps = *steps};
	int rc = copy_table(&t, offset, bytes);

	if (!rc)
		rc = tokens_sound(&t) && find_head(&t) ? read_table(&t, ret) : -ENOENT;
	*steps = t.steps;
	free(t.bytes);
	if (rc)
		kallsyms_release(ret);
	return rc;
}

/* Tries the digits at `offset`. */
static int try_at(const struct kallsyms_memory *memory, uint64_t offset, uint64_t *steps, struct kallsyms *ret)
{
	int rc = try_with(memory, offset, BEFORE, steps, ret);

	return rc == -ENOENT && offset > BEFORE && *steps ? try_with(memory, offset, BEFORE_MAX, steps, ret) : rc;
}

int kallsyms_read(const struct kallsyms_memory *memory, struct kallsyms *ret)
{
	cleanup_free uint8_t *chunk = malloc(CHUNK);
	uint64_t steps = STEPS;
	unsigned candidates = 0;

	*ret = (struct kallsyms){0};
	if (!chunk)
		return -ENOMEM;
	for (uint64_t at = 0; at < memory->size; at += CHUNK - sizeof(digits)) {
		size_t n = memory->size - at < CHUNK ? (size_t)(memory->size - at) : CHUNK;
		const uint8_t *from = chunk, *found;

		if (!read_at(memory, at, chunk, n))
			continue;
		while ((found = memmem(from, n - (size_t)(from - chunk), digits, sizeof(digits)))) {
			int rc = try_at(memory, at + (size_t)(found - chunk), &steps, ret);

			if (rc != -ENOENT || ++candidates == CANDIDATES || !steps)
				return rc;
			from = found + 1;
		}
	}
	return -ENOENT;
}

void kallsyms_release(struct kallsyms *table)
{
	free(table->items);
	free(table->names);
	*table = (struct kallsyms){0};
}
