/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/target/syscalls/names.h>

#include <exectrace/base/kerrno.h>
#include <exectrace/target/syscalls/schema.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define SIGRTMIN_KERNEL 32
#define SIGRTMAX_KERNEL 64

/* What the kernel answers to itself and only a tracer sees (linux/errno.h, not among the uapi headers). */
static const struct {
	int err;
	const char *name, *text;
} internal[] = {
	{ERESTARTSYS, "ERESTARTSYS", "To be restarted if SA_RESTART is set"},
	{ERESTARTNOINTR, "ERESTARTNOINTR", "To be restarted"},
	{ERESTARTNOHAND, "ERESTARTNOHAND", "To be restarted if no handler"},
	{ENOIOCTLCMD, "ENOIOCTLCMD", "No ioctl command"},
	{ERESTART_RESTARTBLOCK, "ERESTART_RESTARTBLOCK", "Interrupted by signal"},
	{524, "ENOTSUPP", "Operation is not supported"},
};

const char *errno_name(int err)
{
	for (size_t i = 0; i < sizeof(internal) / sizeof(internal[0]); i++) {
		if (internal[i].err == err)
			return internal[i].name;
	}
	return err > 0 ? strerrorname_np(err) : NULL;
}

const char *errno_text(int err)
{
	for (size_t i = 0; i < sizeof(internal) / sizeof(internal[0]); i++) {
		if (internal[i].err == err)
			return internal[i].text;
	}
	return err > 0 ? strerrordesc_np(err) : NULL;
}

const char *signal_name(int sig, char *buf)
{
	const char *name = value_name(SET_signal, (uint32_t)sig);

	if (name)
		snprintf(buf, SIGNAL_NAME_MAX, "%s", name);
	else if (sig == SIGRTMIN_KERNEL)
		snprintf(buf, SIGNAL_NAME_MAX, "SIGRTMIN");
	else if (sig > SIGRTMIN_KERNEL && sig <= SIGRTMAX_KERNEL)
		snprintf(buf, SIGNAL_NAME_MAX, "SIGRT_%d", sig - SIGRTMIN_KERNEL);
	else
		snprintf(buf, SIGNAL_NAME_MAX, "%d", sig);
	return buf;
}

int signal_number(const char *name)
{
	char buf[SIGNAL_NAME_MAX];

	for (int sig = 1; sig <= SIGRTMAX_KERNEL; sig++) {
		signal_name(sig, buf);
		if (strcasecmp(buf, name) == 0 || strcasecmp(buf + strlen("SIG"), name) == 0)
			return sig;
		snprintf(buf, sizeof(buf), "%d", sig);
		if (strcmp(buf, name) == 0)
			return sig;
	}
	return 0;
}
