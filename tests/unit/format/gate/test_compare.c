/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Triggers that compare values. */
#include "tap.h"
#include <errno.h>
#include <exectrace/format/gate/gate.h>

static const char signature[] = "a:s4,name:p,c:e4{RED=1|BLUE=2},n:u8,on:b;s4";
static const struct data_extra extras[] = {{1, DATA_EXTRA_STRING, {"eth0", 4}}, {6, DATA_EXTRA_CUT, {"eth0", 4}}};
static const struct data_values values = {5, 1, {(uint32_t)-3, 0x1000, 2, UINT64_MAX, 1}, extras};
static const struct data_values result = {1, 1, {(uint32_t)-2}, &extras[1]};

/* What a trigger with these comparisons fires for the values above; -1: it is refused. */
static int fires(const char *trigger)
{
	struct control_config c = {0};
	struct buf err = BUF_INIT;
	struct signature types;
	bool exit = strncmp(trigger, "exit", 4) == 0;
	int fires = -1;

	signature_read(&types, (struct data_text){signature, sizeof(signature) - 1});
	if (control_set(&c, "from", trigger, &err) == 0)
		fires = control_fires(&c, &types, exit ? &result : &values, exit) == CONTROL_START;
	else
		CHECK(err.len > 0);
	buf_release(&err);
	control_release(&c);
	return fires;
}

static void test_compares(void)
{
	static const struct {
		const char *trigger;
		int fires;
	} all[] = {
		{"entry:f(a==-3)", 1},
		{"entry:f(a<0)", 1},
		{"entry:f( a >= -3 && a <= -3 )", 1},
		{"entry:f(a!=-3)", 0},
		{"entry:f(a>-3)", 0},
		{"entry:f(a==-3,c==BLUE)", 1},
		{"entry:f(a==-3,c==RED)", 0},
		{"entry:f(c!=RED)", 1},
		{"entry:f(c>1)", 1},
		{"entry:f(name==\"eth0\")", 1},
		{"entry:f(name==\"eth\")", 0},
		{"entry:f(name!=\"lo\")", 1},
		{"entry:f(name==0x1000)", 1},
		{"entry:f(n>9223372036854775807)", 1},
		{"entry:f(n==-1)", 1},
		{"entry:f(arg5==1)", 1},
		{"entry:f(arg6==0)", 0},
		{"entry:f(other!=1)", 0},
		{"entry:f", 0},
		{"exit:f(result==-2)", 1},
		{"exit:f(result<0)", 1},
		{"exit:f(result==\"eth0\")", 0},
		{"exit:f(a<0)", -1},
		{"entry:f(result<0)", -1},
		{"entry:f()", -1},
		{"entry:f(a", -1},
		{"entry:f(a<", -1},
		{"entry:f(a<1", -1},
		{"entry:f(a~1)", -1},
		{"entry:f(a<1x)", -1},
		{"entry:f(name<\"x\")", -1},
		{"entry:f(name==\"x)", -1},
		{"entry:f(a<1;c<1)", -1},
		{"entry:(a<1)", -1},
		{"entry:f(a<99999999999999999999)", -1},
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		printf("# %s\n", all[i].trigger);
		CHECK_INT(fires(all[i].trigger), all[i].fires);
	}
}

/* In KFI's language commas end words. */
static void test_language(void)
{
	static const char text[] = "trigger start entry f(a<0&&c==BLUE)\ntrigger stop exit g(result==0)\n";
	static const char wrong[] = "trigger start entry f(a<0\n";
	struct control_config c = {0};
	struct buf err = BUF_INIT;

	CHECK_INT(control_parse(&c, text, sizeof(text) - 1, &err), 0);
	CHECK_INT((long long)c.start.n_compares, 2);
	CHECK_INT((long long)c.stop.n_compares, 1);
	CHECK_STR(c.start.function, "f");
	CHECK(control_compares(&c, CONTROL_START) && control_compares(&c, CONTROL_STOP) && !control_compares(&c, 0));
	control_release(&c);
	CHECK_INT(control_parse(&c, wrong, sizeof(wrong) - 1, &err), -EINVAL);
	CHECK(err.len > 0);
	control_release(&c);
	buf_release(&err);
}

/* --- The gate ----------------------------------------------------------------------------------------------------- */

/* Values are counters of who holds them. */
struct counted {
	int held;
};

static void hold(void *v)
{
	if (v)
		((struct counted *)v)->held++;
}

static void drop(void *v)
{
	if (v)
		((struct counted *)v)->held--;
}

struct out {
	struct buf text;
	const struct counted *first;
};

static int put(void *user, const struct gate_event *e)
{
	static const char kinds[] = "CRTIEUSxLOQ";
	struct out *out = user;

	(void)buf_printf(&out->text, "%s%c", out->text.len ? " " : "", kinds[e->kind]);
	if (e->values)
		(void)buf_printf(&out->text, "=%d", (int)((const struct counted *)e->values - out->first));
	return 0;
}

/* Only calls that take 10 at least: what waits keeps its values, what is left out lets them go. */
static void test_gate(void)
{
	struct counted counted[4] = {{0}};
	struct gate_rules rules = {.min = 10, .start = CONTROL_ENTRY, .start_compares = true};
	struct out out = {BUF_INIT, counted};
	struct gate *g = gate_new(&rules, put, &out);
	const struct gate_event events[] = {
		{.kind = GATE_SWITCH, .number = 7},
		{.kind = GATE_CALL, .number = 1, .clock = 1, .time = 1, .values = &counted[3]},
		{.kind = GATE_RETURN, .clock = 20, .time = 20},
		{.kind = GATE_CALL,
	         .number = 1,
	         .clock = 21,
	         .time = 21,
	         .fires = CONTROL_START,
	         .values = &counted[0]},
		{.kind = GATE_CALL, .number = 2, .clock = 22, .time = 22, .values = &counted[1]},
		{.kind = GATE_RETURN, .clock = 23, .time = 23, .values = &counted[2]},
		{.kind = GATE_RETURN, .clock = 40, .time = 40, .values = &counted[2]},
		{.kind = GATE_CALL, .number = 1, .clock = 41, .time = 41, .values = &counted[1]},
	};

	gate_take_values(g, hold, drop);
	CHECK_INT(gate_function(g, 1, CONTROL_WANTED | CONTROL_START), 0);
	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++)
		CHECK_INT(gate_take(g, &events[i]), 0);
	CHECK_STR(out.text.data, "O S C=0 L R=2");
	CHECK_INT(counted[1].held, 1); /* its end is not known */
	gate_free(g);
	CHECK(!counted[0].held && !counted[1].held && !counted[2].held && !counted[3].held);
	buf_release(&out.text);
}

int main(void)
{
	test_compares();
	test_language();
	test_gate();
	return TAP_DONE();
}
