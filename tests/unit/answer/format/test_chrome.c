/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Chrome's trace events, read by jq. */
#include "tap.h"

#include <exectrace/answer/format/chrome.h>
#include <exectrace/base/cleanup.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define TEXT(literal) ((struct data_text){literal, sizeof(literal) - 1})

static void write_events(struct tracks *t)
{
	static const struct data_text functions[] = {TEXT("in\"ner"), TEXT("main")};
	const struct track_note notes[] = {{.name = "fd", .text = TEXT("3</\xff>")}, {.name = "result", .number = -2}};
	struct track_slice slice = {7, 1000, 2500001, false, "sys\\call", TEXT("re\"ad"), notes, 2, 0};
	uint64_t again = 0;

	CHECK_INT(tracks_start(t, 5000, 1700000000000000000), 0);
	CHECK_INT(tracks_process(t, 1, 4711, TEXT("pro\ng"), TEXT("prog\0")), 0);
	CHECK_INT(tracks_thread(t, 7, 4711, 4712, TEXT("worker")), 0);
	CHECK_INT(tracks_stack(t, functions, 2, &slice.stack), 0);
	CHECK_INT(tracks_stack(t, functions, 2, &again), 0);
	CHECK(slice.stack && again == slice.stack);
	CHECK_INT(tracks_slice(t, &slice), 0);
	slice = (struct track_slice){1, UINT64_MAX - 1, UINT64_MAX, false, "", TEXT("last"), NULL, 0, 0};
	CHECK_INT(tracks_open(t, &slice), 0);
	CHECK_INT(tracks_close(t, 1, slice.end), 0);
	slice = (struct track_slice){7, 3, 3, true, "signal", TEXT("SIGX"), NULL, 0, 0};
	CHECK_INT(tracks_slice(t, &slice), 0);
	CHECK_INT(tracks_finish(t), 0);
}

int main(void)
{
	static const char wanted[] =
		"[{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":4711,\"tid\":0,\"args\":{\"name\":\"pro\\\\x0ag\"}},"
		"{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":4711,\"tid\":4712,\"args\":{\"name\":\"worker\"}},"
		"{\"ph\":\"X\",\"name\":\"re\\\"ad\",\"cat\":\"sys\\\\call\",\"pid\":4711,\"tid\":4712,\"ts\":1,"
		"\"dur\":2499.001,\"sf\":\"2\",\"args\":{\"fd\":\"3</\\\\xff>\",\"result\":-2}},"
		"\"last 1\",{\"ph\":\"i\",\"s\":\"t\",\"name\":\"SIGX\",\"cat\":\"signal\",\"pid\":4711,\"tid\":4712,"
		"\"ts\":0.003},{\"1\":{\"name\":\"main\"},\"2\":{\"name\":\"in\\\"ner\",\"parent\":\"1\"}},"
		"5000]\n";
	cleanup_buf struct buf out = BUF_INIT;
	char path[] = "/tmp/exectrace-chrome.XXXXXX", command[400], got[2000] = "";
	struct tracks *t = NULL;
	FILE *file = fdopen(mkstemp(path), "w");

	if (!CHECK(file) || !CHECK_INT(chrome_new(&t, &out), 0))
		return TAP_DONE();
	write_events(t);
	tracks_free(t);
	CHECK(strstr(out.data, "\"ts\":18446744073709551.614,\"dur\":0.001"));
	CHECK(fwrite(out.data, 1, out.len, file) == out.len && fclose(file) == 0);
	snprintf(command, sizeof(command),
	         "jq -c '(.traceEvents | map(if .name == \"last\" then \"last \\(.dur * 1000)\" else . end)) + "
	         "[.stackFrames, .otherData.monotonic_ns] | walk(if type == \"number\" then . + 0 else . end)' %s",
	         path);
	if (system("command -v jq >/dev/null") == 0) {
		file = popen(command, "r");
		CHECK(file && fread(got, 1, sizeof(got) - 1, file) > 0 && pclose(file) == 0);
		CHECK_STR(got, wanted);
	} else {
		SKIP("what jq makes of it", "jq is not installed");
	}
	remove(path);
	return TAP_DONE();
}
