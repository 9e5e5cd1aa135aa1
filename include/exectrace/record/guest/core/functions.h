/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The functions that were seen in the guest, and where they come from. Both live as long as the process. */
#ifndef EXECTRACE_RECORD_GUEST_CORE_FUNCTIONS_H
#define EXECTRACE_RECORD_GUEST_CORE_FUNCTIONS_H

#include <exectrace/format/gate/config.h>
#include <exectrace/record/guest/core/arguments.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* What code comes from: the kernel, a module, a program, what is before them. */
struct origin {
	struct origin *next; /* made before it */
	uint64_t id;         /* from 1 */
	char *name;          /* "[kernel]", "[loop]", "/bin/ls" */
	uint64_t address;    /* in the guest; 0: unknown, or not one place */
	uint64_t size;
};

/* Whether what a program calls is nothing but a jump to what a slot in its memory says, as the entries of its procedure
 * linkage table (PLT) are. */
enum function_stub {
	FUNCTION_STUB_UNKNOWN, /* nobody could look yet */
	FUNCTION_NO_STUB,
	FUNCTION_STUB,
};

struct function {
	uint32_t id; /* from 1 */
	const struct origin *origin;
	uint64_t address;
	uint64_t size; /* 0: unknown */
	const char *name;
	unsigned what;                        /* enum control_function */
	bool apart;                           /* an exception that always has a stack of its own */
	const struct arguments *_Atomic args; /* that are recorded of its calls, and its result; NULL: none */
	bool bare;                            /* nobody asks for them */
	enum function_stub stub;
	uint8_t stub_size; /* of one: bytes up to the end of its jump, ... */
	int32_t stub_slot; /* ... and the distance of the slot from there; in code of 32 bits its address */
	/* With lists (lists.c), of one that is not told: */
	bool ends;   /* one that is told may jump to it, and end where it returns */
	bool passed; /* code of it was translated before that was known */
};

#define FUNCTIONS_CHUNK 4096
#define FUNCTIONS_MAX (1u << 22)

struct functions {
	pthread_mutex_t lock;
	struct function **table; /* open addressing */
	uint32_t cap;
	uint32_t n;
	_Atomic(struct function *) chunks[FUNCTIONS_MAX / FUNCTIONS_CHUNK];
	struct origin *origins;               /* the last one made */
	const struct control_config *control; /* what is wanted of them; NULL: all */
};

/* 0 or -errno. */
int functions_init(struct functions *fs);
void functions_release(struct functions *fs);

/* A new origin. name is copied. NULL: no memory. */
struct origin *functions_origin(struct functions *fs, const char *name, uint64_t address, uint64_t size);

/*
 * The function of an origin at an address; made when it is new, with a size and a name, which has to stay; what it
 * is to the control, unless that is given. NULL: no
 * memory, or more than FUNCTIONS_MAX.
 */
struct function *functions_get(struct functions *fs, const struct function *want);

/* The function of an id that functions_get gave. NULL: none has it. */
const struct function *functions_at(const struct functions *fs, uint32_t id);

#endif
