/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records of the kernel's ring (perf_event_open(2), "MMAP layout") as plain data. */
#ifndef EXECTRACE_SRC_RECORD_SAMPLE_PARSE_H
#define EXECTRACE_SRC_RECORD_SAMPLE_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is asked for with each sample, which decides how the records are laid out. */
struct ring_format {
	bool chain;         /* PERF_SAMPLE_CALLCHAIN */
	bool stack;         /* PERF_SAMPLE_REGS_USER and PERF_SAMPLE_STACK_USER */
	uint64_t registers; /* sample_regs_user */
};

enum ring_kind {
	RING_OTHER, /* of no interest */
	RING_SAMPLE,
	RING_MAP,
	RING_COMM,
	RING_FORK, /* a thread or a process */
	RING_EXIT, /* the same */
	RING_LOST,
	RING_THROTTLE,
};

/* What points somewhere points into the bytes that were parsed. */
struct ring_record {
	enum ring_kind kind;
	uint64_t time; /* CLOCK_MONOTONIC, ns */
	uint32_t pid, tid;
	uint32_t cpu;
	union {
		struct {
			uint64_t period;       /* ns */
			const uint64_t *chain; /* addresses and PERF_CONTEXT_*, the innermost first */
			size_t n_chain;
			unsigned abi; /* PERF_SAMPLE_REGS_ABI_* of the registers */
			const uint64_t *registers;
			size_t n_registers;
			const void *stack; /* from the stack pointer on */
			size_t n_stack;
			bool whole; /* as much of the stack was copied as was asked for */
		} sample;
		struct {
			uint64_t address, size, offset;
			uint64_t device, inode;
			uint32_t protection; /* PROT_* */
			const char *path;    /* ended by a NUL */
		} map;
		struct {
			const char *name; /* ended by a NUL */
			bool exec;
		} comm;
		struct {
			uint32_t ppid, ptid; /* RING_FORK: of the maker */
		} task;
		uint64_t lost;
	};
};

/* The sample_type for a format, of which ring_parse knows the layout. */
uint64_t ring_sample_type(const struct ring_format *format);

/* Reads one record, n bytes at an address that is a multiple of 8. 0; -EBADMSG when it is not as it has to be. */
int ring_parse(const struct ring_format *format, const void *bytes, size_t n, struct ring_record *record);

#endif
