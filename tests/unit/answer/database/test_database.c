/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tap.h"
#include <errno.h>
#include <exectrace/answer/database/database.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/fd.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char dir[] = "/tmp/test_database.XXXXXX";

static const char *in_dir(const char *name)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return path;
}

/* A row of `functions`. */
static int add(struct database *db, const char *name)
{
	database_row(db, DATABASE_FUNCTIONS, 0);
	database_number(db, 1);
	database_string(db, name);
	database_null(db);
	database_number(db, 0);
	return database_add(db);
}

static void make(void)
{
	cleanup_buf struct buf why = BUF_INIT;
	struct database *db = NULL;

	CHECK_INT(database_open(&db, in_dir("a.db"), &why), 0);
	CHECK_INT(database_next(db, DATABASE_FUNCTIONS), 1);
	CHECK_INT(add(db, "main"), 0);
	CHECK_INT(add(db, "\xff"), 0);
	CHECK_INT(database_reserve(db, DATABASE_FUNCTIONS, 10), 3);
	CHECK_INT(database_next(db, DATABASE_FUNCTIONS), 13);
	CHECK_INT(database_commit(db, &why), 0);
	database_free(db);
	CHECK_INT(access(in_dir("a.db"), F_OK), 0);
	CHECK_INT(database_open(&db, in_dir("a.db"), &why), 0);
	CHECK_INT(database_next(db, DATABASE_FUNCTIONS), 3);
	database_free(db);
}

/* What is not committed was never there. */
static void undone(void)
{
	cleanup_buf struct buf why = BUF_INIT;
	struct database *db = NULL;

	CHECK_INT(database_open(&db, in_dir("b.db"), &why), 0);
	CHECK_INT(add(db, "main"), 0);
	database_free(db);
	CHECK_INT(access(in_dir("b.db"), F_OK), -1);
	CHECK_INT(database_open(&db, in_dir("a.db"), &why), 0);
	CHECK_INT(add(db, "main"), 0);
	database_free(db);
	CHECK_INT(database_open(&db, in_dir("a.db"), &why), 0);
	CHECK_INT(database_next(db, DATABASE_FUNCTIONS), 3);
	database_free(db);
}

/* A row has as many columns as its table, and none twice. */
static void columns(void)
{
	cleanup_buf struct buf why = BUF_INIT;
	struct database *db = NULL;

	CHECK_INT(database_open(&db, in_dir("a.db"), &why), 0);
	database_row(db, DATABASE_STACKS, 0);
	database_null(db);
	CHECK_INT(database_add(db), -EINVAL);
	database_row(db, DATABASE_STACKS, 0);
	for (int i = 0; i < 9; i++)
		database_null(db);
	CHECK_INT(database_add(db), -EINVAL);
	CHECK_INT(add(db, "the next one is right"), 0);
	database_free(db);
}

static void refused(const char *name, const char *content, const char *reason)
{
	cleanup_buf struct buf why = BUF_INIT;
	struct database *db = NULL;
	char after[64];
	int fd = open(in_dir(name), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	size_t n = strlen(content);

	CHECK_INT(fd_write_all(fd, content, n), 0);
	CHECK(database_open(&db, in_dir(name), &why) < 0);
	CHECK(strstr(why.data, reason) != NULL);
	CHECK(strncmp(why.data, dir, strlen(dir)) == 0);
	CHECK_INT(pread(fd, after, sizeof(after), 0), n);
	CHECK_INT(memcmp(after, content, n), 0);
	close(fd);
	unlink(in_dir(name));
}

int main(void)
{
	if (!mkdtemp(dir))
		return 1;
	make();
	undone();
	columns();
	refused("text", "this is no database, and is longer than sixteen bytes", "not a database");
	unlink(in_dir("a.db"));
	CHECK_INT(rmdir(dir), 0);
	return TAP_DONE();
}
