/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What supervisor, waiting root and keeper tell each other until the command runs, and how it does not. */
#include "orders.h"

#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/err.h>
#include <exectrace/base/fd.h>
#include <exectrace/pick/launch/listener.h>
#include <exectrace/pick/launch/nested.h>
#include <exectrace/target/tracee/wait.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef PR_SET_PTRACER
#define PR_SET_PTRACER 0x59616d61
#endif

/* What the supervisor tells the waiting root. */
enum order { ORDER_GO = 'G', ORDER_LISTEN = 'L', ORDER_LISTEN_NNP = 'N', ORDER_PTRACER = 'P', ORDER_QUIT = 'Q' };

struct reply {
	int err; /* 0 or -errno; a descriptor follows when it belongs to the order */
	bool filtered;
};

static void send_reply(int sock, int err, bool filtered)
{
	struct reply reply = {err, filtered};

	(void)send(sock, &reply, sizeof(reply), MSG_NOSIGNAL);
}

/* The feed of an outer exectrace, if there is one, then the listener. */
static int send_both(int sock, int feed, int listener)
{
	int err = feed < 0 ? 0 : fd_send(sock, feed);

	return err ? err : fd_send(sock, listener);
}

/* The keeper gets the listener first: from then on the supervisor may die without harm. */
static void install_listener(struct launch *launch, bool nnp, pid_t supervisor)
{
	cleanup_fd int feed = -1;
	cleanup_fd int listener = listener_install(nnp);
	int err = 0;

	if (listener == -EBUSY)
		listener = nested_ask(supervisor, &feed);
	err = listener < 0 ? listener : send_both(launch->keeper_sock, feed, listener);
	send_reply(launch->sock, err, listener >= 0);
	if (!err && send_both(launch->sock, feed, listener))
		(void)send(launch->sock, "", 1, MSG_NOSIGNAL); /* without a descriptor: it is waited for */
	if (listener < 0)
		listener = -1;
}

static void allow_tracer(struct launch *launch, pid_t supervisor)
{
	int err = prctl(PR_SET_PTRACER, (unsigned long)supervisor, 0, 0, 0) ? -errno : 0;

	send_reply(launch->sock, err == -EINVAL ? 0 : err, false); /* EINVAL: no Yama */
}

struct message {
	char order;
	pid_t supervisor;
};

void orders_obey(struct launch *launch)
{
	struct message message;
	ssize_t n = 0;

	for (;;) {
		n = recv(launch->sock, &message, sizeof(message), 0);
		/* The latter once, when the supervisor has left something unread: what it said last comes after that.
		 */
		if (n < 0 && (errno == EINTR || errno == ECONNRESET))
			continue;
		if (n != (ssize_t)sizeof(message)) {
			err_say(ERR_ERROR, "cannot start: exectrace was killed; %s is not run", launch->command[0]);
			_exit(125);
		}
		if (message.order == ORDER_GO)
			return;
		if (message.order == ORDER_QUIT)
			_exit(125);
		if (message.order == ORDER_PTRACER)
			allow_tracer(launch, message.supervisor);
		else
			install_listener(launch, message.order == ORDER_LISTEN_NNP, message.supervisor);
	}
}

/* What the keeper says next: 0 or -errno, also when it has ended. */
static int ask_keeper(const struct launch *launch)
{
	int said = 0;
	ssize_t n = 0;

	do
		n = recv(launch->keeper_sock, &said, sizeof(said), 0);
	while (n < 0 && errno == EINTR);
	if (n != (ssize_t)sizeof(said))
		return n < 0 ? -errno : -ECHILD;
	return said;
}

int launch_ready(struct launch *launch, struct buf *why)
{
	struct wait_event ev = {0};
	int err = ask_keeper(launch);

	if (err) {
		(void)buf_puts(why, "no keeper process");
		return err;
	}
	err = wait_try(launch->keeper, &ev);
	if (err < 0)
		(void)buf_printf(why, "children cannot be waited for: %s", strerror(-err));
	return err < 0 ? err : 0;
}

static int give_order(struct launch *launch, enum order order)
{
	struct message message = {.order = (char)order, .supervisor = getpid()};

	/* The other way, with all signals blocked, to tell the peer that we quit, and why: because sending is
	 * refused.
	 */
	if (send(launch->sock, &message, sizeof(message), MSG_NOSIGNAL) == (ssize_t)sizeof(message))
		return 0;
	return fd_write_all(launch->sock, &message, sizeof(message));
}

static int ask(struct launch *launch, enum order order, struct reply *reply)
{
	int err = give_order(launch, order);
	ssize_t n = 0;

	if (err)
		return err;
	do
		n = recv(launch->sock, reply, sizeof(*reply), 0);
	while (n < 0 && errno == EINTR);
	if (n != (ssize_t)sizeof(*reply))
		return n < 0 ? -errno : -EPIPE;
	return reply->err;
}

/* Whether the root can have a listener if it gives up new privileges: that cannot be taken back, so a child tries. */
static int try_listener(void)
{
	struct wait_event ev = {0};
	pid_t pid = fork();
	int err = 0;

	if (pid == 0)
		_exit((err = listener_install(true)) < 0 ? -err : 0);
	if (pid < 0)
		return -errno;
	do
		err = wait_for(pid, &ev);
	while (err == -EINTR);
	if (err)
		return err;
	return WIFEXITED(ev.status) ? -WEXITSTATUS(ev.status) : -ECHILD;
}

int launch_install_listener(struct launch *launch)
{
	struct reply reply = {0};
	int err = ask(launch, ORDER_LISTEN, &reply);
	int listener = -1;

	if (err == -EACCES && !reply.filtered) { /* no CAP_SYS_ADMIN: then only without new privileges (seccomp(2)) */
		err = try_listener();
		if (!err)
			err = ask(launch, ORDER_LISTEN_NNP, &reply);
		launch->no_new_privs = !err;
	}
	launch->filtered = reply.filtered;
	if (err)
		return err;
	listener = fd_recv(launch->sock);
	if (listener >= 0 && nested_is_feed(listener)) {
		launch->sources.feed = listener;
		launch->sources.nested = true;
		listener = fd_recv(launch->sock);
	}
	err = ask_keeper(launch);
	if (err && listener >= 0) {
		fd_close(&listener);
		listener = err;
	}
	return listener;
}

int launch_prepare_ptrace(struct launch *launch)
{
	struct reply reply = {0};

	return ask(launch, ORDER_PTRACER, &reply);
}

int launch_go(struct launch *launch)
{
	int err = launch->root ? give_order(launch, ORDER_GO) : 0;

	if (err)
		return err;
	fd_close(&launch->sock);
	fd_close(&launch->keeper_sock);
	return 0;
}

void launch_end_child(pid_t pid)
{
	struct wait_event ev = {.kind = WAIT_SIGNAL};
	int err = 0;

	if (pid <= 0 || kill(pid, SIGKILL))
		return;
	while (ev.kind != WAIT_EXIT && (!err || err == -EINTR))
		err = wait_for(pid, &ev);
}

void launch_quit(struct launch *launch)
{
	if (launch->sock >= 0 && launch->root)
		(void)give_order(launch, ORDER_QUIT);
	if (!launch->behind)
		launch_end_child(launch->root);
	if (!sources_any(&launch->sources, 1)) /* else what has a listener by now needs it */
		launch_end_child(launch->keeper);
	launch->keeper = 0;
	fd_close(&launch->sock);
	fd_close(&launch->keeper_sock);
	fd_close(&launch->orders);
	fd_close(&launch->queue[0]);
	fd_close(&launch->queue[1]);
	fd_close(&launch->wake);
}
