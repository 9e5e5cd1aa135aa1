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
#include "private.h"

#include "instruction.h"
#include <asm/hwcap2.h>
#include <exectrace/target/process/mem.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#define JUMP 5u /* bytes */
#define PAGE 4096u
#define GRAIN 16u        /* of room for stubs */
#define LOWEST 0x100000u /* where stubs may be: what a null pointer leads to stays without memory */

/* The text around a site. */
struct text {
	unsigned char bytes[TEXT_BEFORE + TEXT_BEHIND];
};

_Static_assert(sizeof(struct text) == SITE_TEXT, "a site's text");

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

static size_t put(unsigned char *to, const void *bytes, size_t n)
{
	memcpy(to, bytes, n);
	return n;
}

static size_t put_word(unsigned char *to, uint64_t word)
{
	uint32_t low = (uint32_t)word;

	return put(to, &low, sizeof(low));
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
static size_t make_stub(unsigned char *stub, uint64_t at, const struct site *site, uint64_t entry)
{
	const bool looks = may_set_gs();
	size_t n = put(stub, site->old, site->len);
	int64_t far = (int64_t)(site->at - at);

	if (far > INT32_MAX || far < INT32_MIN + STUB_BYTES)
		return 0;
	n += put(stub + n, "\x0f\xb7\x0c\x25", 4); /* movzwl word, %ecx */
	n += put_word(stub + n, INSIDE_DATA);
	if (looks) {
		n += put(stub + n, "\xe3\x18", 2);             /* jrcxz 1f */
		n += put(stub + n, "\xf3\x49\x0f\xae\xcb", 5); /* rdgsbase %r11 */
		n += put(stub + n, "\x49\xf7\xd3", 3);         /* not %r11 */
		n += put(stub + n, "\x65\x48\x8b\x0c\x25", 5); /* mov %gs:AREA_SELF, %rcx */
		n += put_word(stub + n, AREA_SELF);
		n += put(stub + n, "\x4a\x8d\x4c\x19\x01\xe3\x05", 7); /* lea 1(%rcx,%r11), %rcx; jrcxz 2f */
	} else {
		n += put(stub + n, "\xe3\x02\xeb\x05", 4); /* jrcxz 1f; jmp 2f */
	}
	n += put(stub + n, "\xe9", 1); /* 1: jmp site */
	n += put_word(stub + n, (uint64_t)far - n - 4);
	n += put(stub + n, "\x4c\x8d\x1d", 3); /* 2: lea site(%rip), %r11 */
	n += put_word(stub + n, (uint64_t)far - n - 4);
	n += put(stub + n, "\xb9", 1); /* mov $agent, %ecx; jmp *%rcx */
	n += put_word(stub + n, entry);
	n += put(stub + n, "\xff\xe1", 2);
	return n;
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

/* Maps memory for stubs at this address. */
static bool map_arena(struct inside_thread *thread, uint64_t base, size_t bytes)
{
	struct space *space = thread->space;
	struct remote remote;
	int64_t got;

	if (space->n_arenas == ARENAS || remote_begin(&remote, thread))
		return false;
	got = remote_call(&remote, SYS_mmap,
	                  (uint64_t[6]){base, bytes, PROT_READ | PROT_EXEC,
	                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, UINT64_MAX, 0});
	if (remote_end(&remote) || (uint64_t)got != base)
		return false;
	space->arenas[space->n_arenas++] = (struct arena){.base = base};
	return true;
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

/* Where a stub can be whose jump begins at `from`. 0: nowhere. */
static uint64_t find_room(struct inside_thread *thread, uint64_t from, int64_t low, int64_t high)
{
	static const int64_t far[] = {-0x10000000, -0x20000000, 0x20000000, -0x40000000, 0x40000000, -0x60000000};
	uint64_t next = from + JUMP;
	uint64_t first = low < 0 && (uint64_t)-low > next ? 0 : next + (uint64_t)low;
	uint64_t last = high < 0 && (uint64_t)-high > next ? 0 : next + (uint64_t)high; /* 0: below all addresses */
	struct space *space = thread->space;
	uint64_t at = 0;

	for (unsigned i = 0; i < space->n_arenas && !at && last; i++) {
		if ((int64_t)(space->arenas[i].base - next) >= INT32_MIN &&
		    (int64_t)(space->arenas[i].base - next) <= INT32_MAX)
			at = room_in(&space->arenas[i], first, last);
	}
	if (at || !last)
		return at;
	for (size_t i = 0; i < sizeof(far) / sizeof(far[0]) && !at; i++) {
		uint64_t base =
			(high - low > INT32_MAX ? next + (uint64_t)far[i] : first) & ~(uint64_t)(ARENA_BYTES - 1);

		if (base >= LOWEST && base + ARENA_BYTES < UINT64_C(0x7ffffffff000) &&
		    map_arena(thread, base, ARENA_BYTES))
			at = room_in(&space->arenas[space->n_arenas - 1], first, last);
		else if (high - low <= INT32_MAX)
			break;
	}
	return at;
}

static bool put_jump(const struct inside_thread *thread, const struct site *site)
{
	uint64_t from = site->at - site->len;
	int32_t distance = (int32_t)(int64_t)(site->stub - (from + JUMP));
	unsigned char jump[JUMP] = {0xe9};

	memcpy(jump + 1, &distance, sizeof(distance));
	return mem_poke(thread->tid, from, jump, changed_bytes(site)) == 0;
}

static void place(struct inside_thread *thread, struct site *site, const struct text *text, unsigned len)
{
	uint64_t from = site->at - len, stub;
	unsigned char code[STUB_BYTES];
	int64_t low, high;
	size_t n;

	site->len = (uint8_t)len;
	if (!len || from / PAGE != (from + changed_bytes(site) - 1) / PAGE)
		return;
	memcpy(site->old, text->bytes + TEXT_BEFORE - len, len);
	span(text->bytes + TEXT_BEFORE, JUMP - changed_bytes(site), &low, &high);
	stub = find_room(thread, from, low, high);
	n = stub ? make_stub(code, stub, site, thread->inside->map->entry) : 0;
	if (!n || mem_poke(thread->tid, stub, code, n))
		return;
	site->stub = stub;
	if (!put_jump(thread, site))
		site->stub = 0;
}

void patch(struct inside_thread *thread, struct site *site, uint64_t nr)
{
	struct text text;

	if (!read_text(thread, site->at, &text))
		return;
	place(thread, site, &text, instruction_before(text.bytes, nr));
	if (site->stub)
		learn(thread, site->at, site->len, text.bytes);
}

void patch_known(struct inside_thread *thread, uint64_t at, unsigned len, const unsigned char *known)
{
	struct site *site = space_site(thread->space, at, false);
	struct text text;

	if (site && patch_stands(thread, site))
		return;
	if (site)
		site->stub = 0; /* other code is there now */
	if (!read_text(thread, at, &text) || memcmp(text.bytes, known, sizeof(text.bytes)) != 0)
		return;
	if (!site)
		site = space_site(thread->space, at, true);
	if (site)
		place(thread, site, &text, len);
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
			(void)mem_poke(thread->tid, site->at - site->len, site->old, changed_bytes(site));
	}
}
