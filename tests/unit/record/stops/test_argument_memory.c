/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Real programs, traced by stops: each call is shown twice, from the memory of the stopped process and from the
 * snapshot that the source took of it alone. The two lines must be the same, whatever the arguments point to.
 */
#include "tap.h"
#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/record/stops/stops.h>
#include <exectrace/target/process/mem.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#define THREADS 256
#define PAGE 4096u

/* What is shown from snapshots, of one thread. */
struct copy {
	pid_t tid; /* 0: free */
	struct decode_state state;
	struct buf line;
	bool whole;
};

struct compared {
	struct call_sink sink; /* first */
	unsigned string_max;
	int go; /* the child waits for this to be closed */
	struct copy copies[THREADS];
	unsigned calls, whole, differ;
};

static int read_process(void *user, uint64_t addr, void *to, size_t n)
{
	return mem_read(((const struct thread *)user)->tid, addr, to, n);
}

static int read_copy(void *user, uint64_t addr, void *to, size_t n)
{
	return snapshot_read(user, addr, to, n);
}

static bool count_copy(void *user, uint64_t addr, unsigned *n)
{
	return snapshot_find_entries(user, addr, n);
}

static struct copy *copy_of(struct compared *c, pid_t tid)
{
	for (size_t i = 0; i < THREADS; i++)
		if (c->copies[i].tid == tid)
			return &c->copies[i];
	return tid ? copy_of(c, 0) : NULL;
}

static int show(struct compared *c, const struct call_event *event, const struct decoder *d, struct decode_state *state,
                struct buf *line)
{
	const struct thread *thread = event->thread;
	struct decoder decoder = *d;

	decoder.string_max = c->string_max;
	if (event->type == CALL_EXIT)
		return decode_exit(&decoder, &thread->call, state, &thread->result, line);
	buf_reset(line, PAGE);
	state->column = 0;
	return decode_enter(&decoder, &thread->call, state, line);
}

static void compare(struct compared *c, struct copy *copy, const struct thread *thread)
{
	c->calls++;
	if (!copy->whole)
		return;
	c->whole++;
	if (strcmp(copy->line.data, thread->line.data) == 0)
		return;
	if (!c->differ++)
		printf("# process:  %s\n# snapshot: %s\n", thread->line.data, copy->line.data);
}

static int on_event(struct call_sink *sink, const struct call_event *event)
{
	struct compared *c = (struct compared *)sink;
	struct thread *thread = event->thread;
	const struct decoder live = {.read = read_process, .user = thread};
	const struct decoder kept = {.read = read_copy, .entries = count_copy, .user = &thread->memory};
	struct copy *copy = copy_of(c, thread->tid);
	int err = 0;

	if (!copy)
		return -ENOBUFS;
	copy->tid = event->type == CALL_END ? 0 : thread->tid;
	if (event->type == CALL_BEGIN && c->go >= 0) {
		close(c->go);
		c->go = -1;
	}
	if (event->type != CALL_ENTER && event->type != CALL_EXIT)
		return 0;
	err = show(c, event, &live, &thread->state, &thread->line);
	if (!err)
		err = show(c, event, &kept, &copy->state, &copy->line);
	copy->whole = thread->memory.whole && (copy->whole || event->type == CALL_ENTER);
	if (event->type == CALL_EXIT)
		compare(c, copy, thread);
	return err;
}

static int on_idle(struct call_sink *sink)
{
	(void)sink;
	return 0;
}

/* --- What is traced --- */

static void nothing(int sig)
{
	(void)sig;
}

/* Strings and structures at the end of what is mapped, and beyond. */
static void at_the_edge(void)
{
	char *map = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *end = map + 3 * PAGE;
	int null = open("/dev/null", O_WRONLY);

	munmap(end, PAGE);
	memset(map, 'x', 3 * PAGE);
	syscall(SYS_open, end - 10, 0, 0); /* without an end */
	syscall(SYS_open, end, 0, 0);
	syscall(SYS_open, 1, 0, 0);
	syscall(SYS_open, NULL, 0, 0);
	syscall(SYS_open, map + 100, 0, 0); /* longer than a name may be */
	end[-1] = 0;
	syscall(SYS_open, end - 10, 0, 0);
	syscall(SYS_open, end - 1, 0, 0);
	syscall(SYS_open, end - PAGE - 5, 0, 0); /* over the end of a page */
	syscall(SYS_rename, end - 10, end - 10);
	syscall(SYS_link, end - 10, end - 6); /* one in the other */
	syscall(SYS_setxattr, end - 10, end - 10, end - 10, 10, 0);
	map[5] = 0;
	syscall(SYS_setxattr, map, map, map, 40, 0); /* bytes behind the end of the string that begins there */
	syscall(SYS_write, null, end - 20, 20);
	syscall(SYS_write, null, end - 20, 40);
	syscall(SYS_write, null, NULL, 3);
	syscall(SYS_write, null, map, -1L);
	syscall(SYS_stat, "/", end - 8);
	syscall(SYS_stat, end - 10, end - 200);
	syscall(SYS_nanosleep, end - 8, NULL);
}

/* What the call overwrites, what depends on its result, and what it leaves as it was. */
static void in_and_out(void)
{
	const struct itimerval soon = {.it_value = {.tv_usec = 20000}};
	struct itimerval old;
	struct timespec long_one = {5, 0};
	struct sigaction action = {.sa_handler = nothing};
	sigset_t set;
	char bytes[100], name[] = "user.none";
	int status, fds[2];
	off_t from = 1;

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &soon, &old);
	nanosleep(&long_one, &long_one);
	sigemptyset(&set);
	syscall(SYS_rt_sigprocmask, SIG_BLOCK, &set, &set, 8);
	syscall(SYS_rt_sigprocmask, SIG_BLOCK, &set, NULL, 16);
	syscall(SYS_rt_sigprocmask, SIG_BLOCK, NULL, &set, 0);
	if (getrandom(bytes, 40, 0) < 0 || getrandom(bytes, 0, 0) < 0 || pipe(fds))
		_exit(2);
	(void)!read(fds[0], bytes, 0);
	(void)!write(fds[1], "0123456789", 10);
	(void)!read(fds[0], bytes, sizeof(bytes));
	getxattr("/", name, bytes, 0);
	getxattr("/", name, bytes, sizeof(bytes));
	syscall(SYS_getcwd, bytes, sizeof(bytes));
	syscall(SYS_getcwd, bytes, 1);
	syscall(SYS_sendfile, fds[1], open("/etc/passwd", O_RDONLY), &from, 5);
	if (!fork())
		_exit(7);
	wait4(-1, &status, 0, NULL);
	wait4(-1, &status, WNOHANG, NULL);
	utimensat(AT_FDCWD, name, (const struct timespec[2]){{1, 2}, {0, UTIME_NOW}}, 0);
}

/* What an argument points to is counted by another one, by the result, or is an array of pointers. */
static void counted(void)
{
	char *map = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), *end = map + PAGE;
	char text[] = "0123456789";
	struct iovec iov[40] = {{text + 7, 3}, {NULL, 0}, {text, 10}, {(void *)1, 0}};
	struct sockaddr_un name = {.sun_family = AF_UNIX, .sun_path = "/nowhere/at/all"};
	struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET, .l_len = 5};
	struct f_owner_ex owner = {F_OWNER_PID, 0};
	struct epoll_event event = {.events = EPOLLIN}, events[4];
	int fds[2], fd = open("/etc", O_RDONLY | O_DIRECTORY), queue = epoll_create1(0), file, tid = 0;

	munmap(end, PAGE);
	if (pipe(fds))
		_exit(2);
	for (int n = 0; n < 40; n += n < 5 ? 1 : 30)
		writev(fds[1], iov, n);
	iov[2] = (struct iovec){end - 4, 10};
	writev(fds[1], iov, 3);
	syscall(SYS_writev, fds[1], end - 24, 3);
	syscall(SYS_readv, fds[0], (struct iovec[]){{map, 5}, {map + 100, 500}}, 2);
	syscall(SYS_connect, socket(AF_UNIX, SOCK_STREAM, 0), &name, sizeof(name));
	syscall(SYS_connect, fd, end - 3, 8);
	syscall(SYS_connect, fd, &name, -1);
	file = open("/etc/passwd", O_RDONLY);
	fcntl(file, F_SETLK, &lock);
	fcntl(file, F_GETLK, &lock);
	fcntl(file, F_SETLK, end - 4);
	fcntl(file, F_SETOWN_EX, &owner);
	fcntl(file, F_GETOWN_EX, &owner);
	fcntl(file, F_GETFL);
	while (syscall(SYS_getdents64, fd, map, 1000) > 0) {
	}
	if (!syscall(SYS_clone, SIGCHLD | CLONE_PARENT_SETTID, 0, &tid, 0, 0))
		_exit(0);
	epoll_ctl(queue, EPOLL_CTL_ADD, fds[0], &event);
	epoll_ctl(queue, EPOLL_CTL_ADD, fds[0], NULL);
	(void)!write(fds[1], "x", 1);
	epoll_wait(queue, events, 4, 0);
	syscall(SYS_poll, (struct pollfd[]){{fds[0], POLLIN, 0}, {-1, 0, 0}, {fds[1], POLLOUT, 0}}, 3, 100);
	syscall(SYS_poll, (struct pollfd[]){{fds[1], POLLIN, 0}}, 1, 1);
	syscall(SYS_poll, memset(end - 8, 0, 8), 2, 1);
	syscall(SYS_ppoll, &(struct pollfd){fds[0], POLLIN, 0}, 1, &(struct timespec){5, 0}, NULL, 8);
	wait4(-1, &tid, __WALL, NULL);
}

static void edges(void)
{
	at_the_edge();
	in_and_out();
	counted();
}

static void programs(void)
{
	execlp("sh", "sh", "-c",
	       "ls -lR /usr/include/linux >/dev/null; for i in 1 2 3; do expr $i + 1 | cat; done >/dev/null;"
	       "find /etc -name 'a*' >/dev/null 2>&1; tar cf - /etc/init.d 2>/dev/null | gzip | wc -c >/dev/null;"
	       "sort -r /etc/passwd | sed -n '/root/p' >/dev/null; date >/dev/null; id >/dev/null; df / >/dev/null",
	       NULL);
	_exit(127);
}

static void traced(const char *what, void (*run)(void), unsigned string_max, unsigned share)
{
	static struct compared c;
	struct stops_config config = {.follow = true, .memory = true, .string_max = string_max};
	volatile sig_atomic_t stop = 0;
	struct stops_why why = {0};
	int go[2];

	c = (struct compared){.sink = {.event = on_event, .idle = on_idle}, .string_max = string_max};
	if (!CHECK_INT(pipe2(go, O_CLOEXEC), 0))
		return;
	config.pid = fork();
	if (!config.pid) {
		char byte;

		close(go[1]);
		(void)!read(go[0], &byte, 1);
		run();
		_exit(0);
	}
	close(go[0]);
	c.go = go[1];
	CHECK_INT(stops_run(&config, &c.sink, &stop, &why), 0);
	printf("# %s, strings of %u: %u calls, %u of them whole\n", what, string_max, c.calls, c.whole);
	CHECK_INT(c.differ, 0);
	CHECK(c.calls > 40 && 100 * c.whole >= share * c.calls);
	for (size_t i = 0; i < THREADS; i++)
		buf_release(&c.copies[i].line);
}

int main(void)
{
	static const unsigned sizes[] = {0, 5, DECODE_STRING_MAX, 5000};

	alarm(120);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		traced("edges", edges, sizes[i], 90);
		traced("programs", programs, sizes[i], 95);
	}
	return TAP_DONE();
}
