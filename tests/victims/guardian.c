/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * guardian [-x] FILE MS|HELPER COMMAND [ARGUMENT...]
 * Runs COMMAND. Each open of FILE (-x: only those of an exec), one after the other, is held for MS milliseconds, or
 * until the program HELPER (an absolute path) has run as a child of this process: as a server of files or a scanner
 * does (fanotify(7)). For ever with MS = -1. Its status is COMMAND's; 77 where the kernel has no such events for us.
 */
#include "victim.h"
#include <poll.h>
#include <sys/fanotify.h>

static void hold(const char *how)
{
	pid_t pid = 0;

	if (*how != '/') {
		sleep_ms(atol(how));
		return;
	}
	pid = fork();
	if (pid == 0) {
		execl(how, how, "guarding", (char *)NULL);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, NULL, 0) != pid)
		die("helper");
}

static void answer(int events, const char *how)
{
	struct fanotify_event_metadata event;
	struct fanotify_response response = {.response = FAN_ALLOW};

	if (read(events, &event, sizeof(event)) != (ssize_t)sizeof(event))
		return;
	hold(how);
	response.fd = event.fd;
	if (write(events, &response, sizeof(response)) != (ssize_t)sizeof(response) && errno != ENOENT)
		perror("guardian");
	close(event.fd);
}

int main(int argc, char **argv)
{
	struct pollfd events = {.events = POLLIN};
	bool exec = argc > 1 && strcmp(argv[1], "-x") == 0;
	bool never;
	int status = 0;
	pid_t pid;

	argc -= exec;
	argv += exec;
	if (argc < 4)
		usage("guardian [-x] FILE MS|HELPER COMMAND [ARGUMENT...]");
	never = strcmp(argv[2], "-1") == 0;
	events.fd = fanotify_init(FAN_CLASS_CONTENT | FAN_CLOEXEC, O_RDONLY | O_CLOEXEC);
	if (events.fd < 0 ||
	    fanotify_mark(events.fd, FAN_MARK_ADD, exec ? FAN_OPEN_EXEC_PERM : FAN_OPEN_PERM, AT_FDCWD, argv[1]))
		return 77;
	pid = fork();
	if (pid == 0) {
		execvp(argv[3], argv + 3);
		_exit(127);
	}
	while (waitpid(pid, &status, WNOHANG) == 0) {
		if (poll(&events, never ? 0 : 1, 10) > 0)
			answer(events.fd, argv[2]);
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 126;
}
