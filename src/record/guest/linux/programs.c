/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/record/guest/linux/programs.h>

#include <elf.h>
#include <exectrace/base/buf.h>
#include <exectrace/record/guest/linux/hostfile.h>
#include <stdlib.h>
#include <string.h>

#define PAGE_SHIFT 12
#define ANONYMOUS 3u   /* bits of page.mapping that say that it is no file's */
#define TAIL 1u        /* bit of a page's second word: it is part of a larger one, whose first it leads to */
#define NODE 2u        /* the low bits of an entry of a tree of pages that leads to another node; pages have none */
#define NODE_BITS 6    /* of an index that one node decodes (XA_CHUNK_SHIFT) */
#define LEVELS_MAX 11  /* of such a tree */
#define PARENTS_MAX 64 /* directories above a file */
#define VDSO_PAGES 8   /* it has two or three */
#define NAME_BYTES 256
#define NAME_PART 64 /* bytes of it that are read at a time */
#define KERNEL_HALF (1ull << 63)

static bool get64(struct pages *pages, uint64_t address, uint64_t *to)
{
	return address >= KERNEL_HALF && pages_read(pages, address, to, sizeof(*to));
}

/* --- From a page to its file -------------------------------------------------------------------------------------- */

/* The mapping of a physical page, and which page of the file it is. */
static bool page_of(const struct programs_context *c, uint64_t physical, uint64_t *mapping, uint64_t *index)
{
	uint64_t size = c->types->page_size, at = c->pages->memmap + (physical >> PAGE_SHIFT) * size, head = at,
		 second = 0;

	if (!get64(c->pages, at + sizeof(uint64_t), &second))
		return false;
	if (second & TAIL)
		head = second - TAIL;
	if (head > at) /* Linux 7: what masks the address */
		head &= at;
	if (head > at || at - head > (1ull << 20) * size || (at - head) % size ||
	    !get64(c->pages, head + c->types->page_mapping, mapping) ||
	    !get64(c->pages, head + c->types->page_index, index))
		return false;
	*index += (at - head) / size;
	return *mapping && !(*mapping & ANONYMOUS);
}

/* --- The file's bytes --------------------------------------------------------------------------------------------- */

struct cached_file {
	const struct programs_context *context;
	uint64_t mapping;
	uint64_t size;
};

/* The page of an index in the tree of a mapping: its address; 0: not in memory. */
static uint64_t find_page(const struct cached_file *f, uint64_t index)
{
	const struct types *types = f->context->types;
	uint64_t entry = 0;

	if (!get64(f->context->pages, f->mapping + types->mapping_root, &entry))
		return 0;
	for (int level = 0; level < LEVELS_MAX && (entry & 3) == NODE; level++) {
		uint64_t node = entry - NODE;
		uint8_t shift = 0;

		if (node < KERNEL_HALF || !pages_read(f->context->pages, node + types->node_shift, &shift, 1) ||
		    shift >= 64 || (shift + NODE_BITS < 64 && index >> (shift + NODE_BITS)))
			return 0;
		index &= shift + NODE_BITS < 64 ? (1ull << (shift + NODE_BITS)) - 1 : UINT64_MAX;
		if (!get64(f->context->pages, node + types->node_slots + (index >> shift) * sizeof(uint64_t), &entry))
			return 0;
		/* A large page has one entry, others lead to it. */
		while ((entry & 3) == NODE && entry < 256 && !(entry >> 2 & ~63ull)) {
			if (!get64(f->context->pages, node + types->node_slots + (entry >> 2) * sizeof(uint64_t),
			           &entry))
				return 0;
		}
		index &= (1ull << shift) - 1;
	}
	return (entry & 3) == 0 ? entry : 0;
}

static bool read_file(void *user, uint64_t offset, void *to, size_t n)
{
	const struct cached_file *f = user;
	struct pages *pages = f->context->pages;
	char *p = to;

	if (offset > f->size || n > f->size - offset)
		return false;
	while (n) {
		uint64_t want = offset >> PAGE_SHIFT, page = find_page(f, want), inside = offset % PAGE_BYTES,
			 first = 0;
		size_t part = PAGE_BYTES - inside < n ? PAGE_BYTES - (size_t)inside : n;
		uintptr_t host;

		if (page < pages->memmap || !get64(pages, page + f->context->types->page_index, &first) || want < first)
			return false;
		host = pages_host(pages, (((page - pages->memmap) / f->context->types->page_size + (want - first))
		                          << PAGE_SHIFT) +
		                                 inside);
		if (!host || !ram_read(pages->ram, host, p, part))
			return false;
		p += part;
		offset += part;
		n -= part;
	}
	return true;
}

/* --- Its name ----------------------------------------------------------------------------------------------------- */

/* The name of a directory entry. */
static bool read_name(const struct programs_context *c, uint64_t dentry, char name[NAME_BYTES + 1])
{
	uint64_t at = 0;

	memset(name, 0, NAME_BYTES + 1);
	if (!get64(c->pages, dentry + c->types->dentry_name, &at) || at < KERNEL_HALF)
		return false;
	for (size_t i = 0, part; i < NAME_BYTES && strnlen(name, i) == i; i += part) {
		part = NAME_PART - (at + i) % NAME_PART; /* never over the end of a page */
		if (part > NAME_BYTES - i)
			part = NAME_BYTES - i;
		if (!pages_read(c->pages, at + i, name + i, part))
			break;
	}
	return name[0] != '\0';
}

/* The path of an inode within its file system, by one of its names. */
static bool read_path(const struct programs_context *c, uint64_t inode, struct buf *path)
{
	char name[NAME_BYTES + 1];
	uint64_t dentry = 0, parent = 0;

	if (!get64(c->pages, inode + c->types->inode_names, &dentry) || dentry < KERNEL_HALF)
		return false;
	dentry -= c->types->dentry_alias;
	for (int i = 0; i < PARENTS_MAX; i++, dentry = parent) {
		struct buf longer = BUF_INIT;

		if (!read_name(c, dentry, name) || !get64(c->pages, dentry + c->types->dentry_parent, &parent))
			break;
		if (parent == dentry)
			break;
		if (buf_printf(&longer, "/%s%s", name, path->data ? path->data : "")) {
			buf_release(&longer);
			return false;
		}
		buf_release(path);
		*path = longer;
	}
	return path->len > 0;
}

/* --- Programs ----------------------------------------------------------------------------------------------------- */

static struct program *insert(struct programs *programs, struct program *p)
{
	p->next = programs->first;
	programs->first = p;
	programs->n++;
	return p;
}

static struct program *add(struct programs *programs, const struct programs_context *c, uint64_t mapping,
                           uint64_t inode)
{
	struct cached_file file = {.context = c, .mapping = mapping};
	const struct elf_source memory = {read_file, &file};
	struct program *p = programs->n < PROGRAMS_MAX ? calloc(1, sizeof(*p)) : NULL;
	struct buf path = BUF_INIT;

	if (!p)
		return NULL;
	p->mapping = mapping;
	(void)get64(c->pages, inode + c->types->inode_number, &p->inode);
	if (read_path(c, inode, &path))
		p->origin = functions_origin(c->functions, path.data, 0, 0);
	if (p->origin && get64(c->pages, inode + c->types->inode_size, &file.size)) {
		p->size = file.size;
		p->known = elfimage_read(&p->image, &memory);
		if (c->root)
			p->known = hostfile_program(&p->image, p->known, c->root, path.data, file.size);
	}
	buf_release(&path);
	return insert(programs, p);
}

/* --- The vdso ----------------------------------------------------------------------------------------------------- */

/* A file of that size at most, which lies in the kernel's image. */
struct programs_kernel_part {
	const struct ram *ram;
	uintptr_t host;
	uint64_t size;
};

static bool read_part(void *user, uint64_t offset, void *to, size_t n)
{
	const struct programs_kernel_part *part = user;

	return offset <= part->size && n <= part->size - offset && ram_read(part->ram, part->host + offset, to, n);
}

/* Where the ELF file begins that a page of the kernel's image is part of; 0: in none. */
static uintptr_t find_vdso(const struct programs_context *c, uint64_t physical)
{
	uintptr_t at = pages_host(c->pages, physical) & ~(uintptr_t)(PAGE_BYTES - 1);
	uintptr_t start = (uintptr_t)(c->kernel->start + (uint64_t)c->kernel->host);
	char magic[SELFMAG];

	for (unsigned i = 0; i < VDSO_PAGES && at >= start; i++, at -= PAGE_BYTES) {
		if (at - start >= c->kernel->end - c->kernel->start || !ram_read(c->pages->ram, at, magic, SELFMAG))
			return 0;
		if (memcmp(magic, ELFMAG, SELFMAG) == 0)
			return at;
	}
	return 0;
}

/* Code of a program that is the kernel's: the file that the kernel maps into each process (vdso(7)). */
static bool vdso_place(struct programs *programs, const struct programs_context *c, uint64_t physical,
                       struct program_place *place)
{
	uintptr_t host = c->kernel && c->kernel->table.n ? find_vdso(c, physical) : 0;
	struct programs_kernel_part part = {c->pages->ram, host, (uint64_t)VDSO_PAGES * PAGE_BYTES};
	const struct elf_source memory = {read_part, &part};
	struct program *p = host ? programs->first : NULL;

	while (p && (p->mapping != host || p->inode))
		p = p->next;
	if (!p && host && programs->n < PROGRAMS_MAX && (p = calloc(1, sizeof(*p)))) {
		p->mapping = host; /* no mapping of the kernel has an address of ours */
		p->origin = functions_origin(c->functions, "[vdso]", 0, 0);
		p->known = p->origin && elfimage_read(&p->image, &memory);
		(void)insert(programs, p);
	}
	place->program = p;
	place->offset = p ? pages_host(c->pages, physical) - host : 0;
	return p && p->known;
}

bool programs_find(struct programs *programs, const struct programs_context *context, uint64_t physical,
                   struct program_place *place)
{
	uint64_t mapping = 0, index = 0, inode = 0, number = 0;
	struct program *p = programs->first;

	if (!context->types->files || !page_of(context, physical, &mapping, &index))
		return vdso_place(programs, context, physical, place);
	if (!get64(context->pages, mapping + context->types->mapping_host, &inode) || inode < KERNEL_HALF ||
	    !get64(context->pages, inode + context->types->inode_number, &number))
		return false;
	while (p && (p->mapping != mapping || p->inode != number))
		p = p->next;
	if (!p)
		p = add(programs, context, mapping, inode);
	place->program = p;
	place->offset = (index << PAGE_SHIFT) + physical % PAGE_BYTES;
	return p && p->known;
}

bool program_function(const struct program_place *place, struct function *function)
{
	uint64_t address = elfimage_address(&place->program->image, place->offset);
	const struct symbol *symbol = address ? symbols_at(&place->program->image.symbols, address) : NULL;

	*function = (struct function){.origin = place->program->origin, .address = address};
	if (symbol) {
		function->size = symbol->size;
		function->name = symbol->name;
	}
	return address != 0;
}

bool programs_read(const struct programs_context *context, const struct program_place *place, void *to, size_t n)
{
	struct cached_file file = {context, place->program->mapping, UINT64_MAX};

	return read_file(&file, place->offset, to, n);
}

/* --- Types -------------------------------------------------------------------------------------------------------- */

/* Makes room for the debug information of one more: that of the others can be read again. */
static void forget_debug(struct programs *programs)
{
	size_t bytes = 0;

	for (const struct program *p = programs->first; p; p = p->next)
		bytes += p->debug ? debuginfo_size(p->debug) : 0;
	for (struct program *p = programs->first; p && bytes > PROGRAMS_DEBUG_BYTES; p = p->next) {
		debuginfo_close(p->debug);
		p->debug = NULL;
	}
}

bool programs_types(struct programs *programs, const char *root, const struct function *function, unsigned depth,
                    struct debug_function *types)
{
	struct program *p = programs->first;

	while (p && p->origin != function->origin)
		p = p->next;
	if (!p || !root || !p->known || (p->looked && !p->has_debug))
		return false;
	if (!p->debug) {
		forget_debug(programs);
		p->debug = hostfile_debuginfo(&p->image, root, p->origin->name, p->size);
		p->looked = true;
		p->has_debug = p->debug;
	}
	return p->debug && !debuginfo_function(p->debug, function->address, function->name, depth, types);
}

void programs_release(struct programs *programs)
{
	while (programs->first) {
		struct program *next = programs->first->next;

		debuginfo_close(programs->first->debug);
		symbols_release(&programs->first->image.symbols);
		free(programs->first);
		programs->first = next;
	}
	programs->n = 0;
}
