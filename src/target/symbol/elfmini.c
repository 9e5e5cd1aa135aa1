/* SPDX-License-Identifier: GPL-2.0-or-later */
/* .gnu_debugdata ("MiniDebugInfo"): an ELF file with a symbol table alone, compressed by xz. */
#include "private.h"

#include <exectrace/base/cleanup.h>
#include <lzma.h>

#define MEMORY_MAX (256ull << 20) /* bytes that the decoder may use: dictionaries of xz -9 take 64 MiB */
#define OUTPUT_MAX (128u << 20)   /* bytes of the file: the largest seen are a few MiB */
#define STEP 262144u

/* Unpacks n bytes. False when they are damaged, or too much comes out. */
static bool unpack(const void *bytes, size_t n, struct buf *out)
{
	lzma_stream stream = LZMA_STREAM_INIT;
	lzma_ret ret = lzma_stream_decoder(&stream, MEMORY_MAX, LZMA_CONCATENATED);

	stream.next_in = bytes;
	stream.avail_in = n;
	while (ret == LZMA_OK && out->len < OUTPUT_MAX) {
		if (buf_reserve(out, STEP))
			break;
		stream.next_out = (uint8_t *)out->data + out->len;
		stream.avail_out = STEP;
		ret = lzma_code(&stream, LZMA_FINISH);
		out->len += STEP - stream.avail_out;
	}
	lzma_end(&stream);
	return ret == LZMA_STREAM_END;
}

struct elf *elf_unpack_mini(const struct elf *elf)
{
	cleanup_buf struct buf out = BUF_INIT;
	struct elf_section s;
	struct elf *mini = NULL;
	const void *bytes = NULL;

	if (!elf_section_named(elf, ".gnu_debugdata", &s))
		return NULL;
	bytes = elf_bytes(elf, s.offset, s.size);
	if (!bytes || !unpack(bytes, s.size, &out) || elf_open_image(out.data, out.len, &mini))
		return NULL;
	return mini;
}
