/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a database of ours looks like. */
#ifndef EXECTRACE_SRC_ANSWER_DATABASE_SCHEMA_H
#define EXECTRACE_SRC_ANSWER_DATABASE_SCHEMA_H

#include <exectrace/answer/database/database.h>

#define DATABASE_APPLICATION 0x65787472 /* "extr", its application_id (sqlite.org/pragma.html) */
#define DATABASE_VERSION 3              /* its user_version */

struct schema_table {
	const char *name;
	const char *columns; /* behind the first */
	unsigned n;          /* how many columns, with the first */
};

/* The row of a table. */
struct schema_table schema_table(enum database_table table);

/* Adds what makes the tables, as SQL. 0 or -ENOMEM. */
int schema_tables(struct buf *sql);

/* The views and the indexes, as SQL; those that are there already are left. */
extern const char schema_views[];

#endif
