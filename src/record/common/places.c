/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/record/common/places.h>

#include <errno.h>
#include <exectrace/base/grow.h>
#include <stdlib.h>
#include <string.h>

#define BATCH 512u       /* symbols in a record at most */
#define SYMBOL_MAX 8192u /* bytes of a name that are kept */

/* What makes a place the same. */
struct key {
	uint64_t file, offset, caller;
};

int places_add(struct places *places, const struct code_map *map, uint64_t pc, bool caller, uint32_t *number)
{
	struct place place = {.offset = pc, .caller = caller};
	struct key key = {.caller = caller};
	uint64_t id = 0;
	bool fresh = false;
	int err = 0;

	if (map && map->file) {
		place.file = map->file;
		place.offset = pc - map->start + map->offset;
		place.biased = map->biased;
		place.vaddr = pc - map->bias;
	}
	key.file = place.file;
	key.offset = place.offset;
	if (grow_array((void **)&places->items, places->n, &places->cap, sizeof(*places->items)))
		return -ENOMEM;
	err = intern(&places->known, &key, sizeof(key), &id, &fresh);
	if (!err && fresh)
		places->items[places->n++] = place;
	*number = (uint32_t)id;
	return err;
}

/* --- Names --- */

/* A function: its place is counted as that of the place it was found for. */
struct places_function {
	const char *name;
	uint64_t before; /* bytes from its beginning to the place */
	uint64_t size;
};

static bool kernel_function(const struct places *places, const struct place *place, struct places_function *f)
{
	uint64_t at = place->offset - place->caller;
	const struct kallsym *symbol = places->kernel ? kallsyms_function(places->kernel, at) : NULL;

	if (!symbol)
		return false;
	f->name = kallsyms_name(places->kernel, symbol);
	f->before = place->offset - symbol->address;
	f->size = kallsyms_end(places->kernel, symbol) - symbol->address;
	return true;
}

/* The function of a place. False when it is not known. */
static bool function_of(const struct places *places, const struct place *place, struct places_function *f)
{
	const struct code_file *file = place->file ? code_file(places->files, place->file) : NULL;
	const struct elf_symbol *symbol = NULL;

	if (file && place->offset >= PLACES_KERNEL_START && place->offset < PLACES_KERNEL_END)
		return kernel_function(places, place, f);
	if (!file || !file->elf || !place->biased)
		return false;
	symbol = symbolizer_lookup(places->symbolizer, file->elf, file->path, place->vaddr - place->caller);
	if (!symbol)
		return false;
	*f = (struct places_function){symbol->name, place->vaddr - symbol->start, symbol->end - symbol->start};
	return true;
}

static int put_text(struct places *places, struct place *place)
{
	struct places_function function;
	bool known = function_of(places, place, &function);
	struct symbol_place out = {.file_offset = place->offset};
	struct buf name = BUF_INIT;
	int err = 0;

	place->at = places->text.len;
	if (!place->file) {
		err = buf_printf(&places->text, "[0x%llx]", (unsigned long long)place->offset);
	} else {
		out.file = code_file(places->files, place->file)->path;
		if (known) {
			err = (places->parameters ? demangle_whole : demangle)(&name, function.name);
			out.name = name.data;
			out.offset = function.before;
		}
		if (!err)
			err = symbol_place_print(&places->text, &out);
	}
	place->n = places->text.len - place->at;
	buf_release(&name);
	return err;
}

static int name_texts(struct places *places)
{
	int err = 0;

	for (; places->named < places->n && !err; places->named++)
		err = put_text(places, &places->items[places->named]);
	return err;
}

static int by_file(const void *a, const void *b)
{
	const struct place *x = *(const struct place *const *)a, *y = *(const struct place *const *)b;

	return x->file < y->file ? -1 : x->file > y->file;
}

static void flush_batch(struct places *places, struct data_event *batch)
{
	if (batch->symbols.n)
		places->files->define(places->files->user, batch);
	batch->symbols.n = 0;
}

/* Adds the function of a place to the batch when it is not defined yet. */
static int add_symbol(struct places *places, const struct place *place, struct data_event *batch,
                      struct data_symbol *symbols)
{
	struct places_function function;
	struct key key = {.file = place->file};
	uint64_t id = 0, start = 0;
	bool fresh = false;
	int err = 0;

	if (!function_of(places, place, &function) || place->offset < function.before)
		return 0;
	start = place->offset - function.before;
	key.offset = start;
	err = intern(&places->functions, &key, sizeof(key), &id, &fresh);
	if (err || !fresh)
		return err;
	if (batch->symbols.file != place->file || batch->symbols.n == BATCH)
		flush_batch(places, batch);
	batch->symbols.file = place->file;
	symbols[batch->symbols.n++] = (struct data_symbol){
		.address = start,
		.size = function.size,
		.name = {function.name, strnlen(function.name, SYMBOL_MAX)},
	};
	return 0;
}

static int define_symbols(struct places *places)
{
	size_t n = places->n - places->named;
	const struct place **order = calloc(n + 1, sizeof(*order));
	struct data_symbol *symbols = calloc(BATCH, sizeof(*symbols));
	struct data_event batch = {.type = DATA_SYMBOLS, .symbols = {.items = symbols}};
	int err = order && symbols ? 0 : -ENOMEM;

	for (size_t i = 0; i < n && !err; i++)
		order[i] = &places->items[places->named + i];
	if (!err)
		qsort(order, n, sizeof(*order), by_file);
	for (size_t i = 0; i < n && !err; i++)
		err = add_symbol(places, order[i], &batch, symbols);
	if (!err)
		flush_batch(places, &batch);
	places->named = places->n;
	free(symbols);
	free(order);
	return err;
}

int places_name(struct places *places)
{
	int err = 0;

	if (places->named < places->n)
		err = places->files->define ? define_symbols(places) : name_texts(places);
	code_files_close(places->files);
	return err;
}

struct data_text places_text(const struct places *places, uint32_t number)
{
	const struct place *place = &places->items[number - 1];

	return (struct data_text){places->text.data + place->at, place->n};
}

void places_reset(struct places *places)
{
	free(places->items);
	places->items = NULL;
	places->n = places->cap = places->named = 0;
	intern_release(&places->known);
	buf_release(&places->text);
}

size_t places_bytes(const struct places *places)
{
	return places->known.bytes + places->functions.bytes + places->text.cap + places->cap * sizeof(*places->items);
}
