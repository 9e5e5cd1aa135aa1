/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Arguments of setxattrat(2) and getxattrat(2). Source: struct xattr_args of linux/xattr.h. */
#include <exectrace/target/decode/calls/calls.h>

#include <linux/limits.h>

#define ARGS_BYTES 16u /* XATTR_ARGS_SIZE_VER0: value 8, size 4, flags 4 */

static void put_value(struct printer *p, uint64_t addr, uint64_t n)
{
	if (n > XATTR_SIZE_MAX)
		put_addr(p, addr);
	else
		put_xattr_value(p, addr, n);
}

/* valued: the value is there, n bytes of it. */
static void put_args(struct printer *p, uint64_t addr, bool valued, uint64_t n)
{
	uint64_t value = 0, bytes = 0, flags = 0, size = call_arg(p, 5);

	if (size < ARGS_BYTES || !peek_number(p, addr, 8, &value) || !peek_number(p, addr + 8, 4, &bytes) ||
	    !peek_number(p, addr + 12, 4, &flags)) {
		put_addr(p, addr);
		return;
	}
	put_text(p, "{value=");
	if (valued)
		put_value(p, value, p->at_exit ? n : bytes);
	else
		put_addr(p, value);
	put_format(p, ", size=%u, flags=", (unsigned)bytes);
	put_flags(p, flags, SET_xattr);
	if (size > ARGS_BYTES)
		put_beyond(p, addr, ARGS_BYTES, size);
	put_text(p, "}");
}

void print_xattr_args(struct printer *p, uint64_t value, unsigned aux)
{
	(void)aux;
	put_args(p, value, true, 0);
}

/* A size of 0 asks for the size only. */
void print_xattr_args_out(struct printer *p, uint64_t value, unsigned aux)
{
	uint64_t bytes = 0;
	bool asked = !peek_number(p, value + 8, 4, &bytes) || bytes;

	(void)aux;
	put_args(p, value, asked && !p->result.error, returned_bytes(p));
}
