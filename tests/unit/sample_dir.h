/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The recording of recording_sample.h in a directory of its own, which goes away again. After tap.h. */
#ifndef EXECTRACE_TESTS_UNIT_SAMPLE_DIR_H
#define EXECTRACE_TESTS_UNIT_SAMPLE_DIR_H

#include "recording_sample.h"
#include "tap.h"

#include <exectrace/answer/recording/recording.h>
#include <stdlib.h>
#include <string.h>

/* Makes the directory from a template for mkdtemp(3). */
static inline bool sample_dir_make(char *dir)
{
	return CHECK(mkdtemp(dir)) && CHECK_INT(sample_write(dir), 0);
}

static inline void sample_dir_remove(const char *dir)
{
	static const char *const names[] = {"run.json", "execs.jsonl", "trace-1-100.xtr", "trace-2-200.xtr"};
	char path[256];

	for (size_t i = 0; i < COUNT(names); i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, names[i]);
		unlink(path);
	}
	rmdir(dir);
}

/* Opens it; ends the test when that is not possible. */
static inline struct recording *sample_dir_open(const char *dir, const struct recording_options *options)
{
	struct buf why = BUF_INIT;
	struct recording *r = NULL;

	CHECK_INT(recording_open(&r, dir, options, &why), 0);
	buf_release(&why);
	return r;
}

#endif
