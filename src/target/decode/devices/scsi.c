/* SPDX-License-Identifier: GPL-2.0-or-later */
/* SG_IO, a command for a SCSI device: struct sg_io_hdr of scsi/sg.h, or struct sg_io_v4 of linux/bsg.h. */
#include <exectrace/target/decode/structs/structs.h>

#include <linux/bsg.h>
#include <stddef.h>

#define SG_DIRECTION_AT 4u /* of struct sg_io_hdr: the same with 64-bit and with 32-bit longs */
#define SG_IOVECS_AT 10u
#define SG_LENGTH_AT 12u
#define SG_RESIDUE_AT 72u
#define SG_RESIDUE_AT32 52u

#define TO_DEVICE 2u /* directions, which are negative numbers */
#define BOTH_WAYS 4u

/* Bytes that go to a device or come from it: in one piece, or in as many as there are iovecs. */
static void put_data(struct printer *p, uint64_t addr, uint64_t iovecs, uint64_t n)
{
	bool unread = p->unread;

	if (iovecs)
		put_iovs(p, addr, iovecs, n, put_bytes);
	else
		print_hex_at(p, addr, (unsigned)n);
	/* The other members say enough without. */
	p->unread = unread;
}

/* Of n bytes those that have come: all, when it makes no sense how many have not. */
static uint64_t received(uint64_t n, uint64_t residue)
{
	return (int32_t)residue >= 0 && residue <= n ? n - residue : n;
}

/* A member of 4 bytes of the structure whose member is being printed. */
static uint64_t other(const struct printer *p, size_t at)
{
	return load_number(p->raw - p->at + at, 4);
}

/* As many bytes as the member in front of it says. */
void print_scsi_bytes(struct printer *p, uint64_t value, unsigned aux)
{
	uint64_t n = p->counted ? p->items : 0;

	(void)aux;
	p->counted = false;
	print_hex_at(p, value, (unsigned)n);
}

/* --- struct sg_io_hdr --- */

static unsigned direction(const struct printer *p)
{
	return -(unsigned)other(p, SG_DIRECTION_AT);
}

static uint64_t iovecs(const struct printer *p)
{
	return load_number(p->raw - p->at + SG_IOVECS_AT, 2);
}

/* What is sent. */
void print_sg_data(struct printer *p, uint64_t value, unsigned aux)
{
	(void)aux;
	if (direction(p) == TO_DEVICE || direction(p) == BOTH_WAYS)
		put_data(p, value, iovecs(p), other(p, SG_LENGTH_AT));
}

/* What has come; where the same memory was sent before, nothing is not worth a word. aux: the direction. */
void print_sg_result(struct printer *p, uint64_t value, unsigned aux)
{
	uint64_t residue = other(p, p->word == 4 ? SG_RESIDUE_AT32 : SG_RESIDUE_AT);
	uint64_t n = received(other(p, SG_LENGTH_AT), residue);

	if (direction(p) == aux && (n || aux != BOTH_WAYS))
		put_data(p, value, iovecs(p), n);
}

/* --- struct sg_io_v4 --- */

void print_bsg_data(struct printer *p, uint64_t value, unsigned aux)
{
	(void)aux;
	put_data(p, value, other(p, offsetof(struct sg_io_v4, dout_iovec_count)),
	         other(p, offsetof(struct sg_io_v4, dout_xfer_len)));
}

void print_bsg_result(struct printer *p, uint64_t value, unsigned aux)
{
	uint64_t n = other(p, offsetof(struct sg_io_v4, din_xfer_len));

	(void)aux;
	put_data(p, value, other(p, offsetof(struct sg_io_v4, din_iovec_count)),
	         received(n, other(p, offsetof(struct sg_io_v4, din_resid))));
}

/* --- Both --- */

/* What is given. True: what becomes of it is still to be shown. */
static bool put_command(struct printer *p, uint64_t addr, uint64_t first)
{
	unsigned structure = first == 'S' ? STRUCT_sg_io_hdr : STRUCT_sg_io_v4;
	unsigned char bytes[sizeof(struct sg_io_v4)];

	if (first != 'S' && first != 'Q') {
		put_format(p, "[%u]", (unsigned)first);
		return false;
	}
	if (!peek_bytes(p, addr, bytes, struct_size(p, structure))) {
		put_format(p, "{%s='%c', ", first == 'S' ? "interface_id" : "guard", (char)first);
		put_addr(p, addr + 4);
		put_text(p, "}");
		return false;
	}
	p->state->saved[0] = structure;
	return put_given(p, addr, structure);
}

void print_scsi_io(struct printer *p, uint64_t addr, unsigned aux)
{
	uint64_t first;

	(void)aux;
	if (p->made) {
		if (p->state->after)
			put_made(p, addr, NULL, (unsigned)p->state->saved[0]);
	} else if (peek_number(p, addr, 4, &first)) {
		p->state->after = put_command(p, addr, first);
	} else {
		put_addr(p, addr);
	}
}
