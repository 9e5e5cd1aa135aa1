/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/base/fd.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

void fd_close(int *fd)
{
	int saved = errno;

	if (*fd >= 0)
		close(*fd);
	*fd = -1;
	errno = saved;
}

int fd_high(int fd)
{
	int high, saved;

	if (fd < 0)
		return -EBADF;
	if (fd > STDERR_FILENO) {
		if (fcntl(fd, F_SETFD, FD_CLOEXEC) == 0)
			return fd;
		high = -1;
	} else {
		high = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	}
	saved = errno;
	close(fd);
	return high < 0 ? -saved : high;
}

/* Moves both out of the way; on failure both are closed. */
static int both_high(int ends[2])
{
	int first = fd_high(ends[0]);
	int second = fd_high(ends[1]);
	int rc = first < 0 ? first : second < 0 ? second : 0;

	ends[0] = first;
	ends[1] = second;
	if (rc) {
		fd_close(&ends[0]);
		fd_close(&ends[1]);
	}
	return rc;
}

int fd_pipe(int ends[2], int flags)
{
	return pipe2(ends, O_CLOEXEC | flags) ? -errno : both_high(ends);
}

int fd_socketpair(int ends[2])
{
	return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) ? -errno : both_high(ends);
}

int fd_room(unsigned n)
{
	struct rlimit limit;
	int lowest = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0);

	if (lowest < 0)
		return -errno;
	close(lowest);
	return getrlimit(RLIMIT_NOFILE, &limit) == 0 && (rlim_t)lowest + n > limit.rlim_cur ? -EMFILE : 0;
}

/* Room for one descriptor, aligned as cmsg(3) wants it. */
union control {
	char bytes[CMSG_SPACE(sizeof(int))];
	struct cmsghdr header;
};

int fd_send(int sock, int fd)
{
	char byte = 0;
	struct iovec iov = {.iov_base = &byte, .iov_len = 1};
	union control control = {.bytes = {0}};
	struct msghdr msg = {.msg_iov = &iov,
	                     .msg_iovlen = 1,
	                     .msg_control = &control,
	                     .msg_controllen = sizeof(control)};
	struct cmsghdr *header = CMSG_FIRSTHDR(&msg);
	ssize_t n;

	header->cmsg_level = SOL_SOCKET;
	header->cmsg_type = SCM_RIGHTS;
	header->cmsg_len = CMSG_LEN(sizeof(fd));
	memcpy(CMSG_DATA(header), &fd, sizeof(fd));
	do {
		n = sendmsg(sock, &msg, MSG_NOSIGNAL);
	} while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : 0;
}

int fd_recv(int sock)
{
	char byte;
	struct iovec iov = {.iov_base = &byte, .iov_len = 1};
	union control control;
	/* The length, not the padded space: a second descriptor would fit into the padding and be leaked. */
	struct msghdr msg = {.msg_iov = &iov,
	                     .msg_iovlen = 1,
	                     .msg_control = &control,
	                     .msg_controllen = CMSG_LEN(sizeof(int))};
	struct cmsghdr *header;
	ssize_t n;
	int fd;

	do {
		n = recvmsg(sock, &msg, MSG_CMSG_CLOEXEC);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	if (n == 0)
		return -EPIPE;
	header = CMSG_FIRSTHDR(&msg);
	if (!header || header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS ||
	    header->cmsg_len != CMSG_LEN(sizeof(fd)))
		/* The kernel drops what it finds no free number for. */
		return msg.msg_flags & MSG_CTRUNC ? -EMFILE : -EBADMSG;
	memcpy(&fd, CMSG_DATA(header), sizeof(fd));
	return fd_high(fd);
}

/* After a call that failed: 0 when it can be tried again, waiting if that is what is needed; else -errno. */
static int retry(int fd, short events)
{
	struct pollfd wait = {.fd = fd, .events = events};

	if (errno == EINTR)
		return 0;
	/* Whoever shares a terminal or a pipe with us may have made it non-blocking. */
	if (errno != EAGAIN)
		return -errno;
	return poll(&wait, 1, -1) < 0 && errno != EINTR ? -errno : 0;
}

int fd_write_all(int fd, const void *bytes, size_t n)
{
	const char *p = bytes;

	while (n) {
		ssize_t done = write(fd, p, n);

		if (done < 0) {
			int rc = retry(fd, POLLOUT);

			if (rc)
				return rc;
			continue;
		}
		p += done;
		n -= (size_t)done;
	}
	return 0;
}

long fd_read_all(int fd, void *bytes, size_t n)
{
	char *p = bytes;
	size_t got = 0;

	while (got < n) {
		ssize_t done = read(fd, p + got, n - got);

		if (done == 0)
			break;
		if (done < 0) {
			int rc = retry(fd, POLLIN);

			if (rc)
				return rc;
			continue;
		}
		got += (size_t)done;
	}
	return (long)got;
}

static bool is_kept(int fd, const int *keep, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (keep[i] == fd)
			return true;
	return false;
}

/* For kernels before 5.9, and for sandboxes and checkers that do not know close_range. */
static void close_listed(const int *keep, size_t n)
{
	DIR *dir = opendir("/proc/self/fd");
	struct dirent *entry;

	if (!dir)
		return;
	while ((entry = readdir(dir))) {
		char *end;
		long fd = strtol(entry->d_name, &end, 10);

		if (end != entry->d_name && *end == '\0' && fd != dirfd(dir) && !is_kept((int)fd, keep, n))
			close((int)fd);
	}
	closedir(dir);
}

void fd_close_all_but(const int *keep, size_t n)
{
	unsigned from = 0;

	for (;;) {
		unsigned next = UINT_MAX;

		for (size_t i = 0; i < n; i++)
			if (keep[i] >= 0 && (unsigned)keep[i] >= from && (unsigned)keep[i] < next)
				next = (unsigned)keep[i];
		if (next > from && close_range(from, next == UINT_MAX ? UINT_MAX : next - 1, 0)) {
			close_listed(keep, n);
			return;
		}
		if (next == UINT_MAX)
			return;
		from = next + 1;
	}
}

int fd_null(int fd, int flags)
{
	int null = open("/dev/null", flags), rc = 0;

	if (null < 0)
		return -errno;
	if (null == fd)
		return 0;
	if (dup3(null, fd, flags & O_CLOEXEC) < 0)
		rc = -errno;
	close(null);
	return rc;
}

int fd_directory_of(const char *path, const char **name)
{
	const char *slash = strrchr(path, '/');
	char *directory = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
	int fd = directory ? open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
	int rc = fd < 0 ? -errno : fd;

	free(directory);
	*name = slash ? slash + 1 : path;
	return rc;
}
