/* SPDX-License-Identifier: GPL-2.0-or-later */
/* io_uring_register(2): what its third argument points to, and what its fourth one counts, its opcode says. */
#include <exectrace/target/decode/calls/calls.h>

#define PROBE_MAX 256 /* entries: there are no more opcodes */
#define PROBE_BYTES (16u + 8u * PROBE_MAX)

enum { OPCODE = 1, ARG = 2, NUMBER = 3 }; /* registers */

enum form {
	FORM_ADDRESS,
	FORM_FDS,     /* as many descriptors */
	FORM_STRUCT,  /* one structure */
	FORM_STRUCTS, /* as many structures */
	FORM_SIZED,   /* one structure of as many bytes */
	FORM_CPUS,    /* as many bytes of a set of processors */
	FORM_WORKERS, /* as many numbers, by kind of worker */
	FORM_PROBE,   /* so many entries behind a head */
};

static const struct row {
	uint8_t form;
	uint16_t structure;
} rows[] = {
	{FORM_STRUCTS, STRUCT_u_iovec},                    /* IORING_REGISTER_BUFFERS */
	{FORM_ADDRESS, 0},                                 /* IORING_UNREGISTER_BUFFERS */
	{FORM_FDS, 0},                                     /* IORING_REGISTER_FILES */
	{FORM_ADDRESS, 0},                                 /* IORING_UNREGISTER_FILES */
	{FORM_FDS, 0},                                     /* IORING_REGISTER_EVENTFD */
	{FORM_ADDRESS, 0},                                 /* IORING_UNREGISTER_EVENTFD */
	{FORM_STRUCT, STRUCT_u_io_uring_files_update},     /* IORING_REGISTER_FILES_UPDATE */
	{FORM_FDS, 0},                                     /* IORING_REGISTER_EVENTFD_ASYNC */
	{FORM_PROBE, STRUCT_u_io_uring_probe},             /* IORING_REGISTER_PROBE */
	{FORM_ADDRESS, 0},                                 /* IORING_REGISTER_PERSONALITY */
	{FORM_ADDRESS, 0},                                 /* IORING_UNREGISTER_PERSONALITY */
	{FORM_STRUCTS, STRUCT_u_io_uring_restriction},     /* IORING_REGISTER_RESTRICTIONS */
	{FORM_ADDRESS, 0},                                 /* IORING_REGISTER_ENABLE_RINGS */
	{FORM_SIZED, STRUCT_u_uring_files},                /* IORING_REGISTER_FILES2 */
	{FORM_SIZED, STRUCT_u_uring_files_update},         /* IORING_REGISTER_FILES_UPDATE2 */
	{FORM_SIZED, STRUCT_u_uring_buffers},              /* IORING_REGISTER_BUFFERS2 */
	{FORM_SIZED, STRUCT_u_uring_buffers_update},       /* IORING_REGISTER_BUFFERS_UPDATE */
	{FORM_CPUS, 0},                                    /* IORING_REGISTER_IOWQ_AFF */
	{FORM_ADDRESS, 0},                                 /* IORING_UNREGISTER_IOWQ_AFF */
	{FORM_WORKERS, 0},                                 /* IORING_REGISTER_IOWQ_MAX_WORKERS */
	{FORM_STRUCTS, STRUCT_u_uring_ring},               /* IORING_REGISTER_RING_FDS */
	{FORM_STRUCTS, STRUCT_u_uring_ring_gone},          /* IORING_UNREGISTER_RING_FDS */
	{FORM_STRUCT, STRUCT_u_io_uring_buf_reg},          /* IORING_REGISTER_PBUF_RING */
	{FORM_STRUCT, STRUCT_u_io_uring_buf_reg},          /* IORING_UNREGISTER_PBUF_RING */
	{FORM_STRUCT, STRUCT_u_io_uring_sync_cancel_reg},  /* IORING_REGISTER_SYNC_CANCEL */
	{FORM_STRUCT, STRUCT_u_io_uring_file_index_range}, /* IORING_REGISTER_FILE_ALLOC_RANGE */
};

static const struct row *find_row(const struct printer *p)
{
	uint32_t opcode = (uint32_t)call_arg(p, OPCODE);

	return opcode < sizeof(rows) / sizeof(rows[0]) ? &rows[opcode] : NULL;
}

bool uring_is_late(const struct printer *p)
{
	const struct row *row = find_row(p);

	return row && row->form == FORM_PROBE && !p->state->has_saved;
}

static size_t probe_bytes(const struct printer *p, uint64_t n)
{
	return struct_size(p, STRUCT_u_io_uring_probe) + n * struct_size(p, STRUCT_u_io_uring_probe_op);
}

void uring_save(struct printer *p)
{
	const struct row *row = find_row(p);
	unsigned char raw[PROBE_BYTES];
	uint32_t n = (uint32_t)call_arg(p, NUMBER);
	size_t bytes = row && row->form == FORM_PROBE && n <= PROBE_MAX ? probe_bytes(p, n) : 0;

	if (!bytes || bytes > sizeof(raw) || !peek_bytes(p, call_arg(p, ARG), raw, bytes))
		return;
	for (size_t i = 0; i < bytes; i++)
		p->state->has_saved |= raw[i] != 0;
}

static void put_structs(struct printer *p, uint64_t addr, uint64_t n, unsigned structure)
{
	struct array array = {.addr = addr, .n = n, .print = print_struct, .aux = structure};

	array.size = struct_size(p, structure);
	put_array(p, &array);
}

static void item_worker(struct printer *p, uint64_t addr, unsigned aux)
{
	uint64_t number = 0, first = call_arg(p, ARG);

	(void)aux;
	if (!peek_number(p, addr, 4, &number))
		return;
	put_text(p, "[");
	print_enumu(p, (addr - first) / 4, SET_u_uring_worker);
	put_format(p, "]=%u", (unsigned)number);
}

static void put_workers(struct printer *p, uint64_t addr, uint64_t n)
{
	struct array array = {.addr = addr, .n = n, .size = 4, .print = item_worker};

	put_array(p, &array);
}

/* A probe with n entries: what the kernel is given, or what it has filled in: as many as the head says. */
static void put_probe(struct printer *p, uint64_t addr, uint64_t n, unsigned structure)
{
	unsigned char raw[PROBE_BYTES];
	unsigned head = struct_size(p, structure);
	bool failed = p->at_exit && !call_succeeded(p);
	uint64_t filled = n;

	if (failed || n > PROBE_MAX || probe_bytes(p, n) > sizeof(raw) ||
	    !peek_bytes(p, addr, raw, probe_bytes(p, n))) {
		put_addr(p, addr);
		return;
	}
	if (p->at_exit)
		filled = load_number(raw + 1, 1);
	put_struct(p, addr, structure);
	buf_cut(p->out, p->out->len - 1);
	put_text(p, ", ops=");
	put_structs(p, addr + head, n < filled ? n : filled, STRUCT_u_io_uring_probe_op);
	if (filled > n && n < items_max(p)) {
		buf_cut(p->out, p->out->len - 1);
		put_text(p, n ? ", ...]" : "...]");
	}
	put_text(p, "}");
}

void print_uring_arg(struct printer *p, uint64_t value, unsigned aux)
{
	const struct row *row = find_row(p);
	uint32_t n = (uint32_t)call_arg(p, NUMBER);

	(void)aux;
	if (row && row->form == FORM_FDS) {
		p->items = n;
		p->counted = true;
		print_fds_at(p, value, 0);
	} else if (row && row->form == FORM_STRUCT) {
		put_struct(p, value, row->structure);
	} else if (row && row->form == FORM_STRUCTS) {
		put_structs(p, value, n, row->structure);
	} else if (row && row->form == FORM_SIZED && n >= struct_size(p, row->structure)) {
		put_struct_beyond(p, value, n, row->structure);
	} else if (row && row->form == FORM_CPUS && value) {
		print_cpuset(p, value, NUMBER);
	} else if (row && row->form == FORM_WORKERS) {
		put_workers(p, value, n);
	} else if (row && row->form == FORM_PROBE) {
		put_probe(p, value, n, row->structure);
	} else {
		put_addr(p, value);
	}
}

/* The kernel stores what the limits were before, or what it knows. */
void print_uring_out(struct printer *p, uint64_t value, unsigned aux)
{
	const struct row *row = find_row(p);
	uint32_t n = (uint32_t)call_arg(p, NUMBER);

	(void)aux;
	if (!row || !call_succeeded(p) || !value)
		return;
	if (row->form == FORM_WORKERS && n) {
		put_text(p, " => ");
		put_workers(p, value, n);
	} else if (row->form == FORM_PROBE && p->state->has_saved) {
		put_text(p, " => ");
		put_probe(p, value, n, row->structure);
	}
}
