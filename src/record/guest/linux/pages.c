/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/record/guest/linux/pages.h>

#include <exectrace/record/guest/core/say.h>
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
	pages->at.direct = host_of(k, "page_offset_base");
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

/* --- Struct pages ------------------------------------------------------------------------------------------------- */

#define LARGE_SHIFT (PAGE_SHIFT + BITS)
#define LARGE_BYTES (1ull << LARGE_SHIFT)
#define PLACE_BITS 36     /* of a page's offset into the memory, in pages */
#define PAGE_STRUCT 64ull /* bytes of a struct page */

/* Where an address is, and the page it is mapped by: 28 bits tell those of the struct pages from each other. */
static uint64_t pack(const struct pages *pages, uint64_t address, uintptr_t host)
{
	return address >> LARGE_SHIFT << PLACE_BITS | (host - pages->ram->base) >> PAGE_SHIFT;
}

static bool is_struct_page(const struct pages *pages, uint64_t address)
{
	return address >= pages->memmap &&
	       address - pages->memmap < ((pages->ram->size + HOLE_END) >> PAGE_SHIFT) * PAGE_STRUCT;
}

/* walk, without a look at the page tables where that is known. */
static uintptr_t look_up(struct pages *pages, uint64_t address, uint64_t *left)
{
	_Atomic uint64_t *known = &pages->known[address >> LARGE_SHIFT & (PAGES_KNOWN - 1)];
	uint64_t inside = address & (LARGE_BYTES - 1), place;
	uintptr_t host;

	if (pages->direct && address - pages->direct < pages->low) {
		*left = pages->low - (address - pages->direct);
		return pages->ram->base + (address - pages->direct);
	}
	if (!is_struct_page(pages, address))
		return walk(pages, address, left);
	place = atomic_load_explicit(known, memory_order_relaxed);
	if (place && place >> PLACE_BITS == (address >> LARGE_SHIFT & ((1u << (64 - PLACE_BITS)) - 1))) {
		*left = LARGE_BYTES - inside;
		return pages->ram->base + ((place & ((1ull << PLACE_BITS) - 1)) << PAGE_SHIFT) + inside;
	}
	host = walk(pages, address, left);
	if (host && *left == LARGE_BYTES - inside)
		atomic_store_explicit(known, pack(pages, address, host - inside), memory_order_relaxed);
	return host;
}

/* --- All ---------------------------------------------------------------------------------------------------------- */

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
	if (pages->at.direct && ram_read(pages->ram, pages->at.direct, &found.direct, sizeof(found.direct)) &&
	    walk(&found, found.direct, &left) == pages->ram->base)
		pages->direct = found.direct;
	pages->low = found.low;
	pages->levels = found.levels;
	pages->memmap = found.memmap;
	/* Readers need no lock. */
	__atomic_store_n(&pages->root, found.root, __ATOMIC_RELEASE);
	return true;
}

bool pages_read(struct pages *pages, uint64_t address, void *to, size_t n)
{
	char *p = to;

	while (n) {
		uint64_t left = 0;
		bool known = __atomic_load_n(&pages->root, __ATOMIC_ACQUIRE) != 0;
		uintptr_t host = known ? look_up(pages, address, &left) : 0;
		size_t part = left < n ? (size_t)left : n;

		if (!host || !ram_read(pages->ram, host, p, part))
			return false;
		p += part;
		address += part;
		n -= part;
	}
	return true;
}
