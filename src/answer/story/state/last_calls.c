/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/story/state/last_calls.h>

#include <errno.h>
#include <exectrace/answer/calls/call.h>
#include <exectrace/base/kerrno.h>
#include <stdlib.h>
#include <string.h>

/* Whether what there is of an argument still says what it is when it is cut. */
static bool may_be_cut(uint8_t kind)
{
	return kind == DATA_EXTRA_BYTES || kind == DATA_EXTRA_STRING || kind == DATA_EXTRA_CUT;
}

static void keep_extra(struct last_call *kept, const struct data_extra *extra, size_t *used)
{
	size_t n = extra->text.n, left = LAST_CALL_BYTES - *used;
	struct data_extra *to = &kept->extras[kept->call.nextras];

	if (extra->kind == DATA_EXTRA_BYTES && n > LAST_CALL_BUFFER)
		n = LAST_CALL_BUFFER;
	if (n > left && !may_be_cut(extra->kind))
		return;
	n = n > left ? left : n;
	*to = *extra;
	if (n < extra->text.n && extra->kind == DATA_EXTRA_STRING)
		to->kind = DATA_EXTRA_CUT;
	if (n)
		memcpy(kept->bytes + *used, extra->text.bytes, n);
	to->text = (struct data_text){kept->bytes + *used, n};
	*used += n;
	kept->call.nextras++;
}

/* A terminal that is none, a pipe that cannot be seeked in, no child left, nothing to read yet, a signal. */
static bool is_an_answer(int64_t result)
{
	return result == -ENOTTY || result == -ESPIPE || result == -ECHILD || result == -EAGAIN || result == -EINTR ||
	       result == -ENOSYS || result == -ENOENT || is_restart(result);
}

static void keep(struct last_call *kept, const struct data_syscall *call, uint64_t time, bool unfinished)
{
	size_t used = 0;

	kept->time = time;
	kept->unfinished = unfinished;
	kept->call = *call;
	kept->call.nextras = 0;
	kept->call.extras = kept->extras;
	for (unsigned i = 0; i < call->nextras && kept->call.nextras < LAST_CALL_EXTRAS; i++)
		keep_extra(kept, &call->extras[i], &used);
}

/* From a file, which has a path. */
static bool is_read(const struct data_syscall *call)
{
	static const char *const names[] = {"read", "pread64", "readv", "preadv"};
	struct data_text path = {0};
	char text[CALL_NAME_MAX];
	const char *name = call_name(call, text);

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strcmp(names[i], name) == 0)
			return call_path(call, &path) && path.n && *path.bytes == '/';
	return false;
}

int last_calls_take(struct last_calls **calls, const struct data_syscall *call, uint64_t time, bool unfinished)
{
	if (!*calls)
		*calls = calloc(1, sizeof(**calls));
	if (!*calls)
		return -ENOMEM;
	keep(&(*calls)->items[(*calls)->n++ % LAST_CALLS], call, time, unfinished);
	if (call->error && !unfinished && !is_an_answer(call->result)) {
		keep(&(*calls)->failed, call, time, false);
		(*calls)->has_failed = true;
	}
	if (!call->error && !unfinished && is_read(call)) {
		keep(&(*calls)->read, call, time, false);
		(*calls)->has_read = true;
	}
	return 0;
}

const struct last_call *last_calls_failed(const struct last_calls *calls)
{
	return calls && calls->has_failed ? &calls->failed : NULL;
}

const struct last_call *last_calls_read(const struct last_calls *calls)
{
	return calls && calls->has_read ? &calls->read : NULL;
}

const struct last_call *last_calls_at(const struct last_calls *calls, size_t back)
{
	return calls && back < LAST_CALLS && back < calls->n ? &calls->items[(calls->n - 1 - back) % LAST_CALLS] : NULL;
}
