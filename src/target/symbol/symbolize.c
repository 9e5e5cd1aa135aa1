/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/target/symbol/symbolize.h>

#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/target/symbol/debugfile.h>
#include <exectrace/target/symbol/demangle.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define KNOWN 256 /* files whose debug file was looked for */

/* A file that was prepared. The reference keeps its address from being used for another one. */
struct symbolize_known {
	struct elf *elf;
	uint64_t used;
};

struct symbolizer {
	struct elf_cache *cache;
	char *debug_dir;
	struct buf name;
	uint64_t clock;
	struct symbolize_known known[KNOWN];
};

int symbolizer_new(struct elf_cache *cache, const char *debug_dir, struct symbolizer **out)
{
	struct symbolizer *s = calloc(1, sizeof(*s));

	if (s)
		s->debug_dir = strdup(debug_dir ? debug_dir : DEBUGFILE_DIR);
	if (!s || !s->debug_dir) {
		free(s);
		return -ENOMEM;
	}
	s->cache = cache;
	*out = s;
	return 0;
}

void symbolizer_free(struct symbolizer *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < KNOWN; i++)
		elf_unref(s->known[i].elf);
	buf_release(&s->name);
	free(s->debug_dir);
	free(s);
}

/* Looks once for the debug file of a file that needs one. */
static void prepare(struct symbolizer *s, struct elf *elf, const char *path)
{
	struct symbolize_known *place = &s->known[0];

	for (size_t i = 0; i < KNOWN; i++) {
		struct symbolize_known *k = &s->known[i];

		if (k->elf == elf) {
			k->used = ++s->clock;
			return;
		}
		if (k->used < place->used)
			place = k;
	}
	if (*s->debug_dir && !elf_has_symtab(elf))
		elf_set_debug(elf, debugfile_find(elf, path, s->debug_dir));
	elf_unref(place->elf);
	*place = (struct symbolize_known){elf_ref(elf), ++s->clock};
}

/* The file of a mapping with a reference, NULL when there is none that can be read. */
static struct elf *file_of(struct symbolizer *s, const struct symbol_space *space, const struct map *map)
{
	struct elf *elf = NULL;

	if (space->vdso && strcmp(map->path, "[vdso]") == 0)
		return elf_ref(space->vdso);
	if (elf_cache_get(s->cache, map, space->proc, &elf))
		return NULL;
	prepare(s, elf, map->path);
	return elf;
}

int symbolize(struct symbolizer *s, const struct symbol_space *space, uint64_t addr, struct symbol_place *place)
{
	const struct map *map = maps_find(space->maps, addr);
	const struct elf_symbol *symbol = NULL;
	struct elf *elf = NULL;
	uint64_t bias = 0;
	int err = 0;

	if (!map)
		return -ENOENT;
	*place = (struct symbol_place){.file = map->path, .file_offset = addr - map->start + map->offset};
	elf = file_of(s, space, map);
	if (!elf)
		return 0;
	if (elf_bias(elf, map->start, map->offset, map->prot & PROT_EXEC, &bias)) {
		place->vaddr = addr - bias;
		symbol = elf_lookup(elf, place->vaddr);
	}
	if (symbol) {
		buf_reset(&s->name, SIZE_MAX);
		err = demangle(&s->name, symbol->name);
		place->name = s->name.data;
		place->offset = place->vaddr - symbol->start;
	}
	elf_unref(elf);
	return err;
}

const struct elf_symbol *symbolizer_lookup(struct symbolizer *s, struct elf *elf, const char *path, uint64_t vaddr)
{
	prepare(s, elf, path);
	return elf_lookup(elf, vaddr);
}

int symbol_place_print(struct buf *out, const struct symbol_place *place)
{
	if (place->name)
		return buf_printf(out, "%s(%s+0x%llx) [0x%llx]", place->file, place->name,
		                  (unsigned long long)place->offset, (unsigned long long)place->file_offset);
	return buf_printf(out, "%s() [0x%llx]", place->file, (unsigned long long)place->file_offset);
}
