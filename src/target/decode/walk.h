/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The walk through the arguments of a call. */
#ifndef EXECTRACE_SRC_TARGET_DECODE_WALK_H
#define EXECTRACE_SRC_TARGET_DECODE_WALK_H

#include <exectrace/target/decode/calls/calls.h>

/* For kinds with DEPENDS: must this argument wait for the end of the call? */
bool argument_is_late(const struct printer *p, unsigned kind);

/* What a call is. Where its arguments lie in memory, *call gets them. */
const struct syscall_desc *describe_call(const struct decoder *d, struct syscall_call *call);

/* A printer of a call. Its note is to be released. Not returned: a copy of it would cost as much as a short call. */
void printer_init(struct printer *p, const struct decoder *d, const struct syscall_call *call,
                  struct decode_state *state, struct buf *out);

/* Keeps what the call may overwrite and the end of the call has to show. */
void save_inputs(struct printer *p, const struct syscall_desc *desc);

/* Prints the arguments from state->next on, up to the first that has to wait. */
void put_arguments(struct printer *p, const struct syscall_desc *desc);

/* What is known of what the register points to, or of the result (SYSCALL_ARGS); NULL. */
const struct decode_known *find_known(const struct printer *p, unsigned reg);

/* Notes what there is to say of the result of the call `name`. */
void note_result(struct printer *p, const char *name);

/* Whether of the result of a call that went well, behind note_result(), there is nothing to say but the number. */
bool result_is_number(const struct printer *p, const struct syscall_desc *desc);

/* The result: "= 3 (note)". */
void put_result(struct printer *p, const struct syscall_desc *desc);

/* --- What is copied of an argument (snapshot.c, need.c) ------------------------------------------------------------
 */

/* The structure that an argument points to. */
static inline unsigned structure_of(const struct syscall_arg *argument)
{
	switch (argument->kind) {
	case KIND_ORUSAGE:
		return STRUCT_rusage;
	case KIND_REM:
		return STRUCT_timespec;
	case KIND_REM64:
		return STRUCT_timespec64;
	case KIND_SELTIME:
		return STRUCT_timeval;
	case KIND_EPOLLEV:
		return STRUCT_epollevent;
	default:
		return argument->aux;
	}
}

/* Whether what is left of the time is noted behind the result (note_waited). */
static inline bool is_time_left(unsigned kind)
{
	return kind == KIND_PPOLLTIME || kind == KIND_SELTIME || kind == KIND_PSELTIME;
}

/* Of an option of a socket, at most: no structure of one is larger. */
static inline unsigned option_bytes(unsigned string_max)
{
	return string_max < 136 ? 136 : string_max; /* struct group_req */
}

/* Descriptors of a poll, at most: they are looked for among more than are shown. */
static inline unsigned polls_kept(unsigned looked_at)
{
	return looked_at < 64 ? 64 : looked_at;
}

/* Puts all arguments as numbers: decoder.raw. */
void put_raw_arguments(struct printer *p, const struct syscall_desc *desc);

#endif
