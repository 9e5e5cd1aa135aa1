/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The memory that unwinding looks at: nearly always the stack, of which one read brings a copy. */
#include "private.h"

#include <elf.h>
#include <errno.h>
#include <exectrace/target/process/mem.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define STACK_FIRST PAGE         /* bytes read of a stack at least */
#define STACK_USUAL (256u << 10) /* and at most in the first read */
#define STACK_MAX (4u << 20)     /* bytes that are copied; beyond that pages are read one by one */
#define READS_MAX (1u << 20)     /* of one stack; some hundred for a frame that is seen for the first time */
#define DECAY 16                 /* a smaller need is believed slowly, a larger one at once */

static size_t round_up(uint64_t n)
{
	return (size_t)((n + PAGE - 1) & ~(uint64_t)(PAGE - 1));
}

/* Bytes from addr to the end of its mapping, at most `most`; all of them when the mapping is not known. */
static size_t to_end(const struct unwind_space *space, uint64_t addr, size_t most)
{
	const struct map *map = maps_find(&space->maps, addr);

	return map && map->end - addr < most ? (size_t)(map->end - addr) : most;
}

static bool make_room(struct unwind_space *space, size_t n)
{
	size_t cap = round_up(n);
	unsigned char *more = n <= space->cap ? space->stack : realloc(space->stack, cap);

	if (!more)
		return false;
	space->stack = more;
	if (cap > space->cap)
		space->cap = cap;
	return true;
}

/* Makes the copy n bytes long, or as long as it can be when a part is not there. 0 or -errno. */
static int extend(struct unwind_space *space, size_t n)
{
	uint64_t from = space->base + space->len;
	size_t add = to_end(space, from, n - space->len);
	int err = 0;

	if (!make_room(space, space->len + add))
		return -ENOMEM;
	err = mem_read(space->tid, from, space->stack + space->len, add);
	if (err == -EFAULT) {
		/* The stack of a thread that began after the maps were read, which ends somewhere. */
		add = PAGE - (size_t)(from % PAGE) < add ? PAGE - (size_t)(from % PAGE) : add;
		err = mem_read(space->tid, from, space->stack + space->len, add);
	}
	if (!err)
		space->len += add;
	return err;
}

static void begin_at(struct unwind_space *space, uint64_t base, size_t len)
{
	space->base = space->top = base;
	space->len = len;
	space->reads = 0;
	space->beyond = space->elsewhere = false;
	for (size_t i = 0; i < PAGES; i++)
		space->pages[i].addr = 1;
}

int stack_begin(struct unwind_space *space, uint64_t sp)
{
	int err = 0;

	begin_at(space, sp & ~7ull, 0);
	err = extend(space, space->expect ? space->expect : STACK_FIRST);
	return err == -EFAULT ? 0 : err;
}

int stack_given(struct unwind_space *space, uint64_t sp, const void *stack, size_t n)
{
	if (n > STACK_MAX)
		n = STACK_MAX;
	if (!make_room(space, n))
		return -ENOMEM;
	if (n)
		memcpy(space->stack, stack, n);
	begin_at(space, sp, n);
	return 0;
}

void stack_end(struct unwind_space *space)
{
	size_t used = round_up(space->top - space->base + 1);

	if (used > STACK_USUAL)
		used = STACK_USUAL;
	if (used >= space->expect)
		space->expect = used;
	else
		space->expect -= (space->expect - used) / DECAY;
}

static const struct unwind_page *page_at(struct unwind_space *space, uint64_t addr)
{
	struct unwind_page *page = NULL;

	for (size_t i = 0; i < PAGES; i++)
		if (space->pages[i].addr == addr)
			return &space->pages[i];
	page = &space->pages[space->pages_next++ % PAGES];
	page->addr = 1;
	if (mem_read(space->tid, addr, page->bytes, PAGE))
		return NULL;
	page->addr = addr;
	return page;
}

/* Reads by whole pages, which n bytes may lie across two of. */
static int read_pages(struct unwind_space *space, uint64_t addr, unsigned char *to, size_t n)
{
	while (n) {
		size_t into = (size_t)(addr % PAGE);
		size_t take = PAGE - into < n ? PAGE - into : n;
		const struct unwind_page *page = page_at(space, addr - into);

		if (!page)
			return -EFAULT;
		memcpy(to, page->bytes + into, take);
		addr += take;
		to += take;
		n -= take;
	}
	return 0;
}

static const struct unwind_module *covers(struct unwind_space *space, uint64_t addr)
{
	struct unwind_module *m = space->recent;

	if (m && addr >= m->low && addr < m->high)
		return m;
	for (m = space->modules; m && m < space->modules + space->n_modules; m++)
		if (addr >= m->low && addr < m->high)
			return space->recent = m;
	return NULL;
}

/* Whether the program may write at an address in a file: only executable mappings may be known of it. */
static bool writable(const struct unwind_space *space, const struct unwind_module *m, uint64_t addr)
{
	const struct map *map = space->told ? NULL : maps_find(&space->maps, addr);
	size_t n = 0;
	const struct elf_segment *s = elf_segments(m->elf, &n);

	if (!space->told)
		return !map || map->prot & PROT_WRITE;
	for (size_t i = 0; i < n; i++)
		if (s[i].flags & PF_W && addr - m->bias - s[i].vaddr < s[i].memory)
			return true;
	return false;
}

/* What a file has at an address, unless the program may write there. */
static const void *in_file(struct unwind_space *space, uint64_t addr, size_t n)
{
	const struct unwind_module *m = covers(space, addr);
	size_t left = 0;
	const void *at = m ? elf_at(m->elf, addr - m->bias, &left) : NULL;

	return at && left >= n && !writable(space, m, addr) ? at : NULL;
}

/* What a table that we made has at an address. */
static const void *in_made_up(const struct unwind_space *space, uint64_t addr, size_t n)
{
	uint64_t i = (addr - MADE_UP) / MADE_UP_STEP, into = (addr - MADE_UP) % MADE_UP_STEP;
	const struct unwind_module *m = i < space->n_modules ? &space->modules[i] : NULL;
	size_t size = m && m->index ? m->index_n * sizeof(*m->index) : 0;

	return into < size && n <= size - into ? (const char *)m->index + into : NULL;
}

static bool in_stack(const struct unwind_space *space, uint64_t addr, size_t n)
{
	return addr >= space->base && addr - space->base < space->len && n <= space->len - (addr - space->base);
}

int space_read(struct unwind_space *space, uint64_t addr, void *to, size_t n)
{
	const void *at = NULL;

	if (space->reads++ > READS_MAX)
		return -ELOOP;
	/* A stack that reaches further than expected. */
	if (!space->told && !in_stack(space, addr, n) && space->len && addr >= space->base &&
	    addr - space->base < 2 * space->len + 2 * STACK_FIRST && addr - space->base < STACK_MAX)
		(void)extend(space, 2 * space->len + 2 * STACK_FIRST + PAGE);
	if (in_stack(space, addr, n)) {
		if (addr + n > space->top)
			space->top = addr + n;
		memcpy(to, space->stack + (addr - space->base), n);
		return 0;
	}
	at = addr >= MADE_UP ? in_made_up(space, addr, n) : in_file(space, addr, n);
	if (!at && space->told) {
		space->beyond |= addr + n > space->base + space->len && addr - space->base < STACK_MAX;
		return -EFAULT;
	}
	if (!at) {
		space->elsewhere = true;
		return read_pages(space, addr, to, n);
	}
	memcpy(to, at, n);
	return 0;
}
