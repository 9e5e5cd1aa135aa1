/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records of the kernel's rings: the first byte chooses what samples have, the rest is one record, whose size is set
 * right. What must hold: all that a record points to lies within it.
 */
#include "../../src/record/sample/image.h"
#include "../../src/record/sample/parse.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static volatile unsigned sink;

static void touch(const void *bytes, size_t n)
{
	const unsigned char *p = bytes;

	for (size_t i = 0; i < n; i++)
		sink += p[i];
}

static void use(const struct ring_record *r, struct image *image)
{
	switch (r->kind) {
	case RING_SAMPLE:
		touch(r->sample.chain, r->sample.n_chain * sizeof(uint64_t));
		touch(r->sample.registers, r->sample.n_registers * sizeof(uint64_t));
		touch(r->sample.stack, r->sample.n_stack);
		break;
	case RING_MAP:
		(void)image_map(image, r);
		break;
	case RING_COMM:
		touch(r->comm.name, strlen(r->comm.name));
		break;
	default:
		break;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct ring_format format = {.chain = size && data[0] & 1,
	                                   .stack = size && data[0] & 2,
	                                   .registers = size && data[0] & 4 ? UINT64_MAX : 0x1ff};
	struct code_files files = {.n = 0};
	struct images images = {.files = &files};
	struct image *image = image_new();
	/* Each record in memory of its own, so that a byte too far is seen. */
	for (size_t at = 1; image && at + sizeof(struct perf_event_header) <= size;) {
		size_t n = size - at < 256 ? size - at : 256;
		uint64_t *copy = malloc(n);
		uint16_t told = (uint16_t)n;
		struct ring_record r;

		if (!copy)
			break;
		memcpy(copy, data + at, n);
		memcpy((char *)copy + offsetof(struct perf_event_header, size), &told, sizeof(told));
		if (ring_parse(&format, copy, n, &r) == 0)
			use(&r, image);
		free(copy);
		at += n;
	}
	image_leave(image, &images);
	return 0;
}
