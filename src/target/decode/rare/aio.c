/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Asynchronous input and output (io_submit(2)). */
#include <exectrace/target/decode/calls/calls.h>

#include <linux/aio_abi.h>
#include <stddef.h>

enum { IOCB_POLL = 5 }; /* IOCB_CMD_POLL */

static void item_iocb(struct printer *p, uint64_t addr, unsigned aux)
{
	uint64_t iocb = 0;

	(void)aux;
	if (peek_number(p, addr, p->word, &iocb))
		put_struct(p, iocb, STRUCT_u_iocb);
}

/* aux: the register with the number of pointers to iocbs. */
void print_iocbs(struct printer *p, uint64_t value, unsigned aux)
{
	int64_t n = p->word == 4 ? (int32_t)call_arg(p, aux) : (int64_t)call_arg(p, aux);
	struct array array = {.addr = value, .n = (uint64_t)n, .size = p->word, .print = item_iocb};

	if (n < 0)
		put_addr(p, value);
	else
		put_array(p, &array);
}

void print_io_events(struct printer *p, uint64_t value, unsigned aux)
{
	const unsigned structure = STRUCT_u_io_event;
	struct array array = {.addr = value, .n = returned_bytes(p), .print = print_struct};

	(void)aux;
	array.size = struct_size(p, structure);
	array.aux = structure;
	put_array(p, &array);
}

static void put_base(struct printer *p, uint64_t addr, uint64_t n)
{
	(void)n;
	put_addr(p, addr);
}

/* aio_buf of an iocb, and of a vector that makes no sense the number behind it, too. */
void print_iocb_buffer(struct printer *p, uint64_t value, unsigned aux)
{
	const unsigned char *iocb = p->raw - offsetof(struct iocb, aio_buf);
	unsigned opcode = (unsigned)load_number(iocb + offsetof(struct iocb, aio_lio_opcode), 2);
	uint64_t n = load_number(iocb + offsetof(struct iocb, aio_nbytes), 8);
	bool valid = n <= (p->word == 4 ? INT32_MAX : INT64_MAX) && (p->word == 8 || value <= UINT32_MAX);

	(void)aux;
	if (opcode == IOCB_POLL) {
		put_flags(p, value, SET_pollevents);
	} else if (opcode == IOCB_CMD_PWRITE && valid) {
		put_bytes(p, value, n);
	} else if (opcode < IOCB_CMD_PREADV) {
		put_hex(p, value);
	} else if (valid) {
		put_iovs(p, value, n, UINT64_MAX, opcode == IOCB_CMD_PWRITEV ? put_bytes : put_base);
	} else {
		put_hex(p, value);
		put_format(p, ", aio_nbytes=%llu", (unsigned long long)n);
	}
}
