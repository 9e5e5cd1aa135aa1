/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Commands for a trusted execution environment: buffers with a structure and parameters behind it (linux/tee.h). */
#include <exectrace/target/decode/structs/structs.h>

#include <linux/tee.h>

#define LOGIN_BEHIND 16u /* clnt_login, behind the beginning of clnt_uuid */
#define LENGTH_AT 8u     /* of struct tee_ioctl_buf_data: buf_len, behind buf_ptr */

/* Who asks: where that is a group its number, and nothing where the kernel finds it out itself. */
void print_tee_client(struct printer *p, uint64_t value, unsigned aux)
{
	(void)aux;
	switch (load_number(p->raw + LOGIN_BEHIND, 4)) {
	case TEE_IOCTL_LOGIN_PUBLIC:
	case TEE_IOCTL_LOGIN_USER:
	case TEE_IOCTL_LOGIN_APPLICATION:
	case TEE_IOCTL_LOGIN_USER_APPLICATION:
		break;
	case TEE_IOCTL_LOGIN_GROUP:
	case TEE_IOCTL_LOGIN_GROUP_APPLICATION:
		print_uid(p, (uint32_t)value, 0);
		break;
	default:
		print_hexes(p, value, 1);
		break;
	}
}

static void put_param(struct printer *p, uint64_t addr, unsigned aux)
{
	struct tee_ioctl_param param;
	uint64_t type;
	bool memory;

	(void)aux;
	if (!peek_bytes(p, addr, &param, sizeof(param)))
		return;
	type = param.attr & ~(uint64_t)TEE_IOCTL_PARAM_ATTR_META;
	/* Of one that is meant for the driver (META) the numbers are shown as they are. */
	memory = param.attr >= TEE_IOCTL_PARAM_ATTR_TYPE_MEMREF_INPUT &&
	         param.attr <= TEE_IOCTL_PARAM_ATTR_TYPE_MEMREF_INOUT;
	put_text(p, "{attr=");
	put_enum(p, type, SET_teeparam);
	put_more_flags(p, param.attr & TEE_IOCTL_PARAM_ATTR_META, SET_teemeta);
	if (type != TEE_IOCTL_PARAM_ATTR_TYPE_NONE) {
		put_text(p, memory ? ", shm_offs=" : ", a=");
		put_hex(p, param.a);
		put_text(p, memory ? ", size=" : ", b=");
		put_hex(p, param.b);
		put_text(p, memory ? ", shm_id=" : ", c=");
		if (memory)
			put_unsigned(p, param.c);
		else
			put_hex(p, param.c);
	}
	put_text(p, "}");
}

/* As many as the member in front says, behind the structure. */
void print_tee_params(struct printer *p, uint64_t value, unsigned aux)
{
	struct array array = {.size = sizeof(struct tee_ioctl_param), .print = put_param};
	uint64_t most = TEE_MAX_ARG_SIZE / sizeof(struct tee_ioctl_param);

	(void)value;
	(void)aux;
	array.n = p->counted && p->items < most ? p->items : most;
	array.addr = array.n ? p->base + p->at : 0;
	p->counted = false;
	put_array(p, &array);
}

static unsigned structure_of(const struct printer *p)
{
	switch ((uint32_t)call_arg(p, 1)) {
	case TEE_IOC_OPEN_SESSION:
		return STRUCT_tee_open_session;
	case TEE_IOC_INVOKE:
		return STRUCT_tee_invoke;
	case TEE_IOC_SUPPL_RECV:
		return STRUCT_tee_receive;
	default:
		return STRUCT_tee_send;
	}
}

/* Whether a buffer of n bytes has room for the structure and as many parameters as that says, and for nothing else. */
static bool fits(struct printer *p, uint64_t addr, uint64_t n)
{
	uint64_t size = struct_size(p, structure_of(p)), params;

	/* Their number is the last member. */
	return n >= size && n <= TEE_MAX_ARG_SIZE && peek_number(p, addr + size - 4, 4, &params) &&
	       n == size + params * sizeof(struct tee_ioctl_param);
}

void print_tee_buffer(struct printer *p, uint64_t addr, unsigned aux)
{
	uint64_t buffer, n;

	(void)aux;
	if (p->made) {
		if (p->state->after && call_succeeded(p))
			put_made(p, p->state->saved[0], NULL, structure_of(p));
		put_text(p, p->state->after ? "}" : "");
		return;
	}
	if (!peek_number(p, addr, 8, &buffer) || !peek_number(p, addr + LENGTH_AT, 8, &n)) {
		put_addr(p, addr);
		return;
	}
	put_text(p, "{buf_len=");
	put_unsigned(p, n);
	put_text(p, ", buf_ptr=");
	if (fits(p, buffer, n)) {
		p->state->saved[0] = buffer;
		p->state->after = true;
		put_given(p, buffer, structure_of(p));
	} else {
		put_addr(p, buffer);
		put_text(p, "}");
	}
}
