/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "library.h"
#include "schema.h"

#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/quote.h>
#include <exectrace/base/utf8.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct database {
	struct library sql;
	sqlite3 *db;
	char *path;
	bool made; /* the file was made for this: it is gone unless it is committed */
	struct {
		sqlite3_stmt *insert;
		unsigned columns;
		int64_t next;
	} tables[DATABASE_TABLES];
	/* The row that is being made. */
	enum database_table table;
	unsigned column;
	int rc;           /* 0 or -errno */
	struct buf valid; /* what was made of a text that was no UTF-8 */
};

/* What SQLite has returned as -errno. */
static int error_of(const struct database *db, int code)
{
	int number = db->db ? db->sql.system_errno(db->db) : 0;

	switch (code & 0xff) {
	case SQLITE_OK:
	case SQLITE_ROW:
	case SQLITE_DONE:
		return 0;
	case SQLITE_NOMEM:
		return -ENOMEM;
	case SQLITE_FULL:
		return -ENOSPC;
	case SQLITE_READONLY:
		return -EROFS;
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return -EBUSY;
	case SQLITE_NOTADB:
	case SQLITE_CORRUPT:
		return -EBADMSG;
	default:
		return number ? -number : -EIO;
	}
}

/* Tells what failed, unless what is known is told already: `reason`, or what SQLite says. Returns rc. */
static int tell(const struct database *db, int rc, const struct buf *reason, struct buf *why)
{
	if (rc && rc != -ENOMEM && !why->len &&
	    buf_printf(why, "%s: %s", db->path,
	               reason && reason->len ? reason->data
	               : db->db              ? db->sql.errmsg(db->db)
	                                     : ""))
		return -ENOMEM;
	return rc;
}

static int run(struct database *db, const char *sql)
{
	return error_of(db, db->sql.exec(db->db, sql, NULL, NULL, NULL));
}

/* The number that a statement gives; `missing` when it gives none. */
static int ask(struct database *db, const char *sql, int64_t missing, int64_t *number)
{
	sqlite3_stmt *statement = NULL;
	int code = db->sql.prepare_v2(db->db, sql, -1, &statement, NULL);

	*number = missing;
	if (code == SQLITE_OK)
		code = db->sql.step(statement);
	if (code == SQLITE_ROW)
		*number = db->sql.column_int64(statement, 0);
	db->sql.finalize(statement);
	return error_of(db, code);
}

/* --- Opening -------------------------------------------------------------------------------------------------------
 */

/* A new file, or one that holds nothing, gets our tables; any other one has to be ours. */
static int prepare_tables(struct database *db, struct buf *why)
{
	cleanup_buf struct buf sql = BUF_INIT;
	int64_t items, application, version;
	int rc = ask(db, "SELECT count(*) FROM sqlite_master", 0, &items);

	if (!rc)
		rc = ask(db, "PRAGMA application_id", 0, &application);
	if (!rc)
		rc = ask(db, "PRAGMA user_version", 0, &version);
	if (rc)
		return rc == -EBADMSG && buf_puts(why, "it is no SQLite database") ? -ENOMEM : rc;
	if (!items && !application)
		return schema_tables(&sql) ? -ENOMEM : run(db, sql.data);
	if (application != DATABASE_APPLICATION)
		return buf_puts(why, "it is a database that exectrace has not made") ? -ENOMEM : -EEXIST;
	if (version != DATABASE_VERSION)
		return buf_printf(why, "its tables are of version %lld, and these are of version %d",
		                  (long long)version, DATABASE_VERSION)
		               ? -ENOMEM
		               : -EEXIST;
	return 0;
}

static int prepare_insert(struct database *db, enum database_table table)
{
	const struct schema_table t = schema_table(table);
	cleanup_buf struct buf sql = BUF_INIT;
	int rc = buf_printf(&sql, "SELECT coalesce(max(id), 0) + 1 FROM %s", t.name);

	if (!rc)
		rc = ask(db, sql.data, 1, &db->tables[table].next);
	sql.len = 0;
	if (!rc)
		rc = buf_printf(&sql, "INSERT INTO %s VALUES (?", t.name);
	for (unsigned i = 1; i < t.n && !rc; i++)
		rc = buf_puts(&sql, ",?");
	if (!rc)
		rc = buf_puts(&sql, ")");
	db->tables[table].columns = t.n;
	return rc ? rc : error_of(db, db->sql.prepare_v2(db->db, sql.data, -1, &db->tables[table].insert, NULL));
}

static int begin(struct database *db, struct buf *why)
{
	bool there = access(db->path, F_OK) == 0;
	int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOFOLLOW;
	int rc = library_load(&db->sql, why);

	if (!rc)
		rc = error_of(db, db->sql.open_v2(db->path, &db->db, flags, NULL));
	db->made = !rc && !there;
	/* Other programs may read it in the meantime, and have to wait for us when they write. */
	if (!rc)
		rc = run(db, "PRAGMA busy_timeout = 10000; PRAGMA cache_size = -65536; BEGIN IMMEDIATE");
	if (!rc)
		rc = prepare_tables(db, why);
	for (unsigned i = 0; i < DATABASE_TABLES && !rc; i++)
		rc = prepare_insert(db, i);
	return rc;
}

int database_open(struct database **ret, const char *path, struct buf *why)
{
	struct database *db = calloc(1, sizeof(*db));
	cleanup_buf struct buf reason = BUF_INIT;
	int rc = -ENOMEM;

	if (db && (db->path = strdup(path)))
		rc = tell(db, begin(db, &reason), &reason, why);
	if (rc)
		database_free(db);
	else
		*ret = db;
	return rc;
}

/* --- Rows ----------------------------------------------------------------------------------------------------------
 */

int64_t database_next(const struct database *db, enum database_table table)
{
	return db->tables[table].next;
}

int64_t database_reserve(struct database *db, enum database_table table, uint64_t n)
{
	int64_t first = db->tables[table].next;

	db->tables[table].next += (int64_t)n;
	return first;
}

void database_row(struct database *db, enum database_table table, int64_t number)
{
	db->table = table;
	db->column = 0;
	db->rc = 0;
	database_number(db, number ? number : database_reserve(db, table, 1));
}

/* The place of the next column; 0: there is none, or something has failed. */
static int next_column(struct database *db)
{
	if (!db->rc && db->column == db->tables[db->table].columns)
		db->rc = -EINVAL;
	return db->rc ? 0 : (int)++db->column;
}

static sqlite3_stmt *statement_of(const struct database *db)
{
	return db->tables[db->table].insert;
}

void database_number(struct database *db, int64_t value)
{
	int at = next_column(db);

	if (at)
		db->rc = error_of(db, db->sql.bind_int64(statement_of(db), at, value));
}

void database_null(struct database *db)
{
	int at = next_column(db);

	if (at)
		db->rc = error_of(db, db->sql.bind_null(statement_of(db), at));
}

void database_text(struct database *db, struct data_text text)
{
	const char *bytes = text.bytes ? text.bytes : "";
	sqlite3_destructor_type owner = SQLITE_STATIC;
	struct buf *valid = &db->valid;
	int at = next_column(db);

	if (!at)
		return;
	if (utf8_valid(bytes, text.n) < text.n) {
		valid->len = 0;
		db->rc = utf8_replace(valid, bytes, text.n);
		if (db->rc)
			return;
		bytes = valid->data;
		text.n = valid->len;
		owner = SQLITE_TRANSIENT;
	}
	if (text.n > INT32_MAX)
		text.n = INT32_MAX;
	db->rc = error_of(db, db->sql.bind_text(statement_of(db), at, bytes, (int)text.n, owner));
}

void database_string(struct database *db, const char *string)
{
	if (string)
		database_text(db, (struct data_text){string, strlen(string)});
	else
		database_null(db);
}

int database_add(struct database *db)
{
	sqlite3_stmt *statement = statement_of(db);

	if (!db->rc && db->column != db->tables[db->table].columns)
		db->rc = -EINVAL;
	if (!db->rc)
		db->rc = error_of(db, db->sql.step(statement));
	db->sql.reset(statement);
	return db->rc;
}

/* --- The end -------------------------------------------------------------------------------------------------------
 */

int database_commit(struct database *db, struct buf *why)
{
	int rc = run(db, schema_views);

	if (!rc)
		rc = run(db, "COMMIT");
	if (!rc)
		db->made = false;
	return tell(db, rc, NULL, why);
}

void database_free(struct database *db)
{
	if (!db)
		return;
	for (unsigned i = 0; i < DATABASE_TABLES; i++)
		if (db->tables[i].insert)
			db->sql.finalize(db->tables[i].insert);
	if (db->db)
		db->sql.close(db->db);
	if (db->made)
		(void)unlink(db->path);
	free(db->path);
	buf_release(&db->valid);
	free(db);
}
