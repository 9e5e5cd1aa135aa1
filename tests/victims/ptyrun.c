/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptyrun [-t SECONDS] [STEP]... -- COMMAND [ARG]...
 * Runs COMMAND in a session of its own on a new pseudo-terminal and plays the user:
 *   send=TEXT     types TEXT (here and below with C escapes: \r \n \e \OOO)
 *   expect=TEXT   waits until TEXT appears after what was expected before
 *   pause=MS      relays for so long
 *   size=COLSxROWS  changes the size of the window
 *   hangup        closes the terminal
 * What the terminal shows goes to standard output; the wait status of COMMAND at the end. Everything takes SECONDS (60)
 * at most.
 */
#include "victim.h"
#include <poll.h>
#include <pty.h>
#include <sys/ioctl.h>

struct terminal {
	int fd;
	pid_t pid;
	int64_t end;
	char seen[1 << 18];
	size_t n, from; /* expect looks in seen[from..n) */
	bool closed;
};

static _Noreturn void give_up(struct terminal *t, const char *why)
{
	fflush(stdout);
	fprintf(stderr, "ptyrun: did not see: %s\n", why);
	kill(t->pid, SIGKILL);
	exit(VICTIM_BROKEN);
}

/* Takes what the terminal shows for at most ms milliseconds. */
static void relay(struct terminal *t, int ms)
{
	struct pollfd ready = {.fd = t->fd, .events = POLLIN};
	ssize_t n;

	if (t->closed || poll(&ready, 1, ms) <= 0) {
		if (t->closed)
			sleep_ms(ms);
		return;
	}
	n = read(t->fd, t->seen + t->n, sizeof(t->seen) - 1 - t->n);
	if (n <= 0) {
		t->closed = true;
		return;
	}
	fwrite(t->seen + t->n, 1, (size_t)n, stdout);
	fflush(stdout);
	t->n += (size_t)n;
}

static void expect(struct terminal *t, const char *text)
{
	const char *found;

	while (!(found = memmem(t->seen + t->from, t->n - t->from, text, strlen(text)))) {
		if (t->closed || now_ms() > t->end)
			give_up(t, text);
		relay(t, 50);
	}
	t->from = (size_t)(found - t->seen) + strlen(text);
}

/* TEXT without its C escapes: \r \n \e \OOO. To be freed. */
static char *unescaped(const char *s)
{
	char *text = malloc(strlen(s) + 1), *to = text, c;
	int i;

	for (; *s; s++) {
		c = *s;
		if (c == '\\' && s[1]) {
			c = *++s;
			if (c >= '0' && c <= '7')
				for (i = c - '0'; s[1] >= '0' && s[1] <= '7'; c = (char)i)
					i = i * 8 + *++s - '0';
			else
				c = c == 'r' ? '\r' : c == 'n' ? '\n' : c == 'e' ? 033 : c;
		}
		*to++ = c;
	}
	*to = '\0';
	return text;
}

static void send_text(struct terminal *t, const char *text)
{
	if (write(t->fd, text, strlen(text)) < 0)
		die("write to the terminal");
}

static void play(struct terminal *t, const char *step)
{
	struct winsize size = {0};
	char *text = unescaped(step);
	int64_t end;

	if (strncmp(text, "send=", 5) == 0) {
		send_text(t, text + 5);
	} else if (strncmp(text, "expect=", 7) == 0) {
		expect(t, text + 7);
	} else if (strncmp(step, "pause=", 6) == 0) {
		for (end = now_ms() + atoi(step + 6); now_ms() < end;)
			relay(t, 10);
	} else if (sscanf(step, "size=%hux%hu", &size.ws_col, &size.ws_row) == 2) {
		ioctl(t->fd, TIOCSWINSZ, &size);
	} else if (strcmp(step, "hangup") == 0) {
		close(t->fd);
		t->closed = true;
	} else {
		usage(step);
	}
	free(text);
}

static void start(struct terminal *t, char **argv)
{
	struct winsize size = {.ws_row = 24, .ws_col = 80};

	t->pid = forkpty(&t->fd, NULL, NULL, &size);
	if (t->pid < 0)
		die("forkpty");
	if (t->pid == 0) {
		execvp(argv[0], argv);
		die(argv[0]);
	}
	fcntl(t->fd, F_SETFD, FD_CLOEXEC);
}

int main(int argc, char **argv)
{
	static struct terminal t;
	int seconds = 60, first = 1, command, status;
	size_t before;

	if (argc > 2 && strcmp(argv[1], "-t") == 0) {
		seconds = atoi(argv[2]);
		first = 3;
	}
	for (command = first; command < argc && strcmp(argv[command], "--"); command++)
		;
	if (command + 1 >= argc)
		usage("ptyrun [-t SECONDS] [STEP]... -- COMMAND [ARG]...");
	t.end = now_ms() + seconds * 1000;
	start(&t, argv + command + 1);
	for (; first < command; first++)
		play(&t, argv[first]);
	while (waitpid(t.pid, &status, WNOHANG) == 0) {
		if (now_ms() > t.end)
			give_up(&t, "the end of the command");
		relay(&t, 20);
	}
	do { /* what it wrote last comes in pieces */
		before = t.n;
		relay(&t, 50);
	} while (!t.closed && t.n != before);
	printf("\nptyrun: ");
	print_status(stdout, status);
	return 0;
}
