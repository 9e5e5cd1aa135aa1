/* SPDX-License-Identifier: GPL-2.0-or-later */
/* loadrules NUMBER: gives /dev/rules so many rules, one after the other. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static __attribute__((noinline)) int load_rule(int fd, int n)
{
	char text[40];

	snprintf(text, sizeof(text), "accept from host-%d", n);
	return write(fd, text, strlen(text)) < 0 ? -1 : 0;
}

int main(int argc, char **argv)
{
	int fd = open("/dev/rules", O_WRONLY), number = argc > 1 ? atoi(argv[1]) : 0;

	for (int i = 0; i < number; i++) {
		if (load_rule(fd, i)) {
			perror("loadrules");
			return 1;
		}
	}
	printf("%d rules\n", number);
	return 0;
}
