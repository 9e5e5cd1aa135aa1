/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/record/common/processes.h>

#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/format/data/writer.h>
#include <exectrace/target/process/procfs.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>

#define COMM_MAX 64 /* the kernel has 16, and 64 for its own threads */

int process_comm(pid_t tid, struct buf *name)
{
	cleanup_fd int fd = proc_open(tid, "comm", O_RDONLY);
	char text[COMM_MAX];
	long n = fd < 0 ? fd : fd_read_all(fd, text, sizeof(text));

	if (n < 0)
		return (int)n;
	return buf_append(name, text, n && text[n - 1] == '\n' ? (size_t)n - 1 : (size_t)n);
}

int process_program(pid_t tid, struct buf *path, struct buf *words, uint32_t *n)
{
	cleanup_strv struct strv argv = STRV_INIT;
	int err = proc_link(tid, "exe", path);

	if (!err)
		err = proc_strings(tid, "cmdline", &argv);
	while (argv.n > DATA_LIST_MAX) /* what a record can hold */
		free(argv.items[--argv.n]);
	*n = (uint32_t)argv.n;
	if (!err)
		err = data_words(words, &argv);
	return err;
}

static bool has_address(int sig, int code)
{
	return code > 0 &&
	       (sig == SIGSEGV || sig == SIGBUS || sig == SIGILL || sig == SIGFPE || sig == SIGTRAP || sig == SIGSYS);
}

void process_signal(const void *info, struct data_signal *to)
{
	siginfo_t si;

	memcpy(&si, info, sizeof(si));
	to->code = si.si_code;
	if (has_address(to->number, si.si_code)) {
		to->address = (uint64_t)(uintptr_t)si.si_addr;
		return;
	}
	if (si.si_code == SI_KERNEL)
		return;
	to->pid = (uint32_t)si.si_pid;
	to->uid = (uint32_t)si.si_uid;
	if (si.si_code == SI_QUEUE)
		to->address = (uint64_t)(uintptr_t)si.si_value.sival_ptr;
}
