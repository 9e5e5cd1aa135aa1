/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/why/guest/story/top.h>

#include <string.h>

void top_put(struct guest_function *top, size_t *n, const struct guest_function *one)
{
	size_t at = *n;

	while (at && top[at - 1].time < one->time)
		at--;
	if (at == GUEST_TOP)
		return;
	*n += *n < GUEST_TOP;
	memmove(&top[at + 1], &top[at], (*n - at - 1) * sizeof(*top));
	top[at] = *one;
}

void top_json(struct jsonl *j, const struct guest_function *functions, size_t n)
{
	struct buf all = BUF_INIT, text = BUF_INIT;
	struct jsonl one = {.out = &text};

	for (size_t i = 0; i < n; i++) {
		jsonl_begin(&one);
		jsonl_string(&one, "name", functions[i].name);
		jsonl_string(&one, "module", functions[i].module);
		jsonl_unsigned(&one, "self", functions[i].time);
		if (functions[i].caller) {
			jsonl_string(&one, "caller", functions[i].caller);
			jsonl_string(&one, "caller_module", functions[i].caller_module);
		}
		jsonl_end(&one);
		jsonl_object(&all, &one);
	}
	jsonl_objects(j, "functions", &all);
	buf_release(&text);
}
