/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The search table of .eh_frame for a file that has none, as static programs often do (LSB, "Exception Frames"): each
 * FDE's function, sorted.
 */
#include "frames.h"

#include <errno.h>
#include <exectrace/base/grow.h>
#include <stdlib.h>
#include <string.h>

#define PAIRS_MAX (4u << 20)
#define EXTENDED 0xffffffffu
#define ENC_PCREL 0x10
#define ENC_SIGNED 0x08
#define ENC_OMIT 0xff

uint64_t reader_take(struct reader *r, unsigned n)
{
	uint64_t value = 0;

	if ((size_t)(r->end - r->at) < n) {
		r->bad = true;
		r->at = r->end;
		return 0;
	}
	value = elf_number(r->at, n);
	r->at += n;
	return value;
}

/* The bits of a LEB128 number, and how many there are. */
static uint64_t leb(struct reader *r, unsigned *bits, bool *negative)
{
	uint64_t value = 0, byte = 0;

	*bits = 0;
	do {
		byte = reader_take(r, 1);
		if (*bits < 64)
			value |= (byte & 127) << *bits;
		*bits += 7;
	} while (byte & 128 && !r->bad);
	*negative = byte & 64;
	return value;
}

uint64_t reader_leb(struct reader *r)
{
	unsigned bits = 0;
	bool negative = false;

	return leb(r, &bits, &negative);
}

int64_t reader_sleb(struct reader *r)
{
	unsigned bits = 0;
	bool negative = false;
	uint64_t value = leb(r, &bits, &negative);

	return (int64_t)(negative && bits < 64 ? value | ~0ull << bits : value);
}

uint64_t reader_coded(struct reader *r, const struct elf *elf, unsigned char coding, uint64_t vaddr)
{
	static const unsigned char sizes[8] = {0, 0, 2, 4, 8};
	unsigned n = (coding & 7) ? sizes[coding & 7] : elf->file.word;
	uint64_t value = 0;

	if (!n || (coding & 0x70 & ~ENC_PCREL)) {
		r->bad = true;
		return 0;
	}
	value = reader_take(r, n);
	if ((coding & ENC_SIGNED || coding & ENC_PCREL) && n < 8 && value >> (8 * n - 1))
		value |= ~0ull << 8 * n;
	return (coding & ENC_PCREL ? vaddr : 0) + value;
}

/* The augmentation: what the letters of text stand for. False when there is one that is not known. */
static bool augmentation(struct reader *r, const struct elf *elf, const char *text, struct cie *cie)
{
	cie->augmented = text[0] == 'z';
	if (!cie->augmented)
		return text[0] == '\0';
	reader_leb(r);
	for (text++; *text && !r->bad; text++) {
		if (*text == 'R')
			cie->coding = (unsigned char)reader_take(r, 1);
		else if (*text == 'S')
			cie->signal = true;
		else if (*text == 'L')
			reader_take(r, 1);
		else if (*text == 'P')
			reader_coded(r, elf, (unsigned char)reader_take(r, 1) & 15, 0);
		else if (*text != 'B')
			return false;
	}
	return !r->bad && cie->coding != ENC_OMIT;
}

/* Reads a CIE. r: behind its id. */
static bool read_cie(struct reader r, const struct elf *elf, struct cie *cie)
{
	uint64_t version = reader_take(&r, 1), length = 0;
	const char *text = (const char *)r.at;
	struct reader ahead;

	*cie = (struct cie){.coding = 0};
	while (reader_take(&r, 1))
		;
	if (r.bad || (version != 1 && version != 3))
		return false;
	cie->code_factor = reader_leb(&r);
	cie->data_factor = reader_sleb(&r);
	cie->return_register = version == 1 ? reader_take(&r, 1) : reader_leb(&r);
	ahead = r;
	length = text[0] == 'z' ? reader_leb(&ahead) : 0;
	if (!augmentation(&r, elf, text, cie) || length > (uint64_t)(ahead.end - ahead.at))
		return false;
	ahead.at += length;
	cie->program = ahead;
	return !ahead.bad;
}

bool frames_enter(const unsigned char *at, const unsigned char *end, struct reader *r, uint64_t *id)
{
	uint64_t n = 0;

	*r = (struct reader){at, end, false};
	n = reader_take(r, 4);
	if (n == EXTENDED)
		n = reader_take(r, 8);
	if (r->bad || n > (uint64_t)(r->end - r->at))
		return false;
	r->end = r->at + n;
	*id = n ? reader_take(r, 4) : 0;
	return !r->bad;
}

bool frames_cie(const struct elf *elf, const struct elf_section *s, const struct reader *r, uint64_t id,
                struct cie *cie)
{
	const unsigned char *start = elf->data + s->offset;
	const unsigned char *field = r->at - 4;
	uint64_t cie_id = 1;
	struct reader entry;

	return id <= (uint64_t)(field - start) && frames_enter(field - id, start + s->size, &entry, &cie_id) &&
	       !cie_id && read_cie(entry, elf, cie);
}

/* Adds the FDE at `at`, relative to the section's beginning. */
static void add_fde(struct elf *elf, const struct elf_section *s, const unsigned char *at, struct reader r, uint64_t id)
{
	const unsigned char *start = elf->data + s->offset;
	struct cie cie;
	uint64_t pc = 0;

	if (!frames_cie(elf, s, &r, id, &cie))
		return;
	pc = reader_coded(&r, elf, cie.coding, s->addr + (uint64_t)(r.at - start)) - s->addr;
	if (r.bad || (int64_t)pc != (int32_t)pc || at - start > INT32_MAX)
		return;
	if (elf->n_pairs < PAIRS_MAX &&
	    !grow_array((void **)&elf->pairs, elf->n_pairs, &elf->cap_pairs, sizeof(*elf->pairs)))
		elf->pairs[elf->n_pairs++] = (struct elf_pair){(int32_t)pc, (int32_t)(at - start)};
}

static int by_function(const void *a, const void *b)
{
	const struct elf_pair *x = a, *y = b;

	return x->function < y->function ? -1 : x->function > y->function;
}

static void index_frames(struct elf *elf)
{
	struct elf_section s;
	const unsigned char *at = NULL, *end = NULL;
	struct reader r;
	uint64_t id = 0;

	elf->indexed = true;
	if (!elf_section_named(elf, ".eh_frame", &s) || s.type == SHT_NOBITS)
		return;
	at = elf_bytes(elf, s.offset, s.size);
	if (!at)
		return;
	elf->frames = s;
	for (end = at + s.size; at < end && frames_enter(at, end, &r, &id); at = r.end)
		if (id)
			add_fde(elf, &s, at, r, id);
	if (elf->n_pairs)
		qsort(elf->pairs, elf->n_pairs, sizeof(*elf->pairs), by_function);
}

const struct elf_pair *elf_unwind_index(struct elf *elf, uint64_t *base, size_t *n)
{
	if (!elf->indexed)
		index_frames(elf);
	*base = elf->frames.addr;
	*n = elf->n_pairs;
	return elf->n_pairs ? elf->pairs : NULL;
}
