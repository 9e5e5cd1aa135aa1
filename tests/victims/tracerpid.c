/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tracerpid self MS | tracerpid watch N COMMAND [ARG]...
 * Was anybody attached? `self` reads its own TracerPid without a pause for MS milliseconds; `watch` runs COMMAND N
 * times and reads the TracerPid of its child and of the child's threads from fork to the end. Both print how many of
 * the looks saw a tracer.
 */
#include "victim.h"
#include <dirent.h>

struct looks {
	unsigned long all, traced;
};

/* Looks at one /proc/.../status; false when it is gone. */
static bool look(const char *name, struct looks *looks)
{
	char text[4096];
	const char *field;
	ssize_t n;
	int fd = open(name, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return false;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (n <= 0)
		return false;
	text[n] = '\0';
	field = strstr(text, "TracerPid:");
	looks->all++;
	looks->traced += field && atoi(field + strlen("TracerPid:")) != 0;
	return true;
}

static void look_at_threads(pid_t pid, struct looks *looks)
{
	char name[512];
	struct dirent *entry;
	DIR *dir;

	snprintf(name, sizeof(name), "/proc/%d/task", (int)pid);
	dir = opendir(name);
	while (dir && (entry = readdir(dir)) != NULL) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(name, sizeof(name), "/proc/%d/task/%s/status", (int)pid, entry->d_name);
		look(name, looks);
	}
	if (dir)
		closedir(dir);
}

static void watch(char **argv, struct looks *looks)
{
	pid_t pid = fork();
	int status;

	if (pid < 0)
		die("fork");
	if (pid == 0) {
		execvp(argv[0], argv);
		_exit(VICTIM_BROKEN);
	}
	do {
		look_at_threads(pid, looks);
	} while (waitpid(pid, &status, WNOHANG) == 0);
	if (status != 0)
		print_status(stdout, status);
}

int main(int argc, char **argv)
{
	struct looks looks = {0, 0};
	int64_t end;
	int i;

	if (argc == 3 && strcmp(argv[1], "self") == 0) {
		for (end = now_ms() + atoi(argv[2]); now_ms() < end;)
			look("/proc/thread-self/status", &looks);
	} else if (argc > 3 && strcmp(argv[1], "watch") == 0) {
		for (i = 0; i < atoi(argv[2]); i++)
			watch(argv + 3, &looks);
	} else {
		usage("tracerpid self MS | tracerpid watch N COMMAND [ARG]...");
	}
	printf("%s; looks with a tracer: %lu\n", looks.all > 5 ? "looked" : "did not look", looks.traced);
	return looks.traced > 0;
}
