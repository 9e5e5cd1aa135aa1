/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slowexec FILE MS COMMAND [ARGUMENT...]
 * Runs COMMAND. In it and elsewhere each execve of FILE takes MS milliseconds more: a fanotify(7) permission event
 * holds it. Its status is COMMAND's; 77 where the kernel has no such events for us.
 */
#include "victim.h"
#include <fcntl.h>
#include <poll.h>
#include <sys/fanotify.h>
#include <sys/wait.h>
#include <time.h>

static void answer(int events, unsigned ms)
{
	const struct timespec pause = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L};
	struct fanotify_event_metadata event;
	struct fanotify_response response = {.response = FAN_ALLOW};

	if (read(events, &event, sizeof(event)) != (ssize_t)sizeof(event))
		return;
	nanosleep(&pause, NULL);
	response.fd = event.fd;
	if (write(events, &response, sizeof(response)) != (ssize_t)sizeof(response))
		perror("slowexec");
	close(event.fd);
}

int main(int argc, char **argv)
{
	struct pollfd events = {.events = POLLIN};
	int status = 0;
	pid_t pid;

	if (argc < 4)
		usage("slowexec FILE MS COMMAND [ARGUMENT...]");
	events.fd = fanotify_init(FAN_CLASS_CONTENT | FAN_CLOEXEC, O_RDONLY | O_CLOEXEC);
	if (events.fd < 0 || fanotify_mark(events.fd, FAN_MARK_ADD, FAN_OPEN_EXEC_PERM, AT_FDCWD, argv[1]))
		return 77;
	pid = fork();
	if (pid == 0) {
		execvp(argv[3], argv + 3);
		_exit(127);
	}
	while (waitpid(pid, &status, WNOHANG) == 0) {
		if (poll(&events, 1, 10) > 0)
			answer(events.fd, (unsigned)atoi(argv[2]));
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 126;
}
