/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/target/arch/arch.h>
#include <exectrace/target/executable/capture.h>

#include "header.h"
#include <errno.h>
#include <exectrace/base/clock.h>
#include <exectrace/target/process/mem.h>
#include <exectrace/target/process/procfs.h>
#include <fcntl.h>
#include <linux/limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

struct exec_call capture_call(const struct arch *arch, pid_t tid, uint32_t nr, const uint64_t *args)
{
	unsigned first = nr == arch->nr_execveat ? 1 : 0;

	return (struct exec_call){
		.arch = arch,
		.tid = tid,
		.dirfd = first ? (int)args[0] : AT_FDCWD,
		.path = args[first],
		.argv = args[first + 1],
		.envp = args[first + 2],
	};
}

/* What is refused to us, and not the fault of the caller's arguments. */
static bool is_refusal(int err)
{
	return err == -EPERM || err == -EACCES || err == -ENOSYS || err == -EMFILE || err == -ENFILE ||
	       err == -ENOMEM || err == -EAGAIN;
}

static void note_refusal(struct exec_record *rec, int err)
{
	if (is_refusal(err) && !rec->refused)
		rec->refused = err;
}

static void note_result(struct exec_record *rec, unsigned field, int err)
{
	if (field == EXEC_ARGV)
		note_refusal(rec, err);
	rec->have |= field;
	if (err)
		rec->error |= field;
}

static int read_path(struct exec_record *rec, const struct exec_call *call)
{
	struct buf path = BUF_INIT;
	int err = 0;

	if (rec->path)
		return 0;
	err = mem_read_str(call->tid, call->path, PATH_MAX, &path);
	if (!err) {
		rec->path = buf_steal(&path);
		err = rec->path ? 0 : -ENOMEM;
	}
	buf_release(&path);
	return err;
}

/* Of every exec: so from one file of /proc. */
static void fill_ids(struct exec_record *rec)
{
	struct proc_stat stat = {0};
	struct proc_status status = {.tgid = rec->tid};
	int err = proc_stat(rec->tid, &stat);

	if (!err && stat.threads > 1)
		err = proc_status(rec->tid, &status);
	rec->pid = status.tgid;
	rec->ppid = stat.ppid;
	rec->threads = stat.threads;
	note_result(rec, EXEC_IDS, err);
}

static void fill_user(struct exec_record *rec)
{
	struct proc_status status = {0};
	int err = proc_status(rec->tid, &status);

	rec->uid = status.euid;
	note_result(rec, EXEC_USER, err);
}

static void fill_cwd(struct exec_record *rec)
{
	struct buf cwd = BUF_INIT;
	int err = proc_link(rec->tid, "cwd", &cwd);

	if (!err)
		rec->cwd = buf_steal(&cwd);
	buf_release(&cwd);
	note_result(rec, EXEC_CWD, err ? err : rec->cwd ? 0 : -ENOMEM);
}

static void fill_ancestors(struct exec_record *rec, struct capture *capture)
{
	exec_record_want(rec, EXEC_IDS);
	rec->have |= EXEC_ANCESTORS;
	if (capture->lineage)
		lineage_fill(capture->lineage, rec);
	else
		rec->error |= EXEC_ANCESTORS;
}

/* What is known belongs to the look, and may be asked for again. */
static void take_target(struct exec_record *rec, struct capture *capture, const struct target *target)
{
	capture->words = target->words;
	rec->exe = target->exe ? strdup(target->exe) : NULL;
	rec->interp = target->interp ? strdup(target->interp) : NULL;
	rec->outcome = target->outcome;
	rec->setid = target->setid;
	rec->have |= EXEC_TARGET | EXEC_OUTCOME;
	if (target->refused)
		rec->refused = rec->refused ? rec->refused : target->refused;
}

/* Of the file that rec->path names, from where its caller stands. False when that has to wait. */
static bool look_at_target(struct exec_record *rec, struct capture *capture, int dirfd)
{
	struct target target = {0};

	if (capture->known) {
		take_target(rec, capture, capture->known);
		return true;
	}
	if (target_at_once(capture->cache, rec->tid, dirfd, rec->path, &target)) {
		rec->have |= EXEC_TARGET | EXEC_OUTCOME;
		rec->error |= EXEC_TARGET | EXEC_OUTCOME;
		rec->later |= EXEC_TARGET;
		return false;
	}
	take_target(rec, capture, &target);
	target_release(&target);
	return true;
}

static void fill_waiting_target(struct exec_record *rec, struct capture *capture)
{
	struct target target = {0};
	int err = read_path(rec, &capture->call);

	if (!err) {
		(void)look_at_target(rec, capture, capture->call.dirfd);
		return;
	}
	if (err == -EFAULT || err == -E2BIG)
		target.outcome = err == -EFAULT ? -EFAULT : -ENAMETOOLONG;
	take_target(rec, capture, &target);
	rec->error |= EXEC_TARGET;
	note_refusal(rec, err);
}

/* Most execs are of a program that is there: no look at /proc, which is half of the cost of an exec. */
static void fill_waiting_outcome(struct exec_record *rec, struct capture *capture)
{
	rec->have |= EXEC_OUTCOME;
	if (read_path(rec, &capture->call) == 0 && target_is_there(capture->cache, rec->tid, rec->path))
		return;
	exec_record_want(rec, EXEC_TARGET);
}

/* env: the new program's; err: whether that could be read. */
static void fill_state(struct exec_record *rec, const struct capture *capture, const struct strv *env, int err)
{
	if (capture->base)
		err = state_read(capture->base, rec->tid, err ? NULL : env, &rec->state);
	note_result(rec, EXEC_STATE, capture->base ? err : -ENOENT);
}

static void fill_waiting_state(struct exec_record *rec, const struct capture *capture)
{
	const struct exec_call *call = &capture->call;
	struct strv env = STRV_INIT;
	int err = mem_read_vector(rec->tid, call->envp, call->arch->word, &env);

	fill_state(rec, capture, &env, err);
	strv_release(&env);
}

static void fill_started_state(struct exec_record *rec, const struct capture *capture)
{
	struct strv env = STRV_INIT;
	int err = proc_strings(rec->tid, "environ", &env);

	fill_state(rec, capture, &env, err);
	strv_release(&env);
}

static void fill_waiting(struct exec_record *rec, unsigned fields, void *ctx)
{
	struct capture *capture = ctx;
	const struct exec_call *call = &capture->call;
	unsigned want = fields & ~rec->have;

	if (want & EXEC_IDS)
		fill_ids(rec);
	if (want & EXEC_USER)
		fill_user(rec);
	if (want & EXEC_ARGV) {
		int err = mem_read_vector(rec->tid, call->argv, call->arch->word, &rec->argv);

		if (!err && rec->argv.n == 0)
			err = read_path(rec, call);
		note_result(rec, EXEC_ARGV, err ? err : exec_record_join(rec));
	}
	if (want & EXEC_TARGET)
		fill_waiting_target(rec, capture);
	else if (want & EXEC_OUTCOME)
		fill_waiting_outcome(rec, capture);
	if (want & EXEC_CWD)
		fill_cwd(rec);
	if (want & EXEC_ENV)
		note_result(rec, EXEC_ENV, mem_read_vector(rec->tid, call->envp, call->arch->word, &rec->env));
	if (want & EXEC_ANCESTORS)
		fill_ancestors(rec, capture);
	if (want & EXEC_STATE)
		fill_waiting_state(rec, capture);
}

static void begin(struct exec_record *rec, pid_t tid, struct capture *capture)
{
	rec->tid = tid;
	rec->when = clock_now();
	rec->when_wall = clock_wall();
	rec->ctx = capture;
	capture->words = 0;
}

void capture_waiting(struct exec_record *rec, struct capture *capture)
{
	begin(rec, capture->call.tid, capture);
	rec->fill = fill_waiting;
}

/* The file name the kernel was given, as it keeps it for the program (AT_EXECFN). */
static int read_execfn(struct exec_record *rec)
{
	struct buf name = BUF_INIT;
	uint64_t addr = 0;
	int err = proc_auxv(rec->tid, AT_EXECFN, &addr);

	if (!err)
		err = mem_read_str(rec->tid, addr, PATH_MAX, &name);
	if (!err)
		rec->path = buf_steal(&name);
	buf_release(&name);
	return err;
}

/* Its file, wherever the name leads by now: it runs. */
static void fill_started_target(struct exec_record *rec, struct capture *capture)
{
	struct buf exe = BUF_INIT;
	struct target none = {0};
	int err = 0;

	if (!rec->path)
		(void)read_execfn(rec);
	if (!rec->path)
		take_target(rec, capture, &none);
	else if (!look_at_target(rec, capture, AT_FDCWD))
		return;
	if (!rec->exe)
		err = proc_link(rec->tid, "exe", &exe);
	if (!rec->exe && !err)
		rec->exe = buf_steal(&exe);
	note_refusal(rec, err);
	buf_release(&exe);
	rec->outcome = 0;
}

/*
 * A script's argv on the stack is: interpreter, its argument if any, path, and the caller's arguments from the second
 * on; an interpreter that is a script puts its own in front again.
 */
static void drop_words(struct exec_record *rec, unsigned words)
{
	if (!words || words >= rec->argv.n)
		return;
	for (unsigned i = 0; i < words; i++)
		free(rec->argv.items[i]);
	rec->argv.n -= words;
	memmove(rec->argv.items, rec->argv.items + words, (rec->argv.n + 1) * sizeof(rec->argv.items[0]));
}

static void fill_started_argv(struct exec_record *rec, struct capture *capture)
{
	int err = 0;

	if (!(rec->have & EXEC_TARGET))
		fill_started_target(rec, capture);
	if (rec->later & EXEC_TARGET) {
		rec->later |= EXEC_ARGV;
		rec->have |= EXEC_ARGV;
		rec->error |= EXEC_ARGV;
		return;
	}
	err = proc_strings(rec->tid, "cmdline", &rec->argv);
	if (!err && rec->argv.n == 1 && !*rec->argv.items[0])
		strv_release(&rec->argv); /* Linux 5.18 and later make an empty argv a single "" */
	if (!err)
		drop_words(rec, capture->words);
	note_result(rec, EXEC_ARGV, err ? err : exec_record_join(rec));
}

static void fill_started(struct exec_record *rec, unsigned fields, void *ctx)
{
	struct capture *capture = ctx;
	unsigned want = fields & ~rec->have;

	if (want & EXEC_IDS)
		fill_ids(rec);
	if (want & EXEC_USER)
		fill_user(rec);
	if (want & EXEC_ARGV)
		fill_started_argv(rec, capture);
	if (want & ~rec->have & EXEC_TARGET)
		fill_started_target(rec, capture);
	if (want & EXEC_CWD)
		fill_cwd(rec);
	if (want & EXEC_ENV)
		note_result(rec, EXEC_ENV, proc_strings(rec->tid, "environ", &rec->env));
	if (want & EXEC_ANCESTORS)
		fill_ancestors(rec, capture);
	if (want & EXEC_STATE)
		fill_started_state(rec, capture);
}

void capture_started(struct exec_record *rec, pid_t tid, struct capture *capture)
{
	begin(rec, tid, capture);
	rec->fill = fill_started;
}

const char *capture_path(struct exec_record *rec, const struct capture *capture, int *dirfd)
{
	*dirfd = rec->fill == fill_waiting ? capture->call.dirfd : AT_FDCWD;
	return rec->path;
}
