/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Paths of descriptors are remembered over the calls that cannot change them, and over no others. */
#include "src/record/trace/memory.h"
#include "tap.h"
#include <exectrace/base/cleanup.h>
#include <fcntl.h>
#include <string.h>
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
	memory_of(&memory, &thread);
	CHECK_INT(decoder.fd_path(decoder.user, fd, &path), 0);
	CHECK_STR(path.data, files[0]);
	CHECK_INT(dup3(other, fd, O_CLOEXEC), fd);
	memory_after(&memory, &thread);
	buf_reset(&path, 100);
	CHECK_INT(decoder.fd_path(decoder.user, fd, &path), 0);
	printf("# %s\n", name);
	CHECK_STR(path.data, files[!remembered]);
	memory_release(&memory);
	memset(&memory, 0, sizeof(memory));
	close(fd);
	close(other);
}

int main(void)
{
	static const char *const kept[] = {"read",   "write",     "rt_sigreturn", "getppid", "kill", "rt_sigprocmask",
	                                   "tgkill", "nanosleep", "setitimer",    "pause",   "ppoll"};
	static const char *const lost[] = {"openat", "close", "dup2",   "fcntl",  "rename", "unlinkat", "recvmsg",
	                                   "chdir",  "clone", "execve", "chroot", "mount",  "socket",   "pidfd_getfd"};

	for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
		after(kept[i], true);
	for (size_t i = 0; i < sizeof(lost) / sizeof(lost[0]); i++)
		after(lost[i], false);
	return TAP_DONE();
}
