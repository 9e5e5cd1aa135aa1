/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a task waited: looked up, for people, for programs. */
#include <exectrace/answer/why/guest/story/place.h>

#include <exectrace/answer/why/guest/story/text.h>
#include <string.h>

const char *place_name(const struct replay *p, uint32_t function)
{
	return function == REPLAY_UNKNOWN ? "" : replay_function(p, function)->name;
}

struct guest_place place_of(const struct replay *p, const struct task_wait *wait)
{
	return (struct guest_place){
		.function = place_name(p, wait->function),
		.purpose =
			wait->purpose == wait->function || wait->purpose == wait->caller || wait->purpose == wait->call
				? ""
				: place_name(p, wait->purpose),
		.call = place_name(p, wait->call),
		.caller = wait->caller == wait->function ? "" : place_name(p, wait->caller),
		.module = replay_function(p, wait->caller)->module,
	};
}

bool place_is_lock(const char *function)
{
	static const char *const locks[] = {"__mutex_lock", "rwsem_down_", "__down", "__wait_for_common"};

	for (size_t i = 0; i < sizeof(locks) / sizeof(*locks); i++)
		if (strncmp(function, locks[i], strlen(locks[i])) == 0)
			return true;
	return false;
}

void place_print_call(struct buf *out, const char *call)
{
	const char *name = strstr(call, "_sys_");

	if (!name)
		return;
	buf_puts(out, " (");
	text_name(out, name + 5);
	buf_putc(out, ')');
}

void place_print(struct buf *out, const struct guest_place *place)
{
	if (*place->purpose) {
		text_name(out, place->purpose);
		buf_puts(out, " > ");
	}
	text_function(out, place->function, *place->caller ? "" : place->module);
	place_print_call(out, place->call);
}

void place_print_caller(struct buf *out, const struct guest_place *place)
{
	if (!*place->caller)
		return;
	buf_puts(out, ", called by ");
	text_function(out, place->caller, place->module);
}

void place_json(struct jsonl *j, const struct guest_place *place)
{
	jsonl_string(j, "function", place->function);
	if (*place->purpose)
		jsonl_string(j, "purpose", place->purpose);
	jsonl_string(j, "call", place->call);
	jsonl_string(j, "caller", place->caller);
	jsonl_string(j, "module", place->module);
}
