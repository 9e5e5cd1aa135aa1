/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the page says of a call that returned something else than the others, with and without what it called. */
#include "guest_page.h"

#define CALLS 32
#define ODD 20

enum { ONE = 1, OTHERS = 2 }; /* who calls calibrate */

/* Calls of set_gain of a module, each with a result; the odd one calls calibrate, or does not; the others do, or not.
 */
static void record(struct guest *g, const char *type, uint64_t many, uint64_t one, unsigned callers)
{
	struct data_event event = {.type = DATA_SIGNATURE, .signature = {1, {type, strlen(type)}}};
	char words[100];
	uint64_t now = 1;

	if (!guest_begin(g, DATA_CLOCK_MONOTONIC, 1000000000))
		return;
	guest_name(g, 'a', "set_gain", "[mixer]");
	guest_name(g, 'b', "calibrate", "[mixer]");
	CHECK_INT(data_writer_event(g->writer, &event), 0);
	guest_add(g, "S1/0@0 P1=17:even@0 S2/0@0 P2=97:odd@0");
	for (unsigned i = 0; i < CALLS; i++, now += 5) {
		snprintf(words, sizeof(words), "S%d/0@%u Ca@%u", i == ODD ? 2 : 1, (unsigned)now, (unsigned)now);
		guest_add(g, words);
		snprintf(words, sizeof(words), "Cb@%u R@%u", (unsigned)now + 1, (unsigned)now + 2);
		if (callers & (i == ODD ? ONE : OTHERS))
			guest_add(g, words);
		event = (struct data_event){.type = DATA_CALL_RESULT, .clock = now + 3};
		event.values = (struct data_values){.nargs = 1, .args = {i == ODD ? one : many}};
		CHECK_INT(data_writer_event(g->writer, &event), 0);
		snprintf(words, sizeof(words), "R@%u", (unsigned)now + 3);
		guest_add(g, words);
	}
}

static void check_page(struct guest *g, const char *line, const char *json)
{
	const char *const lines[] = {*line ? line : "!differ from", NULL};

	guest_check_page(g, lines, json);
}

int main(void)
{
	struct guest g;

	record(&g, ";s4", 0, (uint64_t)-22, ONE | OTHERS);
	check_page(&g, "31 of 32 calls of set_gain [mixer] return 0; not that of odd [97]: -22 (EINVAL), ",
	           "\"differences\":[],\"result\":\"-22 (EINVAL)\",\"others\":\"0\"}");
	record(&g, ";p", 0x1000, 0, OTHERS);
	check_page(
		&g,
		"31 of 32 calls of set_gain [mixer] call calibrate and return a pointer; not that of odd [97]: "
		"NULL, ",
		"\"differences\":[{\"how\":\"lacks\",\"function\":\"calibrate\"}\n],\"result\":\"NULL\",\"others\":\"a "
		"pointer\"}");
	record(&g, ";s4", 0, 0, OTHERS);
	check_page(&g, "31 of 32 calls of set_gain [mixer] call calibrate; not that of odd [97], ",
	           "\"differences\":[{\"how\":\"lacks\",\"function\":\"calibrate\"}\n]}");
	/* No error: it may well be so. */
	record(&g, ";s4", 0, 7, ONE | OTHERS);
	check_page(&g, "", "\"odd_calls\":[]");
	/* It alone does more. */
	record(&g, ";s4", 0, 0, ONE);
	check_page(&g, "1 of 32 calls of set_gain [mixer] calls calibrate, unlike the others: odd [97], ",
	           "\"differences\":[{\"how\":\"also\",\"function\":\"calibrate\"}\n]}");
	return TAP_DONE();
}
