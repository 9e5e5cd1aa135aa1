/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/target/syscalls/table.h>

#include <exectrace/target/syscalls/schema.h>
#include <linux/audit.h>
#include <string.h>

#define C_FILE SYSCALL_FILE
#define C_PROCESS SYSCALL_PROCESS
#define C_NETWORK SYSCALL_NETWORK
#define C_SIGNAL SYSCALL_SIGNAL
#define C_IPC SYSCALL_IPC
#define C_DESC SYSCALL_DESC
#define C_MEMORY SYSCALL_MEMORY

#define ARGS(...) __VA_ARGS__
/* clang-format off */
#define ARG(name, kind, aux) {#name, KIND_##kind, (aux) + FITS(#name, SYSCALL_ARG_ROOM)}
/* clang-format on */
#define A(name, kind) ARG(name, kind, 0)
#define N(name, kind, number) ARG(name, kind, number)
#define S(name, kind, set) ARG(name, kind, SET_##set)
#define T(name, kind, structure) ARG(name, kind, STRUCT_##structure)
#define COUNT(...) (sizeof((struct syscall_arg[]){__VA_ARGS__}) / sizeof(struct syscall_arg))
#define CALL(id, name, classes, ret, ...) \
	{name, COUNT(__VA_ARGS__) + FITS(name, SYSCALL_NAME_ROOM), {__VA_ARGS__}, classes, SYSCALL_RET_##ret},

static const struct syscall_desc calls[] = {
#include "calls.inc"
};

#undef CALL
#define CALL(id, ...) CALL_##id,
enum call {
#include "calls.inc"
	CALL_COUNT
};

/* A number's description, counted from 1: 0 is a number that is not in use. */
#define NR(number, id) [number] = CALL_##id + 1,
static const uint16_t x86_64_numbers[SYSCALL_NR_MAX] = {
#include "x86_64.inc"
};

static const uint16_t x32_numbers[SYSCALL_NR_MAX] = {
#include "x32.inc"
};

static const uint16_t i386_numbers[SYSCALL_NR_MAX] = {
#include "i386.inc"
};

static const struct {
	const char *name;
	uint32_t bit;
} classes[] = {
	{"file", SYSCALL_FILE}, {"process", SYSCALL_PROCESS}, {"network", SYSCALL_NETWORK}, {"signal", SYSCALL_SIGNAL},
	{"ipc", SYSCALL_IPC},   {"desc", SYSCALL_DESC},       {"memory", SYSCALL_MEMORY},   {"net", SYSCALL_NETWORK},
};

enum syscall_abi syscall_abi(const struct arch *arch)
{
	switch (arch->audit) {
	case AUDIT_ARCH_X86_64:
		return arch->nr_bit ? SYSCALL_X32 : SYSCALL_X86_64;
	case AUDIT_ARCH_I386:
		return SYSCALL_I386;
	default:
		return SYSCALL_ABIS;
	}
}

const struct syscall_desc *syscall_by_nr(const struct arch *arch, uint32_t nr)
{
	uint16_t found = 0;

	nr &= ~arch->nr_bit;
	if (nr >= SYSCALL_NR_MAX)
		return NULL;
	switch (syscall_abi(arch)) {
	case SYSCALL_X86_64:
		found = x86_64_numbers[nr];
		break;
	case SYSCALL_I386:
		found = i386_numbers[nr];
		break;
	case SYSCALL_X32:
		found = x32_numbers[nr] ? x32_numbers[nr] : x86_64_numbers[nr];
		break;
	default:
		break;
	}
	return found ? &calls[found - 1] : NULL;
}

const struct syscall_desc *syscall_by_name(const char *name)
{
	for (size_t i = 0; i < CALL_COUNT; i++) {
		if (strcmp(calls[i].name, name) == 0)
			return &calls[i];
	}
	return NULL;
}

long syscall_nr(const struct arch *arch, const char *name)
{
	/* From the end: where x32 has a number of its own, that is the one in use. */
	for (uint32_t nr = SYSCALL_NR_MAX; nr-- > 0;) {
		const struct syscall_desc *desc = syscall_by_nr(arch, nr);

		if (desc && strcmp(desc->name, name) == 0)
			return (long)(nr | arch->nr_bit);
	}
	return -1;
}

const struct syscall_desc *syscall_at(size_t n)
{
	return n < CALL_COUNT ? &calls[n] : NULL;
}

uint32_t syscall_class(const char *name)
{
	for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++) {
		if (strcmp(classes[i].name, name) == 0)
			return classes[i].bit;
	}
	return 0;
}
