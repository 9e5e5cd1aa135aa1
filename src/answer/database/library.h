/* SPDX-License-Identifier: GPL-2.0-or-later */
/* libsqlite3, loaded when the first database is opened. Its interface: sqlite.org/c3ref. */
#ifndef EXECTRACE_SRC_ANSWER_DATABASE_LIBRARY_H
#define EXECTRACE_SRC_ANSWER_DATABASE_LIBRARY_H

#include <exectrace/base/buf.h>
#include <sqlite3.h>

/* clang-format off */
#define LIBRARY_FUNCTIONS(F) \
	F(open_v2) F(close) F(exec) F(prepare_v2) F(step) F(reset) F(finalize) F(column_int64) F(bind_int64) \
	F(bind_null) F(bind_text) F(errmsg) F(system_errno)
/* clang-format on */

struct library {
#define F(name) __typeof__(sqlite3_##name) *name;
	LIBRARY_FUNCTIONS(F)
#undef F
};

/* Fills it in. 0; -ELIBACC with one line in `why`. It stays loaded. */
int library_load(struct library *library, struct buf *why);

#endif
