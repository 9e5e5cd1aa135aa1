/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stack_rows.h"

/* A stack but for its innermost function (0: there is nothing else), and that. */
struct frame_key {
	int64_t caller;
	int64_t function;
};

static int find_function(struct stack_rows *s, const struct recorded_function *function, int64_t *number)
{
	uint64_t *found;
	int rc = byte_map_find(&s->functions, &function->number, sizeof(function->number), &found);

	if (rc)
		return rc;
	if (!*found) {
		*found = (uint64_t)database_reserve(s->db, DATABASE_FUNCTIONS, 1);
		database_row(s->db, DATABASE_FUNCTIONS, (int64_t)*found);
		database_number(s->db, s->run);
		database_string(s->db, function->name);
		database_string(s->db, *function->file ? function->file : NULL);
		database_number(s->db, function->kernel);
		rc = database_add(s->db);
	}
	*number = (int64_t)*found;
	return rc;
}

/* The stack that `caller` (0: none) and a function on top of it are. */
static int find_stack(struct stack_rows *s, int64_t caller, int64_t function, int64_t *number)
{
	const struct frame_key key = {caller, function};
	uint64_t *found;
	int rc = byte_map_find(&s->frames, &key, sizeof(key), &found);

	if (rc)
		return rc;
	if (!*found) {
		*found = (uint64_t)database_reserve(s->db, DATABASE_STACKS, 1);
		database_row(s->db, DATABASE_STACKS, (int64_t)*found);
		database_number(s->db, s->run);
		if (caller)
			database_number(s->db, caller);
		else
			database_null(s->db);
		database_number(s->db, function);
		rc = database_add(s->db);
	}
	*number = (int64_t)*found;
	return rc;
}

static int make_stack(struct stack_rows *s, const struct recorded_frame *frames, size_t n, int64_t *number)
{
	int64_t function;
	int rc = 0;

	for (*number = 0; n && !rc; n--) {
		rc = find_function(s, frames[n - 1].function, &function);
		if (!rc)
			rc = find_stack(s, *number, function, number);
	}
	return rc;
}

int stack_row(struct stack_rows *s, struct recording *r, const struct recorded_event *event, int64_t *number)
{
	const struct recorded_frame *frames = NULL;
	uint64_t *found;
	size_t n;
	int rc = recording_stack(r, event, &frames, &n);

	*number = 0;
	if (rc || !n)
		return rc;
	rc = byte_map_find(&s->stacks, &frames, sizeof(frames), &found);
	if (!rc && !*found) {
		rc = make_stack(s, frames, n, number);
		*found = (uint64_t)*number;
	}
	if (!rc)
		*number = (int64_t)*found;
	return rc;
}

void stack_rows_release(struct stack_rows *s)
{
	byte_map_release(&s->stacks);
	byte_map_release(&s->frames);
	byte_map_release(&s->functions);
}
