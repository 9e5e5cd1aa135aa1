/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Times of the host for any moment of the recorded clock, also behind the last one that is known. */
#include <exectrace/answer/replay/replay.h>

#include "guest_sample.h"

static struct replay *open_replay(struct guest *g, bool host_time)
{
	const struct replay_options options = {.host_time = host_time};
	struct buf why = BUF_INIT;
	struct replay *p = NULL;

	CHECK_INT(replay_new(&p, g->recording, 0, &options, &why), 0);
	buf_release(&why);
	return p;
}

int main(void)
{
	static const struct {
		uint64_t clock, ns;
	} rows[] = {{0, 1000}, {50, 1500}, {100, 2000}, {101, 2000}, {150, 2025}, {300, 2100}, {500, 2200}};
	struct guest g;
	struct replay *p;

	if (!guest_begin(&g, DATA_CLOCK_INSTRUCTIONS, 0))
		return TAP_DONE();
	guest_add(&g, "Y0:1000@0 S1/0@0 Ca@10 Y0:2000@100 R@200 Y0:2100@300 Y1:7@20 Y1:8@21");
	if (!guest_open_recording(&g))
		return TAP_DONE();
	p = open_replay(&g, true);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		CHECK_INT(replay_host_at(p, 0, rows[i].clock), rows[i].ns);
	CHECK_INT(replay_host_at(p, 1, 20), 7);
	CHECK_INT(replay_host_at(p, 1, 30), 17);
	/* A processor of which nothing is known. */
	CHECK_INT(replay_host_at(p, 9, 50), 50);
	replay_free(p);
	p = open_replay(&g, false);
	CHECK_INT(replay_host_at(p, 0, 50), 50);
	replay_free(p);
	guest_end(&g);
	return TAP_DONE();
}
