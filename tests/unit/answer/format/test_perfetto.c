/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Perfetto's format, read by protoc with the numbers that Perfetto publishes. */
#include "oracle.h"
#include "tap.h"

#include <exectrace/answer/format/perfetto.h>
#include <exectrace/base/cleanup.h>

#define TEXT(literal) ((struct data_text){literal, sizeof(literal) - 1})

static const struct data_text functions[] = {TEXT("inner"), TEXT("ou;ter\n"), TEXT("main")};

static void slices(struct tracks *p)
{
	struct track_note notes[] = {{.name = "fd", .text = TEXT("3</\xff\x01>")}, {.name = "result", .number = -2}};
	struct track_slice slice = {7, 1000, 1500, false, "syscall", TEXT("read"), notes, 2, 0};
	uint64_t again = 0;

	CHECK_INT(tracks_stack(p, functions, 3, &slice.stack), 0);
	CHECK_INT(tracks_slice(p, &slice), 0);
	slice.begin = 2000;
	slice.end = UINT64_MAX;
	slice.nnotes = 0;
	CHECK_INT(tracks_stack(p, functions, 3, &again), 0);
	CHECK_INT((long long)again, (long long)slice.stack);
	CHECK_INT(tracks_slice(p, &slice), 0);
	CHECK_INT(tracks_stack(p, functions, 2, &slice.stack), 0);
	slice.instant = true;
	slice.name = TEXT("SIG\xffX");
	CHECK_INT(tracks_slice(p, &slice), 0);
}

static void write_trace(const char *path, bool emptied)
{
	cleanup_buf struct buf out = BUF_INIT;
	struct tracks *p = NULL;
	FILE *file = fopen(path, "w");

	if (!CHECK(file) || !CHECK_INT(perfetto_new(&p, &out), 0))
		return;
	CHECK_INT(tracks_start(p, 5000, 1700000000000000000), 0);
	CHECK_INT(tracks_process(p, 1, 4711, TEXT("pro\xc3g"), TEXT("pro\xc3g\0\0-l\0")), 0);
	if (emptied) {
		CHECK(fwrite(out.data, 1, out.len, file) == out.len);
		buf_reset(&out, 0);
	}
	CHECK_INT(tracks_thread(p, 7, 4711, 4712, TEXT("wor;ker")), 0);
	slices(p);
	CHECK(fwrite(out.data, 1, out.len, file) == out.len && fclose(file) == 0);
	tracks_free(p);
}

/* Spaces and the order of fields within a packet are protoc's. */
static const char wanted[] =
	"packet { clock_snapshot { clocks { clock_id: 3 timestamp: 5000 } "
	"clocks { clock_id: 1 timestamp: 1700000000000000000 } primary_trace_clock: MONOTONIC } "
	"trusted_packet_sequence_id: 1 sequence_flags: 3 trace_packet_defaults { timestamp_clock_id: 3 } } "
	"packet { trusted_packet_sequence_id: 1 sequence_flags: 2 track_descriptor { uuid: 1 process { pid: 4711 "
	"cmdline: \"pro\\\\xc3g\" cmdline: \"\" cmdline: \"-l\" process_name: \"pro\\\\xc3g\" } } } "
	"packet { trusted_packet_sequence_id: 1 sequence_flags: 2 "
	"track_descriptor { uuid: 7 thread { pid: 4711 tid: 4712 thread_name: \"wor;ker\" } } } "
	"packet { timestamp: 1000 trusted_packet_sequence_id: 1 "
	"track_event { category_iids: 1 debug_annotations { name_iid: 1 string_value: \"3</\\\\xff\\\\x01>\" } "
	"debug_annotations { name_iid: 2 int_value: -2 } "
	"type: SLICE_BEGIN name_iid: 1 track_uuid: 7 callstack_iid: 1 } "
	"interned_data { event_categories { iid: 1 name: \"syscall\" } event_names { iid: 1 name: \"read\" } "
	"debug_annotation_names { iid: 1 name: \"fd\" } debug_annotation_names { iid: 2 name: \"result\" } "
	"function_names { iid: 1 str: \"main\" } function_names { iid: 2 str: \"ou;ter\\\\x0a\" } "
	"function_names { iid: 3 str: \"inner\" } frames { iid: 1 function_name_id: 1 } "
	"frames { iid: 2 function_name_id: 2 } frames { iid: 3 function_name_id: 3 } "
	"callstacks { iid: 1 frame_ids: 1 frame_ids: 2 frame_ids: 3 } } sequence_flags: 2 } "
	"packet { timestamp: 1500 trusted_packet_sequence_id: 1 track_event { type: SLICE_END track_uuid: 7 } "
	"sequence_flags: 2 } "
	"packet { timestamp: 2000 trusted_packet_sequence_id: 1 "
	"track_event { category_iids: 1 type: SLICE_BEGIN name_iid: 1 track_uuid: 7 callstack_iid: 1 } "
	"sequence_flags: 2 } "
	"packet { timestamp: 18446744073709551615 trusted_packet_sequence_id: 1 "
	"track_event { type: SLICE_END track_uuid: 7 } sequence_flags: 2 } "
	"packet { timestamp: 2000 trusted_packet_sequence_id: 1 "
	"track_event { category_iids: 1 type: INSTANT name_iid: 2 track_uuid: 7 callstack_iid: 2 } "
	"interned_data { event_names { iid: 2 name: \"SIG\\\\xffX\" } "
	"callstacks { iid: 2 frame_ids: 2 frame_ids: 3 } } sequence_flags: 2 } ";

int main(void)
{
	char text[8192];

	scratch_begin(60);
	write_trace(place("whole").path, false);
	write_trace(place("parts").path, true);
	CHECK(shell("cmp whole parts"));
	if (!shell("command -v protoc")) {
		SKIP("what was written, decoded", "protoc is not installed");
		return TAP_DONE();
	}
	answer("protoc -I " TESTS_DIR " --decode=Trace perfetto.proto <whole | tr -s ' \\n' ' '", text, sizeof(text));
	CHECK_STR(text, wanted);
	return TAP_DONE();
}
