/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * under [KEY=VALUE]... -- COMMAND [ARG]...
 * Puts itself into an unusual state and executes COMMAND in it, so that a test can see what of that state is inherited.
 * LISTs are separated by commas; signals are names without SIG, or "all".
 */
#include "victim.h"
#include <grp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>

static void set_close(const char *value)
{
	for (; *value; value++)
		if (*value != ',')
			close(*value - '0');
}

static void set_limit(int what, const char *value)
{
	const char *colon = strchr(value, ':');
	struct rlimit limit;

	if (getrlimit(what, &limit) < 0)
		die("getrlimit");
	limit.rlim_cur = strtoul(value, NULL, 0);
	if (colon)
		limit.rlim_max = strtoul(colon + 1, NULL, 0);
	if (setrlimit(what, &limit) < 0)
		die("setrlimit");
}

static void set_nofile(const char *value)
{
	set_limit(RLIMIT_NOFILE, value);
}

static void set_core(const char *value)
{
	set_limit(RLIMIT_CORE, value);
}

static void set_nproc(const char *value)
{
	set_limit(RLIMIT_NPROC, value);
}

/* Fills set from a LIST of signals; the C library's own real-time signals are left alone. */
static void signal_list(const char *value, sigset_t *set)
{
	char *copy = strdup(value), *save = NULL, *name;
	int sig;

	sigemptyset(set);
	if (strcmp(value, "all") == 0)
		for (sig = 1; sig <= SIGRTMAX; sig++)
			if (sig != SIGKILL && sig != SIGSTOP && (sig < 32 || sig >= SIGRTMIN))
				sigaddset(set, sig);
	for (name = strtok_r(copy, ",", &save); name && strcmp(value, "all"); name = strtok_r(NULL, ",", &save))
		sigaddset(set, signal_number(name));
	free(copy);
}

static void set_ignore(const char *value)
{
	sigset_t set;
	int sig;

	signal_list(value, &set);
	for (sig = 1; sig <= SIGRTMAX; sig++)
		if (sigismember(&set, sig) == 1)
			signal(sig, SIG_IGN);
}

static void set_default(const char *value)
{
	sigset_t set;
	int sig;

	signal_list(value, &set);
	for (sig = 1; sig <= SIGRTMAX; sig++)
		if (sigismember(&set, sig) == 1)
			signal(sig, SIG_DFL);
}

static void set_block(const char *value)
{
	sigset_t set;

	signal_list(value, &set);
	sigprocmask(SIG_BLOCK, &set, NULL);
}

static void set_pending(const char *value)
{
	set_block(value);
	raise(signal_number(value));
}

static void set_umask(const char *value)
{
	umask((mode_t)strtol(value, NULL, 8));
}

static void set_nice(const char *value)
{
	if (setpriority(PRIO_PROCESS, 0, atoi(value)) < 0)
		die("setpriority");
}

static void set_sched(const char *value)
{
	struct sched_param param = {0};
	int policy = SCHED_BATCH;

	if (strcmp(value, "idle") == 0)
		policy = SCHED_IDLE;
	if (strcmp(value, "fifo") == 0) {
		policy = SCHED_FIFO;
		param.sched_priority = 3;
	}
	if (sched_setscheduler(0, policy, &param) < 0)
		die("sched_setscheduler");
}

static void set_cpu(const char *value)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET((size_t)atoi(value), &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus) < 0)
		die("sched_setaffinity");
}

static void set_group(const char *value)
{
	(void)value;
	if (setpgid(0, 0) < 0)
		die("setpgid");
}

static void set_session(const char *value)
{
	(void)value;
	if (setsid() < 0)
		die("setsid");
}

static void set_prctl(int what, unsigned long value)
{
	if (prctl(what, value, 0, 0, 0) < 0)
		die("prctl");
}

static void set_subreaper(const char *value)
{
	set_prctl(PR_SET_CHILD_SUBREAPER, (unsigned long)atol(value));
}

static void set_pdeathsig(const char *value)
{
	set_prctl(PR_SET_PDEATHSIG, (unsigned long)signal_number(value));
}

static void set_timerslack(const char *value)
{
	set_prctl(PR_SET_TIMERSLACK, (unsigned long)atol(value));
}

static void set_dumpable(const char *value)
{
	set_prctl(PR_SET_DUMPABLE, (unsigned long)atol(value));
}

static void set_itimer(const char *value)
{
	struct itimerval timer = {.it_value = {atoi(value) / 1000, atoi(value) % 1000 * 1000}};

	if (setitimer(ITIMER_REAL, &timer, NULL) < 0)
		die("setitimer");
}

static void set_chdir(const char *value)
{
	if (chdir(value) < 0)
		die(value);
}

static void set_chroot(const char *value)
{
	if (chroot(value) < 0 || chdir("/") < 0)
		die(value);
}

static void set_gid(const char *value)
{
	gid_t gid = (gid_t)atoi(value);

	if (setgroups(0, NULL) < 0 || setresgid(gid, gid, gid) < 0)
		die("setresgid");
}

static void set_uid(const char *value)
{
	uid_t uid = (uid_t)atoi(value);

	if (setresuid(uid, uid, uid) < 0)
		die("setresuid");
}

static void set_fd(const char *value)
{
	int fd = open("/dev/null", O_RDONLY);

	if (fd < 0 || dup2(fd, atoi(value)) < 0)
		die("dup2");
	if (fd != atoi(value))
		close(fd);
}

static void set_unset(const char *value)
{
	unsetenv(value);
}

static void set_oom(const char *value)
{
	int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, value, strlen(value)) < 0)
		die("oom_score_adj");
	close(fd);
}

static const struct key {
	const char *name;
	void (*set)(const char *value);
} keys[] = {
	{"block", set_block},
	{"chdir", set_chdir},
	{"chroot", set_chroot},
	{"close", set_close},
	{"core", set_core},
	{"cpu", set_cpu},
	{"default", set_default},
	{"dumpable", set_dumpable},
	{"fd", set_fd},
	{"gid", set_gid},
	{"group", set_group},
	{"ignore", set_ignore},
	{"itimer", set_itimer},
	{"nice", set_nice},
	{"nofile", set_nofile},
	{"nproc", set_nproc},
	{"oom", set_oom},
	{"pdeathsig", set_pdeathsig},
	{"pending", set_pending},
	{"sched", set_sched},
	{"session", set_session},
	{"subreaper", set_subreaper},
	{"timerslack", set_timerslack},
	{"uid", set_uid},
	{"umask", set_umask},
	{"unset", set_unset},
};

static void apply(const char *word)
{
	size_t i, n = strcspn(word, "=");

	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (strlen(keys[i].name) == n && strncmp(keys[i].name, word, n) == 0) {
			keys[i].set(word[n] ? word + n + 1 : "");
			return;
		}
	usage(word);
}

int main(int argc, char **argv)
{
	int i;

	for (i = 1; i < argc && strcmp(argv[i], "--"); i++)
		apply(argv[i]);
	if (i + 1 >= argc)
		usage("under [KEY=VALUE]... -- COMMAND [ARG]...");
	execvp(argv[i + 1], argv + i + 1);
	die(argv[i + 1]);
}
