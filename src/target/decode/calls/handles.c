/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What name_to_handle_at(2) makes of a file, and open_by_handle_at(2) takes: a struct file_handle. */
#include <exectrace/target/decode/calls/calls.h>

#include <errno.h>

#define HANDLE_MAX 128u /* MAX_HANDLE_SZ: bytes of a handle */
#define HANDLE_AT 8u    /* behind its length and its type */

/* Type and bytes, behind the length. */
static void put_handle(struct printer *p, uint64_t addr, uint64_t bytes)
{
	unsigned char raw[HANDLE_MAX];
	uint64_t type, n = bytes < HANDLE_MAX ? bytes : HANDLE_MAX;

	if (!peek_number(p, addr + 4, 4, &type))
		return;
	put_format(p, ", handle_type=%d, f_handle=", (int)type);
	if (!peek_bytes(p, addr + HANDLE_AT, raw, n)) {
		put_text(p, "???");
		return;
	}
	put_text(p, "\"");
	for (uint64_t i = 0; i < n; i++)
		put_format(p, "\\x%02x", raw[i]);
	put_text(p, n < bytes ? "\"..." : "\"");
}

/* The length that was there before is kept: the kernel stores the one that there should be. */
void print_handle(struct printer *p, uint64_t value, unsigned aux)
{
	uint64_t before = p->state->saved[0], now;
	bool made = call_succeeded(p), overflow = p->result.error && p->result.value == -EOVERFLOW;

	(void)aux;
	if (!peek_number(p, value, 4, &now)) {
		put_addr(p, value);
		return;
	}
	put_format(p, "{handle_bytes=%u", (unsigned)before);
	if ((made || overflow) && now != before)
		put_format(p, " => %u", (unsigned)now);
	if (made)
		put_handle(p, value, now);
	put_text(p, "}");
}

void print_given_handle(struct printer *p, uint64_t value, unsigned aux)
{
	unsigned char head[HANDLE_AT];

	(void)aux;
	if (!peek_bytes(p, value, head, sizeof(head))) {
		put_addr(p, value);
		return;
	}
	put_format(p, "{handle_bytes=%u", (unsigned)load_number(head, 4));
	put_handle(p, value, load_number(head, 4));
	put_text(p, "}");
}
