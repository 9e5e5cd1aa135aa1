/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/analyze/callpaths.h>

#include "idmap.h"
#include "pool.h"
#include <exectrace/base/grow.h>
#include <string.h>

#define SLOTS (1u << 12) /* at first */

struct callpaths {
	struct callpath *nodes;
	size_t n, cap;
	uint32_t *slots; /* open addressing; the number of a node, 0: free, as the root is nobody's child */
	size_t n_slots;
	struct pool texts;
	struct callpath_function *functions; /* by number */
	size_t n_functions, cap_functions;
	struct idmap functions_by_name; /* by both texts' addresses: the number, as a pointer */
	uint64_t cut;
};

/* Where a child is looked for first. */
static size_t slot_of(const struct callpaths *p, uint32_t from, uint32_t function)
{
	uint64_t mix = ((uint64_t)from << 32 | function) * 0x9e3779b97f4a7c15ull;

	return (size_t)(mix >> 32 ^ mix >> 12) & (p->n_slots - 1);
}

/* The slot of a child, or the free one in which it belongs. */
static uint32_t *find_slot(const struct callpaths *p, uint32_t from, uint32_t function)
{
	size_t at = slot_of(p, from, function);

	while (p->slots[at] && (p->nodes[p->slots[at]].parent != from || p->nodes[p->slots[at]].function != function))
		at = (at + 1) & (p->n_slots - 1);
	return &p->slots[at];
}

/* Twice as many slots. 0 or -ENOMEM. */
static int widen(struct callpaths *p)
{
	size_t n = p->n_slots * 2;
	uint32_t *slots = calloc(n, sizeof(*slots));

	if (!slots)
		return -ENOMEM;
	free(p->slots);
	p->slots = slots;
	p->n_slots = n;
	for (uint32_t i = 1; i < p->n; i++)
		*find_slot(p, p->nodes[i].parent, p->nodes[i].function) = i;
	return 0;
}

/* What is at the address of a text of the pool is the same text. */
static int text(struct callpaths *p, const char *string, const char **kept)
{
	return pool_text(&p->texts, string, strlen(string), kept, NULL);
}

int callpaths_function(struct callpaths *p, const char *name, const char *module, uint32_t *number)
{
	struct callpath_function f;
	void *found;
	int rc = text(p, name, &f.name);

	if (!rc)
		rc = text(p, module, &f.module);
	if (rc)
		return rc;
	found = idmap_get(&p->functions_by_name, (uintptr_t)f.name, (uintptr_t)f.module);
	*number = (uint32_t)(uintptr_t)found;
	if (found)
		return 0;
	rc = grow_array((void **)&p->functions, p->n_functions, &p->cap_functions, sizeof(f));
	if (rc)
		return rc;
	*number = (uint32_t)p->n_functions;
	p->functions[p->n_functions++] = f;
	return *number ? idmap_put(&p->functions_by_name, (uintptr_t)f.name, (uintptr_t)f.module,
	                           (void *)(uintptr_t)*number)
	               : 0;
}

int callpaths_step(struct callpaths *p, uint32_t from, uint32_t function, uint32_t *to)
{
	uint32_t *slot = find_slot(p, from, function);
	int rc;

	*to = *slot ? *slot : from;
	if (__builtin_expect(*slot != 0, 1))
		return 0;
	if (p->n == CALLPATHS_NODES || p->nodes[from].depth == CALLPATHS_DEPTH_MAX) {
		p->cut++;
		return 0;
	}
	rc = grow_array((void **)&p->nodes, p->n, &p->cap, sizeof(*p->nodes));
	if (rc)
		return rc;
	p->nodes[p->n] =
		(struct callpath){.parent = from, .function = function, .depth = (uint16_t)(p->nodes[from].depth + 1)};
	*to = *slot = (uint32_t)p->n++;
	return p->n * 2 > p->n_slots ? widen(p) : 0;
}

void callpaths_add(struct callpaths *p, uint32_t path, unsigned side, uint64_t self, uint64_t count)
{
	p->nodes[path].self[side] += self;
	p->nodes[path].count[side] += count;
}

void callpaths_sum(struct callpaths *p)
{
	for (size_t i = 0; i < p->n; i++)
		memcpy(p->nodes[i].total, p->nodes[i].self, sizeof(p->nodes[i].total));
	for (size_t i = p->n; i-- > 1;)
		for (unsigned side = 0; side < CALLPATHS_SIDES; side++)
			p->nodes[p->nodes[i].parent].total[side] += p->nodes[i].total[side];
}

int callpaths_new(struct callpaths **ret)
{
	struct callpaths *p = calloc(1, sizeof(*p));
	uint32_t none;
	int rc = -ENOMEM;

	if (!p)
		return rc;
	p->n_slots = SLOTS;
	p->slots = calloc(SLOTS, sizeof(*p->slots));
	if (p->slots)
		rc = grow_array((void **)&p->nodes, 0, &p->cap, sizeof(*p->nodes));
	if (!rc) {
		p->nodes[p->n++] = (struct callpath){0};
		rc = callpaths_function(p, "", "", &none);
	}
	if (rc)
		callpaths_free(p);
	else
		*ret = p;
	return rc;
}

void callpaths_free(struct callpaths *p)
{
	if (!p)
		return;
	free(p->nodes);
	free(p->slots);
	free(p->functions);
	pool_release(&p->texts);
	idmap_release(&p->functions_by_name);
	free(p);
}

size_t callpaths_n(const struct callpaths *p)
{
	return p->n;
}

const struct callpath *callpaths_at(const struct callpaths *p, uint32_t path)
{
	return &p->nodes[path];
}

size_t callpaths_functions(const struct callpaths *p)
{
	return p->n_functions;
}

const struct callpath_function *callpaths_function_at(const struct callpaths *p, uint32_t function)
{
	return &p->functions[function];
}

uint64_t callpaths_cut(const struct callpaths *p)
{
	return p->cut;
}
