/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The first bytes of any file: nothing is read beyond them, and what is found in them is in them. */
#include "../../src/target/executable/header.h"
#include "expect.h"
#include <elf.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool holds(const uint8_t *data, size_t size, const char *text)
{
	return !*text || memmem(data, size, text, strlen(text)) != NULL;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static void script(const uint8_t *data, size_t size, const struct header *header)
{
	size_t line = size < HEADER_INTERP_MAX ? size : HEADER_INTERP_MAX;
	size_t end = strlen(header->arg);
	struct header again;

	expect(data[0] == '#' && data[1] == '!');
	expect(*header->interp && !strpbrk(header->interp, " \t\n") && !strchr(header->arg, '\n'));
	expect(header->has_arg || !end);
	/* Blanks at the end of a line that has no newline belong to the argument: so the kernel has it. */
	expect(!end || (!is_blank(header->arg[0]) &&
	                (!is_blank(header->arg[end - 1]) || !memchr(data, '\n', line) || memchr(data, '\0', line))));
	expect(strlen(header->interp) + end <= HEADER_INTERP_MAX - 2);
	expect(holds(data, line, header->interp) && holds(data, line, header->arg));
	/* What comes after a line is not looked at. */
	header_parse(data, line, -1, &again);
	expect(again.kind == header->kind && again.has_arg == header->has_arg);
	expect(strcmp(again.interp, header->interp) == 0 && strcmp(again.arg, header->arg) == 0);
}

static void check(const uint8_t *data, size_t size, const struct header *header)
{
	expect(strnlen(header->interp, sizeof(header->interp)) < sizeof(header->interp));
	expect(strnlen(header->arg, sizeof(header->arg)) < sizeof(header->arg));
	switch (header->kind) {
	case HEADER_SCRIPT:
		script(data, size, header);
		break;
	case HEADER_ELF:
		expect(size >= EI_NIDENT && memcmp(data, ELFMAG, SELFMAG) == 0);
		expect(!*header->arg && !header->has_arg && holds(data, size, header->interp));
		break;
	default:
		expect(header->kind == HEADER_UNKNOWN && !*header->interp && !*header->arg && !header->has_arg);
		break;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static int fd = -1;
	struct header header;
	size_t head = size < 512 ? size : 512;

	if (fd < 0)
		fd = memfd_create("input", MFD_CLOEXEC);
	expect(fd >= 0 && ftruncate(fd, 0) == 0 && pwrite(fd, data, size, 0) == (ssize_t)size);
	memset(&header, 0xee, sizeof(header));
	header_parse(data, size, -1, &header);
	check(data, size, &header);
	expect(header.kind != HEADER_ELF || !*header.interp);
	/* As a file is looked at: a part of it, and the file itself for the loader's name. */
	memset(&header, 0xee, sizeof(header));
	header_parse(data, head, fd, &header);
	check(data, size, &header);
	return 0;
}
