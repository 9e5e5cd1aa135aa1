/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any bytes as a log of KFT or QEMU, and as a System.map. The first byte chooses: the format, and where the System.map
 * ends and the log begins. What must hold: an error says one line; a recording that was made is whole, and its calls
 * can be replayed and exported.
 */
#include "expect.h"
#include <errno.h>
#include <exectrace/answer/export/export.h>
#include <exectrace/answer/report/functions.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/record/import/import.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

/* A file in memory, and a path for it. */
static int file_of(const uint8_t *bytes, size_t n, char path[32])
{
	int fd = memfd_create("file", MFD_CLOEXEC);

	expect(fd >= 0 && write(fd, bytes, n) == (ssize_t)n);
	snprintf(path, 32, "/proc/self/fd/%d", fd);
	return fd;
}

static int take(void *user, const char *bytes, size_t n)
{
	(void)bytes;
	*(size_t *)user += n;
	return 0;
}

/* In one of the formats, with a budget or without. */
static void export_calls(struct recording *r, struct replay *p, unsigned which)
{
	static const char *const formats[] = {"json", "csv", "folded", "callgrind", "chrome", "perfetto"};
	static const struct functions_options all;
	cleanup_buf struct buf why = BUF_INIT;
	struct export_options options = {.write = take};
	struct exporter *e;
	size_t written = 0;

	options.user = &written;
	expect(!(which & 8) || budget_new(&options.budget, which & 16 ? 300 : 0, which & 16 ? 0 : 2) == 0);
	for (unsigned times = which & 8 ? 2 : 1; times; times--) {
		expect(exporter_new(&e, formats[which % 6], r, &options) == 0);
		expect(exporter_guest(e, p, &all) == 0 && exporter_finish(e, &why) == 0);
		expect(times > 1 ? !written : written == exporter_bytes(e));
		exporter_free(e);
		if (times > 1)
			budget_settle(options.budget);
	}
	budget_free(options.budget);
}

static void replay(const char *path, unsigned which)
{
	cleanup_buf struct buf why = BUF_INIT;
	const struct functions_row *const *rows;
	struct recording *r = NULL;
	struct report_functions *f = NULL;
	struct replay *p = NULL;
	size_t n;

	expect(recording_open(&r, path, NULL, &why) == 0);
	expect(replay_new(&p, r, 0, &(struct replay_options){0}, &why) == 0);
	f = functions_new(p, &(struct functions_options){.callees = true});
	expect(f && functions_count(f) == 0 && functions_rows(f, FUNCTIONS_SORT_TIME, &rows, &n) == 0);
	expect(recording_notes(r)->n <= 1 && !recording_damaged(r)); /* lost events are noted */
	expect(functions_total(f) == replay_cpu_time(p));
	functions_free(f);
	export_calls(r, p, which);
	replay_free(p);
	recording_close(r);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	cleanup_buf struct buf why = BUF_INIT;
	struct import_options options = {0};
	struct import_counts counts;
	char log[32], map[32], output[32];
	size_t split;
	int log_fd, map_fd, out_fd, rc;

	if (n < 2)
		return 0;
	options.format = (enum import_format)(bytes[0] % 4);
	split = bytes[0] / 4 % 4 * ((n - 1) / 4);
	map_fd = file_of(bytes + 1, split, map);
	log_fd = file_of(bytes + 1 + split, n - 1 - split, log);
	if (split)
		options.symbols = map;
	out_fd = file_of(NULL, 0, output);
	rc = import_log(log, out_fd, &options, &counts, &why);
	expect(rc == 0 || rc == -EBADMSG);
	expect((rc == 0) == (why.len == 0) && (!why.len || !strchr(why.data, '\n')));
	if (!rc)
		replay(output, (unsigned)n);
	close(out_fd);
	close(map_fd);
	close(log_fd);
	return 0;
}
