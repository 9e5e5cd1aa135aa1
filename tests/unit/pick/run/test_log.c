/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tree of `log` from records with pids above any real one, and the files it writes. */
#include "program.h"
#include "tap.h"
#include <exectrace/base/clock.h>
#include <exectrace/pick/run/log.h>

#define PID(n) (5000000 + (n)) /* pid_max is 4194304 at most */
#define MS NS_PER_MS

/* Adds `line` (words split at blanks), started after `start` ms. */
static struct log_node *add(struct log *log, int pid, int ppid, const char *line, uint64_t start)
{
	struct exec_record rec = {.pid = PID(pid), .tid = PID(pid), .ppid = PID(ppid), .when = 1000 * MS + start * MS};
	struct log_node *node;
	char words[256], *save = NULL;

	snprintf(words, sizeof(words), "%s", line);
	for (char *word = strtok_r(words, " ", &save); word; word = strtok_r(NULL, " ", &save))
		strv_push(&rec.argv, word);
	rec.have = EXEC_ARGV | EXEC_IDS;
	node = log_add(log, &rec);
	exec_record_release(&rec);
	CHECK(node != NULL);
	return node;
}

static void ended(struct log_node *node, int status, uint64_t after)
{
	struct exec_end end = {.known = true,
	                       .ended = true,
	                       .wait_status = status,
	                       .when = node->rec.when + after * MS};

	log_end(node, &end);
}

/* Adds one that has ended. */
static struct log_node *done(struct log *log, int pid, int ppid, const char *line, int status)
{
	struct log_node *node = add(log, pid, ppid, line, (uint64_t)pid);

	ended(node, status, 5);
	return node;
}

static void tree_is(const struct log *log, const char *want)
{
	struct buf out = BUF_INIT;

	CHECK_INT(log_tree(log, &out), 0);
	CHECK_STR(out.data ? out.data : "", want);
	buf_release(&out);
}

static void families(void)
{
	static const struct log none;
	struct log log = {0};
	struct log_node *make, *sh;

	tree_is(&log, "");
	make = add(&log, 1, 0, "make check", 0);
	sh = add(&log, 2, 1, "/bin/sh -c x", 10);
	done(&log, 3, 2, "./prog -l", 0);
	done(&log, 4, 2, "./prog 'two", 3 << 8);
	ended(sh, 3 << 8, 20);
	done(&log, 5, 1, "touch done", 0);
	ended(make, 2 << 8, 1500);
	tree_is(&log, "└── make check  [5000001] 1.50s exit 2\n"
	              "    ├── /bin/sh -c x  [5000002] 20.0ms exit 3\n"
	              "    │   ├── ./prog -l  [5000003] 5.00ms exit 0\n"
	              "    │   └── ./prog ''\\''two'  [5000004] 5.00ms exit 3\n"
	              "    └── touch done  [5000005] 5.00ms exit 0\n");
	log_release(&log);
	log_release(&log);
	/* Empty, so that it can be used again. */
	CHECK(memcmp(&log, &none, sizeof(log)) == 0);
}

/* More than one at the top: parents that are not logged. */
static void tops(void)
{
	struct log log = {0};

	done(&log, 1, 900, "one", 0);
	done(&log, 2, 901, "two", 0);
	/* Its parent has ended before: that pid is another's now. */
	done(&log, 3, 1, "three", 0);
	tree_is(&log, "├── one  [5000001] 5.00ms exit 0\n"
	              "├── two  [5000002] 5.00ms exit 0\n"
	              "└── three  [5000003] 5.00ms exit 0\n");
	log_release(&log);
}

static void ends(void)
{
	struct log log = {0};
	struct exec_end unknown = {.ended = true, .when = 1000 * MS + 9 * MS};
	struct log_node *node = add(&log, 1, 0, "killed", 0);

	ended(node, SIGSEGV | 0x80, 7);
	node = add(&log, 2, 0, "unknown", 0);
	log_end(node, &unknown);
	node = add(&log, 3, 0, "odd\nname", 0);
	ended(node, SIGTERM, 1);
	tree_is(&log, "├── killed  [5000001] 7.00ms SIGSEGV (core)\n"
	              "├── unknown  [5000002] 9.00ms ?\n"
	              "└── $'odd\\nname'  [5000003] 1.00ms SIGTERM\n");
	log_release(&log);
}

/* Plain repetitions become one line; what failed, has children or is another program does not. */
static void folding(void)
{
	struct log log = {0};
	struct log_node *make = add(&log, 1, 0, "make", 0), *cc;
	int pid = 10;

	for (int i = 0; i < 4; i++)
		done(&log, pid++, 1, i % 2 ? "/usr/bin/cc a.c" : "cc b.c", 0);
	done(&log, pid++, 1, "cc bad.c", 1 << 8);
	for (int i = 0; i < 2; i++)
		done(&log, pid++, 1, "cc c.c", 0);
	done(&log, pid++, 1, "ld", 0);
	for (int i = 0; i < 3; i++)
		done(&log, pid++, 1, "ar x", 0);
	cc = add(&log, pid, 1, "ar y", 0);
	done(&log, pid + 1, pid, "as", 0);
	pid += 2;
	ended(cc, 0, 3);
	for (int i = 0; i < 1000; i++)
		done(&log, pid++, 1, "rm f", 0);
	ended(make, 0, 100);
	tree_is(&log, "└── make  [5000001] 100ms exit 0\n"
	              "    ├── cc ... 4 times, 20.0ms\n"
	              "    ├── cc bad.c  [5000014] 5.00ms exit 1\n"
	              "    ├── cc c.c  [5000015] 5.00ms exit 0\n"
	              "    ├── cc c.c  [5000016] 5.00ms exit 0\n"
	              "    ├── ld  [5000017] 5.00ms exit 0\n"
	              "    ├── ar ... 3 times, 15.0ms\n"
	              "    ├── ar y  [5000021] 3.00ms exit 0\n"
	              "    │   └── as  [5000022] 5.00ms exit 0\n"
	              "    └── rm ... 1000 times, 5.00s\n");
	log_release(&log);
}

/* One program replaces another in the same process: its children before and after are told apart. */
static void replacing(void)
{
	struct log log = {0};
	struct log_node *root = add(&log, 1, 0, "make", 0), *node;

	add(&log, 2, 1, "sh -c x", 0);
	done(&log, 3, 2, "before", 0);
	node = add(&log, 2, 1, "env prog", 2);
	node = add(&log, 2, 1, "prog", 5);
	done(&log, 4, 2, "after", 0);
	ended(node, 0, 10);
	/* A new process of that pid is another one. */
	done(&log, 2, 1, "later", 0);
	ended(root, 0, 50);
	tree_is(&log, "└── make  [5000001] 50.0ms exit 0\n"
	              "    ├── sh -c x  [5000002] exec\n"
	              "    │   └── before  [5000003] 5.00ms exit 0\n"
	              "    ├── env prog  [5000002] exec\n"
	              "    ├── prog  [5000002] 10.0ms exit 0\n"
	              "    │   └── after  [5000004] 5.00ms exit 0\n"
	              "    └── later  [5000002] 5.00ms exit 0\n");
	log_release(&log);
}

/* One of a family that does not log everything: the nearest ancestor that lives, through processes that are not logged.
 */
static void through_real_processes(void)
{
	struct log log = {0};
	struct exec_record rec = {.pid = getpid(), .tid = getpid(), .ppid = getppid(), .when = MS, .have = EXEC_ARGV};
	struct log_node *top, *low;
	pid_t pid = idle_child();

	strv_push(&rec.argv, "top");
	top = log_add(&log, &rec);
	rec.pid = PID(9);
	rec.ppid = pid;
	rec.have = EXEC_ARGV;
	low = log_add(&log, &rec);
	CHECK(top && low && low->parent == top && !top->parent);
	exec_record_release(&rec);
	log_release(&log);
	finish(pid);
}

static void colors(void)
{
	struct log log = {.color = true};

	done(&log, 1, 0, "good", 0);
	done(&log, 2, 0, "bad", 1 << 8);
	tree_is(&log, "├── good  [5000001] \033[36m5.00ms\033[0m exit 0\n"
	              "└── bad  [5000002] \033[36m5.00ms\033[0m \033[1;31mexit 1\033[0m\n");
	log_release(&log);
}

/* A long command line is cut; a chain as deep as it may be is not lost without a word. */
static void limits(void)
{
	struct log log = {0}, deep = {0};
	struct buf out = BUF_INIT;
	char line[256];
	size_t lines = 0;

	memset(line, 'l', sizeof(line) - 1);
	line[sizeof(line) - 1] = '\0';
	done(&log, 1, 0, line, 0);
	CHECK_INT(log_tree(&log, &out), 0);
	CHECK_INT(strcspn(out.data, "\n"), strlen("└── ") + 160 + strlen("  [5000001] 5.00ms exit 0"));
	log_release(&log);
	buf_reset(&out, 0);
	for (int i = 0; i < 100; i++)
		add(&deep, 1000 + i, 1000 + i - 1, "deep", 0);
	CHECK_INT(log_tree(&deep, &out), 0);
	for (size_t i = 0; i < out.len; i++)
		lines += out.data[i] == '\n';
	CHECK_INT(lines, 100);
	log_release(&deep);
	buf_release(&out);
}

static const char *content_of(const char *path)
{
	static char text[4096];
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return NULL;
	output_of(fd, text, sizeof(text));
	close(fd);
	return text;
}

/* A file is emptied by the first line of a run, and only by that. */
static void files(void)
{
	struct log log = {0};
	struct place a = place("a"), b = place("b");
	struct buf text = BUF_INIT, empty = BUF_INIT;

	write_text(a.path, "of an earlier run\n", 0600);
	buf_puts(&text, "one");
	CHECK_INT(log_write(&log, a.path, &text), 0);
	CHECK_INT(log_write(&log, b.path, &text), 0);
	CHECK_STR(content_of(a.path), "one\n");
	CHECK_INT(log_write(&log, a.path, &text), 0);
	CHECK_INT(log_write(&log, a.path, &empty), 0);
	CHECK_STR(content_of(a.path), "one\none\n\n");
	CHECK_STR(content_of(b.path), "one\n");
	CHECK_INT(log_write(&log, place("no/such/dir").path, &text), -ENOENT);
	CHECK_INT(log_write(&log, scratch_dir, &text), -EISDIR);
	log_release(&log);
	buf_release(&text);
}

static void standard_error(void)
{
	struct log log = {0};
	struct buf text = BUF_INIT;
	int saved = fcntl(2, F_DUPFD_CLOEXEC, 10), fd = open(place("err").path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	buf_puts(&text, "line");
	dup2(fd, 2);
	CHECK_INT(log_write(&log, NULL, &text), 0);
	dup2(saved, 2);
	CHECK_STR(content_of(place("err").path), "line\n");
	CHECK_INT(log.files.n, 0);
	close(fd);
	close(saved);
	log_release(&log);
	buf_release(&text);
}

int main(void)
{
	scratch_begin(60);
	families();
	tops();
	ends();
	folding();
	replacing();
	through_real_processes();
	colors();
	limits();
	files();
	standard_error();
	return TAP_DONE();
}
