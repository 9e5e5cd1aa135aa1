/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A guest that is no Linux: what `qemu-system-x86_64 -kernel bare -no-reboot` starts by its PVH note (Xen,
 * docs/misc/pvh.pandoc). It turns 64-bit mode on, maps its first GiB at BASE, says what fib(20) is, which takes 21,891
 * calls, and the sum of 7 calls by pointer, on the first serial line, and resets the machine, which ends QEMU.
 */
#ifndef BASE
#define BASE 0xffffffff80000000
#endif
#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

/* clang-format off */
__asm__(".pushsection .note.pvh, \"a\", @note\n"
	"	.long 4, 8, 18\n" /* XEN_ELFNOTE_PHYS32_ENTRY */
	"	.asciz \"Xen\"\n"
	"	.quad start32 - " TEXT(BASE) "\n"
	".popsection\n"
	".pushsection .data\n"
	".balign 4096\n"
	"tables:	.quad pointers - " TEXT(BASE) " + 3\n"
	"	.fill 510, 8, 0\n"
	"	.quad pointers - " TEXT(BASE) " + 3\n"
	"pointers: .quad pages - " TEXT(BASE) " + 3\n"
	"	.fill 509, 8, 0\n"
	"	.quad pages - " TEXT(BASE) " + 3, 0\n"
	"pages:\n"
	"	.set i, 0\n"
	"	.rept 512\n"
	"	.quad i + 0x83\n"
	"	.set i, i + 0x200000\n"
	"	.endr\n"
	"segments: .quad 0, 0x00af9a000000ffff, 0x00cf92000000ffff\n"
	"where:	.word 23\n"
	"	.quad segments - " TEXT(BASE) "\n"
	".balign 16\n"
	"	.skip 8192\n"
	"stack:\n"
	".popsection\n"
	".code32\n"
	".globl start32\n"
	"start32: lgdt where - " TEXT(BASE) "\n"
	"	mov %cr4, %eax\n"
	"	or $0x20, %eax\n" /* PAE */
	"	mov %eax, %cr4\n"
	"	mov $tables - " TEXT(BASE) ", %eax\n"
	"	mov %eax, %cr3\n"
	"	mov $0xc0000080, %ecx\n" /* EFER: LME */
	"	rdmsr\n"
	"	or $0x100, %eax\n"
	"	wrmsr\n"
	"	mov %cr0, %eax\n"
	"	or $0x80000000, %eax\n"
	"	mov %eax, %cr0\n"
	"	ljmp $8, $start64 - " TEXT(BASE) "\n"
	".code64\n"
	"start64: movabs $high, %rax\n"
	"	jmp *%rax\n"
	"high:	movabs $stack, %rsp\n"
	"	call bare_main\n"
	"1:	hlt\n"
	"	jmp 1b\n");
/* clang-format on */

static inline void out(unsigned short port, unsigned char value)
{
	__asm__ volatile("outb %0, %1" : : "a"(value), "Nd"(port));
}

__attribute__((noinline)) void say(const char *text)
{
	for (; *text; text++)
		out(0x3f8, (unsigned char)*text);
}

__attribute__((noinline)) unsigned fib(unsigned n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

__attribute__((noinline)) static unsigned twice(unsigned n)
{
	return 2 * n;
}

__attribute__((noinline)) static unsigned square(unsigned n)
{
	return n * n;
}

unsigned (*volatile by[2])(unsigned) = {twice, square};

__attribute__((noinline)) void say_number(unsigned n)
{
	char text[12];
	char *at = text + sizeof(text) - 1;

	for (*at = 0; n; n /= 10)
		*--at = (char)('0' + n % 10);
	say(at);
}

void bare_main(void);
void bare_main(void)
{
	unsigned sum = 0;

	say("fib(20) is ");
	say_number(fib(20));
	for (unsigned i = 0; i < 7; i++)
		sum += by[i % 2](i);
	say(", the sum ");
	say_number(sum);
	say("\n");
	out(0x64, 0xfe);
	for (;;)
		__asm__ volatile("hlt");
}
