/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/record/guest/api/register_scan.h>

#include <string.h>

#define COUNT 16
#define STATE_SIZE 65536 /* of QEMU's state of a CPU; what is behind the registers in it is larger by far */
#define SURE 3           /* findings at the same place */
#define TELLING 3        /* registers that are not small numbers */
#define SMALL 0x10000

/* Reads them as the gdb stub gives them, in the order of their numbers. */
static bool ask(const struct qemu *q, void *cpu, uint64_t *to)
{
	/* gdb has rax rbx rcx rdx rsi rdi rbp rsp */
	static const uint8_t number[COUNT] = {0, 3, 1, 2, 6, 7, 5, 4, 8, 9, 10, 11, 12, 13, 14, 15};
	struct gbytes *bytes = q->gbytes_new();
	unsigned telling = 0;
	bool whole;

	for (int i = 0; i < COUNT; i++)
		q->read_register(cpu, bytes, i);
	whole = bytes->len == COUNT * sizeof(uint64_t);
	for (int i = 0; whole && i < COUNT; i++) {
		memcpy(&to[number[i]], bytes->data + i * sizeof(uint64_t), sizeof(uint64_t));
		telling += to[number[i]] > SMALL;
	}
	q->gbytes_free(bytes, 1);
	return whole && telling >= TELLING;
}

static size_t search(const char *state, const uint64_t *registers)
{
	for (size_t at = sizeof(uint64_t); at < STATE_SIZE; at += sizeof(uint64_t)) {
		if (memcmp(state + at, registers, COUNT * sizeof(uint64_t)) == 0)
			return at;
	}
	return 0;
}

bool registers_find(struct registers *r, const struct qemu *q)
{
	uint64_t registers[COUNT];
	char *state = NULL;
	size_t at;

	if (r->offset)
		return true;
	if (!r->tries || !qemu_has_internals(q))
		return false;
	r->tries--;
	state = q->get_cpu(0);
	if (!state || !ask(q, state, registers))
		return false;
	at = search(state, registers);
	r->seen = at && at == r->candidate ? r->seen + 1 : 1;
	r->candidate = at;
	if (at && r->seen >= SURE)
		r->offset = at;
	return r->offset != 0;
}

const uint64_t *registers_of(const struct registers *r, const struct qemu *q, unsigned vcpu, void **cpu)
{
	char *state = r->offset ? q->get_cpu((int)vcpu) : NULL;

	*cpu = state;
	return state ? (const uint64_t *)(state + r->offset) : NULL;
}
