/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a tool finds itself in, seen from within the tool; and how it is seen that it has attached. */
#include "program.h"
#include "tap.h"
#include <exectrace/pick/action/process.h>
#include <exectrace/pick/action/start.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

/* Writes what it is given to a file: argv, group, nice, signal mask, SIGCHLD, its standard files, open descriptors. */
static const char source[] =
	"#include <dirent.h>\n#include <signal.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"
	"#include <sys/resource.h>\n#include <sys/stat.h>\n#include <unistd.h>\n"
	"static const char *file(int fd) { static char b[2][300]; static int i; char n[32]; char *t = b[i++ & 1];\n"
	"	int l; sprintf(n, \"/proc/self/fd/%d\", fd); l = readlink(n, t, 299);\n"
	"	t[l < 0 ? 0 : l] = 0; return t; }\n"
	"int main(int c, char **v) { FILE *f; char cwd[500]; sigset_t m; struct sigaction chld; int fds = 0;\n"
	"	DIR *d = opendir(\"/proc/self/fd\"); while (readdir(d)) fds++; closedir(d);\n"
	"	f = fopen(v[1], \"w\"); sigprocmask(0, 0, &m); sigaction(SIGCHLD, 0, &chld);\n"
	"	for (int i = 2; i < c; i++) fprintf(f, \"arg %s\\n\", v[i]);\n"
	"	fprintf(f, \"group %d\\n\", getpgrp() == getpid());\n"
	"	fprintf(f, \"nice %d\\n\", getpriority(PRIO_PROCESS, 0));\n"
	"	fprintf(f, \"mask %d%d\", sigismember(&m, SIGUSR1), sigismember(&m, SIGTTOU));\n"
	"	fprintf(f, \"%d\\n\", sigismember(&m, SIGTERM));\n"
	"	fprintf(f, \"chld %s\\n\", chld.sa_handler == SIG_IGN ? \"ignored\" : \"default\");\n"
	"	fprintf(f, \"env %s cwd %s\\n\", getenv(\"MARK\"), getcwd(cwd, sizeof(cwd)));\n"
	"	fprintf(f, \"in %s\\n\", file(0)); fprintf(f, \"same %d\\n\", !strcmp(file(1), file(2)));\n"
	"	fprintf(f, \"extra %d\\n\", fds - 6);\n"
	"	fprintf(f, \"front %d\\n\", isatty(0) && tcgetpgrp(0) == getpid());\n"
	"	fclose(f); return 11; }\n";

static const char *content_of(const char *path)
{
	static char text[4096];
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	text[0] = '\0';
	if (fd >= 0) {
		output_of(fd, text, sizeof(text));
		close(fd);
	}
	return text;
}

static pid_t start(int tty, int nice)
{
	struct place tool = place("tool"), report = place("report");
	char *argv[] = {(char *)"tool", report.path, (char *)"one", (char *)"", NULL};
	struct sigaction chld = {.sa_handler = SIG_IGN};
	struct start_setup setup = {.chld = &chld, .nice = nice, .socket = -1, .tty = tty};
	sigset_t mask;

	sigemptyset(&mask);
	sigaddset(&mask, SIGUSR1);
	setup.mask = &mask;
	return start_tool(tool.path, argv, &setup);
}

/* A value that an ordinary user may set: none is better than one's own. */
static int nicer(void)
{
	int value = getpriority(PRIO_PROCESS, 0) + 3;

	return value > 19 ? 19 : value;
}

static void expected(char *want, size_t n, const char *in, bool front)
{
	int inherited = 0; /* by the test itself */

	for (int fd = 3; fd < 1000; fd++)
		inherited += fcntl(fd, F_GETFD) == 0;
	snprintf(want, n,
	         "arg one\narg \ngroup 1\nnice %d\nmask 100\nchld ignored\nenv here cwd %s\nin %s\nsame 1\n"
	         "extra %d\nfront %d\n",
	         nicer(), scratch_dir, in, inherited, front);
}

static void without_terminal(void)
{
	char want[1024];
	sigset_t term, before;
	pid_t pid;

	sigemptyset(&term);
	sigaddset(&term, SIGTERM);
	sigprocmask(SIG_BLOCK, &term, &before);
	pid = start(-1, nicer());
	CHECK(pid > 0);
	CHECK_INT(end_of(pid), 11 << 8);
	sigprocmask(SIG_SETMASK, &before, NULL);
	expected(want, sizeof(want), "/dev/null", false);
	CHECK_STR(content_of(place("report").path), want);
}

/* In a session of its own, with a terminal; the tool is in its foreground. */
static void with_terminal(void)
{
	char want[1024], name[128] = "";
	int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC), tty, status = -1;
	pid_t pid;

	if (master < 0 || grantpt(master) || unlockpt(master) || ptsname_r(master, name, sizeof(name))) {
		printf("# skipped: no pseudo terminal here\n");
		return;
	}
	unlink(place("report").path);
	pid = child();
	if (pid == 0) {
		setsid();
		tty = open(name, O_RDWR | O_CLOEXEC);
		if (tty < 0 || ioctl(tty, TIOCSCTTY, 0))
			_exit(1);
		pid = start(tty, nicer());
		_exit(waitpid(pid, &status, 0) == pid && status == 11 << 8 && tcgetpgrp(tty) == pid ? 0 : 2);
	}
	CHECK_INT(end_of(pid), 0);
	expected(want, sizeof(want), name, true);
	CHECK_STR(content_of(place("report").path), want);
	close(master);
}

static void not_startable(void)
{
	char *argv[] = {(char *)"x", NULL};
	struct sigaction chld = {.sa_handler = SIG_DFL};
	sigset_t none;
	struct start_setup setup = {.mask = &none, .chld = &chld, .tty = -1};
	pid_t pid;

	sigemptyset(&none);
	pid = start_tool("/no/such/tool", argv, &setup);
	CHECK(pid > 0 && end_of(pid) == 127 << 8);
}

static size_t open_files(pid_t pid)
{
	char name[64];
	struct stat st;
	size_t n = 0;

	for (int fd = 0; fd < 100; fd++) {
		snprintf(name, sizeof(name), "/proc/%d/fd/%d", (int)pid, fd);
		n += lstat(name, &st) == 0;
	}
	return n;
}

/* Is there, in a group of its own, with nothing open, until one of three signals. */
static void handle(void)
{
	static const int ends[] = {SIGTERM, SIGINT, SIGHUP}, stays[] = {SIGUSR1, SIGQUIT, SIGPIPE, SIGTSTP, SIGALRM};
	char name[64];

	for (size_t i = 0; i < 3; i++) {
		pid_t pid = start_handle();

		CHECK(pid > 0);
		CHECK(reaches_state(pid, "S"));
		nap(20);
		for (size_t s = 0; s < sizeof(stays) / sizeof(stays[0]); s++)
			kill(pid, stays[s]);
		nap(5);
		CHECK_INT(state_of(pid), 'S');
		CHECK_INT(getpgid(pid), pid);
		CHECK_INT(open_files(pid), 0);
		snprintf(name, sizeof(name), "/proc/%d/comm", (int)pid);
		CHECK_STR(content_of(name), "exectrace-stop\n");
		kill(pid, ends[i]);
		CHECK_INT(end_of(pid), ends[i]);
	}
}

/* It does not outlive who made it. */
static void handle_alone(void)
{
	int ends[2];
	pid_t pid, made = 0;

	if (pipe2(ends, O_CLOEXEC))
		return;
	pid = child();
	if (pid == 0) {
		made = start_handle();
		nap(30);
		(void)!write(ends[1], &made, sizeof(made));
		_exit(0);
	}
	CHECK_INT(read(ends[0], &made, sizeof(made)), sizeof(made));
	end_of(pid);
	for (int i = 0; i < 1000 && state_of(made) && state_of(made) != 'Z'; i++)
		nap(2);
	CHECK(!state_of(made) || state_of(made) == 'Z');
	close(ends[0]);
	close(ends[1]);
}

/* A process that seizes `pid`, and then sleeps or does not. */
static pid_t tracer(pid_t pid, bool sleeps)
{
	pid_t tool = child();

	if (tool == 0) {
		nap(20);
		if (ptrace(PTRACE_SEIZE, pid, 0L, 0L))
			_exit(1);
		while (sleeps)
			pause();
		for (;;)
			;
	}
	return tool;
}

static bool attaches(const struct action *action, pid_t pid, pid_t tool)
{
	for (int i = 0; i < 250; i++) {
		if (start_attached(action, pid, tool))
			return true;
		nap(2);
	}
	return false;
}

static void attached(void)
{
	struct action traced = {.ready = READY_TRACER}, settled = {.ready = READY_TRACER | READY_SETTLED};
	struct action perf = {.ready = READY_PERF}, either = {.ready = READY_TRACER | READY_PERF}, never = {0};
	pid_t pid = idle_child(), tool = tracer(pid, true);

	CHECK(!start_attached(&traced, pid, tool));
	CHECK(attaches(&traced, pid, tool));
	CHECK(attaches(&settled, pid, tool));
	CHECK(attaches(&either, pid, tool));
	CHECK(!start_attached(&perf, pid, tool));
	CHECK(!start_attached(&never, pid, tool));
	CHECK_INT(process_tracer(pid), tool);
	finish(tool);
	CHECK(!start_attached(&traced, pid, tool));
	CHECK_INT(process_tracer(pid), 0);
	tool = tracer(pid, false);
	CHECK(attaches(&traced, pid, tool));
	CHECK(!start_attached(&settled, pid, tool));
	finish(tool);
	finish(pid);
	CHECK(!start_attached(&either, pid, tool));
}

/* perf: seen by the descriptors it has, once it sleeps. */
static void perf_events(void)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
	                               .size = sizeof(attr),
	                               .config = PERF_COUNT_SW_TASK_CLOCK};
	struct action perf = {.ready = READY_PERF};
	pid_t pid = idle_child(), tool = child();
	int fd;

	if (tool == 0) {
		nap(20);
		fd = (int)syscall(SYS_perf_event_open, &attr, pid, -1, -1, 0);
		while (fd >= 0)
			pause();
		_exit(1);
	}
	CHECK(!start_attached(&perf, pid, tool));
	if (attaches(&perf, pid, tool))
		CHECK(start_attached(&perf, pid, tool));
	else if (reaches_state(tool, "Z"))
		printf("# skipped: perf_event_open does not work here\n");
	else
		CHECK(!"perf events are not seen");
	finish(tool);
	finish(pid);
}

static void processes(void)
{
	unsigned char own[16], copy[16];
	pid_t pid = idle_child();

	CHECK_INT(process_parent(pid), getpid());
	CHECK(process_image(getpid(), own) && process_image(pid, copy) && memcmp(own, copy, 16) == 0);
	CHECK_INT(process_tracer(pid), 0);
	finish(pid);
	CHECK_INT(process_parent(pid), 0);
	CHECK_INT(process_tracer(pid), 0);
	CHECK(!process_image(pid, copy));
}

int main(void)
{
	scratch_begin(60);
	/* Who started the test may ignore them. */
	signal(SIGTERM, SIG_DFL);
	signal(SIGINT, SIG_DFL);
	signal(SIGHUP, SIG_DFL);
	setenv("MARK", "here", 1);
	if (chdir(scratch_dir) || !build("tool", source, ""))
		return 1;
	without_terminal();
	with_terminal();
	not_startable();
	handle();
	handle_alone();
	attached();
	perf_events();
	processes();
	return TAP_DONE();
}
