/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/story/state/objects.h>

#include "tap.h"
#include <string.h>

static uint32_t number(struct objects *o, const char *name)
{
	return objects_number(o, name, strlen(name));
}

static void names(void)
{
	struct objects o = {0};
	uint32_t a = number(&o, "pipe:[1]"), b = number(&o, "pipe:[2]");

	CHECK(a && b && a != b);
	CHECK_INT(number(&o, "pipe:[1]"), a);
	CHECK_STR(objects_at(&o, b)->name, "pipe:[2]");
	objects_release(&o);
}

/* The last one that had begun, by somebody else, of the kinds asked for. */
static void wakers(void)
{
	static const struct wake wakes[] = {{10, 11, 1, WAKE_GIVES},
	                                    {20, 21, 2, WAKE_GIVES},
	                                    {25, 26, 2, WAKE_CLOSES},
	                                    {30, 40, 3, WAKE_GIVES}};
	struct objects o = {0};
	uint32_t a = number(&o, "a");

	for (size_t i = 0; i < sizeof(wakes) / sizeof(*wakes); i++)
		CHECK_INT(objects_wake(&o, a, &wakes[i]), 0);
	CHECK(!objects_waker(&o, a, 9, 5, WAKE_GIVES));
	CHECK_INT(objects_waker(&o, a, 9, 15, WAKE_GIVES)->thread, 1);
	CHECK(!objects_waker(&o, a, 1, 15, WAKE_GIVES));
	CHECK_INT(objects_waker(&o, a, 9, 28, WAKE_GIVES)->enter, 20);
	CHECK_INT(objects_waker(&o, a, 9, 28, WAKE_GIVES | WAKE_CLOSES)->enter, 25);
	/* In progress: whoever waits may be seen to return first. */
	CHECK_INT(objects_waker(&o, a, 9, 35, WAKE_GIVES)->enter, 30);
	CHECK_INT(objects_waker(&o, a, 3, 35, WAKE_GIVES)->enter, 20);
	objects_release(&o);
}

static void connections(void)
{
	struct objects o = {0};
	uint32_t address = number(&o, "/s"), c1 = number(&o, "socket:[1]"), c2 = number(&o, "socket:[2]");
	uint32_t s1 = number(&o, "socket:[3]"), s2 = number(&o, "socket:[4]"), s3 = number(&o, "socket:[5]");
	uint32_t s4 = number(&o, "socket:[6]"), c3 = number(&o, "socket:[7]");

	CHECK_INT(objects_connect(&o, address, c1, 10), 0);
	CHECK_INT(objects_connect(&o, address, c2, 20), 0);
	CHECK_INT(objects_accept(&o, address, s1, 30), 0);
	CHECK_INT(objects_accept(&o, address, s2, 31), 0);
	CHECK_INT(objects_accept(&o, address, s3, 40), 0); /* of nobody who was recorded */
	CHECK_INT(objects_accept(&o, address, s4, 51), 0);
	CHECK_INT(objects_connect(&o, address, c3, 50), 0); /* it was in progress */
	CHECK_INT(objects_at(&o, s3)->peer, 0);
	CHECK_INT(objects_at(&o, c3)->peer, s4);
	CHECK_INT(objects_at(&o, c1)->peer, s1);
	CHECK_INT(objects_at(&o, s2)->peer, c2);
	CHECK_INT(objects_watch(&o, address, c1), 0);
	CHECK_INT(objects_watch(&o, address, c1), 0);
	CHECK_INT(objects_at(&o, address)->n_members, 1);
	objects_release(&o);
}

int main(void)
{
	names();
	wakers();
	connections();
	return TAP_DONE();
}
