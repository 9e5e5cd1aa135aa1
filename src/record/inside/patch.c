/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The jump to a stub. It takes the place of the instruction before `syscall`, mostly `mov $nr, %eax`, five bytes long
 * as a jump is. Where that instruction is shorter the jump overlaps `syscall` and what is behind it, without changing
 * these bytes: they are the upper ones of the jump's distance, and the stub is put where they say. Either way `syscall`
 * stays whole, and whoever jumps to it, or waits in it, finds it.
 *
 * Which instruction is before `syscall` cannot be read backwards with certainty: only the forms below are taken, and
 * only when each way of reading the bytes before forwards comes by there (instruction.c).
 */
#include "sites.h"

#include "code.h"
#include "instruction.h"
#include <asm/hwcap2.h>
#include <errno.h>
#include <exectrace/target/process/mem.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#define JUMP 5u          /* bytes */
#define GRAIN 16u        /* of room for stubs */
#define LOWEST 0x100000u /* where stubs may be: what a null pointer leads to stays without memory */

/* How much of a jump is written: the rest is the text's own. On one page it is all there, or nothing, whoever dies. */
static unsigned changed_bytes(const struct site *site)
{
	return site->len < JUMP ? site->len : JUMP;
}

/* The bytes of other sites nearby are what they were before there were jumps. */
static void undo_jumps(const struct space *space, uint64_t at, struct text *text)
{
	for (size_t i = 0; i < space->room; i++) {
		const struct site *site = &space->sites[i];
		uint64_t into = site->at - site->len - (at - TEXT_BEFORE);

		for (unsigned k = 0; site->at && site->stub && k < changed_bytes(site); k++) {
			if (into + k < sizeof(text->bytes))
				text->bytes[into + k] = site->old[k];
		}
	}
}

static bool read_text(const struct inside_thread *thread, uint64_t at, struct text *text)
{
	const uint64_t in = at % PAGE;

	/* What is before it on another page may not be there. */
	memset(text->bytes, 0xcc, sizeof(text->bytes));
	if (mem_read(thread->tid, at - TEXT_BEFORE, text->bytes, sizeof(text->bytes)) &&
	    (in < 8 || in >= TEXT_BEFORE ||
	     mem_read(thread->tid, at - in, text->bytes + TEXT_BEFORE - in, in + TEXT_BEHIND)))
		return false;
	undo_jumps(thread->space, at, text);
	return true;
}

/* Programs may set gs without a call (wrgsbase). */
static bool may_set_gs(void)
{
	return getauxval(AT_HWCAP2) & HWCAP2_FSGSBASE;
}

uint64_t patch_looks_at_gs(const struct site *site)
{
	return site->stub + site->len + 18;
}

/*
 * The stub: what the jump has taken the place of; then to the agent, while the tracer lives and gs is where the area
 * says. Neither flags nor registers but rcx and r11 change.
 */
static bool make_stub(struct code *stub, uint64_t at, const struct site *site, uint64_t entry)
{
	const bool looks = may_set_gs();
	int64_t far = (int64_t)(site->at - at);

	if (far > INT32_MAX || far < INT32_MIN + STUB_BYTES)
		return false;
	code_put(stub, site->old, site->len);
	code_put(stub, "\x0f\xb7\x0c\x25", 4); /* movzwl word, %ecx */
	code_put_word(stub, INSIDE_DATA);
	if (looks) {
		code_put(stub, "\xe3\x18", 2);             /* jrcxz 1f */
		code_put(stub, "\xf3\x49\x0f\xae\xcb", 5); /* rdgsbase %r11 */
		code_put(stub, "\x49\xf7\xd3", 3);         /* not %r11 */
		code_put(stub, "\x65\x48\x8b\x0c\x25", 5); /* mov %gs:AREA_SELF, %rcx */
		code_put_word(stub, AREA_SELF);
		code_put(stub, "\x4a\x8d\x4c\x19\x01\xe3\x05", 7); /* lea 1(%rcx,%r11), %rcx; jrcxz 2f */
	} else {
		code_put(stub, "\xe3\x02\xeb\x05", 4); /* jrcxz 1f; jmp 2f */
	}
	code_put(stub, "\xe9", 1); /* 1: jmp site */
	code_put_word(stub, (uint64_t)far - stub->n - 4);
	code_put(stub, "\x4c\x8d\x1d", 3); /* 2: lea site(%rip), %r11 */
	code_put_word(stub, (uint64_t)far - stub->n - 4);
	code_put(stub, "\xb9", 1); /* mov $agent, %ecx; jmp *%rcx */
	code_put_word(stub, entry);
	code_put(stub, "\xff\xe1", 2);
	return true;
}

/* The lowest and the highest distance of a jump whose `free` lower bytes may be anything. */
static void span(const unsigned char *behind, unsigned fixed, int64_t *low, int64_t *high)
{
	uint32_t bits = 0;

	for (unsigned i = 0; i < fixed; i++)
		bits |= (uint32_t)behind[i] << (8 * (4 - fixed + i));
	*low = (int32_t)bits;
	*high = *low + (fixed ? (int64_t)1 << (8 * (4 - fixed)) : 1) - 1;
	if (!fixed) {
		*low = INT32_MIN;
		*high = INT32_MAX;
	}
}

/* Maps memory for stubs at these addresses, but where there is some; an address is what is kept. */
static void call_arenas(struct remote *remote, const uint64_t *bases, size_t n)
{
	struct space *space = remote->thread->space;
	struct remote_op ops[ARENAS];
	int64_t got = 0;

	for (size_t i = 0; i < n; i++)
		ops[i] = (struct remote_op){.nr = SYS_mmap,
		                            .args = {bases[i], ARENA_BYTES, PROT_READ | PROT_EXEC,
		                                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, UINT64_MAX},
		                            .keep = true};
	for (size_t i = 0, mapped; i < n && got != -ESRCH; i = mapped + 1) { /* behind the one that has failed */
		got = remote_calls(remote, ops + i, n - i);
		for (mapped = n; mapped > i && (int64_t)bases[mapped - 1] != remote->kept;)
			mapped--;
		for (size_t k = i; k < mapped; k++)
			space->arenas[space->n_arenas++] = (struct arena){.base = bases[k]};
	}
}

/* How many are mapped now. */
static unsigned map_arenas(struct inside_thread *thread, const uint64_t *bases, size_t n)
{
	struct space *space = thread->space;
	unsigned before = space->n_arenas;
	struct remote remote;

	if (before + n > ARENAS || remote_begin(&remote, thread))
		return 0;
	call_arenas(&remote, bases, n);
	return remote_end(&remote) ? 0 : space->n_arenas - before;
}

/* Room for a stub in an arena, between two addresses. 0: none. */
static uint64_t room_in(struct arena *arena, uint64_t low, uint64_t high)
{
	uint64_t at = low > arena->base ? (low + GRAIN - 1) & ~(uint64_t)(GRAIN - 1) : arena->base;

	for (; at <= high && at + STUB_BYTES <= arena->base + ARENA_BYTES; at += GRAIN) {
		unsigned char *used = arena->used + (at - arena->base) / GRAIN;

		if (!memchr(used, 1, STUB_BYTES / GRAIN)) {
			memset(used, 1, STUB_BYTES / GRAIN);
			return at;
		}
	}
	return 0;
}

/* Where a stub may be. */
struct window {
	uint64_t next; /* behind the jump */
	uint64_t first, last;
	bool anywhere; /* as far as a jump reaches */
};

/* Of a site whose jump has `len` bytes of its own. False: it is nowhere. */
static bool find_window(struct window *window, uint64_t at, unsigned len, const unsigned char *behind)
{
	uint64_t next = at - len + JUMP;
	int64_t low, high;

	span(behind, len < JUMP ? JUMP - len : 0, &low, &high);
	window->next = next;
	window->first = low < 0 && (uint64_t)-low > next ? 0 : next + (uint64_t)low;
	window->last = high < 0 && (uint64_t)-high > next ? 0 : next + (uint64_t)high;
	window->anywhere = high - low > INT32_MAX;
	return window->last != 0;
}

/* Where memory may be mapped for it: the next place from the *try'th on, which it becomes. 0: there is none. */
static uint64_t arena_for(const struct window *window, unsigned *try)
{
	static const int64_t far[] = {-0x10000000, -0x20000000, 0x20000000, -0x40000000, 0x40000000, -0x60000000};
	const unsigned n = window->anywhere ? sizeof(far) / sizeof(far[0]) : 1;

	for (; *try < n; ++*try) {
		uint64_t base = window->anywhere ? window->next + (uint64_t)far[*try] : window->first;

		base &= ~(uint64_t)(ARENA_BYTES - 1);
		if (base >= LOWEST && base < UINT64_C(0x7ffffffff000) - ARENA_BYTES)
			return base;
	}
	return 0;
}

static bool is_near(uint64_t base, const struct window *window)
{
	int64_t far = (int64_t)(base - window->next);

	return far >= INT32_MIN && far <= INT32_MAX - (int64_t)ARENA_BYTES;
}

/* 0: nowhere. */
static uint64_t find_room(struct inside_thread *thread, const struct window *window)
{
	struct space *space = thread->space;
	uint64_t at = 0, base;

	for (unsigned i = 0; i < space->n_arenas && !at; i++) {
		if (is_near(space->arenas[i].base, window))
			at = room_in(&space->arenas[i], window->first, window->last);
	}
	for (unsigned try = 0; !at && (base = arena_for(window, &try)); try++) {
		if (map_arenas(thread, &base, 1))
			at = room_in(&space->arenas[space->n_arenas - 1], window->first, window->last);
	}
	return at;
}

static bool has_arena(const struct space *space, const struct foreseen *foreseen, const struct window *window,
                      uint64_t base)
{
	for (unsigned i = 0; i < space->n_arenas + foreseen->n; i++) {
		uint64_t other = i < space->n_arenas ? space->arenas[i].base : foreseen->bases[i - space->n_arenas];

		if (other == base || (window->anywhere && is_near(other, window)))
			return true;
	}
	return false;
}

void patch_foresee(const struct inside_thread *thread, struct foreseen *foreseen, uint64_t at, unsigned len,
                   const unsigned char *known)
{
	const struct space *space = thread->space;
	struct window window;
	unsigned try = 0;
	uint64_t base;

	if (!len || !find_window(&window, at, len, known + TEXT_BEFORE))
		return;
	base = arena_for(&window, &try);
	if (base && space->n_arenas + foreseen->n < ARENAS && !has_arena(space, foreseen, &window, base))
		foreseen->bases[foreseen->n++] = base;
}

void patch_provide(struct inside_thread *thread, const struct foreseen *foreseen)
{
	if (foreseen->n)
		(void)map_arenas(thread, foreseen->bases, foreseen->n);
}

static bool put_jump(const struct inside_thread *thread, struct texts *texts, const struct site *site)
{
	uint64_t from = site->at - site->len;
	int32_t distance = (int32_t)(int64_t)(site->stub - (from + JUMP));
	unsigned char jump[JUMP] = {0xe9};

	memcpy(jump + 1, &distance, sizeof(distance));
	if (texts)
		return texts_put_jump(texts, site->at, from, jump, changed_bytes(site));
	return space_poke(thread, from, jump, changed_bytes(site)) == 0;
}

static bool put_stub(const struct inside_thread *thread, struct texts *texts, uint64_t at, const struct code *code)
{
	if (!texts)
		return space_poke(thread, at, code->bytes, code->n) == 0;
	texts_put_stub(texts, at, code->bytes, code->n);
	return true;
}

/* texts: is written with these; NULL: now. */
static void place(struct inside_thread *thread, struct texts *texts, struct site *site, const struct text *text,
                  unsigned len)
{
	uint64_t from = site->at - len, stub;
	struct code code = {.n = 0};
	struct window window;

	site->len = (uint8_t)len;
	if (!len || from / PAGE != (from + changed_bytes(site) - 1) / PAGE)
		return;
	memcpy(site->old, text->bytes + TEXT_BEFORE - len, len);
	stub = find_window(&window, site->at, len, text->bytes + TEXT_BEFORE) ? find_room(thread, &window) : 0;
	if (!stub || !make_stub(&code, stub, site, thread->inside->map->entry) || !put_stub(thread, texts, stub, &code))
		return;
	site->stub = stub;
	if (!put_jump(thread, texts, site))
		site->stub = 0;
}

void patch(struct inside_thread *thread, struct site *site, uint64_t nr)
{
	struct text text;

	if (!read_text(thread, site->at, &text))
		return;
	place(thread, NULL, site, &text, instruction_before(text.bytes, nr));
	if (site->stub)
		learn(thread, site->at, site->len, &text);
}

void patch_known(struct inside_thread *thread, struct texts *texts, uint64_t at, unsigned len,
                 const unsigned char *known)
{
	struct site *site = space_site(thread->space, at, false);
	struct text text;

	if (site && patch_stands(thread, site))
		return;
	if (site)
		site->stub = 0; /* other code is there now */
	if (!texts_get(texts, at, &text))
		return;
	undo_jumps(thread->space, at, &text);
	if (memcmp(text.bytes, known, sizeof(text.bytes)) != 0)
		return;
	if (!site)
		site = space_site(thread->space, at, true);
	if (site)
		place(thread, texts, site, &text, len);
}

bool patch_stands(const struct inside_thread *thread, const struct site *site)
{
	unsigned char byte = 0;

	return site->stub && mem_read(thread->tid, site->at - site->len, &byte, 1) == 0 && byte == 0xe9;
}

void patch_undo(const struct inside_thread *thread)
{
	const struct space *space = thread->space;

	for (size_t i = 0; i < space->room; i++) {
		const struct site *site = &space->sites[i];

		if (site->at && patch_stands(thread, site))
			(void)space_poke(thread, site->at - site->len, site->old, changed_bytes(site));
	}
}
