/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which instruction is before a `syscall`: lengths as objdump has them, and the forms that a patch takes. */
#include "src/record/inside/instruction.h"
#include "tap.h"
#include <string.h>

static void lengths(void)
{
	static const struct {
		const char *bytes;
		unsigned n;
	} known[] = {
		{"\x90", 1},
		{"\xc3", 1},
		{"\xb8\x01\x00\x00\x00", 5},                      /* mov $1, %eax */
		{"\x48\xb8\x01\x02\x03\x04\x05\x06\x07\x08", 10}, /* movabs, %rax */
		{"\x66\xb8\x01\x02", 4},                          /* mov $.., %ax */
		{"\x48\xc7\xc0\x27\x00\x00\x00", 7},              /* mov $39, %rax */
		{"\x31\xc0", 2},                                  /* xor %eax, %eax */
		{"\x44\x89\xc0", 3},                              /* mov %r8d, %eax */
		{"\x4c\x8b\x4c\x24\x08", 5},                      /* mov 8(%rsp), %r9 */
		{"\x8b\x7c\x24\x08", 4},                          /* mov 8(%rsp), %edi */
		{"\x48\x8b\x05\x01\x02\x03\x04", 7},              /* mov rip-relative */
		{"\x48\x3d\x00\xf0\xff\xff", 6},                  /* cmp $-4096, %rax */
		{"\x0f\x05", 2},                                  /* syscall */
		{"\x0f\x87\x01\x02\x03\x04", 6},                  /* ja, far */
		{"\x77\x10", 2},                                  /* ja, near */
		{"\xf7\xd8", 2},                                  /* neg %eax */
		{"\xf7\xc7\x01\x00\x00\x00", 6},                  /* test $1, %edi */
		{"\x64\x89\x01", 3},                              /* mov %eax, %fs:(%rcx) */
		{"\x64\x48\x8b\x04\x25\x28\x00\x00\x00", 9},      /* mov %fs:40, %rax */
		{"\xf3\x0f\x1e\xfa", 4},                          /* endbr64 */
		{"\x66\x0f\x1f\x44\x00\x00", 6},                  /* nop */
		{"\x66\x2e\x0f\x1f\x84\x00\x00\x00\x00\x00", 10},
		{"\x0f\xb6\x44\x24\x0f", 5},         /* movzbl 15(%rsp), %eax */
		{"\x83\x3d\x01\x02\x03\x04\x00", 7}, /* cmpl $0, rip-relative */
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		printf("# %zu\n", i);
		CHECK_INT(instruction_length((const unsigned char *)known[i].bytes, 16), known[i].n);
		CHECK_INT(instruction_length((const unsigned char *)known[i].bytes, known[i].n), known[i].n);
		CHECK_INT(instruction_length((const unsigned char *)known[i].bytes, known[i].n - 1), 0);
	}
}

/* What is found before a `syscall` that these bytes, behind others that are all nop, are before. */
static unsigned before(const char *bytes, size_t n, uint64_t nr)
{
	unsigned char text[TEXT_BEFORE + TEXT_BEHIND];

	memset(text, 0x90, sizeof(text));
	memcpy(text + TEXT_BEFORE - n, bytes, n);
	memcpy(text + TEXT_BEFORE, "\x0f\x05", 2);
	return instruction_before(text, nr);
}

static void forms(void)
{
	CHECK_INT(before("\xb8\x27\x00\x00\x00", 5, 39), 5);
	CHECK_INT(before("\x48\xc7\xc0\x27\x00\x00\x00", 7, 39), 7);
	CHECK_INT(before("\x31\xc0", 2, 0), 2);
	CHECK_INT(before("\x44\x89\xc0", 3, 7), 3);
	CHECK_INT(before("\x4c\x8b\x4c\x24\x08", 5, 7), 5);
	CHECK_INT(before("\x48\x89\x5b\x10", 4, 158), 4);             /* mov %rbx, 16(%rbx) */
	CHECK_INT(before("\x0f\x11\x83\xd8\x02\x00\x00", 7, 273), 7); /* movups %xmm0, 728(%rbx) */
	/* A prefix, an address relative to rip, one with an index. */
	CHECK_INT(before("\x66\x0f\x11\x83\xd8\x02\x00\x00", 8, 273), 0);
	CHECK_INT(before("\x0f\x11\x05\xd8\x02\x00\x00", 7, 273), 0);
	CHECK_INT(before("\x48\x89\x5c\x0b\x10", 5, 158), 0);
	/* Another number than that of the call: something else has loaded it. */
	CHECK_INT(before("\xb8\x27\x00\x00\x00", 5, 40), 0);
	/* The end of a longer instruction that looks like one of those: movabs, and a displacement. */
	CHECK_INT(before("\x48\xb9\x01\x02\x03\xb8\x27\x00\x00\x00", 10, 39), 0);
	CHECK_INT(before("\x81\x8b\xb8\x27\x00\x00\x00\x01\x31\xc0", 10, 0), 0);
	/* Nothing that is known. */
	CHECK_INT(before("\x90", 1, 0), 0);
}

int main(void)
{
	lengths();
	forms();
	return tap_done();
}
