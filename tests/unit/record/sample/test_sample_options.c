/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tap.h"
#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/quote.h>
#include <exectrace/base/strv.h>
#include <exectrace/record/sample/options.h>

/* Parses the words behind a program's name. */
static int parse(const char *text, struct sample_options *o, struct buf *err)
{
	cleanup_strv struct strv words = STRV_INIT;

	buf_reset(err, 4096);
	CHECK_INT(strv_push(&words, "exectrace-profile"), 0);
	CHECK_INT(quote_split(text, &words, NULL), 0);
	return sample_options_parse(o, words.items, 1, err);
}

static void accepted(void)
{
	cleanup_buf struct buf err = BUF_INIT;
	struct sample_options o;

	CHECK_INT(parse("", &o, &err), 0);
	CHECK(!o.pid && o.frequency == 997 && o.graph == SAMPLE_DWARF && o.stack_bytes == 8192 && o.follow && !o.user);
	CHECK(!o.output && !o.help);
	sample_options_release(&o);
	CHECK_INT(parse("-F 49 -g fp --stack-size=1001 --no-follow -u -o 'a b' -p 77", &o, &err), 0);
	CHECK(o.pid == 77 && o.frequency == 49 && o.graph == SAMPLE_FP && o.stack_bytes == 1008 && !o.follow && o.user);
	CHECK_STR(o.output, "a b");
	sample_options_release(&o);
	CHECK_INT(parse("--call-graph=none --stack-size=61440 -F100000", &o, &err), 0);
	CHECK(o.graph == SAMPLE_NONE && o.stack_bytes == 61440 && o.frequency == 100000);
	sample_options_release(&o);
}

static void refused(const char *text, const char *want)
{
	cleanup_buf struct buf err = BUF_INIT;
	struct sample_options o;

	CHECK_INT(parse(text, &o, &err), -EINVAL);
	CHECK_STR(err.data, want);
	CHECK(!o.output);
}

int main(void)
{
	accepted();
	refused("-F 0", "--frequency: '0' is not a number from 1 to 100000");
	refused("-F 100001", "--frequency: '100001' is not a number from 1 to 100000");
	refused("-F 99x", "--frequency: '99x' is not a number from 1 to 100000");
	refused("-F -1", "--frequency: '-1' is not a number from 1 to 100000");
	refused("--stack-size=7", "--stack-size: '7' is not a number from 8 to 61440");
	refused("-o x --stack-size=61441", "--stack-size: '61441' is not a number from 8 to 61440");
	refused("-p 0", "--pid: '0' is not a number from 1 to 1073741824");
	refused("here", "'here' is not an option");
	return TAP_DONE();
}
