/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Families of real processes, each named by one letter: it writes that over its argv[0], where /proc/PID/cmdline shows
 * it. Parents die, are replaced, and have their pids used again.
 */
#include "program.h"
#include "tap.h"
#include <exectrace/base/cleanup.h>
#include <exectrace/target/process/lineage.h>
#include <sys/mman.h>

#define FAMILY 16u

/* Shared by the test and all processes it makes. */
struct table {
	pid_t pid[FAMILY];
	char text[64]; /* what a child of the test found out */
};

static struct table *table;
static char *own_name;

static void be(char letter)
{
	memset(own_name, letter, strlen(own_name));
}

/* A process that outlives its parent, but not for long. */
static pid_t member(char letter)
{
	pid_t pid = child();

	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, 0, 0, 0, 0);
		signal(SIGCHLD, SIG_IGN);
		alarm(50);
		be(letter);
	}
	return pid;
}

/* letters "RAB": R is our child, A is R's, B is A's. Their pids are in the table, in this order. */
static void make_family(const char *letters)
{
	size_t n = strlen(letters);

	memset(table, 0, sizeof(*table));
	for (size_t i = 0; i < n; i++) {
		if (member(letters[i]) == 0) {
			table->pid[i] = getpid();
			continue;
		}
		while (i > 0)
			pause();
		break;
	}
	if (table->pid[n - 1] == getpid())
		for (;;)
			pause();
	for (int i = 0; i < 2500 && !*(volatile pid_t *)&table->pid[n - 1]; i++)
		nap(2);
	nap(5);
}

/* Ends the i-th; its children have another parent then. Who adopted it may be slow to reap it. */
static void kill_member(size_t i)
{
	char state = 0;

	kill(table->pid[i], SIGKILL);
	for (int t = 0; t < 2500; t++) {
		state = state_of(table->pid[i]);
		if (!state || state == 'Z')
			break;
		nap(2);
	}
	CHECK(!state || state == 'Z');
	end_of(table->pid[i]); /* if it is our child, or was left to us */
}

static void end_family(void)
{
	for (size_t i = FAMILY; i-- > 0;)
		if (table->pid[i])
			kill(table->pid[i], SIGKILL);
	end_of(table->pid[0]);
}

static struct exec_record record(pid_t pid, const char *cmdline)
{
	struct exec_record rec = {.pid = pid, .tid = pid, .have = EXEC_IDS | EXEC_ARGV};

	buf_puts(&rec.cmdline, cmdline);
	return rec;
}

static void note(struct lineage *lineage, pid_t pid, const char *cmdline)
{
	struct exec_record rec = record(pid, cmdline);
	int err = lineage_note(lineage, &rec);

	if (err)
		CHECK_INT(err, 0);
	exec_record_release(&rec);
}

/* The first letters of the ancestors, the nearest first; ! when depth is not their number. */
static void ancestors(struct lineage *lineage, pid_t pid, char *letters, size_t max)
{
	struct exec_record rec = record(pid, "");
	size_t n = 0;

	lineage_fill(lineage, &rec);
	for (size_t i = 0; i < rec.ancestors.n && n < max - 2; i++)
		letters[n++] = rec.ancestors.items[i][0];
	if (rec.depth != rec.ancestors.n || !(rec.have & EXEC_ANCESTORS))
		letters[n++] = '!';
	letters[n] = '\0';
	exec_record_release(&rec);
}

static const char *of(struct lineage *lineage, size_t i)
{
	static char letters[64];

	ancestors(lineage, table->pid[i], letters, sizeof(letters));
	return letters;
}

static void alive(void)
{
	struct exec_record rec;
	struct lineage *lineage;

	make_family("RABC");
	lineage = lineage_new(table->pid[0]);
	CHECK_INT(lineage_count(lineage), 0);
	CHECK_STR(of(lineage, 0), "");
	CHECK_STR(of(lineage, 1), "R");
	CHECK_STR(of(lineage, 3), "BAR");
	/* The whole command line, as it is now. */
	rec = record(table->pid[1], "");
	lineage_fill(lineage, &rec);
	CHECK(rec.ancestors.n == 1 && strlen(rec.ancestors.items[0]) == strlen(own_name));
	CHECK(rec.ancestors.n == 1 && strspn(rec.ancestors.items[0], "R") == strlen(own_name));
	exec_record_release(&rec);
	/* Another root: it ends there. */
	lineage_free(lineage);
	lineage = lineage_new(table->pid[2]);
	CHECK_STR(of(lineage, 3), "B");
	CHECK_STR(of(lineage, 2), "");
	lineage_free(lineage);
	end_family();
	lineage_free(NULL);
}

/* What died is remembered, as long as it was noted and a descendant lives. */
static void orphans(void)
{
	struct lineage *lineage;

	make_family("RABCD");
	lineage = lineage_new(table->pid[0]);
	note(lineage, table->pid[0], "r");
	note(lineage, table->pid[1], "a");
	note(lineage, table->pid[2], "b");
	note(lineage, table->pid[3], "c");
	note(lineage, table->pid[4], "d");
	CHECK_INT(lineage_count(lineage), 5);
	CHECK_STR(of(lineage, 4), "CBAR");
	kill_member(1);
	CHECK_STR(of(lineage, 4), "CBar");
	CHECK_STR(of(lineage, 2), "ar");
	kill_member(2);
	CHECK_STR(of(lineage, 4), "Cbar");
	CHECK_STR(of(lineage, 3), "bar");
	/* An exec of the orphan itself changes nothing. */
	note(lineage, table->pid[4], "new d");
	note(lineage, table->pid[3], "new c");
	CHECK_STR(of(lineage, 3), "bar");
	CHECK_STR(of(lineage, 4), "Cbar");
	kill_member(0);
	CHECK_STR(of(lineage, 3), "bar");
	kill_member(3);
	CHECK_STR(of(lineage, 4), "cbar");
	kill_member(4);
	if (!state_of(table->pid[4]))
		CHECK_STR(of(lineage, 4), "");
	lineage_free(lineage);
	table->pid[0] = 0;
}

/* A parent that executed something else since: of the living it is what they are now, of the dead what they were. */
static void replaced(void)
{
	struct lineage *lineage;

	make_family("RAB");
	lineage = lineage_new(table->pid[0]);
	note(lineage, table->pid[0], "r");
	note(lineage, table->pid[1], "1");
	note(lineage, table->pid[2], "b");
	note(lineage, table->pid[1], "2");
	CHECK_STR(of(lineage, 2), "AR");
	note(lineage, table->pid[2], "b again");
	kill_member(1);
	CHECK_STR(of(lineage, 2), "2r");
	lineage_free(lineage);
	end_family();
}

/* In a process of its own: the family's orphan is adopted by a process above us that is neither init nor our parent. */
static void adopted_below(void)
{
	struct lineage *lineage;

	make_family("RAB");
	lineage = lineage_new(table->pid[0]);
	note(lineage, table->pid[0], "r");
	note(lineage, table->pid[1], "a");
	note(lineage, table->pid[2], "b");
	kill_member(1);
	ancestors(lineage, table->pid[2], table->text, sizeof(table->text));
	lineage_free(lineage);
	end_family();
}

static void adopted(void)
{
	pid_t top = child();

	if (top == 0) {
		prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
		be('S');
		for (int depth = 0; depth < 2; depth++) {
			pid_t next = child();

			if (next) {
				end_of(next);
				_exit(0);
			}
			be('s');
		}
		adopted_below();
		_exit(0);
	}
	end_of(top);
	CHECK_STR(table->text, "ar");
}

/* The pid of a dead one is used by a stranger: it has no past. */
static void used_again(void)
{
	struct lineage *lineage;
	char letters[16];
	pid_t pid;

	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	make_family("RAB");
	lineage = lineage_new(table->pid[0]);
	note(lineage, table->pid[0], "r");
	note(lineage, table->pid[1], "a");
	note(lineage, table->pid[2], "b");
	kill_member(1);
	CHECK_STR(of(lineage, 2), "ar");
	kill_member(2);
	nap(30); /* the kernel tells processes apart by hundredths of a second */
	pid = child_with_pid(table->pid[2]);
	if (pid == table->pid[2]) {
		ancestors(lineage, pid, letters, sizeof(letters));
		CHECK_STR(letters, "");
		finish(pid);
	} else {
		printf("# skipped: no process can be made with a given pid\n");
	}
	lineage_free(lineage);
	table->pid[1] = table->pid[2] = 0;
	end_family();
	prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0);
}

/* Many execs of few processes: what no living process descends from goes. */
static void sweeping(void)
{
	struct lineage *lineage;
	pid_t others[40];

	make_family("RABC");
	lineage = lineage_new(table->pid[0]);
	note(lineage, table->pid[0], "r");
	note(lineage, table->pid[1], "a");
	note(lineage, table->pid[2], "b");
	note(lineage, table->pid[3], "c");
	kill_member(1);
	for (size_t i = 0; i < 40; i++)
		others[i] = idle_child();
	for (size_t i = 0; i < 2040; i++)
		note(lineage, others[i % 40], "x");
	CHECK_INT(lineage_count(lineage), 2044);
	for (size_t i = 0; i < 30; i++)
		finish(others[i]);
	for (size_t i = 0; i < 10; i++)
		note(lineage, others[35], "y");
	CHECK(lineage_count(lineage) >= 14 && lineage_count(lineage) <= 40);
	CHECK_STR(of(lineage, 3), "Bar");
	CHECK_STR(of(lineage, 2), "ar");
	kill_member(2);
	CHECK_STR(of(lineage, 3), "bar");
	for (size_t i = 0; i < 6000; i++)
		note(lineage, others[35], "z");
	CHECK(lineage_count(lineage) < 2100);
	CHECK_STR(of(lineage, 3), "bar");
	for (size_t i = 30; i < 40; i++)
		finish(others[i]);
	lineage_free(lineage);
	end_family();
}

/* One of a line in which each starts the next: says its pid, and starts another when told to. */
static void be_one_of_many(int up, int down)
{
	pid_t self = 0;
	char byte = 0;

	do {
		self = getpid();
		(void)!write(up, &self, sizeof(self));
		if (read(down, &byte, 1) != 1)
			_exit(0);
	} while (fork() == 0);
	for (;;)
		pause();
}

/* In which each starts the next and ends: what is held does not grow with it. */
static void long_line(void)
{
	struct lineage *lineage = lineage_new(1);
	int up[2], down[2];
	pid_t first = 0, pid = 0, last = 0;

	if (pipe2(up, O_CLOEXEC) || pipe2(down, O_CLOEXEC))
		return;
	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	first = child();
	if (first == 0) {
		close(down[1]);
		be_one_of_many(up[1], down[0]);
	}
	for (int i = 0; i < 4200; i++) {
		if (read(up[0], &pid, sizeof(pid)) != sizeof(pid)) {
			CHECK(!"one of the line did not come");
			break;
		}
		note(lineage, pid, "x");
		if (last)
			finish(last);
		last = pid;
		(void)!write(down[1], "", 1);
	}
	CHECK(lineage_count(lineage) <= 2100);
	if (read(up[0], &pid, sizeof(pid)) == sizeof(pid))
		finish(pid);
	finish(last);
	prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0);
	lineage_free(lineage);
	close(up[0]);
	close(up[1]);
	close(down[0]);
	close(down[1]);
}

/* Execs whose process was killed before they are noted. */
static void noted_too_late(void)
{
	struct lineage *lineage = lineage_new(1);
	pid_t pid[40], live = idle_child();

	for (size_t i = 0; i < 40; i++) {
		pid[i] = idle_child();
		finish(pid[i]);
	}
	for (size_t i = 0; i < 2046; i++)
		note(lineage, pid[i % 40], "dead");
	for (size_t i = 0; i < 4; i++)
		note(lineage, live, "live");
	/* At most what was noted since, and the newest of the living one. */
	if (!CHECK(lineage_count(lineage) <= 5))
		printf("#   count: %zu\n", lineage_count(lineage));
	lineage_free(lineage);
	finish(live);
}

int main(int argc, char **argv)
{
	(void)argc;
	own_name = argv[0];
	scratch_begin(60);
	table = mmap(NULL, sizeof(*table), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	alive();
	orphans();
	replaced();
	adopted();
	used_again();
	sweeping();
	noted_too_late();
	long_line();
	munmap(table, sizeof(*table));
	return TAP_DONE();
}
