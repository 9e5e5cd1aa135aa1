/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parking: a new program is left before its first instruction, attached to nobody, and without a stop that its parent
 * could see. And calls made in its name, there.
 *
 *   PARK_CALL    the instruction before the entry point is made a system call that the caller's seccomp filter answers
 *                late: an execve of nothing, which fails (EFAULT) when it is not. The program counter then stands at
 *                the entry point when the call is answered.
 *   PARK_SLEEP   (no filter) the same place holds rt_sigtimedwait for no signal, and the entry point a jump to itself,
 *                which is reached when a tracer's attach, or SIGSTOP, interrupts the call.
 *   PARK_LOOP    only the jump: no call at all.
 *   PARK_INJECT  not for parking: the jump, a system call for a tracer to make use of, and another jump. Whatever
 *                becomes of the tracer, the thread does not leave these.
 *
 * A struct park is plain data, so that another process can undo it (the keeper). It says how to, before anything is
 * changed.
 *
 * Bytes that a thread may be executing are changed only while it is stopped: a processor may see one of them late, or
 * both apart (Intel SDM 3, 9.1.3; with several of its threads QEMU does it so: it reads an instruction byte by byte).
 * Our own tracer waits until that is done (record/calls/exec_handshake.h). Where somebody else traces it, and it runs,
 * that cannot be had: then they are changed by one aligned write, from the processor that it runs on, and that again
 * (PARK_AGAIN).
 */
#ifndef EXECTRACE_TARGET_TRACEE_PARK_H
#define EXECTRACE_TARGET_TRACEE_PARK_H

#include <exectrace/target/process/mem.h>
#include <exectrace/target/tracee/ptrace.h>
#include <linux/seccomp.h>
#include <stdbool.h>

#define PARK_BYTES_MAX (3 * ARCH_INSN_MAX)

enum park_kind { PARK_NONE, PARK_CALL, PARK_SLEEP, PARK_LOOP, PARK_INJECT };

struct park {
	pid_t tid;
	enum park_kind kind;
	remote_addr_t addr;           /* of the first changed byte */
	remote_addr_t pc;             /* behind the system-call instruction, or 0 when there is none */
	uint8_t len;                  /* changed bytes */
	uint8_t old[PARK_BYTES_MAX];  /* what was there */
	uint8_t stub[PARK_BYTES_MAX]; /* what is there now */
	uint32_t nr;                  /* the call that it is about to make, and what with */
	uint64_t args[6];
	struct regs regs; /* those it begins with */
};

/*
 * Plans the park of a thread stopped at the end of its execve: reads the old bytes, changes nothing. 0 or -errno. Where
 * nothing is mapped before the entry point it becomes a PARK_LOOP.
 */
int park_plan(struct park *park, pid_t tid, const struct regs *regs, enum park_kind kind);

/* The address of the first instruction. */
remote_addr_t park_entry(const struct park *park);

/* PARK_INJECT: which call is to be made. */
void park_set_call(struct park *park, uint32_t nr, const uint64_t *args, unsigned n);

/* The call that it is about to make as filters will see it. */
void park_call(const struct park *park, struct seccomp_data *call);

/* Writes the stub. 0 or -errno. */
int park_write(const struct park *park);

/* Sets the registers of the stopped thread so that it runs into the stub. 0 or -errno. */
int park_enter(const struct park *park);

/* Of a stopped thread of ours: puts its registers and text back. 0 or -errno. */
int park_leave(const struct park *park);

/* Puts the old bytes back, if the stub is still there and the thread does not execute it. 0 or -errno; -ESRCH when
 * thread or stub are gone. */
int park_restore(const struct park *park);

/* What has become of a park that is being undone; or a -errno, -ESRCH when thread or stub are gone. */
enum park_progress {
	PARK_PENDING, /* the thread has been asked to stop, and has not yet */
	PARK_DONE,    /* it is on its way */
	PARK_AGAIN, /* the same; but a processor may not have seen that its bytes have changed: undo it again, for some
	               ms */
};

/*
 * Ends the park of a thread wherever it is, before its stub, in it, or asleep: attaches for a moment, puts text and
 * registers back. PARK_DONE, PARK_AGAIN or -errno. While a tool is attached, whose attach has woken it, only the old
 * bytes are put back.
 */
int park_undo(const struct park *park);

/*
 * For callers who must not wait for a thread that takes long to stop. The first asks it to, which may do already, the
 * second says, after PARK_PENDING, whether it is done. An enum park_progress or -errno.
 */
int park_undo_begin(const struct park *park);
int park_undo_look(const struct park *park);

/*
 * After PARK_AGAIN, some times within some ms: writes the program's bytes once more (if `write`) where they are
 * already, and wakes a thread that has gone to sleep only now, having been on its way into the call of PARK_SLEEP
 * before. QEMU forgets what it has made of the code of a page just before the page is written, and another of its
 * processors may have made the same of the old bytes again before the new ones are there. False: no more of it, the
 * thread is in the program, has stopped or has ended.
 */
bool park_repeat(const struct park *park, bool write);

/*
 * PARK_SLEEP: true while the thread is asleep in its call. To attach without a stop (PTRACE_SEIZE) does not wake it,
 * and while somebody is attached nobody else can: park_undo is -EBUSY then.
 */
bool park_sleeps(const struct park *park);

/* Wakes such a one all the same, by a SIGCONT, which its tracer sees. */
void park_wake(const struct park *park);

#endif
