/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "looks_helper.h"

#include <exectrace/base/fd.h>
#include <exectrace/base/parent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

static void answer_of(struct look_answer *answer, struct target *target, const struct target_cache *cache)
{
	memset(answer, 0, sizeof(*answer));
	answer->target = *target;
	answer->target.exe = answer->target.interp = NULL;
	answer->has_exe = target->exe && strlen(target->exe) < sizeof(answer->exe);
	answer->has_interp = target->interp && strlen(target->interp) < sizeof(answer->interp);
	if (answer->has_exe)
		strcpy(answer->exe, target->exe);
	if (answer->has_interp)
		strcpy(answer->interp, target->interp);
	answer->n_used = cache->n_used;
	memcpy(answer->used, cache->used, cache->n_used * sizeof(cache->used[0]));
	target_release(target);
}

void looks_serve(int sock, struct target_cache *cache, pid_t supervisor)
{
	static struct look_question question;
	static struct look_answer answer;
	const int keep[1] = {sock};
	struct target target;
	ssize_t n = 0;

	prctl(PR_SET_NAME, "exectrace-look", 0, 0, 0);
	(void)parent_die_with(supervisor);
	fd_close_all_but(keep, 1);
	while ((n = recv(sock, &question, sizeof(question) - 1, 0)) > (ssize_t)offsetof(struct look_question, path)) {
		((char *)&question)[n] = '\0';
		target_resolve(cache, question.tid, question.dirfd, question.path, &target);
		answer_of(&answer, &target, cache);
		if (send(sock, &answer, sizeof(answer), MSG_NOSIGNAL) != (ssize_t)sizeof(answer))
			break;
	}
	_exit(0);
}
