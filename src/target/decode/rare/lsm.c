/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Security modules: lsm_get_self_attr(2), lsm_set_self_attr(2), lsm_list_modules(2). Source: linux/lsm.h. */
#include <exectrace/target/decode/calls/calls.h>

#define CTX_BYTES 32u  /* struct lsm_ctx up to its ctx: id, flags, len and ctx_len, 8 bytes each */
#define FLAG_SINGLE 1u /* LSM_FLAG_SINGLE: only of the module that is named */

/* What of the context of a module lies within n bytes. */
static void put_context_of(struct printer *p, uint64_t addr, const unsigned char *raw, uint64_t n)
{
	uint64_t whole = load_number(raw + 16, 8), bytes = load_number(raw + 24, 8);
	uint64_t there = whole < n ? whole : n;

	there = there > CTX_BYTES ? there - CTX_BYTES : 0;
	put_text(p, "{id=");
	put_enum(p, load_number(raw, 8), SET_lsmid);
	put_text(p, ", flags=");
	put_hex(p, load_number(raw + 8, 8));
	put_format(p, ", len=%llu, ctx_len=%llu", (unsigned long long)whole, (unsigned long long)bytes);
	if (bytes && there) {
		put_text(p, ", ctx=");
		put_hexadecimal(p, addr + CTX_BYTES, bytes < there ? bytes : there);
	}
	put_text(p, "}");
}

static bool peek_context(struct printer *p, uint64_t addr, uint64_t n, unsigned char *raw)
{
	return n >= CTX_BYTES && peek_bytes(p, addr, raw, CTX_BYTES);
}

/* One behind the other in n bytes. */
static void put_contexts(struct printer *p, uint64_t addr, uint64_t n)
{
	unsigned char raw[CTX_BYTES];

	if (!peek_context(p, addr, n, raw)) {
		put_addr(p, addr);
		return;
	}
	put_text(p, "[");
	for (uint64_t i = 0;; i++) {
		uint64_t bytes = load_number(raw + 16, 8);

		if (i >= items_max(p)) {
			put_text(p, "...");
			break;
		}
		put_context_of(p, addr, raw, n);
		if (bytes < CTX_BYTES || bytes >= n || addr + bytes < addr)
			break;
		put_text(p, ", ");
		addr += bytes;
		n -= bytes;
		if (!peek_context(p, addr, n, raw)) {
			put_format(p, "... /* %#llx */", (unsigned long long)addr);
			break;
		}
	}
	put_text(p, "]");
}

/* What lsm_get_self_attr gives. */
void print_lsm_contexts(struct printer *p, uint64_t value, unsigned aux)
{
	const struct decode_state *state = p->state;
	uint64_t size = 0;
	bool known = state->has_saved && peek_number(p, call_arg(p, 2), 4, &size);

	(void)aux;
	if (known && call_arg(p, 3) & FLAG_SINGLE) {
		put_text(p, "{id=");
		put_enum(p, state->saved[1], SET_lsmid);
		put_text(p, "} => ");
	}
	if (known && !p->result.error)
		put_contexts(p, value, size);
	else
		put_addr(p, value);
}

/* What lsm_set_self_attr is given. aux: the register with the size. */
void print_lsm_context(struct printer *p, uint64_t value, unsigned aux)
{
	unsigned char raw[CTX_BYTES];
	uint32_t n = (uint32_t)call_arg(p, aux);

	if (peek_context(p, value, n, raw))
		put_context_of(p, value, raw, n);
	else
		put_addr(p, value);
}

/* The size that was there, and what it has become. */
void print_lsm_size(struct printer *p, uint64_t value, unsigned aux)
{
	uint64_t now = 0, before = p->state->saved[0];

	(void)aux;
	if (!peek_number(p, value, 4, &now))
		put_addr(p, value);
	else if (!p->state->has_saved || before == now)
		put_format(p, "[%u]", (unsigned)now);
	else
		put_format(p, "[%u => %u]", (unsigned)before, (unsigned)now);
}

static void item_module(struct printer *p, uint64_t addr, unsigned aux)
{
	uint64_t id = 0;

	if (peek_number(p, addr, 8, &id))
		put_enum(p, id, aux);
}

void print_lsm_modules(struct printer *p, uint64_t value, unsigned aux)
{
	struct array array = {.addr = value,
	                      .n = returned_bytes(p),
	                      .size = 8,
	                      .print = item_module,
	                      .aux = SET_lsmids};

	(void)aux;
	put_array(p, &array);
}
