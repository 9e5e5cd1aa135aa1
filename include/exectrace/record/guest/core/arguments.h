/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Arguments and results of the guest's functions: what is to be read of them, and what was read. */
#ifndef EXECTRACE_RECORD_GUEST_CORE_ARGUMENTS_H
#define EXECTRACE_RECORD_GUEST_CORE_ARGUMENTS_H

#include <exectrace/format/data/record.h>

struct btf;

#define ARGUMENT_NOWHERE 255 /* not in a register */
#define ARGUMENTS_MAX (DATA_ARGS + 1)

/* What is to be read of one. */
struct argument {
	uint8_t place; /* number of the register, or ARGUMENT_NOWHERE */
	bool text;     /* it leads to a string, ... */
	uint8_t limit; /* ... of so many bytes as this register says; ARGUMENT_NOWHERE: up to its NUL */
	uint32_t type; /* of the structure that it leads to; 0: to none */
};

/* What is to be read where a function begins and ends. It stays as long as the process. */
struct arguments {
	char *signature;       /* format/data/signature.h */
	const struct btf *btf; /* of its types; NULL: they are not known */
	uint8_t n;
	struct argument items[DATA_ARGS];
	struct argument result; /* its place: ARGUMENT_NOWHERE when there is none */
};

/* What was read: the arguments of a call, or its result. */
struct ring_values {
	unsigned refs; /* changed by the thread that reads the ring */
	uint32_t function;
	struct data_values values;
	struct data_extra extras[ARGUMENTS_MAX];
	char *texts; /* of the extras */
};

/* One more, or one less, who needs it. NULL is allowed. */
void ring_values_hold(void *values);
void ring_values_drop(void *values);

#endif
