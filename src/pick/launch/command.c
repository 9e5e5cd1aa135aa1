/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "command.h"

#include <errno.h>
#include <grp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static size_t count(char *const *words)
{
	size_t n = 0;

	while (words && words[n])
		n++;
	return n;
}

/* Where a variable of the name of n bytes stands among the first `used`; `used` itself: nowhere. */
static size_t place(char *const *env, size_t used, const char *name, size_t n)
{
	size_t i = 0;

	while (i < used && (strncmp(env[i], name, n) != 0 || env[i][n] != '='))
		i++;
	return i;
}

/* Our environment with the changes: NAME=VALUE sets, NAME takes away. NULL without memory. */
static char **changed_environment(char *const *changes, size_t n)
{
	size_t used = count(environ);
	char **env = calloc(used + n + 1, sizeof(*env));

	if (!env)
		return NULL;
	memcpy(env, environ, used * sizeof(*env));
	for (size_t i = 0; i < n; i++) {
		size_t length = strcspn(changes[i], "="), at = place(env, used, changes[i], length);

		if (changes[i][length]) {
			used += at == used;
			env[at] = changes[i];
		} else if (at < used) {
			memmove(env + at, env + at + 1, (used - at) * sizeof(*env));
			env[--used] = NULL;
		}
	}
	return env;
}

static int become_user(const struct passwd *user)
{
	if (initgroups(user->pw_name, user->pw_gid) || setresgid(user->pw_gid, user->pw_gid, user->pw_gid) ||
	    setresuid(user->pw_uid, user->pw_uid, user->pw_uid))
		return -errno;
	return 0;
}

int command_execute(const struct launch *launch)
{
	char **env = launch->n_changes ? changed_environment(launch->changes, launch->n_changes) : environ;
	int err = env ? 0 : -ENOMEM;

	if (!err && launch->user)
		err = become_user(launch->user);
	if (err)
		return err;
	execvpe(launch->command[0], launch->command, env);
	return -errno;
}
