/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Arguments by types made by hand, registers and a memory of a few bytes. */
#include "btf_made.h"
#include "tap.h"
#include <exectrace/record/guest/linux/arguments.h>
#include <stdlib.h>

#define BASE 0xffff888000001000ull

/* What is in memory: a struct inner and a text. */
static struct {
	int32_t a;
	uint32_t b;
	uint64_t text, next;
	char bytes[200];
} there = {-5, 0xfffffffa, BASE + 24, BASE, "green"};

static bool read_memory(void *user, uint64_t address, void *to, size_t n)
{
	(void)user;
	if (address < BASE || address - BASE > sizeof(there) || n > sizeof(there) - (address - BASE))
		return false;
	memcpy(to, (const char *)&there + (address - BASE), n);
	return true;
}

static const struct guest_memory memory = {read_memory, NULL};

/* rdi, rsi, rdx, rcx, r8, r9 and rax */
static void set(uint64_t registers[16], const uint64_t values[7])
{
	static const uint8_t places[7] = {7, 6, 2, 1, 8, 9, 0};

	for (int i = 0; i < 7; i++)
		registers[places[i]] = values[i];
}

static void check_text(const struct ring_values *v, unsigned i, unsigned arg, const char *text)
{
	char got[512] = "none";

	if (i < v->values.nextras)
		snprintf(got, sizeof(got), "%.*s", (int)v->values.extras[i].text.n, v->values.extras[i].text.bytes);
	CHECK_STR(got, text);
	CHECK(i < v->values.nextras && v->values.extras[i].arg == arg);
}

static void test_paint(struct btf *btf)
{
	struct arguments *a = arguments_of(btf, "paint");
	uint64_t registers[16] = {0};
	struct ring_values *v = NULL;

	if (!CHECK(a != NULL))
		return;
	CHECK_STR(a->signature, "a:s4,name:p,len:u8,in:p,c:e4{RED=1|BLUE=2|ODD=-1},on:b;s4");
	set(registers, (const uint64_t[]){0xdead0000fffffffe, BASE + 24, 3, BASE, 2, 0x101, 0xffffffff});
	v = arguments_read(a, registers, &memory, 0);
	CHECK_INT(v->values.nargs, 6);
	CHECK(v->values.args[0] == 0xdead0000fffffffe && v->values.args[5] == 0x101);
	CHECK_INT(v->values.nextras, 1);
	check_text(v, 0, 1, "gre"); /* as many bytes as len says */
	CHECK_INT(v->values.extras[0].kind, DATA_EXTRA_STRING);
	ring_values_drop(v);
	v = arguments_read(a, registers, &memory, 2);
	check_text(v, 1, 3, "{a=-5, b=2, text=\"green\", next={a=-5, b=2, text=\"green\", next=0xffff888000001000}}");
	ring_values_drop(v);
	registers[1] = BASE - 8; /* not there */
	v = arguments_read(a, registers, &memory, 1);
	CHECK_INT(v->values.nextras, 1);
	ring_values_drop(v);
	v = arguments_read_result(a, registers, &memory, 1);
	CHECK(v->values.nargs == 1 && v->values.args[0] == 0xffffffff && !v->values.nextras);
	ring_values_drop(v);
	free(a->signature);
	free(a);
}

/* A structure of 24 bytes is passed in memory, one that is nothing but a number as that. */
static void test_store(struct btf *btf)
{
	struct arguments *a = arguments_of(btf, "store");
	uint64_t registers[16] = {0};
	struct ring_values *v = NULL;

	if (!CHECK(a != NULL))
		return;
	CHECK_STR(a->signature, "w:?,id:u8,arg3:c;v");
	CHECK_INT(a->result.place, ARGUMENT_NOWHERE);
	set(registers, (const uint64_t[]){11, 12, 13, 14, 15, 16, 17});
	v = arguments_read(a, registers, &memory, 0);
	CHECK(v->values.args[0] == 0 && v->values.args[1] == 11 && v->values.args[2] == 12);
	ring_values_drop(v);
	free(a->signature);
	free(a);
}

/* A string as a result, which is longer than what is read of it; and a function without a type. */
static void test_others(struct btf *btf)
{
	struct arguments *a = arguments_of(btf, "make"), *none = arguments_of(btf, "nothing");
	uint64_t registers[16] = {0};
	struct ring_values *v = NULL;

	if (!CHECK(a && none))
		return;
	CHECK_STR(a->signature, ";p");
	memset(there.bytes, 'x', sizeof(there.bytes) - 1);
	set(registers, (const uint64_t[]){1, 2, 3, 4, 5, 6, BASE + 24});
	v = arguments_read_result(a, registers, &memory, 0);
	CHECK_INT(v->values.nextras, 1);
	CHECK(v->values.extras[0].arg == DATA_ARGS && v->values.extras[0].kind == DATA_EXTRA_CUT);
	ring_values_hold(v);
	ring_values_drop(v);
	CHECK_INT((long long)v->values.extras[0].text.n, 128);
	ring_values_drop(v);
	CHECK_STR(none->signature, "arg1:x,arg2:x,arg3:x,arg4:x,arg5:x,arg6:x;x");
	v = arguments_read(none, registers, &memory, 0);
	CHECK(v->values.nargs == 6 && v->values.args[0] == 1 && v->values.args[5] == 6);
	ring_values_drop(v);
	free(none->signature);
	free(none);
	free(a->signature);
	free(a);
}

int main(void)
{
	struct made m;
	struct btf *btf = NULL;

	make_functions(&m);
	if (CHECK(btf_open(&btf, m.all.data, m.all.len) == 0)) {
		test_paint(btf);
		test_store(btf);
		test_others(btf);
	}
	btf_close(btf);
	release(&m);
	return TAP_DONE();
}
