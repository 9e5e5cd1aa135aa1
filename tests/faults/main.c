/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs trials of the generators until the time is over, two at once, and prints what they found. */
#include "faults.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define JOBS 8
#define ROWS 512
#define TRIAL_S 900

static const struct generator {
	const char *name;
	void (*trial)(const struct setup *setup, struct rng *rng, const char *dir, struct verdict *verdict);
} generators[] = {
	{"signals", signals_trial},
	{"calls", calls_trial},
	{"limits", limits_trial},
	{"trees", trees_trial},
};

#define GENERATORS (int)(sizeof(generators) / sizeof(generators[0]))

struct options {
	long seconds;
	long trials; /* or 0: as many as fit into the time */
	long first;
	int jobs;
	bool only[GENERATORS];
	bool keep;
};

/* A trial that is under way. */
struct job {
	pid_t pid;
	long number;
	int result; /* a pipe: its verdict comes through it */
	int64_t begin;
	char dir[PATH_MAX];
};

/* What was found with one action, engine, ...; or of one kind. */
struct row {
	char name[200];
	long times;
	long failures;
};

struct table {
	struct row rows[ROWS];
	int count;
};

struct driver {
	struct setup setup;
	struct options options;
	struct job jobs[JOBS];
	struct table what;
	struct table kinds;
	struct table skips;
	long passed;
	long failed;
	long skipped;
	int64_t end;
	long next;
};

static volatile sig_atomic_t stopped;

static struct row *row_of(struct table *table, const char *name)
{
	for (int i = 0; i < table->count; i++) {
		if (strcmp(table->rows[i].name, name) == 0)
			return &table->rows[i];
	}
	if (table->count == ROWS)
		return &table->rows[ROWS - 1];
	snprintf(table->rows[table->count].name, sizeof(table->rows[0].name), "%s", name);
	return &table->rows[table->count++];
}

static const struct generator *generator_of(const struct driver *driver, long number)
{
	int wanted[GENERATORS];
	int n = 0;

	for (int i = 0; i < GENERATORS; i++) {
		if (driver->options.only[i])
			wanted[n++] = i;
	}
	return &generators[wanted[number % n]];
}

/* On a machine with more to do than processors a run may take longer, before it is called a hang. */
static long scaled(long ms)
{
	double load = 0;
	double processors = (double)sysconf(_SC_NPROCESSORS_ONLN);

	if (getloadavg(&load, 1) != 1 || load < 2 * processors)
		return ms;
	return (long)((double)ms * load / (2 * processors));
}

/* The trial's process: everything that it starts comes back to it. */
static void be_trial(const struct driver *driver, const struct job *job, int result)
{
	const struct generator *generator = generator_of(driver, job->number);
	struct rng rng = rng_of(driver->setup.seed, (uint64_t)job->number);
	struct verdict verdict = {0};
	struct setup setup = driver->setup;

	setup.limit_ms = scaled(setup.limit_ms);
	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	setsid();
	generator->trial(&setup, &rng, job->dir, &verdict);
	if (!verdict.what[0])
		snprintf(verdict.what, sizeof(verdict.what), "%s", generator->name);
	if (write(result, &verdict, sizeof(verdict)) != (ssize_t)sizeof(verdict))
		_exit(1);
	_exit(0);
}

static void start(struct driver *driver, struct job *job)
{
	int ends[2];

	job->number = driver->next++;
	snprintf(job->dir, sizeof(job->dir), "%s/%ld", driver->setup.scratch, job->number);
	if (mkdir(job->dir, 0755) || chmod(job->dir, 0777) || pipe2(ends, O_CLOEXEC)) {
		perror(job->dir);
		exit(2);
	}
	fflush(stdout);
	job->pid = fork();
	if (job->pid == 0)
		be_trial(driver, job, ends[1]);
	close(ends[1]);
	job->result = ends[0];
	job->begin = now_us();
}

static void remove_dir(const char *dir)
{
	char line[PATH_MAX + 32];

	snprintf(line, sizeof(line), "rm -rf -- '%s'", dir);
	if (system(line))
		fprintf(stderr, "%s: cannot be removed\n", dir);
}

static void say_failure(const struct driver *driver, const struct job *job, const struct verdict *verdict)
{
	const char *name = generator_of(driver, job->number)->name;

	printf("not ok - %s: %s\n", verdict->what, verdict->kind);
	printf("#   %s\n", verdict->detail);
	printf("#   again: tests/faults/run --seed=%llu --only=%s --trial=%ld   kept: %s\n",
	       (unsigned long long)driver->setup.seed, name, job->number, job->dir);
}

static void finish(struct driver *driver, struct job *job)
{
	struct verdict verdict = {0};
	struct row *row = NULL;
	int status = 0;
	bool given = read(job->result, &verdict, sizeof(verdict)) == (ssize_t)sizeof(verdict);

	close(job->result);
	while (waitpid(job->pid, &status, 0) < 0 && errno == EINTR)
		;
	if (!given)
		verdict_say(&verdict, "the machinery itself failed", "the trial ended without a verdict: %s",
		            status_text(status));
	job->pid = 0;
	row = row_of(&driver->what, verdict.what);
	if (verdict.skipped) {
		driver->skipped++;
		row_of(&driver->skips, verdict.detail)->times++;
	} else {
		row->times++;
		row->failures += verdict.kind[0] != '\0';
		driver->passed += !verdict.kind[0];
		driver->failed += verdict.kind[0] != '\0';
	}
	if (verdict.kind[0]) {
		row_of(&driver->kinds, verdict.kind)->times++;
		say_failure(driver, job, &verdict);
	} else if (driver->setup.verbose) {
		printf("ok - %ld %s: %s\n", job->number, verdict.what, verdict.detail);
	}
	if (!verdict.kind[0] && !driver->options.keep)
		remove_dir(job->dir);
}

static bool more(const struct driver *driver)
{
	if (stopped)
		return false;
	if (driver->options.trials)
		return driver->next < driver->options.first + driver->options.trials;
	return now_us() < driver->end;
}

/* A trial that does not come to an end by itself is a fault of the machinery. */
static void end_old(struct driver *driver)
{
	for (int i = 0; i < JOBS; i++) {
		if (driver->jobs[i].pid && now_us() - driver->jobs[i].begin > TRIAL_S * INT64_C(1000000))
			kill(driver->jobs[i].pid, SIGKILL);
	}
}

/* Waits for the first trial that ends. */
static void wait_for_one(struct driver *driver)
{
	siginfo_t info = {0};

	alarm(5);
	if (waitid(P_ALL, 0, &info, WEXITED | WNOWAIT)) {
		end_old(driver);
		return;
	}
	alarm(0);
	for (int i = 0; i < JOBS; i++) {
		if (driver->jobs[i].pid == info.si_pid) {
			finish(driver, &driver->jobs[i]);
			return;
		}
	}
	waitpid(info.si_pid, NULL, 0); /* the child of a trial that died */
}

static bool any_job(const struct driver *driver)
{
	for (int i = 0; i < JOBS; i++) {
		if (driver->jobs[i].pid)
			return true;
	}
	return false;
}

static void run_trials(struct driver *driver)
{
	while (more(driver) || any_job(driver)) {
		for (int i = 0; i < driver->options.jobs && more(driver); i++) {
			if (!driver->jobs[i].pid)
				start(driver, &driver->jobs[i]);
		}
		if (any_job(driver))
			wait_for_one(driver);
	}
}

/* What a trial left that died itself. */
static void end_orphans(void)
{
	static struct processes all = {.program = ""};

	for (int tries = 0; tries < 100; tries++) {
		processes_look(&all);
		if (!all.count)
			break;
		for (int i = 0; i < all.count; i++)
			process_signal(&all.at[i], SIGKILL);
		while (waitpid(-1, NULL, WNOHANG | __WALL) > 0)
			;
		usleep(10000);
	}
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct row *)a)->name, ((const struct row *)b)->name);
}

static void print_table(struct table *table, const char *head, bool failures)
{
	if (!table->count)
		return;
	qsort(table->rows, (size_t)table->count, sizeof(table->rows[0]), by_name);
	printf("\n%-64s %6s%s\n", head, "times", failures ? "  failures" : "");
	for (int i = 0; i < table->count; i++) {
		printf("%-64s %6ld", table->rows[i].name, table->rows[i].times);
		if (failures)
			printf("  %8ld", table->rows[i].failures);
		printf("\n");
	}
}

/* One line a reason, as the end-to-end tests have them. */
static void print_skips(const struct driver *driver)
{
	if (driver->skips.count)
		printf("\n");
	for (int i = 0; i < driver->skips.count; i++)
		printf("ok - %ld trials # SKIP %s\n", driver->skips.rows[i].times, driver->skips.rows[i].name);
}

static void usage(FILE *to)
{
	fprintf(to,
	        "usage: tests/faults/run [--seed=N] [--time=SECONDS] [--only=GENERATOR]... [--trial=N] [--trials=N]\n"
	        "                        [--jobs=N] [--limit=MS] [--keep] [--verbose]\n"
	        "Generators:");
	for (int i = 0; i < GENERATORS; i++)
		fprintf(to, " %s", generators[i].name);
	fprintf(to,
	        "\n--trial=N repeats that trial (--trials=N times: those that follow). Environment: EXECTRACE, BUILD, FAULT_TIME,\n"
	        "FAULT_SEED, TMPDIR.\n");
}

static bool choose_only(struct options *options, const char *name)
{
	for (int i = 0; i < GENERATORS; i++) {
		if (strcmp(generators[i].name, name) == 0) {
			options->only[i] = true;
			return true;
		}
	}
	return false;
}

static void read_option(struct driver *driver, int letter, const char *value)
{
	struct options *options = &driver->options;

	if (letter == 's')
		driver->setup.seed = strtoull(value, NULL, 0);
	else if (letter == 't')
		options->seconds = atol(value);
	else if (letter == 'n')
		options->first = atol(value);
	else if (letter == 'c')
		options->trials = atol(value);
	else if (letter == 'j')
		options->jobs = atoi(value) < JOBS ? atoi(value) : JOBS;
	else if (letter == 'l')
		driver->setup.limit_ms = atol(value);
	else if (letter == 'k')
		options->keep = true;
	else if (letter == 'v')
		driver->setup.verbose = true;
	if (letter == '?' || letter == 'h' || (letter == 'o' && !choose_only(options, value))) {
		usage(letter == 'h' ? stdout : stderr);
		exit(letter == 'h' ? 0 : 2);
	}
	if (letter == 'n' && !options->trials)
		options->trials = 1;
}

static void read_options(struct driver *driver, int argc, char **argv)
{
	static const struct option known[] = {{"seed", 1, NULL, 's'},
	                                      {"time", 1, NULL, 't'},
	                                      {"only", 1, NULL, 'o'},
	                                      {"trial", 1, NULL, 'n'},
	                                      {"trials", 1, NULL, 'c'},
	                                      {"jobs", 1, NULL, 'j'},
	                                      {"limit", 1, NULL, 'l'},
	                                      {"keep", 0, NULL, 'k'},
	                                      {"verbose", 0, NULL, 'v'},
	                                      {"help", 0, NULL, 'h'},
	                                      {0}};
	struct options *options = &driver->options;
	bool any = false;
	int letter = 0;

	while ((letter = getopt_long(argc, argv, "hv", known, NULL)) >= 0)
		read_option(driver, letter, optarg);
	for (int i = 0; i < GENERATORS; i++)
		any |= options->only[i];
	for (int i = 0; i < GENERATORS && !any; i++)
		options->only[i] = true;
	if (options->jobs < 1)
		options->jobs = 1;
}

static void on_signal(int sig)
{
	if (sig != SIGALRM)
		stopped = 1;
}

static char *absolute(const char *path)
{
	char *full = realpath(path, NULL);

	if (!full) {
		perror(path);
		exit(2);
	}
	return full;
}

static void prepare(struct driver *driver)
{
	const char *tmp = getenv("TMPDIR");
	const char *exectrace = getenv("EXECTRACE");
	const char *build = getenv("BUILD");
	const char *seed = getenv("FAULT_SEED");
	const char *seconds = getenv("FAULT_TIME");
	char path[PATH_MAX];

	build = absolute(build ? build : "build");
	snprintf(path, sizeof(path), "%s/exectrace", build);
	driver->setup.exectrace = absolute(exectrace ? exectrace : path);
	driver->setup.program = strrchr(driver->setup.exectrace, '/') + 1;
	snprintf(path, sizeof(path), "%s/tests/faults", build);
	driver->setup.build = absolute(path);
	snprintf(path, sizeof(path), "%s/faults.XXXXXX", tmp && *tmp ? tmp : "/tmp");
	driver->setup.scratch = strdup(mkdtemp(path) ? path : "");
	if (!*driver->setup.scratch || chmod(driver->setup.scratch, 0755)) {
		perror(path);
		exit(2);
	}
	driver->setup.seed = seed && *seed ? strtoull(seed, NULL, 0) : (uint64_t)now_us() % 1000000007;
	driver->setup.limit_ms = 15000;
	driver->options.seconds = seconds && *seconds ? atol(seconds) : 240;
	driver->options.jobs = 2;
}

int main(int argc, char **argv)
{
	static struct driver driver;
	struct sigaction action = {.sa_handler = on_signal};

	setvbuf(stdout, NULL, _IOLBF, 0);
	prepare(&driver);
	read_options(&driver, argc, argv);
	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	sigaction(SIGALRM, &action, NULL);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	driver.next = driver.options.first;
	driver.end = now_us() + driver.options.seconds * 1000000;
	printf("seed %llu, %s\n", (unsigned long long)driver.setup.seed, driver.setup.exectrace);
	run_trials(&driver);
	end_orphans();
	print_table(&driver.what, "what", true);
	print_table(&driver.kinds, "failures by kind", false);
	print_skips(&driver);
	if (!driver.failed && !driver.options.keep)
		remove_dir(driver.setup.scratch);
	printf("\nseed %llu\n", (unsigned long long)driver.setup.seed);
	printf("%ld passed, %ld failed, %ld skipped\n", driver.passed, driver.failed, driver.skipped);
	return driver.failed || stopped ? 1 : 0;
}
