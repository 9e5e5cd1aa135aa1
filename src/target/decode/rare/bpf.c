/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bpf(2): its command says which part of a union its second argument points to, its third how long that is. */
#include <exectrace/target/decode/calls/calls.h>

#include <exectrace/base/cleanup.h>
#include <linux/bpf.h>

#define PAGE_BYTES 4096u
#define INFO_AT 128u /* in what is kept of the time before the call: the structure that bpf_attr points to */

static const struct part {
	uint16_t structure;
	bool late, fd; /* it is filled in by the kernel; the result is a descriptor */
} parts[] = {
	[BPF_MAP_CREATE] = {STRUCT_u_bpf_map_create, false, true},
	[BPF_MAP_LOOKUP_ELEM] = {STRUCT_u_bpf_map_elem, false, false},
	[BPF_MAP_UPDATE_ELEM] = {STRUCT_u_bpf_map_update, false, false},
	[BPF_MAP_DELETE_ELEM] = {STRUCT_u_bpf_map_delete, false, false},
	[BPF_MAP_GET_NEXT_KEY] = {STRUCT_u_bpf_map_next, false, false},
	[BPF_PROG_LOAD] = {STRUCT_u_bpf_prog_load, false, true},
	[BPF_OBJ_PIN] = {STRUCT_u_bpf_obj, false, true},
	[BPF_OBJ_GET] = {STRUCT_u_bpf_obj, false, true},
	[BPF_PROG_ATTACH] = {STRUCT_u_bpf_prog_attach, false, false},
	[BPF_PROG_DETACH] = {STRUCT_u_bpf_prog_detach, false, false},
	[BPF_PROG_TEST_RUN] = {STRUCT_u_bpf_test_run, false, false},
	[BPF_PROG_GET_NEXT_ID] = {STRUCT_u_bpf_next_id, true, false},
	[BPF_MAP_GET_NEXT_ID] = {STRUCT_u_bpf_next_id, true, false},
	[BPF_PROG_GET_FD_BY_ID] = {STRUCT_u_bpf_prog_by_id, false, true},
	[BPF_MAP_GET_FD_BY_ID] = {STRUCT_u_bpf_map_by_id, false, true},
	[BPF_OBJ_GET_INFO_BY_FD] = {STRUCT_u_bpf_info, true, false},
	[BPF_PROG_QUERY] = {STRUCT_u_bpf_query, true, false},
	[BPF_RAW_TRACEPOINT_OPEN] = {STRUCT_u_bpf_raw_tracepoint, false, true},
	[BPF_BTF_LOAD] = {STRUCT_u_bpf_btf_load, false, true},
	[BPF_BTF_GET_FD_BY_ID] = {STRUCT_u_bpf_btf_by_id, false, true},
	[BPF_TASK_FD_QUERY] = {STRUCT_u_bpf_task_fd_query, true, false},
	[BPF_MAP_LOOKUP_AND_DELETE_ELEM] = {STRUCT_u_bpf_map_elem, false, false},
	[BPF_MAP_FREEZE] = {STRUCT_u_bpf_map_freeze, false, false},
	[BPF_BTF_GET_NEXT_ID] = {STRUCT_u_bpf_next_id, true, false},
	[BPF_MAP_LOOKUP_BATCH] = {STRUCT_u_bpf_batch, true, false},
	[BPF_MAP_LOOKUP_AND_DELETE_BATCH] = {STRUCT_u_bpf_batch, true, false},
	[BPF_MAP_UPDATE_BATCH] = {STRUCT_u_bpf_batch_update, true, false},
	[BPF_MAP_DELETE_BATCH] = {STRUCT_u_bpf_batch_delete, true, false},
	[BPF_LINK_CREATE] = {STRUCT_u_bpf_link_create, false, true},
	[BPF_LINK_UPDATE] = {STRUCT_u_bpf_link_update, false, false},
	[BPF_LINK_GET_NEXT_ID] = {STRUCT_u_bpf_next_id, true, false},
	[BPF_LINK_GET_FD_BY_ID] = {STRUCT_u_bpf_link_by_id, false, true},
};

/* Whether the command has a structure that is known. */
static bool find_part(const struct printer *p, struct part *part)
{
	uint32_t command = (uint32_t)call_arg(p, 0);

	if (command >= sizeof(parts) / sizeof(parts[0]) || !parts[command].structure)
		return false;
	*part = parts[command];
	return true;
}

bool bpf_is_late(const struct printer *p)
{
	struct part part;

	return find_part(p, &part) && part.late;
}

bool bpf_gives_fd(const struct printer *p)
{
	struct part part;

	return find_part(p, &part) && part.fd;
}

void bpf_save(struct printer *p)
{
	struct decode_state *state = p->state;
	uint32_t size = (uint32_t)call_arg(p, 2);
	uint64_t info, n;

	state->n_given = 0;
	memset(state->given, 0, sizeof(state->given));
	if (!size || !peek_bytes(p, call_arg(p, 1), state->given, size < INFO_AT ? size : INFO_AT))
		return;
	state->n_given = INFO_AT;
	info = load_number(state->given + 8, 8);
	n = load_number(state->given + 4, 4);
	if (n > sizeof(state->given) - INFO_AT)
		n = sizeof(state->given) - INFO_AT;
	if (call_arg(p, 0) == BPF_OBJ_GET_INFO_BY_FD && p->d->verbose && n &&
	    peek_bytes(p, info, state->given + INFO_AT, n))
		state->n_given = (uint16_t)(INFO_AT + n);
}

/* Bytes behind what is known of the structure. */
static void put_extra(struct printer *p, uint64_t addr, uint64_t known, uint64_t size)
{
	unsigned char raw[PAGE_BYTES];
	uint64_t n = size - known, used = 0;

	if (!peek_bytes(p, addr + known, raw, n))
		return;
	while (used < n && !raw[used])
		used++;
	if (used == n)
		return;
	if (!p->d->verbose) {
		put_text(p, ", ...");
		return;
	}
	put_text(p, ", extra_data=\"");
	for (uint64_t i = 0; i < n; i++)
		put_format(p, "\\x%02x", raw[i]);
	put_format(p, "\" /* bytes %llu..%llu */", (unsigned long long)known, (unsigned long long)size - 1);
}

void print_bpf_attr(struct printer *p, uint64_t value, unsigned aux)
{
	uint32_t size = (uint32_t)call_arg(p, 2);
	unsigned char last;
	struct part part;
	uint64_t known;

	(void)aux;
	if (!size || size > PAGE_BYTES || !find_part(p, &part) || !peek_bytes(p, value + size - 1, &last, 1)) {
		put_addr(p, value);
		return;
	}
	if (part.late && p->state->n_given)
		p->before = p->state->given;
	known = put_struct_as_long(p, value, size, part.structure);
	p->before = NULL;
	if (!known || known >= size || p->out->data[p->out->len - 1] != '}')
		return;
	buf_cut(p->out, p->out->len - 1);
	put_extra(p, value, known, size);
	put_text(p, "}");
}

/* Of the array that the kernel fills in. */
void print_bpf_filled(struct printer *p, uint64_t value, unsigned size)
{
	if (call_succeeded(p) || (p->counted && !p->items))
		print_numbers_at(p, value, size);
	else
		put_addr(p, value);
}

/* Likewise of instructions, of which the bytes are counted. */
void print_bpf_instructions(struct printer *p, uint64_t value, unsigned aux)
{
	(void)aux;
	p->items /= struct_size(p, STRUCT_u_bpf_insn);
	if (call_succeeded(p))
		print_structs_at(p, value, STRUCT_u_bpf_insn);
	else
		put_addr(p, value);
}

/* What is known of a map or of a program. */
void print_bpf_info(struct printer *p, uint64_t value, unsigned aux)
{
	const unsigned char *before = p->before, *start = p->start;
	uint64_t n = p->counted ? p->items : 0, length = p->length, known = p->known;
	cleanup_buf struct buf path = BUF_INIT;
	unsigned structure = 0;
	int fd = (int)load_number(p->raw - 8, 4);

	(void)aux;
	if (p->d->verbose && p->d->fd_path && p->d->fd_path(p->d->user, fd, &path) == 0) {
		if (path.len && strstr(path.data, "bpf-map"))
			structure = STRUCT_u_bpf_map_info;
		else if (path.len && strstr(path.data, "bpf-prog"))
			structure = STRUCT_u_bpf_prog_info;
	}
	if (!structure) {
		put_addr(p, value);
		return;
	}
	p->before = before && p->state->n_given > INFO_AT ? p->state->given + INFO_AT : NULL;
	put_struct_as_long(p, value, n, structure);
	p->before = before;
	p->start = start;
	p->length = length;
	p->known = known;
}

/* --- Fields ------------------------------------------------------------------------------------------------------- */

void print_numa_node(struct printer *p, uint64_t value, unsigned aux)
{
	(void)aux;
	put_unsigned(p, value);
	if ((uint32_t)value == UINT32_MAX)
		put_text(p, " /* NUMA_NO_NODE */");
}

void print_bpf_register(struct printer *p, uint64_t value, unsigned shift)
{
	put_enum(p, value >> shift & 0xf, SET_u_bpf_reg);
}

/* The code of an instruction of eBPF (linux/bpf_common.h, linux/bpf.h). */
void print_bpf_code(struct printer *p, uint64_t value, unsigned aux)
{
	unsigned class = value & 7;

	(void)aux;
	put_enum(p, class, SET_u_ebpf_class);
	put_text(p, "|");
	if (class <= BPF_STX) {
		put_enum(p, value & 0x18, SET_u_ebpf_size);
		put_text(p, "|");
		put_enum(p, value & 0xe0, SET_u_ebpf_mode);
		return;
	}
	put_enum(p, value & 8, SET_u_ebpf_source);
	put_text(p, "|");
	put_enum(p, value & 0xf0, class == BPF_JMP || class == BPF_JMP32 ? SET_u_ebpf_jump : SET_u_ebpf_alu);
}
