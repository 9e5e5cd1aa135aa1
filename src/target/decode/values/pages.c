/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pages of memory and the nodes that they are on: move_pages(2), mbind(2), mincore(2). */
#include <exectrace/target/decode/values/printer.h>

#include <exectrace/target/syscalls/names.h>

/* What a call that has failed has not filled in; of nothing that is known without a look. */
static void put_filled(struct printer *p, const struct array *array)
{
	if (p->result.error && array->n)
		put_addr(p, array->addr);
	else
		put_array(p, array);
}

/* --- Nodes --- */

static void item_mask(struct printer *p, uint64_t addr, unsigned aux)
{
	uint64_t bits;

	(void)aux;
	if (!peek_number(p, addr, p->word, &bits))
		return;
	if (!bits)
		put_format(p, "%0*d", (int)(2 * p->word), 0);
	else
		put_format(p, "%#0*llx", (int)(2 * p->word), (unsigned long long)bits);
}

/* aux: the register with the number of bits, and one more. */
void print_nodemask(struct printer *p, uint64_t value, unsigned aux)
{
	uint64_t bits = call_arg(p, aux), word = UINT64_C(8) * p->word;
	struct array array = {.addr = value, .size = p->word, .print = item_mask};

	array.n = bits > 1 ? (bits - 2) / word + 1 : 0;
	/* Of one more than none, or so many that rounding up overflows, the kernel looks at nothing. */
	if (bits == 1 || bits > (p->word == 4 ? UINT32_MAX : UINT64_MAX) - (word - 2))
		put_addr(p, value);
	else
		put_filled(p, &array);
}

/* --- Pages --- */

static void item_page(struct printer *p, uint64_t addr, unsigned aux)
{
	uint64_t page;

	(void)aux;
	if (peek_number(p, addr, p->word, &page))
		put_addr(p, page);
}

static void item_node(struct printer *p, uint64_t addr, unsigned aux)
{
	uint64_t node;

	(void)aux;
	if (peek_number(p, addr, 4, &node))
		put_signed(p, (int)node);
}

/* The node where a page is, or what failed. */
static void item_page_state(struct printer *p, uint64_t addr, unsigned aux)
{
	uint64_t state;
	const char *name;
	bool inner = p->inner;

	(void)aux;
	if (!peek_number(p, addr, 4, &state))
		return;
	name = (int)state < 0 ? errno_name((int)-(unsigned)state) : NULL;
	if (!name) {
		put_signed(p, (int)state);
	} else if (begin_names(p, state, NUMBER_INT)) {
		put_format(p, "-%s", name);
		end_names(p, inner);
	}
}

/* aux: the register with their number. */
void print_pages(struct printer *p, uint64_t value, unsigned aux)
{
	put_array(p, &(struct array){.addr = value, .n = call_arg(p, aux), .size = p->word, .print = item_page});
}

void print_nodes(struct printer *p, uint64_t value, unsigned aux)
{
	put_array(p, &(struct array){.addr = value, .n = call_arg(p, aux), .size = 4, .print = item_node});
}

void print_page_states(struct printer *p, uint64_t value, unsigned aux)
{
	put_filled(p, &(struct array){.addr = value, .n = call_arg(p, aux), .size = 4, .print = item_page_state});
}

/* A policy that the call has stored. */
void print_ompol(struct printer *p, uint64_t value, unsigned aux)
{
	uint64_t policy;

	if (!peek_number(p, value, 4, &policy)) {
		put_addr(p, value);
		return;
	}
	put_text(p, "[");
	print_mpol(p, policy, aux);
	put_text(p, "]");
}

static void item_core(struct printer *p, uint64_t addr, unsigned aux)
{
	uint64_t core = 0;

	(void)aux;
	if (peek_number(p, addr, 1, &core))
		put_text(p, core & 1 ? "1" : "0");
}

void print_mincore(struct printer *p, uint64_t value, unsigned aux)
{
	struct array array = {.addr = value,
	                      .n = call_arg(p, 1) / 4096 + (call_arg(p, 1) % 4096 != 0),
	                      .size = 1,
	                      .print = item_core};

	(void)aux;
	put_filled(p, &array);
}
