/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "schema.h"

static const struct {
	const char *name, *columns;
} tables[] = {
#define TABLE(id, name, columns) {name, columns},
#include <exectrace/answer/database/tables.inc>
#undef TABLE
};

struct schema_table schema_table(enum database_table table)
{
	struct schema_table found = {tables[table].name, tables[table].columns, 2};

	for (const char *at = found.columns; *at; at++)
		found.n += *at == ',';
	return found;
}

int schema_tables(struct buf *sql)
{
	int rc = buf_printf(sql, "PRAGMA application_id = %d; PRAGMA user_version = %d;", DATABASE_APPLICATION,
	                    DATABASE_VERSION);

	for (size_t i = 0; i < DATABASE_TABLES && !rc; i++)
		rc = buf_printf(sql, "CREATE TABLE %s (id INTEGER PRIMARY KEY, %s);", tables[i].name,
		                tables[i].columns);
	return rc;
}

const char schema_views[] =
	"CREATE INDEX IF NOT EXISTS calls_by_name ON calls(run, name);"
	"CREATE INDEX IF NOT EXISTS stacks_by_caller ON stacks(caller);"
	"CREATE VIEW IF NOT EXISTS call_totals AS"
	" SELECT run, name, count(*) AS calls, count(error) AS errors, sum(duration) AS time, max(duration) AS longest"
	" FROM calls GROUP BY run, name;"
	"CREATE VIEW IF NOT EXISTS file_totals AS"
	" SELECT run, path, count(*) AS calls, count(error) AS errors, sum(duration) AS time"
	" FROM calls WHERE path IS NOT NULL GROUP BY run, path;"
	"CREATE VIEW IF NOT EXISTS process_totals AS"
	" SELECT p.*, count(c.id) AS calls, count(c.error) AS errors, coalesce(sum(c.duration), 0) AS time"
	" FROM processes p LEFT JOIN calls c ON c.process = p.id GROUP BY p.id;"
	"CREATE VIEW IF NOT EXISTS sample_totals AS"
	" SELECT s.run, f.name AS function, f.file, count(*) AS samples, sum(s.weight) AS time"
	" FROM samples s LEFT JOIN stacks k ON k.id = s.stack LEFT JOIN functions f ON f.id = k.function"
	" GROUP BY s.run, f.name, f.file;"
	"CREATE VIEW IF NOT EXISTS process_tree AS"
	" WITH RECURSIVE tree(id, depth, place) AS ("
	"SELECT id, 0, printf('%012d', id) FROM processes WHERE parent IS NULL"
	" UNION ALL SELECT p.id, t.depth + 1, t.place || printf('/%012d', p.id)"
	" FROM processes p JOIN tree t ON p.parent = t.id)"
	" SELECT p.*, t.depth FROM tree t JOIN processes p ON p.id = t.id ORDER BY t.place;"
	"CREATE VIEW IF NOT EXISTS stack_texts AS"
	" WITH RECURSIVE texts(stack, text) AS ("
	"SELECT k.id, f.name FROM stacks k JOIN functions f ON f.id = k.function WHERE k.caller IS NULL"
	" UNION ALL SELECT k.id, t.text || ';' || f.name FROM texts t JOIN stacks k ON k.caller = t.stack"
	" JOIN functions f ON f.id = k.function) SELECT stack, text FROM texts;"
	"CREATE VIEW IF NOT EXISTS guest_totals AS"
	" SELECT run, function, module, sum(calls) AS calls, sum(self) AS self, unit"
	" FROM guest_paths GROUP BY run, function, module, unit;";
