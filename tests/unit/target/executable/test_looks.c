/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Looks at files that may have to wait, made by helper processes. */
#include "program.h"
#include "tap.h"
#include <exectrace/base/clock.h>
#include <exectrace/target/executable/looks.h>
#include <exectrace/target/process/procfs.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/fanotify.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

static struct target_cache *cache;

/* The next that is done, waited for as the engine does; NULL after `ms`. */
static struct look *next(struct looks *looks, int ms)
{
	uint64_t end = clock_now() + (uint64_t)ms * NS_PER_MS;
	struct look *look = looks_next(looks);

	while (!look && clock_now() < end) {
		struct pollfd fds[LOOKS_HELPERS];
		size_t n = looks_poll(looks, fds);
		int wait = looks_wait_ms(looks);

		poll(fds, n, wait < 0 || wait > ms ? ms : wait);
		look = looks_next(looks);
	}
	return look;
}

static struct look *begin(struct looks *looks, const char *path, void *user)
{
	struct look *look = looks_begin(looks, getpid(), AT_FDCWD, path);

	if (look)
		look->user = user;
	return look;
}

/* Our children: their pids, and how many. */
static int helpers(pid_t *pids, int max)
{
	char text[4096] = "";
	char *at = text, *end = NULL;
	int n = 0;

	CHECK(proc_children(getpid(), text, sizeof(text)) >= 0);
	for (;; at = end) {
		long pid = strtol(at, &end, 10);

		if (end == at || n == max)
			return n;
		pids[n++] = (pid_t)pid;
	}
}

/* What a look finds is known afterwards without one. */
static void answers(void)
{
	struct looks *looks = looks_new(cache);
	struct place prog = place("program"), script = place("script");
	struct target target;
	struct look *look = NULL;
	char line[300];
	int one = 0;

	write_text(prog.path, "no format that is known", 0755);
	snprintf(line, sizeof(line), "#!/bin/cat -u\n");
	write_text(script.path, line, 0755);
	CHECK_INT(looks_wait_ms(looks), -1);
	CHECK(looks_next(looks) == NULL);
	CHECK_INT(target_at_once(cache, getpid(), AT_FDCWD, script.path, &target), -EAGAIN);
	CHECK(!target.exe && !target.interp && !target.outcome);
	CHECK(begin(looks, script.path, &one) != NULL);
	look = next(looks, 5000);
	CHECK(look && look->user == &one && !look->gave_up);
	CHECK_STR(look ? look->target.exe : "", script.path);
	CHECK_STR(look ? look->target.interp : "", "/bin/cat");
	CHECK_INT(look ? look->target.words : 0, 2);
	look_free(look);
	CHECK_INT(target_at_once(cache, getpid(), AT_FDCWD, script.path, &target), 0);
	CHECK_STR(target.exe, script.path);
	CHECK_INT(target.words, 2);
	target_release(&target);
	CHECK(begin(looks, "/no/such/program", NULL) != NULL);
	look = next(looks, 5000);
	CHECK_INT(look ? look->target.outcome : 0, -ENOENT);
	look_free(look);
	looks_free(looks);
}

/* One that is ended by somebody else is no answer, and another takes its place. */
static void killed(void)
{
	struct looks *looks = looks_new(cache);
	struct look *look = NULL;
	pid_t pid[4];
	int one = 0, status = 0;

	CHECK(begin(looks, "/bin/true", NULL) != NULL);
	look_free(next(looks, 5000));
	CHECK_INT(helpers(pid, 4), 1);
	kill(pid[0], SIGKILL);
	CHECK_INT(waitpid(pid[0], &status, 0), pid[0]);
	CHECK(begin(looks, "/bin/true", &one) != NULL);
	look = next(looks, 5000);
	CHECK(look && look->user == &one);
	look_free(look);
	looks_free(looks);
	while (waitpid(-1, &status, 0) > 0)
		;
	CHECK_INT(helpers(pid, 4), 0);
}

/* While one file does not answer others do; who is not wanted any more is not told. */
static void held(void)
{
	struct place slow = place("slow"), quick = place("quick");
	int events = fanotify_init(FAN_CLASS_CONTENT | FAN_CLOEXEC, O_RDONLY | O_CLOEXEC), one = 0, two = 0;
	struct looks *looks = looks_new(cache);
	struct look *look = NULL;
	uint64_t start = 0;
	pid_t pid[4];

	write_text(slow.path, "#!/bin/cat\n", 0755);
	write_text(quick.path, "#!/bin/cat\n", 0755);
	if (events < 0 || fanotify_mark(events, FAN_MARK_ADD, FAN_OPEN_PERM, AT_FDCWD, slow.path)) {
		printf("ok - a file that does not answer # SKIP no permission events here (fanotify(7))\n");
		looks_free(looks);
		return;
	}
	start = clock_now();
	CHECK(begin(looks, slow.path, &one) != NULL);
	CHECK(begin(looks, quick.path, &two) != NULL);
	look = next(looks, 5000);
	CHECK(look && look->user == &two && clock_now() - start < 2 * NS_PER_S);
	look_free(look);
	CHECK_INT(helpers(pid, 4), 2);
	looks_drop(looks, &one);
	CHECK(next(looks, 100) == NULL);
	CHECK(begin(looks, slow.path, &one) != NULL);
	looks_free(looks);
	while (waitpid(-1, NULL, 0) > 0)
		;
	CHECK(clock_now() - start < 5 * NS_PER_S); /* it was not waited for */
	close(events);
}

/* Where no process can be had it is looked at at once. As a user whose processes are limited; root's are not. */
static void no_helper(void)
{
	pid_t pid = fork();
	int status = 0;

	if (pid == 0) {
		const struct rlimit none = {0};
		struct looks *looks = looks_new(cache);
		struct look *look = NULL;

		if (geteuid() == 0 && (setgid(65534) || setuid(65534)))
			_exit(2);
		setrlimit(RLIMIT_NPROC, &none);
		look = looks_begin(looks, getpid(), AT_FDCWD, "/bin/cat") ? looks_next(looks) : NULL;
		_exit(look && !look->gave_up && look->target.exe ? 0 : 1);
	}
	CHECK_INT(waitpid(pid, &status, 0), pid);
	CHECK_INT(status, 0);
}

/* The same where helpers cannot be asked: sendto is refused. */
static void no_question(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_sendto, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof(code) / sizeof(code[0]), code};
	pid_t pid = fork();
	int status = 0;

	if (pid == 0) {
		struct looks *looks = looks_new(cache);
		struct look *look = NULL;

		if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
			_exit(2);
		look = looks_begin(looks, getpid(), AT_FDCWD, "/bin/cat") ? looks_next(looks) : NULL;
		_exit(look && !look->gave_up && look->target.exe ? 0 : 1);
	}
	CHECK_INT(waitpid(pid, &status, 0), pid);
	CHECK_INT(status, 0);
}

int main(void)
{
	scratch_begin(60);
	cache = target_cache_new();
	answers();
	while (waitpid(-1, NULL, 0) > 0)
		;
	killed();
	held();
	no_helper();
	no_question();
	target_cache_free(cache);
	return TAP_DONE();
}
