/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Paths of descriptors are remembered over the calls that cannot change them, and over no others, nor for new ones. */
#include "tap.h"
#include <exectrace/base/cleanup.h>
#include <exectrace/record/trace/process/memory.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static struct memory memory;

/* What a descriptor is called when a call of this name has ended, while it was given another file behind our back. */
static void after(const char *name, bool remembered)
{
	const char *files[] = {"/dev/null", "/dev/zero"};
	struct thread thread = {.tid = getpid(), .tgid = getpid()};
	struct decoder decoder = memory_decoder(&memory, 32);
	cleanup_buf struct buf path = BUF_INIT;
	int fd = open(files[0], O_RDONLY | O_CLOEXEC), other = open(files[1], O_RDONLY | O_CLOEXEC);

	thread.call.arch = arch_by_name("x86_64");
	thread.call.nr = (uint32_t)syscall_nr(thread.call.arch, name);
	CHECK(thread.call.nr != (uint32_t)-1);
	memory_of(&memory, &(struct call_event){.type = CALL_ENTER, .thread = &thread});
	CHECK_INT(decoder.fd_path(decoder.user, fd, &path), 0);
	CHECK_STR(path.data, files[0]);
	CHECK_INT(dup3(other, fd, O_CLOEXEC), fd);
	memory_after(&memory, &(struct call_event){.type = CALL_EXIT, .thread = &thread});
	buf_reset(&path, 100);
	CHECK_INT(decoder.fd_path(decoder.user, fd, &path), 0);
	printf("# %s\n", name);
	CHECK_STR(path.data, files[!remembered]);
	memory_release(&memory);
	memset(&memory, 0, sizeof(memory));
	close(fd);
	close(other);
}

/* A pipe whose descriptor was another's, of which another thread's close(2) is told only later. */
static void made(const char *name, unsigned at)
{
	struct thread thread = {.tid = getpid(), .tgid = getpid()};
	struct decoder decoder = memory_decoder(&memory, 32);
	cleanup_buf struct buf path = BUF_INIT;
	int fds[2], fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	thread.call.arch = arch_by_name("x86_64");
	thread.call.nr = (uint32_t)syscall_nr(thread.call.arch, name);
	thread.call.args[at] = (uintptr_t)fds;
	memory_of(&memory, &(struct call_event){.type = CALL_ENTER, .thread = &thread});
	CHECK_INT(decoder.fd_path(decoder.user, fd, &path), 0);
	close(fd);
	CHECK_INT(pipe2(fds, O_CLOEXEC), 0);
	CHECK_INT(fds[0], fd);
	memory_of(&memory, &(struct call_event){.type = CALL_EXIT, .thread = &thread});
	buf_reset(&path, 100);
	CHECK_INT(decoder.fd_path(decoder.user, fds[0], &path), 0);
	printf("# %s\n", name);
	CHECK(strncmp(path.data, "pipe:", 5) == 0);
	memory_release(&memory);
	memset(&memory, 0, sizeof(memory));
	close(fds[0]);
	close(fds[1]);
}

static struct thread calling(pid_t pid, const char *name, uint64_t first, uint64_t second)
{
	struct thread thread = {.tid = pid, .tgid = pid};

	thread.call.arch = arch_by_name("x86_64");
	thread.call.nr = (uint32_t)syscall_nr(thread.call.arch, name);
	thread.call.args[0] = first;
	thread.call.args[1] = second;
	return thread;
}

static void ended(struct thread thread)
{
	memory_of(&memory, &(struct call_event){.type = CALL_EXIT, .thread = &thread});
	memory_after(&memory, &(struct call_event){.type = CALL_EXIT, .thread = &thread});
}

/* A process that runs on while its calls are told, and another one that renames what it has open. */
static void late(void)
{
	char from[] = "/tmp/test_memory.XXXXXX", to[sizeof(from) + 2];
	struct decoder decoder = memory_decoder(&memory, 32);
	cleanup_buf struct buf path = BUF_INIT;
	int fd = mkstemp(from);
	pid_t child = fork();
	struct thread thread = calling(child, "read", 0, 0);

	if (!child) {
		pause();
		_exit(0);
	}
	snprintf(to, sizeof(to), "%s-b", from);
	memory_of(&memory, &(struct call_event){.type = CALL_LATE, .thread = &thread});
	memory_of(&memory, &(struct call_event){.type = CALL_ENTER, .thread = &thread, .ahead = true});
	CHECK_INT(decoder.fd_path(decoder.user, fd, &path), 0);
	CHECK_STR(path.data, from);
	CHECK_INT(rename(from, to), 0);
	ended(calling(getpid(), "rename", (uintptr_t)from, (uintptr_t)to));
	memory_of(&memory, &(struct call_event){.type = CALL_ENTER, .thread = &thread, .ahead = true});
	buf_reset(&path, 100);
	CHECK_INT(decoder.fd_path(decoder.user, fd, &path), 0);
	CHECK_STR(path.data, to);
	thread = calling(child, "close", (uint64_t)fd, 0);
	memory_after(&memory, &(struct call_event){.type = CALL_ENTER, .thread = &thread, .ahead = true});
	memory_of(&memory, &(struct call_event){.type = CALL_ENTER, .thread = &thread, .ahead = true});
	CHECK(decoder.fd_path(decoder.user, fd, &path) < 0); /* what has the number by now was opened later */
	memory_release(&memory);
	memset(&memory, 0, sizeof(memory));
	unlink(to);
	close(fd);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

/* A child has what its maker has, also that it may be another file by now. */
static void inherited(void)
{
	struct decoder decoder = memory_decoder(&memory, 32);
	struct thread maker = calling(getpid(), "read", 0, 0), child = {.parent = getpid(), .parent_pid = getpid()};
	cleanup_buf struct buf path = BUF_INIT;
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC), other = open("/dev/zero", O_RDONLY | O_CLOEXEC);

	memory_of(&memory, &(struct call_event){.type = CALL_ENTER, .thread = &maker});
	CHECK_INT(decoder.fd_path(decoder.user, fd, &path), 0);
	CHECK_INT(dup3(other, fd, O_CLOEXEC), fd);
	ended(calling(getpid(), "dup2", (uint64_t)other, (uint64_t)fd));
	child.tid = child.tgid = fork();
	if (!child.tid) {
		pause();
		_exit(0);
	}
	memory_of(&memory, &(struct call_event){.type = CALL_BEGIN, .thread = &child});
	buf_reset(&path, 100);
	CHECK_INT(decoder.fd_path(decoder.user, fd, &path), 0);
	CHECK_STR(path.data, "/dev/zero");
	memory_release(&memory);
	memset(&memory, 0, sizeof(memory));
	close(fd);
	close(other);
	kill(child.tid, SIGKILL);
	waitpid(child.tid, NULL, 0);
}

int main(void)
{
	static const char *const kept[] = {"read",           "write",  "rt_sigreturn", "getppid",   "kill",
	                                   "rt_sigprocmask", "tgkill", "nanosleep",    "setitimer", "pause",
	                                   "ppoll",          "clone",  "recvmsg"};
	static const char *const lost[] = {"openat", "close",  "dup2",   "fcntl", "rename", "unlinkat",   "recvmmsg",
	                                   "chdir",  "execve", "chroot", "mount", "socket", "pidfd_getfd"};

	for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
		after(kept[i], true);
	for (size_t i = 0; i < sizeof(lost) / sizeof(lost[0]); i++)
		after(lost[i], false);
	made("pipe2", 0);
	made("pipe", 0);
	made("socketpair", 3);
	late();
	inherited();
	return TAP_DONE();
}
