/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/record/guest/api/register_api.h>

#include <string.h>

static const char *const names[REGISTER_API_COUNT] = {"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
                                                      "r8",  "r9",  "r10", "r11", "r12", "r13", "r14", "r15"};

static void take(struct register_api *asked, const struct qemu_register *r)
{
	for (unsigned i = 0; r->name && i < REGISTER_API_COUNT; i++) {
		if (!asked->handles[i] && strcmp(r->name, names[i]) == 0) {
			asked->handles[i] = r->handle;
			asked->n++;
		}
	}
}

void register_api_find(struct register_api *asked, const struct qemu *q)
{
	struct garray *all = NULL;
	size_t size;

	if (asked->n || !q->registers || !q->ask || !q->garray_item_size || !q->garray_free || !q->gbytes_new ||
	    !q->gbytes_free)
		return;
	all = q->registers();
	size = all ? q->garray_item_size(all) : 0;
	for (unsigned i = 0; size >= sizeof(struct qemu_register) && i < all->n; i++)
		take(asked, (const struct qemu_register *)(all->items + i * size));
	if (all)
		q->garray_free(all, 1);
}

bool register_api_read(const struct register_api *asked, const struct qemu *q, uint64_t registers[REGISTER_API_COUNT])
{
	struct gbytes *bytes = q->gbytes_new();
	bool whole;

	for (unsigned i = 0; i < REGISTER_API_COUNT; i++)
		q->ask(asked->handles[i], bytes);
	whole = bytes->len == REGISTER_API_COUNT * sizeof(*registers);
	if (whole)
		memcpy(registers, bytes->data, bytes->len);
	q->gbytes_free(bytes, 1);
	return whole;
}

bool register_api_memory(const struct qemu *q, uint64_t address, void *to, size_t n)
{
	struct gbytes *bytes = NULL;
	bool whole;

	if (!q->ask_memory || !q->gbytes_new || !q->gbytes_free)
		return false;
	bytes = q->gbytes_new();
	whole = q->ask_memory(address, bytes, n) && bytes->len >= n;
	if (whole)
		memcpy(to, bytes->data, n);
	q->gbytes_free(bytes, 1);
	return whole;
}
