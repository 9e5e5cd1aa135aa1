/* SPDX-License-Identifier: GPL-2.0-or-later */
/* asker HOW ADDRESS PORT: asks a server that does not answer, and waits: by sendto, sendmsg, poll, or connect (TCP). */
#include <arpa/inet.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static const char question[] = "who is there?";

static int asks(const char *how, int fd, struct sockaddr_in *to)
{
	struct iovec part = {(char *)question, sizeof(question)};
	const struct msghdr message = {.msg_name = to, .msg_namelen = sizeof(*to), .msg_iov = &part, .msg_iovlen = 1};

	if (strcmp(how, "sendto") == 0)
		return sendto(fd, question, sizeof(question), 0, (struct sockaddr *)to, sizeof(*to)) < 0;
	if (strcmp(how, "sendmsg") == 0)
		return sendmsg(fd, &message, 0) < 0;
	return connect(fd, (struct sockaddr *)to, sizeof(*to)) || send(fd, question, sizeof(question), 0) < 0;
}

int main(int argc, char **argv)
{
	struct sockaddr_in to = {.sin_family = AF_INET};
	struct pollfd polled = {.events = POLLIN};
	char answer[512];

	if (argc < 4 || inet_pton(AF_INET, argv[2], &to.sin_addr) != 1)
		return 1;
	to.sin_port = htons((unsigned short)atoi(argv[3]));
	polled.fd = socket(AF_INET, strcmp(argv[1], "connect") == 0 ? SOCK_STREAM : SOCK_DGRAM, 0);
	if (polled.fd < 0 || asks(argv[1], polled.fd, &to))
		return 1;
	if (strcmp(argv[1], "poll") == 0 && poll(&polled, 1, -1) != 1)
		return 1;
	return recv(polled.fd, answer, sizeof(answer), 0) < 0;
}
