/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pages.h"

#include "private.h"
#define PRESENT 1u
#define LARGE (1u << 7)
#define FRAME 0x000ffffffffff000ull
#define PAGE_SHIFT 12
#define BITS 9 /* of an address that one level decodes */
#define HOLE_END (1ull << 32)
#define MEMMAP 0xffffea0000000000ull /* where it is when it is never moved (no CONFIG_DYNAMIC_MEMORY_LAYOUT) */

static uintptr_t host_of(const struct kernel *k, const char *name)
{
	const struct kallsym *symbol = kallsyms_find(&k->table, name);

	return symbol ? (uintptr_t)(symbol->address + (uint64_t)k->host) : 0;
}

void pages_init(struct pages *pages, const struct kernel *k, const struct ram *ram)
{
	*pages = (struct pages){.ram = ram};
	pages->at.root = host_of(k, "init_top_pgt");
	pages->at.memmap = host_of(k, "vmemmap_base");
	pages->at.frames = host_of(k, "max_pfn");
	pages->at.five = host_of(k, "__pgtable_l5_enabled");
	pages->scattered = !host_of(k, "vmemmap_populate");
	if (!pages->at.root || !pages->at.frames)
		plugin_say("the guest's kernel has no names of its data in its memory (CONFIG_KALLSYMS_ALL): files of "
		           "programs are not known, see symbols=FILE");
	else if (pages->scattered)
		plugin_say("the guest's kernel has no table of its pages at one place (CONFIG_SPARSEMEM_VMEMMAP): "
		           "files of programs are not known");
}

uintptr_t pages_host(const struct pages *pages, uint64_t physical)
{
	if (physical < pages->low)
		return pages->ram->base + physical;
	if (physical < HOLE_END || physical - HOLE_END >= pages->ram->size - pages->low)
		return 0;
	return pages->ram->base + pages->low + (physical - HOLE_END);
}

uint64_t pages_physical(const struct pages *pages, uintptr_t host)
{
	uint64_t at = host - pages->ram->base;

	if (!ram_holds(pages->ram, host, 1))
		return UINT64_MAX;
	return at < pages->low ? at : HOLE_END + (at - pages->low);
}

/* Where an address is in this process, and how many bytes there are to the end of its page; 0: nowhere. */
static uintptr_t walk(const struct pages *pages, uint64_t address, uint64_t *left)
{
	uintptr_t table = pages->root;

	for (unsigned level = pages->levels; level-- > 0;) {
		unsigned shift = PAGE_SHIFT + BITS * level;
		uint64_t entry = 0, inside = (1ull << shift) - 1;

		if (!ram_read(pages->ram, table + (address >> shift & ((1u << BITS) - 1)) * sizeof(entry), &entry,
		              sizeof(entry)) ||
		    !(entry & PRESENT))
			return 0;
		if (level == 0 || (level <= 2 && entry & LARGE)) {
			*left = inside + 1 - (address & inside);
			return pages_host(pages, (entry & FRAME & ~inside) | (address & inside));
		}
		table = pages_host(pages, entry & FRAME);
		if (!table)
			return 0;
	}
	return 0;
}

bool pages_find(struct pages *pages)
{
	struct pages found = *pages;
	uint64_t frames = 0, end, left;
	uint32_t five = 0;

	if (pages->root)
		return true;
	if (!pages->at.root || !ram_read(pages->ram, pages->at.frames, &frames, sizeof(frames)) || !frames)
		return false;
	found.memmap = MEMMAP;
	if (pages->at.memmap && !ram_read(pages->ram, pages->at.memmap, &found.memmap, sizeof(found.memmap)))
		return false;
	(void)ram_read(pages->ram, pages->at.five, &five, sizeof(five));
	/* What is more than the size of the memory is the hole. */
	end = frames << PAGE_SHIFT;
	found.low = pages->ram->size;
	if (end > pages->ram->size && end > HOLE_END && end - pages->ram->size < HOLE_END)
		found.low = HOLE_END - (end - pages->ram->size);
	found.levels = five ? 5 : 4;
	found.root = pages->at.root;
	/* Before the kernel has cleared its data these may be anything, and then be moved. */
	if (!pages->scattered && !walk(&found, found.memmap, &left))
		return false;
	pages->low = found.low;
	pages->levels = found.levels;
	pages->memmap = found.memmap;
	/* Readers need no lock. */
	__atomic_store_n(&pages->root, found.root, __ATOMIC_RELEASE);
	return true;
}

bool pages_read(const struct pages *pages, uint64_t address, void *to, size_t n)
{
	char *p = to;

	while (n) {
		uint64_t left = 0;
		bool known = __atomic_load_n(&pages->root, __ATOMIC_ACQUIRE) != 0;
		uintptr_t host = known ? walk(pages, address, &left) : 0;
		size_t part = left < n ? (size_t)left : n;

		if (!host || !ram_read(pages->ram, host, p, part))
			return false;
		p += part;
		address += part;
		n -= part;
	}
	return true;
}
