/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What tools record: where it is, and that it goes when it is not wanted. And the record of the run's execs. */
#include "private.h"

#include <dirent.h>
#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/clock.h>
#include <exectrace/base/err.h>
#include <exectrace/base/fd.h>
#include <exectrace/pick/action/guest.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

int output_exec(struct supervisor *s, const struct buf *line)
{
	bool said = s->dir.failed;
	int err = rundir_exec(&s->dir, line);

	if (err && !said)
		err_say(ERR_ERROR, "cannot write to %s: %s; what follows is not recorded", s->dir.path, strerror(-err));
	return 0;
}

/* A file: where it is, and its name there. */
struct output_place {
	struct buf path;
	int dir;
	bool opened; /* dir is ours to close */
	const char *name;
};

static void leave(struct output_place *place)
{
	if (place->opened)
		fd_close(&place->dir);
	buf_release(&place->path);
}

/* Where the job's tool writes to. False when it writes no file. */
static bool find(const struct supervisor *s, const struct job *job, struct output_place *place)
{
	struct template_values values = job_values(s, job);

	*place = (struct output_place){.dir = -1};
	if (!job->action->output || template_expand(&place->path, job->action->output, &values) || !place->path.len)
		return false;
	if (job->action->in_dir && s->dir.fd >= 0) {
		place->dir = s->dir.fd;
		place->name = strrchr(place->path.data, '/') + 1;
		return true;
	}
	place->dir = fd_directory_of(place->path.data, &place->name);
	place->opened = place->dir >= 0;
	return place->opened;
}

static bool look(const struct output_place *place, struct stat *st)
{
	return fstatat(place->dir, place->name, st, AT_SYMLINK_NOFOLLOW) == 0;
}

static uint64_t file_clock(void)
{
	struct timespec now = {0};

	clock_gettime(CLOCK_REALTIME_COARSE, &now);
	return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

/*
 * The time that no file from before has and each later one will: files have that of the last tick (current_time,
 * fs/inode.c), so the next one is waited for, at most 10 ms (CONFIG_HZ is 100 or more).
 */
static uint64_t next_file_time(void)
{
	const struct timespec moment = {.tv_nsec = 500000};
	uint64_t start = file_clock();

	for (int i = 0; i < 40 && file_clock() == start; i++)
		nanosleep(&moment, NULL);
	return file_clock();
}

void output_note(struct supervisor *s, struct job *job)
{
	struct output_place place;
	struct stat st;

	if (s->config->keep_failed && find(s, job, &place) && look(&place, &st))
		job->before = (struct output_before){true, st.st_dev, st.st_ino, st.st_size, st.st_ctim, 0};
	else
		job->before = (struct output_before){0};
	if (s->config->keep_failed && job->action->output_each)
		job->before.since = next_file_time();
	if (s->config->keep_failed)
		leave(&place);
}

/* Removes the file, unless it is as it was before, or a link. */
static void remove_file(const struct output_place *place, const struct output_before *before)
{
	struct stat st;

	if (!look(place, &st) || !S_ISREG(st.st_mode))
		return;
	if (before->there && before->device == st.st_dev && before->inode == st.st_ino && before->size == st.st_size &&
	    before->changed.tv_sec == st.st_ctim.tv_sec && before->changed.tv_nsec == st.st_ctim.tv_nsec)
		return;
	(void)unlinkat(place->dir, place->name, 0);
}

/* Removes a file that has been written since its tool was started; not a link. */
static void remove_written(int dir, const char *name, uint64_t since)
{
	struct stat st;

	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode) &&
	    (uint64_t)st.st_ctim.tv_sec * NS_PER_S + (uint64_t)st.st_ctim.tv_nsec >= since)
		(void)unlinkat(dir, name, 0);
}

/* Removes NAME.suffix, if it is a file. */
static bool remove_beside(const struct output_place *place, const char *suffix)
{
	cleanup_buf struct buf name = BUF_INIT;
	struct stat st;

	return !buf_printf(&name, "%s%s", place->name, suffix) &&
	       fstatat(place->dir, name.data, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode) &&
	       unlinkat(place->dir, name.data, 0) == 0;
}

/* The files of strace -ff: NAME.PID, of all processes that the tool has followed. */
static void remove_each(const struct output_place *place, uint64_t since)
{
	int fd = openat(place->dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry = NULL;
	size_t n = strlen(place->name);

	while (dir && (entry = readdir(dir))) {
		const char *name = entry->d_name, *pid = name + n + 1;

		if (strncmp(name, place->name, n) == 0 && name[n] == '.' && *pid && !pid[strspn(pid, "0123456789")])
			remove_written(fd, name, since);
	}
	if (dir)
		closedir(dir);
	else
		fd_close(&fd);
}

/* True when no other match writes under the same name. */
static bool has_name_alone(const struct supervisor *s, const struct action *action)
{
	return s->matches == 1 || strstr(action->output, "{n}") || strstr(action->output, "{pid}");
}

static void drop(const struct supervisor *s, const struct job *job, const struct output_place *place)
{
	cleanup_buf struct buf name = BUF_INIT;

	if (!job->action->output_each && has_name_alone(s, job->action))
		remove_file(place, &job->before);
	else if (!job->action->output_each) /* it may be what the tool of one that failed has written, or is writing */
		return;
	else if (has_name_alone(s, job->action))
		remove_each(place, job->before.since);
	else if (!buf_printf(&name, "%s.%d", place->name, (int)job->rec.pid))
		remove_written(place->dir, name.data, job->before.since);
}

/* What the plugin wrote there: how the guest went. */
static enum guest_outcome told(const struct output_place *place)
{
	cleanup_buf struct buf name = BUF_INIT;
	enum guest_outcome outcome = GUEST_PANICKED;
	char text[16] = "";
	int fd = -1;

	if (!buf_printf(&name, "%s" GUEST_PANIC, place->name))
		fd = openat(place->dir, name.data, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return GUEST_RUNS;
	(void)!read(fd, text, sizeof(text) - 1); /* nothing where the disk was full: the worst */
	fd_close(&fd);
	while (*text && outcome > GUEST_RUNS && strcmp(text, guest_outcomes[outcome]) != 0)
		outcome--;
	return outcome;
}

/* When QEMU has ended: removes what is beside its recording. How the guest went by that. */
static enum guest_outcome tidy_guest(const struct output_place *place)
{
	enum guest_outcome outcome = told(place);

	(void)remove_beside(place, GUEST_NEXT);
	return remove_beside(place, GUEST_PANIC) ? outcome : GUEST_RUNS;
}

/* For the summary, which names what shows it: of a guest whose recording is there. */
static void note_guest(struct supervisor *s, pid_t pid, enum guest_outcome outcome, bool trouble)
{
	if (outcome >= s->guest_outcome) {
		s->guest_outcome = outcome;
		s->guest_pid = pid;
	}
	s->guests++;
	s->guests_in_trouble += trouble;
}

void job_drop_output(struct supervisor *s, struct job *job)
{
	bool guest = job->action && job->action->kind == ACTION_GUEST;
	struct output_place place;

	if (!job->action || (!guest && job->action->kind != ACTION_TOOL) || (guest && guest_goes_on(&job->rec.argv)))
		return;
	if (find(s, job, &place)) {
		enum guest_outcome outcome = guest ? tidy_guest(&place) : GUEST_RUNS;
		const bool trouble = outcome >= GUEST_HUNG;

		if (trouble && s->config->keep_failed)
			err_say(ERR_NOTE, "[%d] the guest's kernel %s: what was recorded is kept", (int)job->rec.pid,
			        guest_outcomes[outcome]);
		if (!trouble && s->config->keep_failed && supervisor_did_well(s, job))
			drop(s, job, &place);
		else if (outcome != GUEST_RUNS)
			note_guest(s, job->rec.pid, outcome, trouble);
	}
	leave(&place);
}
