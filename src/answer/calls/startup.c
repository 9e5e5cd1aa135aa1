/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/calls/startup.h>

#include <exectrace/answer/calls/call.h>
#include <exectrace/base/grow.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

/* How far a process is since its execve. */
enum stage {
	RUNNING, /* it has begun with its own work, or no execve of it was seen */
	LOADING, /* of libraries */
	LINKED,  /* all are there: what follows are initializations */
};

/* The calls of each stage, besides those with one of its files. */
static const char *const always[] = {"arch_prctl",      "brk",  "getrandom",       "mprotect",
                                     "munmap",          "rseq", "set_robust_list", "set_thread_area",
                                     "set_tid_address", NULL};
static const char *const on_files[] = {"_llseek", "access", "close",  "faccessat",  "faccessat2", "fstat",  "fstat64",
                                       "lseek",   "mmap",   "mmap2",  "newfstatat", "open",       "openat", "pread64",
                                       "read",    "stat",   "stat64", "fstatat64",  "statx",      "statfs", NULL};

static bool is_one_of(const char *name, const char *const *names)
{
	for (; *names; names++)
		if (strcmp(name, *names) == 0)
			return true;
	return false;
}

static bool has(struct data_text text, const char *part)
{
	return memmem(text.bytes, text.n, part, strlen(part)) != NULL;
}

static bool begins(struct data_text text, const char *with)
{
	return text.n >= strlen(with) && memcmp(text.bytes, with, strlen(with)) == 0;
}

static bool ends(struct data_text text, const char *with)
{
	size_t n = strlen(with);

	return text.n >= n && memcmp(text.bytes + text.n - n, with, n) == 0;
}

/* Files of setlocale(3), and those that libselinux, which many programs are linked with, looks at before main. */
static bool is_of_locale(struct data_text path)
{
	return has(path, "/locale/") || ends(path, "/locale.alias") || ends(path, "/locale-archive") ||
	       ends(path, "/gconv-modules.cache") || has(path, "/selinux") || ends(path, "/proc/filesystems");
}

/* "libc.so.6", "ld-linux-x86-64.so.2", /etc/ld.so.cache, the directories that are looked for libraries in. */
static bool is_of_loader(struct data_text path)
{
	return has(path, ".so.") || ends(path, ".so") || begins(path, "/etc/ld") || has(path, "/glibc-hwcaps") ||
	       ends(path, "/lib") || ends(path, "/lib64") || ends(path, "-linux-gnu") || has(path, "/tls/") ||
	       ends(path, "/tls") || has(path, "/haswell") || ends(path, "/x86_64");
}

static bool is_mapping_memory(const char *name, const struct data_syscall *call)
{
	return (strcmp(name, "mmap") == 0 || strcmp(name, "mmap2") == 0) && call->args[3] & MAP_ANONYMOUS;
}

static bool asks_for_stack(const char *name, const struct data_syscall *call)
{
	if (strcmp(name, "prlimit64") == 0)
		return call->args[1] == RLIMIT_STACK && !call->args[2];
	return (strcmp(name, "getrlimit") == 0 || strcmp(name, "ugetrlimit") == 0) && call->args[0] == RLIMIT_STACK;
}

/* Only reading: libraries and locales are not written to. */
static bool writes(const char *name, const struct data_syscall *call)
{
	uint64_t flags = strcmp(name, "openat") == 0 ? call->args[2] : call->args[1];

	return (strcmp(name, "open") == 0 || strcmp(name, "openat") == 0) && flags & (O_WRONLY | O_RDWR | O_CREAT);
}

/* Whether a call fits to a stage; in_main: main has made it, so it is no longer the loader's. */
static bool fits(enum stage stage, const char *name, const struct data_syscall *call, bool in_main)
{
	struct data_text path = {"", 0};
	bool known = call_path(call, &path);

	if (is_one_of(name, on_files) && known && !writes(name, call) && is_of_locale(path))
		return true;
	/* Once, of all who wait for a conversion to be loaded. */
	if (strcmp(name, "futex") == 0 && call->args[2] == INT32_MAX)
		return true;
	if (in_main)
		return false;
	if (is_one_of(name, always) || asks_for_stack(name, call))
		return true;
	if (strncmp(name, "readlink", 8) == 0)
		return known && begins(path, "/proc/self/exe");
	if (stage != LOADING)
		return false;
	return is_mapping_memory(name, call) ||
	       (is_one_of(name, on_files) && known && !writes(name, call) && is_of_loader(path));
}

/* Where the stage of a process is kept; NULL: no memory. */
static unsigned char *stage_of(struct startup *startup, uint32_t number)
{
	while (startup->n <= number) {
		if (grow_array((void **)&startup->stages, startup->n, &startup->cap, sizeof(*startup->stages)))
			return NULL;
		startup->stages[startup->n++] = RUNNING;
	}
	return &startup->stages[number];
}

bool startup_is_open(const struct startup *startup, const struct recorded_event *event)
{
	uint32_t number = event->thread ? event->thread->process->number : 0;

	return event->thread && number < startup->n && startup->stages[number] != RUNNING;
}

int startup_has(struct startup *startup, const struct recorded_event *event, bool in_main)
{
	const struct data_syscall *call = &event->record->syscall;
	char buf[CALL_NAME_MAX];
	unsigned char *stage;
	const char *name;

	if (event->record->type == DATA_EXEC && event->thread) {
		stage = stage_of(startup, event->thread->process->number);
		if (stage)
			*stage = LOADING;
		return stage ? 0 : -ENOMEM;
	}
	if ((event->record->type != DATA_SYSCALL && event->record->type != DATA_UNFINISHED) ||
	    !startup_is_open(startup, event))
		return 0;
	stage = &startup->stages[event->thread->process->number];
	name = call_name(call, buf);
	if (strncmp(name, "execve", 6) == 0)
		return 0;
	if (event->record->type == DATA_UNFINISHED || !fits((enum stage) * stage, name, call, in_main)) {
		*stage = RUNNING;
		return 0;
	}
	/* The last of what the loader does: it unmaps its cache, and the C library asks how large stacks may be. */
	if (strcmp(name, "munmap") == 0 || asks_for_stack(name, call))
		*stage = LINKED;
	return 1;
}

void startup_release(struct startup *startup)
{
	free(startup->stages);
	*startup = (struct startup){0};
}
