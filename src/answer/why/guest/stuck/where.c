/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/why/guest/stuck/where.h>

#include <errno.h>
#include <exectrace/answer/why/guest/story/text.h>
#include <exectrace/base/grow.h>
#include <stdlib.h>
#include <string.h>

/* Of a program itself, with a name: a library's own functions do not tell what the program was at. */
static bool is_telling(const struct replay_function *f)
{
	return *f->module && *f->module != '[' && !strstr(f->module, ".so") && *f->name != '@' && *f->name != '[';
}

int where_open(struct where *where, const struct replay *p, const struct replay_stack *stack, uint32_t function)
{
	const struct replay_function *f = replay_function(p, function);
	uintptr_t number;
	struct guest_where *one;

	if (!stack->pid || !is_telling(f))
		return 0;
	number = (uintptr_t)idmap_get(&where->by_pid, stack->pid, 0);
	if (!number) {
		if (grow_array((void **)&where->list, where->n, &where->cap, sizeof(*where->list)))
			return -ENOMEM;
		where->list[where->n] = (struct guest_where){.module = f->module};
		number = ++where->n;
		if (idmap_put(&where->by_pid, stack->pid, 0, (char *)number))
			return -ENOMEM;
	}
	one = &where->list[number - 1];
	/* What is around main() is the same in each program. */
	if (one->n < GUEST_INNER && !(one->n && strcmp(one->functions[one->n - 1], "main") == 0))
		one->functions[one->n++] = f->name;
	return 0;
}

struct guest_where where_of(const struct where *where, uint32_t pid)
{
	uintptr_t number = pid ? (uintptr_t)idmap_get(&where->by_pid, pid, 0) : 0;

	return number ? where->list[number - 1] : (struct guest_where){.module = ""};
}

void where_release(struct where *where)
{
	idmap_release(&where->by_pid);
	free(where->list);
}

void where_print(struct buf *out, const struct guest_where *where)
{
	for (unsigned i = 0; i < where->n; i++) {
		buf_puts(out, i ? " < " : ", from ");
		text_function(out, where->functions[i], i + 1 == where->n ? where->module : "");
	}
}

void where_json(struct jsonl *j, const struct guest_where *where)
{
	struct buf all = BUF_INIT, text = BUF_INIT;
	struct jsonl one = {.out = &text};

	for (unsigned i = 0; i < where->n; i++) {
		jsonl_begin(&one);
		jsonl_string(&one, "name", where->functions[i]);
		jsonl_string(&one, "module", where->module);
		jsonl_end(&one);
		jsonl_object(&all, &one);
	}
	jsonl_objects(j, "program", &all);
	buf_release(&text);
}
