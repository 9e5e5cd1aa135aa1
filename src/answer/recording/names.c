/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stacks: from addresses to functions. */
#include <exectrace/answer/recording/parts.h>

#include <errno.h>
#include <exectrace/base/grow.h>
#include <exectrace/base/path.h>
#include <exectrace/format/data/dictionary.h>
#include <exectrace/target/symbol/demangle.h>
#include <string.h>

#define FRAMES_MAX (1u << 25) /* of all stacks together: 1 GiB */

/* A stack that was looked up. */
struct named_stack {
	size_t n;
	struct recorded_frame frames[];
};

/* The kernel has the upper half of all addresses. */
static bool is_kernel(uint64_t address)
{
	return address >> 63;
}

/* The function of this name in this file. 0 or -ENOMEM. */
static int function_of(struct recording *r, const char *file, const char *name, bool known,
                       const struct recorded_function **ret)
{
	struct recorded_function *f;
	struct buf key = BUF_INIT;
	uint64_t id;
	bool fresh;
	int rc = buf_append(&key, file, strlen(file) + 1);

	if (!rc)
		rc = buf_puts(&key, name);
	if (!rc)
		rc = grow_array((void **)&r->functions, r->n_functions, &r->cap_functions, sizeof(f));
	if (!rc)
		rc = intern(&r->function_ids, key.data, key.len, &id, &fresh);
	buf_release(&key);
	if (rc || id <= r->n_functions) {
		*ret = rc ? NULL : r->functions[id - 1];
		return rc ? rc : *ret ? 0 : -ENOMEM;
	}
	f = calloc(1, sizeof(*f));
	r->functions[r->n_functions++] = f;
	if (!f)
		return -ENOMEM;
	*f = (struct recorded_function){.number = (uint32_t)id - 1, .name = "", .file = "", .known = known};
	*ret = f;
	rc = pool_text(&r->texts, name, strlen(name), &f->name, NULL);
	return rc ? rc : pool_text(&r->texts, file, strlen(file), &f->file, NULL);
}

static int path_of(struct recording *r, struct source *s, uint64_t id, const char **path)
{
	struct data_file file;
	int rc = data_reader_file(s->reader, id, &file);

	*path = "";
	if (rc)
		return rc == -ENOMEM ? rc : 0;
	return pool_text(&r->texts, file.path.n ? file.path.bytes : "",
	                 file.path.n ? strnlen(file.path.bytes, file.path.n) : 0, path, NULL);
}

static int new_symbol(struct recording *r, struct source *s, uint64_t file, const struct data_symbol *item,
                      const struct recorded_function **ret)
{
	struct buf mangled = BUF_INIT, name = BUF_INIT;
	const char *path;
	int rc = path_of(r, s, file, &path);

	if (!rc)
		rc = buf_append(&mangled, item->name.n ? item->name.bytes : "", item->name.n);
	if (!rc)
		rc = demangle(&name, mangled.data ? mangled.data : "");
	if (!rc)
		rc = function_of(r, path, name.data ? name.data : "", true, ret);
	buf_release(&mangled);
	buf_release(&name);
	return rc;
}

/* The function of a symbol, made with the first question for it. */
static int symbol_function(struct recording *r, struct source *s, uint64_t file, const struct data_symbol *item,
                           const struct recorded_function **ret)
{
	int rc;

	*ret = idmap_get(&s->symbols, item->address, file);
	if (*ret)
		return 0;
	rc = new_symbol(r, s, file, item, ret);
	return rc ? rc : idmap_put(&s->symbols, item->address, file, r->functions[(*ret)->number]);
}

static int nameless(struct recording *r, const char *path, uint64_t value, const struct recorded_function **ret)
{
	struct buf name = BUF_INIT;
	int rc = *path ? buf_printf(&name, "%s+%#llx", path_name(path), (unsigned long long)value)
	               : buf_printf(&name, "%#llx", (unsigned long long)value);

	if (!rc)
		rc = function_of(r, path, name.data, false, ret);
	buf_release(&name);
	return rc;
}

/* Finds the function of a frame whose address is set. `back`: the byte before it is what was executed. */
static int find_function(struct recording *r, struct source *s, uint64_t mapset, unsigned back,
                         struct recorded_frame *frame)
{
	struct data_symbol symbol;
	struct data_map map;
	const char *path;
	int rc = data_reader_map_at(s->reader, mapset, frame->address - back, &map);

	if (rc == -ENOMEM)
		return rc;
	if (rc || !map.file)
		return nameless(r, "", frame->address, &frame->function);
	frame->file_offset = frame->address - map.start + map.offset;
	rc = data_reader_symbol(s->reader, map.file, frame->file_offset - back, &symbol);
	if (!rc) {
		frame->offset = frame->file_offset - symbol.address;
		return symbol_function(r, s, map.file, &symbol, &frame->function);
	}
	if (rc == -ENOMEM)
		return rc;
	rc = path_of(r, s, map.file, &path);
	return rc ? rc : nameless(r, path, *path ? frame->file_offset : frame->address, &frame->function);
}

static int resolve(struct recording *r, struct source *s, uint64_t mapset, unsigned back, struct recorded_frame *frame)
{
	int rc = find_function(r, s, mapset, back, frame);

	if (!rc && is_kernel(frame->address))
		r->functions[frame->function->number]->kernel = true;
	return rc;
}

static int new_stack(struct recording *r, struct source *s, uint64_t id, struct named_stack **ret)
{
	struct data_stack record = {0};
	int rc = data_reader_stack(s->reader, id, &record);
	struct named_stack *stack;

	if (rc == -ENOMEM)
		return rc;
	if (rc)
		record.n = 0;
	if (record.n > FRAMES_MAX - r->frames) {
		record.n = 0;
		rc = r->stacks_too_big ? 0
		                       : recording_note(r, "%s: its stacks are too large; some are left out", s->path);
		r->stacks_too_big = r->damaged = true;
		if (rc == -ENOMEM)
			return rc;
	}
	r->frames += record.n;
	stack = calloc(1, sizeof(*stack) + record.n * sizeof(*stack->frames));
	if (!stack)
		return -ENOMEM;
	stack->n = record.n;
	/* The frames are the reader's only until the next question. */
	for (size_t i = 0; i < stack->n; i++)
		stack->frames[i].address = record.frames[i];
	rc = 0;
	for (size_t i = 0; i < stack->n && !rc; i++)
		rc = resolve(r, s, record.mapset, i > 0, &stack->frames[i]);
	if (!rc)
		rc = idmap_put(&s->stacks, id, 0, stack);
	if (rc)
		free(stack);
	else
		*ret = stack;
	return rc;
}

/* The identifier of a record's stack; 0: none. */
static uint64_t stack_of(const struct data_event *record)
{
	if (record->type == DATA_SAMPLE)
		return record->sample.stack;
	if (record->type == DATA_SIGNAL)
		return record->signal.stack;
	return record->type == DATA_SYSCALL || record->type == DATA_UNFINISHED ? record->syscall.stack : 0;
}

int recording_stack(struct recording *r, const struct recorded_event *event, const struct recorded_frame **frames,
                    size_t *n)
{
	struct source *s = &r->sources[event->file];
	const struct data_event *record = event->record;
	uint64_t id = stack_of(record);
	struct named_stack *stack;
	int rc;

	*n = 0;
	*frames = NULL;
	if (!id)
		return 0;
	stack = idmap_get(&s->stacks, id, 0);
	if (!stack) {
		rc = new_stack(r, s, id, &stack);
		if (rc)
			return rc;
	}
	*frames = stack->frames;
	*n = stack->n;
	return 0;
}

void names_release_source(struct source *s)
{
	for (size_t i = 0; i < s->stacks.cap; i++)
		free(s->stacks.slots[i].value);
	idmap_release(&s->stacks);
	idmap_release(&s->symbols);
}

void names_release(struct recording *r)
{
	for (size_t i = 0; i < r->n_functions; i++)
		free(r->functions[i]);
	free(r->functions);
	intern_release(&r->function_ids);
}
