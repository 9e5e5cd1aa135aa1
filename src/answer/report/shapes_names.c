/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where functions belong to, and which of them say nothing about those that call them. */
#include "shapes.h"

#include <exectrace/answer/report/values.h>
#include <fnmatch.h>
#include <string.h>

enum shapes_code shapes_code_of(const struct replay_function *f)
{
	static const char *const kernel[] = {"", "[kernel]", "[firmware]", "[loader]"};

	for (size_t i = 0; i < sizeof(kernel) / sizeof(*kernel); i++)
		if (strcmp(f->module, kernel[i]) == 0)
			return SHAPES_KERNEL;
	return replay_in_module(f) ? SHAPES_MODULE : SHAPES_PROGRAM;
}

/* Names that stay, as patterns: of kernel/locking, kernel/sched, mm/slub.c, kernel/rcu, arch/x86/entry. */
static const char *const kernel_noise[] = {
	"*slowpath*",
	"__mutex_lock*",
	"osq_*",
	"rwsem_*",
	"schedule",
	"__schedule",
	"preempt_sched*",
	"__cond_resched*",
	"__slab_*",
	"___slab_*",
	"new_slab*",
	"allocate_slab*",
	"get_partial*",
	"__unfreeze_partials*",
	"put_cpu_partial*",
	"asm_*",
	"exc_*",
	"sysvec_*",
	"common_interrupt",
	"irqentry_*",
	"__do_softirq",
	"do_softirq*",
	"rcu_*",
	"exit_to_user_*",
	"finish_task_*",
	"switch_mm*",
	"__switch_to*",
	"wake_up_q",
	"__traceiter_*",
	"mark_page_*",
	"drain_*",
	"rmqueue*",
	"lru_add_drain*",
	"folio_batch_*",
	"*_fault",
	"*_refill*",
};

/* Those of the C library: allocation, buffers, symbols that are bound when they are called, waits for locks. */
static const char *const program_noise[] = {
	"_int_*",     "malloc_consolidate", "sysmalloc*", "systrim*",    "unlink_chunk*",
	"tcache_*",   "ptmalloc_*",         "arena_*",    "_dl_*",       "_IO_*",
	"__overflow", "__underflow",        "__uflow",    "__lll_lock*", "__memcpy_*",
	"brk",
};

static bool is_one_of(const char *name, const char *const *patterns, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (fnmatch(patterns[i], name, 0) == 0)
			return true;
	return false;
}

bool shapes_is_noise(const struct replay_function *f)
{
	switch (shapes_code_of(f)) {
	case SHAPES_KERNEL:
		return is_one_of(f->name, kernel_noise, sizeof(kernel_noise) / sizeof(*kernel_noise));
	case SHAPES_PROGRAM:
		return is_one_of(f->name, program_noise, sizeof(program_noise) / sizeof(*program_noise));
	default:
		return false;
	}
}

/* --- Results ------------------------------------------------------------------------------------------------------ */

#define ERRNO_MAX 4095
#define ANY_POINTER 1 /* which is neither NULL nor an error */

bool shapes_result(const struct replay *p, uint32_t function, int64_t *result)
{
	const struct signature *types = replay_function(p, function)->signature;
	const struct data_values *values = types ? replay_result(p) : NULL;

	if (!values || !values->nargs)
		return false;
	*result = signature_number(&types->result, values->args[0]);
	switch (types->result.kind) {
	case SIGNATURE_POINTER:
		*result = *result < -ERRNO_MAX || *result > 0 ? ANY_POINTER : *result;
		return true;
	case SIGNATURE_BOOL:
	case SIGNATURE_CHAR:
	case SIGNATURE_UNSIGNED:
	case SIGNATURE_SIGNED:
	case SIGNATURE_ENUM:
		return true;
	default:
		return false;
	}
}

bool shapes_is_failure(const struct replay_function *f, int64_t result)
{
	bool pointer = f->signature && f->signature->result.kind == SIGNATURE_POINTER;

	return result >= -ERRNO_MAX && (result < 0 || (pointer && !result));
}

int shapes_print_result(struct buf *out, const struct replay_function *f, int64_t result)
{
	const struct data_values values = {.nargs = 1, .args = {(uint64_t)result}};

	if (f->signature && f->signature->result.kind == SIGNATURE_POINTER && result == ANY_POINTER)
		return buf_puts(out, "a pointer");
	return values_print_result(out, f->signature, &values);
}
