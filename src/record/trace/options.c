/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/record/trace/options.h>

#include "dump.h"
#include "form_options.h"
#include "option_table.h"
#include "qualifier.h"
#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/record/form/times.h>
#include <exectrace/record/stops/stops.h>
#include <exectrace/target/decode/decode.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CALLS_BY_STOPS 50 /* a program that makes fewer is not worth an agent */

#define STACK_DEPTH_MAX 10000
#define COLUMN_MAX 10000
#define STRING_MAX 1048576 /* bytes of a string that are shown at most */

#define STACK_DEPTH 64 /* frames when --stack does not say */

/* --for=why: calls that wait, wake, fail as a rule for a reason, or change what a process hands on. */
#define WHY_STRING 1024 /* bytes of a string: of what it writes to standard error, too */
static const char why_calls[] =
	"%process,restart_syscall,open,openat,openat2,creat,access,faccessat,faccessat2,stat,lstat,newfstatat,statx,"
	"mkdir,mkdirat,mknod,mknodat,rename,renameat,renameat2,link,linkat,symlink,symlinkat,unlink,unlinkat,rmdir,"
	"chdir,fchdir,chroot,chmod,fchmodat,chown,fchownat,truncate,ftruncate,fallocate,fsync,fdatasync,mount,"
	"umount2,pivot_root,lchown,utimensat,inotify_init,inotify_init1,inotify_add_watch,fanotify_init,"
	"perf_event_open,bpf,ptrace,init_module,finit_module,shmget,semget,msgget,io_uring_setup,mlock,mlockall,"
	"setpriority,sched_setscheduler,sched_setaffinity,setgroups,capset,sethostname,"
	"pipe,pipe2,dup,dup2,dup3,fcntl,close,close_range,eventfd2,memfd_create,signalfd4,timerfd_create,pidfd_open,"
	"socket,socketpair,bind,listen,connect,accept,accept4,getsockname,getsockopt,sendto,sendmsg,sendmmsg,recvfrom,"
	"recvmsg,recvmmsg,"
	"read,readv,pread64,preadv,preadv2,write,writev,pwrite64,pwritev,pwritev2,copy_file_range,splice,sendfile,"
	"getdents,getdents64,"
	"poll,ppoll,select,pselect6,epoll_create,epoll_create1,epoll_ctl,epoll_wait,epoll_pwait,epoll_pwait2,"
	"futex,flock,semop,semtimedop,msgsnd,msgrcv,nanosleep,clock_nanosleep,pause,rt_sigsuspend,rt_sigtimedwait,"
	"prlimit64,setrlimit,umask,setuid,setgid,setresuid,setresgid,unshare,setns";

static int copy(char **to, const char *text)
{
	free(*to);
	*to = strdup(text);
	return *to ? 0 : -ENOMEM;
}

/* The path from the root, without symbolic links. NULL: there is none, not even to the directory that it is made in. */
static char *full_path(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	char *full = realpath(path, NULL);
	cleanup_free char *directory = NULL, *real = NULL;

	if (full || !*name)
		return full;
	directory = slash ? strndup(path, (size_t)(name - path)) : strdup(".");
	real = directory ? realpath(directory, NULL) : NULL;
	return real && asprintf(&full, "%s/%s", real[1] ? real : "", name) >= 0 ? full : NULL;
}

/* The file as calls may name it, and as descriptors of it are shown. */
static int add_path(struct strv *paths, const char *path)
{
	cleanup_free char *full = full_path(path);
	int err = strv_push(paths, path);

	return err || !full || strcmp(full, path) == 0 ? err : strv_push(paths, full);
}

static int filter(struct trace_options *options, const char *list, struct buf *err)
{
	struct buf why = BUF_INIT;
	int r = qualifier_is(list) ? qualifier_apply(options, list, &why)
	                           : qualifier_calls(&options->filter, list, &why);

	if (r == -EINVAL)
		r = buf_printf(err, "--filter: %s", why.data ? why.data : list) ? -ENOMEM : -EINVAL;
	buf_release(&why);
	options->filtered |= !r && !qualifier_is(list);
	return r;
}

/* --trace=LIST is -e trace=LIST. */
static int qualify(struct trace_options *options, const struct option_use *use, struct buf *err)
{
	cleanup_buf struct buf text = BUF_INIT;
	int r = buf_printf(&text, "%s=%s", use->spec->name, use->value);

	return r ? r : filter(options, text.data, err);
}

static int inject(struct trace_options *options, const struct option_use *use, struct buf *err)
{
	cleanup_buf struct buf why = BUF_INIT;
	int r = injections_add(&options->injections, use->value, use->spec->id == OPT_FAULT, &why);

	if (r == -EINVAL && buf_printf(err, "--%s: %s", use->spec->name, why.data ? why.data : use->value))
		r = -ENOMEM;
	return r;
}

/* What is not said otherwise, as far as that has been read. */
static int purpose(struct trace_options *options, struct buf *err)
{
	options->why = true;
	options->format = TRACE_DATA;
	options->string_max = WHY_STRING;
	if (!options->stack)
		options->stack = STACK_DEPTH;
	return options->filtered ? 0 : syscall_filter_parse(&options->filter, why_calls, err);
}

/* Of the table of calls. */
static int check_counting(const struct trace_options *options, struct buf *err)
{
	const struct trace_counting *counting = &options->counting;
	const char *what = NULL;

	if (options->alone && options->both)
		what = "-c is the table alone, and -C behind the calls: not both";
	else if (!options->summary && counting->wall)
		what = "--summary-wall-clock needs -c or -C";
	else if (!options->summary && counting->table.n)
		what = "--summary-columns needs -c or -C";
	return !what ? 0 : buf_puts(err, what) ? -ENOMEM : -EINVAL;
}

/* What does not go together. */
static int check(const struct trace_options *options, struct buf *err)
{
	const char *other = options->stack ? "stack" : options->format == TRACE_DATA ? "format=data" : NULL;

	if (options->injections.n && options->source == TRACE_INSIDE)
		return buf_puts(err, "--inject and --fault stop the process: not with --source=inside") ? -ENOMEM
		                                                                                        : -EINVAL;
	if (options->form.contexts && options->format == TRACE_DATA)
		return buf_puts(err, "--secontext is for text: a recording has no contexts") ? -ENOMEM : -EINVAL;
	if (options->separately && options->output)
		other = "output-separately";
	if (options->both && options->format == TRACE_JSON)
		other = "format=json";
	if (!options->summary || !other || (options->both && options->stack && options->format != TRACE_DATA))
		return 0;
	return buf_printf(err, "--summary shows nothing of --%s: record first, then use exectrace syscalls --summary",
	                  other)
	               ? -ENOMEM
	               : -EINVAL;
}

/* One that exectrace has left open. */
static int descriptor(struct trace_options *options, const struct option_use *use, struct buf *err)
{
	int *fd = use->spec->id == OPT_EXECS    ? &options->execs
	          : use->spec->id == OPT_ENDS   ? &options->ends
	          : use->spec->id == OPT_PARKED ? &options->parked
	                                        : &options->directory;
	unsigned long n = 0;
	int r = option_number(use, 3, 1u << 20, &n, err);

	*fd = (int)n;
	return r;
}

/* -y, and once more for all; or a list. */
static int named(struct trace_options *options, const char *list, struct buf *err)
{
	if (list)
		return qualifier_fds(options, list, err);
	options->form.fds = options->form.fds & FORM_PATHS ? FORM_FDS : FORM_PATHS;
	return 0;
}

/* Where calls come from and go to. */
static int apply_rest(struct trace_options *options, const struct option_use *use, struct buf *err)
{
	switch (use->spec->id) {
	case OPT_FORMAT:
		options->format = trace_choice(trace_formats, use->value);
		options->form.strace = options->format == TRACE_STRACE;
		return 0;
	case OPT_INJECT:
	case OPT_FAULT:
		return inject(options, use, err);
	case OPT_SOURCE:
		options->source = trace_choice(trace_sources, use->value);
		return 0;
	case OPT_EXECS:
	case OPT_DIRECTORY:
	case OPT_ENDS:
	case OPT_PARKED:
		return descriptor(options, use, err);
	case OPT_NAMED:
		return named(options, use->value, err);
	case OPT_PIDS:
		options->form.pids |= FORM_COMMS;
		return use->value ? qualifier_pids(options, use->value, err) : 0;
	case OPT_CONTEXTS:
		options->form.contexts = FORM_CONTEXTS;
		return use->value ? qualifier_contexts(options, use->value, err) : 0;
	case OPT_VERBOSE:
		options->verbose |= !use->value;
		return use->value ? qualify(options, use, err) : 0;
	case OPT_OUTPUT:
		return copy(&options->output, use->value);
	case OPT_VERSION:
		options->version = true;
		return 0;
	case OPT_HELP:
		options->help = true;
		return 0;
	case OPT_QUALIFIER:
		return qualify(options, use, err);
	default:
		return form_option(options, use, err);
	}
}

/* An option_take. */
static int apply(void *ctx, const struct option_use *use, struct buf *err)
{
	struct trace_options *options = ctx;
	unsigned long n = 0;
	int r = 0;

	switch (use->spec->id) {
	case OPT_PID:
		return option_pids(use, true, &options->pids, &options->n_pids, err);
	case OPT_BELOW:
		options->below = true;
		return 0;
	case OPT_FILTER:
		return filter(options, use->value, err);
	case OPT_PATH:
		return add_path(&options->paths, use->value);
	case OPT_FAILED:
		options->form.hidden = ~(unsigned)OUTCOME_FAILED;
		return 0;
	case OPT_FOR:
		return purpose(options, err);
	case OPT_UNTIL_EXEC:
		options->until_exec = true;
		return 0;
	case OPT_NO_FOLLOW:
		options->follow = false;
		return 0;
	case OPT_STRING:
		r = option_number(use, 0, INT_MAX, &n, err);
		options->string_max = n < STRING_MAX ? (unsigned)n : STRING_MAX;
		return r;
	case OPT_COLUMNS:
		r = option_number(use, 0, COLUMN_MAX, &n, err);
		options->form.column = n ? (unsigned)n : 1;
		return r;
	case OPT_STACK:
		n = STACK_DEPTH;
		r = use->value ? option_number(use, 1, STACK_DEPTH_MAX, &n, err) : 0;
		options->stack = (unsigned)n;
		return r;
	default:
		return apply_rest(options, use, err);
	}
}

/* Of strace's text. */
static enum trace_pids numbers_of(const struct trace_options *options)
{
	if (!options->output)
		return PIDS_OF_SEVERAL;
	if (options->separately)
		return PIDS_NONE;
	return options->form.follows || options->n_pids > 1 ? PIDS_ALL : PIDS_NONE;
}

int trace_options_parse(struct trace_options *options, char **argv, int at, struct buf *err)
{
	struct options o;
	int r;

	*options = (struct trace_options){.follow = true, .string_max = DECODE_STRING_MAX};
	options_init(&o, trace_table, argv, at);
	r = options_read(&o, apply, options, err);
	if (options->ends && options->n_pids > 1) { /* the action's is the last one */
		pid_t own = options->pids[options->n_pids - 1];

		options->pids[options->n_pids - 1] = options->pids[0];
		options->pids[0] = own;
	}
	times_settle(&options->form);
	options->both &= !options->summed || options->form.strace;
	options->alone |= options->summed && !options->form.strace;
	if (options->form.strace) {
		options->follow = options->form.follows;
		options->form.numbers = numbers_of(options);
		/* The command has the terminal then. */
		if (options->ends && options->output && !options->silenced)
			options->form.no_attaching = true;
		if (options->filtered)
			injections_keep(&options->injections, &options->filter);
	}
	if (!r)
		r = check_counting(options, err);
	if (!r)
		r = check(options, err);
	if (r)
		trace_options_release(options);
	return r;
}

/* The kernel is asked while a call is shown: the process had better not run on. */
static bool asks_for_more(const struct trace_options *o)
{
	return o->form.pids || o->form.fds & ~(unsigned)FORM_PATHS;
}

/* By itself not where the kernel lets only those calls stop that are asked for, if these are few: `why` has use for
 * most. */
/* Children would inherit a filter in the kernel, and could have no other tracer: not where they are left alone. */
static bool suits_kernel(const struct trace_options *o)
{
	return trace_has_list(o) && o->follow && !o->until_exec;
}

bool trace_looks(const struct trace_options *options)
{
	return options->form.whole || dump_is_wanted(&options->form);
}

unsigned trace_inside_from(const struct trace_options *o)
{
	if (o->source == TRACE_STOPS || o->injections.n || o->form.placed || trace_looks(o) || o->until_exec ||
	    o->form.contexts || (o->source == TRACE_AUTO && asks_for_more(o)) ||
	    (o->summary && o->form.strace && !o->counting.wall))
		return 0;
	if (o->source == TRACE_INSIDE)
		return 1;
	return suits_kernel(o) && (o->filtered || !stops_avoidable()) ? 0 : CALLS_BY_STOPS;
}

bool trace_has_list(const struct trace_options *options)
{
	return options->filtered || options->why;
}

bool trace_filters(const struct trace_options *options)
{
	return suits_kernel(options) && !trace_inside_from(options);
}

void trace_options_release(struct trace_options *options)
{
	strv_release(&options->paths);
	free(options->pids);
	injections_release(&options->injections);
	free(options->form.reads.named);
	free(options->form.writes.named);
	free(options->output);
	*options = (struct trace_options){0};
}
