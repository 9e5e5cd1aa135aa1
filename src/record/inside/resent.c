/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Signals that had to be taken from a thread, and that it gets all the same, with the siginfo_t they had. */
#include "private.h"

#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct resent *find_resent(struct inside_thread *thread, int sig)
{
	for (size_t i = 0; i < sizeof(thread->resent) / sizeof(thread->resent[0]); i++) {
		if (thread->resent[i].sig == sig)
			return &thread->resent[i];
	}
	return NULL;
}

void resent_add(struct inside_thread *thread, int sig, const void *info)
{
	struct resent *resent = find_resent(thread, sig);

	if (!resent)
		resent = find_resent(thread, 0);
	if (resent) {
		resent->sig = sig;
		memcpy(resent->info, info, sizeof(resent->info));
	}
	(void)syscall(SYS_tkill, thread->tid, sig);
}

void resent_put_back(struct inside_thread *thread, int sig, const void *raw)
{
	const siginfo_t *info = raw;
	struct resent *resent = find_resent(thread, sig);

	if (!resent || info->si_code != SI_TKILL || info->si_pid != getpid())
		return;
	resent->sig = 0;
	(void)tracee_set_siginfo(thread->tid, resent->info);
}
