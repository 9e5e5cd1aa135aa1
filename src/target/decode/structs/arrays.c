/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What pointers to numbers and arrays of small things point to. */
#include <exectrace/target/decode/structs/structs.h>

#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>

#define CPUSET_MAX 1024 /* bytes of a CPU mask that are looked at */

/* `[value]`, of `size` bytes, by print; the address when it cannot be read. */
static void put_pointed(struct printer *p, uint64_t addr, unsigned size, print_fn *print)
{
	unsigned size_before = p->size;
	uint64_t value;

	if (!peek_number(p, addr, size, &value)) {
		put_addr(p, addr);
		return;
	}
	put_text(p, "[");
	p->size = size;
	print(p, value, 0);
	p->size = size_before;
	put_text(p, "]");
}

void print_oint(struct printer *p, uint64_t value, unsigned aux)
{
	(void)aux;
	put_pointed(p, value, 4, print_int);
}

void print_ouint(struct printer *p, uint64_t value, unsigned aux)
{
	(void)aux;
	put_pointed(p, value, 4, print_uint);
}

/* A user or group: 16 bits wide in the calls of i386 that have a successor with 32. */
void print_ouid(struct printer *p, uint64_t value, unsigned aux)
{
	(void)aux;
	put_pointed(p, value, p->word == 4 && strcmp(p->call->arch->name, "i386") == 0 ? 2 : 4, print_uid);
}

void print_oulong(struct printer *p, uint64_t value, unsigned aux)
{
	(void)aux;
	put_pointed(p, value, p->word, print_hex);
}

void print_oulongd(struct printer *p, uint64_t value, unsigned aux)
{
	(void)aux;
	put_pointed(p, value, p->word, print_ulong);
}

void print_ofds(struct printer *p, uint64_t value, unsigned aux)
{
	uint64_t fds[2];

	(void)aux;
	if (!peek_number(p, value, 4, &fds[0]) || !peek_number(p, value + 4, 4, &fds[1])) {
		put_addr(p, value);
		return;
	}
	put_text(p, "[");
	print_fd(p, fds[0], 0);
	put_text(p, ", ");
	print_fd(p, fds[1], 0);
	put_text(p, "]");
}

static void put_as_unsigned(struct printer *p, int64_t value)
{
	put_unsigned(p, (uint64_t)value);
}

/* An offset that the call moves on: `[before] => [after]`. What it was, decode_enter has kept. */
static void put_moved(struct printer *p, uint64_t addr, unsigned size, void (*put)(struct printer *p, int64_t value))
{
	uint64_t before = p->state->saved[p->reg > 1], after;

	if (!peek_number(p, addr, size, &after)) {
		put_addr(p, addr);
		return;
	}
	put_text(p, "[");
	put(p, (int64_t)before);
	put_text(p, "]");
	if (!call_succeeded(p) || after == before)
		return;
	put_text(p, " => [");
	put(p, (int64_t)after);
	put_text(p, "]");
}

void print_ioff64(struct printer *p, uint64_t value, unsigned aux)
{
	(void)aux;
	put_pointed(p, value, 8, print_long);
}

void print_offp(struct printer *p, uint64_t value, unsigned aux)
{
	(void)aux;
	put_moved(p, value, p->word, put_as_unsigned);
}

void print_offp64(struct printer *p, uint64_t value, unsigned aux)
{
	(void)aux;
	put_moved(p, value, 8, put_signed);
}

/* --- Arrays --- */

static void item_group(struct printer *p, uint64_t addr, unsigned size)
{
	uint64_t group;

	if (peek_number(p, addr, size, &group))
		print_uid(p, group, 0);
}

static void put_groups(struct printer *p, uint64_t addr, uint64_t n)
{
	bool wide = p->word == 8 || strstr(syscall_by_nr(p->call->arch, p->call->nr)->name, "32");
	struct array array = {.addr = addr, .n = n, .size = wide ? 4 : 2, .print = item_group, .aux = wide ? 4 : 2};

	put_array(p, &array);
}

void print_groups(struct printer *p, uint64_t value, unsigned aux)
{
	if ((uint32_t)call_arg(p, aux) > NGROUPS_MAX) {
		put_addr(p, value);
		return;
	}
	put_groups(p, value, (uint32_t)call_arg(p, aux));
}

void print_ogroups(struct printer *p, uint64_t value, unsigned aux)
{
	(void)aux;
	if (call_arg(p, 0) || !value || !p->result.value)
		put_groups(p, value, (uint64_t)p->result.value);
	else
		put_addr(p, value);
}

static void item_futex(struct printer *p, uint64_t addr, unsigned aux)
{
	put_struct(p, addr, aux);
}

#define FUTEXES_MAX 128 /* FUTEX_WAITV_MAX: the kernel takes no more */

/* aux: the register with their number. */
void print_futexes(struct printer *p, uint64_t value, unsigned aux)
{
	const unsigned structure = STRUCT_u_futex_waitv;
	struct array array = {.addr = value, .n = (uint32_t)call_arg(p, aux), .print = item_futex};

	array.size = struct_size(p, structure);
	array.max = FUTEXES_MAX;
	array.aux = structure;
	put_array(p, &array);
}

/* Of futex_requeue(2): from here, to there. */
void print_futex_pair(struct printer *p, uint64_t value, unsigned aux)
{
	const unsigned structure = STRUCT_u_futex_waitv;
	struct array array = {.addr = value, .n = 2, .print = item_futex, .aux = structure};

	(void)aux;
	array.size = struct_size(p, structure);
	put_array(p, &array);
}

static void item_sembuf(struct printer *p, uint64_t addr, unsigned aux)
{
	(void)aux;
	put_struct(p, addr, STRUCT_sembuf);
}

void print_semops(struct printer *p, uint64_t value, unsigned aux)
{
	struct array array = {.addr = value, .n = (uint32_t)call_arg(p, aux), .size = 6, .print = item_sembuf};

	put_array(p, &array);
}

/* --- iovec --- */

void put_iovs(struct printer *p, uint64_t addr, uint64_t n, uint64_t total, put_bytes_fn *put)
{
	if (!addr || !n) {
		put_text(p, addr ? "[]" : "NULL");
		return;
	}
	if (n > (UINT64_MAX - addr) / (2 * p->word)) {
		put_addr(p, addr);
		return;
	}
	for (uint64_t i = 0; i < n; i++, addr += 2 * p->word) {
		uint64_t base, len, shown;
		bool readable = peek_number(p, addr, p->word, &base) && peek_number(p, addr + p->word, p->word, &len);

		if (!put_item_begin(p, addr, i, items_max(p), readable))
			return;
		shown = len < total ? len : total;
		if (total != UINT64_MAX)
			total -= shown;
		put_text(p, "{iov_base=");
		put(p, base, shown);
		put_format(p, ", iov_len=%llu}", (unsigned long long)len);
	}
	put_text(p, "]");
}

void print_iov(struct printer *p, uint64_t value, unsigned aux)
{
	put_iovs(p, value, call_arg(p, aux), UINT64_MAX, put_bytes);
}

static void item_remote_iov(struct printer *p, uint64_t addr, unsigned aux)
{
	uint64_t base, len;

	(void)aux;
	if (peek_number(p, addr, p->word, &base) && peek_number(p, addr + p->word, p->word, &len)) {
		put_text(p, "{iov_base=");
		put_addr(p, base);
		put_format(p, ", iov_len=%llu}", (unsigned long long)len);
	}
}

/* In another process: addresses only. */
void print_riov(struct printer *p, uint64_t value, unsigned aux)
{
	struct array array = {.addr = value, .n = call_arg(p, aux), .size = 2 * p->word, .print = item_remote_iov};

	put_array(p, &array);
}

void print_oiov(struct printer *p, uint64_t value, unsigned aux)
{
	if (p->result.error)
		print_riov(p, value, aux);
	else
		put_iovs(p, value, call_arg(p, aux), returned_bytes(p), put_bytes);
}

/* --- Bits and bytes --- */

static void put_cpus(struct printer *p, uint64_t addr, uint64_t n)
{
	unsigned char mask[CPUSET_MAX];
	const char *separator = "";

	if (n > sizeof(mask))
		n = sizeof(mask);
	if (!peek_bytes(p, addr, mask, n)) {
		put_addr(p, addr);
		return;
	}
	put_text(p, "[");
	for (uint64_t i = 0; i < n * 8; i++) {
		if (mask[i / 8] & 1u << i % 8) {
			put_format(p, "%s%u", separator, (unsigned)i);
			separator = " ";
		}
	}
	put_text(p, "]");
}

void print_cpuset(struct printer *p, uint64_t value, unsigned aux)
{
	put_cpus(p, value, call_arg(p, aux));
}

void print_ocpuset(struct printer *p, uint64_t value, unsigned aux)
{
	(void)aux;
	put_cpus(p, value, returned_bytes(p));
}
