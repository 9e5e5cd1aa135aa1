/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The way into the agent and out of it. A stub has put the address of the program's `syscall` instruction, the site,
 * into r11, and rcx is free: the kernel changes both in a call. Nothing else is changed before it is in the area, flags
 * included, and no byte of the program's stack is touched, so that the tracer can at any instruction put the thread
 * before or behind its call (signals.c).
 */
#include <exectrace/record/inside/layout.h>

/* The arguments of the call, but for the second as they are in the area. */
	.macro load_arguments second
	mov %gs:AREA_RDI, %rdi
	mov %gs:\second, %rsi
	mov %gs:AREA_RDX, %rdx
	mov %gs:AREA_R10, %r10
	mov %gs:AREA_R8, %r8
	mov %gs:AREA_R9, %r9
	.endm

	.text
	.globl agent_begin
agent_begin:
	.quad entry, saved, flags, called, kept, agent_copy, copy_end, agent_string, string_end, action, nothing, show, agent_end

	.balign 64
entry:
	movl %gs:AREA_QUIET, %ecx
	jrcxz 1f
	jmp *%r11
1:	movl $1, %gs:AREA_QUIET
	mov %r11, %gs:AREA_SITE
	mov %rax, %gs:AREA_RAX
	mov %rdi, %gs:AREA_RDI
	mov %rsi, %gs:AREA_RSI
	mov %rdx, %gs:AREA_RDX
	mov %r10, %gs:AREA_R10
	mov %r8, %gs:AREA_R8
	mov %r9, %gs:AREA_R9
	mov %rbx, %gs:AREA_RBX
	mov %rbp, %gs:AREA_RBP
	mov %r12, %gs:AREA_R12
	mov %r13, %gs:AREA_R13
	mov %r14, %gs:AREA_R14
	mov %r15, %gs:AREA_R15
	mov %rsp, %gs:AREA_RSP
	movl $0, %gs:AREA_MADE
saved:
	mov %gs:AREA_STACK, %rsp
	pushfq
	popq %gs:AREA_FLAGS
flags:
	cld
	mov %gs:AREA_SELF, %rdi
	call agent_enter
	test %eax, %eax
	jz stops
	load_arguments AREA_SECOND
	mov %gs:AREA_RSP, %rsp
	mov %gs:AREA_RAX, %rax
	syscall
called:
	mov %rax, %gs:AREA_RESULT
kept:
	movl $1, %gs:AREA_MADE
	mov %gs:AREA_STACK, %rsp
	mov %gs:AREA_SELF, %rdi
	call agent_exit
	test %eax, %eax
	jnz show
shown:
	mov %gs:AREA_RESULT, %rax
	mov %gs:AREA_SITE, %rcx
	add $2, %rcx
	jmp back
/* As if nothing had been: the site's own instruction makes the call, and stops. */
stops:
	mov %gs:AREA_RAX, %rax
	mov %gs:AREA_SITE, %rcx
back:
	load_arguments AREA_RSI
	mov %gs:AREA_FLAGS, %r11
	pushq %gs:AREA_FLAGS
	popfq
	mov %gs:AREA_RSP, %rsp
	movl $0, %gs:AREA_QUIET
	jmp *%rcx

/* uint64_t agent_copy(void *to, uint64_t from, uint64_t n): how many bytes could not be copied. */
	.globl agent_copy
agent_copy:
	mov %rdx, %rcx
	rep movsb
copy_end:
	mov %rcx, %rax
	ret

/* int64_t agent_string(void *to, uint64_t from, uint64_t max): bytes copied, the last of which is the NUL or not. */
	.globl agent_string
agent_string:
	mov %rdi, %r8
	mov %rdx, %rcx
1:	test %rcx, %rcx
	jz string_end
	movzbl (%rsi), %edx
	mov %dl, (%rdi)
	inc %rsi
	inc %rdi
	dec %rcx
	test %edx, %edx
	jnz 1b
string_end:
	mov %rdi, %rax
	sub %r8, %rax
	ret

/*
 * The handler of SIGSYS: runs only when no tracer is there any more to take the signal away. The call is made again;
 * dispatch lets it pass once the control word has changed. A SIGSYS of the program's own filters
 * does what it does by default: the handler goes, and the same call raises it again.
 */
handler:
	cmpl $2, 8(%rsi)
	je 1f
	mov %rdx, %r9
	mov %rsi, %r8
	mov $13, %eax
	mov $31, %edi
	lea nothing(%rip), %rsi
	xor %edx, %edx
	mov $8, %r10d
	syscall
	mov 24(%r8), %ecx
	mov %rcx, 144(%r9)
	subq $2, 168(%r9)
	ret
1:	mov 16(%rsi), %rcx
	cmpl $219, 24(%rsi)
	je 3f
	cmp %rcx, 168(%rdx)
	jne 2f
	subq $2, 168(%rdx)
2:	ret
/* restart_syscall, which would find nothing to restart any more behind rt_sigreturn. */
3:	mov %rcx, 168(%rdx)
	mov $219, %eax
	syscall
	mov %rax, 144(%rdx)
	ret
restorer:
	mov $15, %eax
	syscall

	.balign 8
action:
	.quad handler, 0x0c000004, restorer, 0
nothing:
	.quad 0, 0, 0, 0

/*
 * The thread stops here, and goes on behind its call. Should the tracer die just now, this is getpid(2), and what it
 * returns is not used. Dispatch lets calls pass only before this place.
 */
	.section .show, "ax"
show:
	mov $39, %eax
	syscall
	jmp shown

	.section .note.GNU-stack,"",@progbits
