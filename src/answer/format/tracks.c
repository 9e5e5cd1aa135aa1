/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/format/tracks.h>

void tracks_free(struct tracks *t)
{
	if (t)
		t->ops->free(t);
}

int tracks_start(struct tracks *t, uint64_t monotonic, uint64_t realtime)
{
	return t->ops->start(t, monotonic, realtime);
}

int tracks_process(struct tracks *t, uint64_t track, uint32_t pid, struct data_text name, struct data_text argv)
{
	return t->ops->process(t, track, pid, name, argv);
}

int tracks_thread(struct tracks *t, uint64_t track, uint32_t pid, uint32_t tid, struct data_text name)
{
	return t->ops->thread(t, track, pid, tid, name);
}

int tracks_stack(struct tracks *t, const struct data_text *functions, size_t n, uint64_t *stack)
{
	return t->ops->stack(t, functions, n, stack);
}

int tracks_open(struct tracks *t, const struct track_slice *slice)
{
	return t->ops->open(t, slice);
}

int tracks_close(struct tracks *t, uint64_t track, uint64_t end)
{
	return t->ops->close ? t->ops->close(t, track, end) : 0;
}

int tracks_slice(struct tracks *t, const struct track_slice *slice)
{
	int rc = tracks_open(t, slice);

	return rc || slice->instant ? rc : tracks_close(t, slice->track, slice->end);
}

int tracks_finish(struct tracks *t)
{
	return t->ops->finish ? t->ops->finish(t) : 0;
}
