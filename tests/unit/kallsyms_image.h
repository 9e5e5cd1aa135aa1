/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes the tables of symbols that scripts/kallsyms.c makes, in each of its layouts. */
#ifndef EXECTRACE_TESTS_UNIT_KALLSYMS_IMAGE_H
#define EXECTRACE_TESTS_UNIT_KALLSYMS_IMAGE_H

#include <exectrace/base/buf.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define IMAGE_BASE 0xffffffff9a000000ull
#define IMAGE_ADDRESS (IMAGE_BASE + 0x1828000) /* of the first byte */
#define IMAGE_SYMBOLS 1500
#define IMAGE_TOKENS 256

enum image_layout {
	IMAGE_OLD,      /* offsets, base, number, names, markers, tokens, index: Linux 4.6 to 6.1 */
	IMAGE_SEQUENCE, /* numbers of the names' order behind the markers: 6.2, 6.3, and 6.1 of Debian */
	IMAGE_NEW,      /* tokens, index, offsets, base: from 6.4 on */
	IMAGE_PLACE,    /* the same without a base, each offset from its own place, all aligned to 4: 7 */
	IMAGE_LAYOUTS
};

struct image {
	struct buf bytes;
	enum image_layout layout;
	bool count_up; /* without CONFIG_KALLSYMS_ABSOLUTE_PERCPU */
	size_t gap;    /* bytes between names and tokens, as with so many names more */
};

/* Symbol i: one in ten long, one in seven at the place of the one before it, the first one a number, the
 * second one where the kernel begins. */
static void image_symbol(unsigned i, uint64_t *address, char *type, char name[400])
{
	*address = i == 0 ? 0x1000 : IMAGE_BASE + (i % 7 == 0 ? i - 1 : i) * 16ull;
	*type = "TtdWr"[i % 5];
	snprintf(name, 400, i == 1 ? "_text" : "sys_function_%u", i);
	if (i % 10 == 3) {
		size_t n = strlen(name);

		memset(name + n, 'x', 150);
		snprintf(name + n + 150, 400 - n - 150, "_end%u", i);
	}
}

static void image_align(struct image *image)
{
	while (image->bytes.len % (image->layout == IMAGE_PLACE ? 4 : 8))
		(void)buf_putc(&image->bytes, '\0');
}

static void image_u32(struct buf *b, uint32_t v)
{
	(void)buf_append(b, &v, sizeof(v));
}

static void image_u64(struct buf *b, uint64_t v)
{
	(void)buf_append(b, &v, sizeof(v));
}

/* Token i: itself for a character, and a pair of them for the others. */
static void image_token(unsigned i, char text[24])
{
	snprintf(text, 24, i == 1 ? "sys_function_" : i == 2 ? "xxxxxxxx" : i > 32 && i < 127 ? "%c" : "@%02x", i);
}

/* A name with its type, as tokens. */
static void image_name(struct buf *b, char type, const char *name)
{
	struct buf tokens = BUF_INIT;

	(void)buf_putc(&tokens, type);
	while (*name) {
		if (strncmp(name, "sys_function_", 13) == 0) {
			(void)buf_putc(&tokens, 1);
			name += 13;
		} else if (strncmp(name, "xxxxxxxx", 8) == 0 && name[8]) {
			(void)buf_putc(&tokens, 2);
			name += 8;
		} else {
			(void)buf_putc(&tokens, *name++);
		}
	}
	if (tokens.len > 127) {
		(void)buf_putc(b, (char)(0x80 | (tokens.len & 0x7f)));
		(void)buf_putc(b, (char)(tokens.len >> 7));
	} else {
		(void)buf_putc(b, (char)tokens.len);
	}
	(void)buf_append(b, tokens.data, tokens.len);
	buf_release(&tokens);
}

static void image_offsets(struct image *image)
{
	image_align(image);
	for (unsigned i = 0; i < IMAGE_SYMBOLS; i++) {
		uint64_t address;
		char type, name[400];

		image_symbol(i, &address, &type, name);
		if (image->layout == IMAGE_PLACE)
			image_u32(&image->bytes, (uint32_t)((address < IMAGE_BASE ? IMAGE_BASE : address) -
			                                    (IMAGE_ADDRESS + image->bytes.len)));
		else if (image->count_up)
			image_u32(&image->bytes, (uint32_t)(address < IMAGE_BASE ? 0 : address - IMAGE_BASE));
		else
			image_u32(&image->bytes, (uint32_t)(address < IMAGE_BASE ? address : IMAGE_BASE - 1 - address));
	}
	image_align(image);
	if (image->layout != IMAGE_PLACE)
		image_u64(&image->bytes, IMAGE_BASE);
}

static void image_names(struct image *image)
{
	uint32_t markers[IMAGE_SYMBOLS / 256 + 1];
	size_t start;

	image_u32(&image->bytes, IMAGE_SYMBOLS);
	image_align(image);
	start = image->bytes.len;
	for (unsigned i = 0; i < IMAGE_SYMBOLS; i++) {
		uint64_t address;
		char type, name[400];

		if (i % 256 == 0)
			markers[i / 256] = (uint32_t)(image->bytes.len - start);
		image_symbol(i, &address, &type, name);
		image_name(&image->bytes, type, name);
	}
	image_align(image);
	(void)buf_append(&image->bytes, markers, sizeof(markers));
	for (unsigned i = 0; image->layout == IMAGE_SEQUENCE && i < IMAGE_SYMBOLS * 3; i++)
		(void)buf_putc(&image->bytes, (char)i);
	for (size_t i = 0; i < image->gap; i++)
		(void)buf_putc(&image->bytes, (char)0xff);
	image_align(image);
}

static void image_tokens(struct image *image)
{
	uint16_t index[IMAGE_TOKENS];
	size_t start = image->bytes.len;

	for (unsigned i = 0; i < IMAGE_TOKENS; i++) {
		char text[24];

		index[i] = (uint16_t)(image->bytes.len - start);
		image_token(i, text);
		(void)buf_append(&image->bytes, text, strlen(text) + 1);
	}
	image_align(image);
	(void)buf_append(&image->bytes, index, sizeof(index));
}

/* Makes the bytes, with others before and behind them. */
__attribute__((unused)) static void image_make(struct image *image)
{
	for (unsigned i = 0; i < 3000; i++)
		image_u64(&image->bytes, i * 0x0101010101010101ull);
	if (image->layout < IMAGE_NEW)
		image_offsets(image);
	image_names(image);
	image_tokens(image);
	if (image->layout >= IMAGE_NEW)
		image_offsets(image);
	for (unsigned i = 0; i < 100; i++)
		image_u64(&image->bytes, i);
}

/* A kallsyms_memory.read over the bytes. */
__attribute__((unused)) static bool image_read(void *user, uint64_t offset, void *to, size_t n)
{
	memcpy(to, ((const struct image *)user)->bytes.data + offset, n);
	return true;
}

#endif
