/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An SQLite database of recordings: see exectrace-export(1), SQLITE. All that is added between database_open and
 * database_commit is one transaction, so that a file has a run as a whole or not at all. libsqlite3 is loaded when it
 * is asked for (dlopen(3)): no other command pays for it.
 */
#ifndef EXECTRACE_ANSWER_DATABASE_DATABASE_H
#define EXECTRACE_ANSWER_DATABASE_DATABASE_H

#include <exectrace/base/buf.h>
#include <exectrace/format/data/record.h>
#include <stdint.h>

/* In the order of schema.inc. */
enum database_table {
#define TABLE(id, ...) DATABASE_##id,
#include <exectrace/answer/database/tables.inc>
#undef TABLE
	DATABASE_TABLES
};

struct database;

/*
 * Opens a file, makes it when it is not there, and begins a transaction. *ret is set on success only. 0; -ENOMEM; or
 * -errno with one line in `why`: it cannot be written, is no database of ours, or libsqlite3 is missing.
 */
int database_open(struct database **ret, const char *path, struct buf *why);

/* The number that the next row of a table gets. */
int64_t database_next(const struct database *db, enum database_table table);

/* Sets aside n numbers of a table, for rows that are added later, and returns the first. */
int64_t database_reserve(struct database *db, enum database_table table, uint64_t n);

/*
 * A row: database_row, then its columns behind the first, in their order, then database_add. number: one that was set
 * aside; 0: the next one. A failure stays until database_add returns it. Texts stay the caller's and have to be there
 * until then; bytes that are no UTF-8 become U+FFFD.
 */
void database_row(struct database *db, enum database_table table, int64_t number);
void database_number(struct database *db, int64_t value);
void database_text(struct database *db, struct data_text text);
void database_string(struct database *db, const char *string); /* NULL: as database_null */
void database_null(struct database *db);
int database_add(struct database *db);

/* Ends the transaction: all is in the file. 0; or -errno with one line in `why`. */
int database_commit(struct database *db, struct buf *why);

/* Closes it; what was not committed was never there, nor is a file that was made for it. NULL is allowed. */
void database_free(struct database *db);

#endif
