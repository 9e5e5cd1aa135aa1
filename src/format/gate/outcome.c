/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/format/gate/outcome.h>

#include <stdlib.h>
#include <string.h>

const char *const guest_outcomes[GUEST_PANICKED + 1] = {
	[GUEST_RUNS] = NULL,           [GUEST_POWERED_OFF] = "powered off",
	[GUEST_HALTED] = "halted",     [GUEST_RESET] = "was reset",
	[GUEST_HUNG] = "hung",         [GUEST_OOPSED] = "oopsed",
	[GUEST_PANICKED] = "panicked",
};

#define LINE_MAX 160u /* bytes of a line that are looked at */

/* Behind the last colon of "NAME:PID", which is followed by `end`. 0: there is none. */
static uint32_t pid_before(const char *line, const char *end)
{
	const char *at = end;

	while (at > line && at[-1] >= '0' && at[-1] <= '9')
		at--;
	return at < end && at > line && at[-1] == ':' ? (uint32_t)strtoul(at, NULL, 10) : 0;
}

bool guest_says_bug(const char *text, size_t n)
{
	static const char *const bugs[] = {"BUG: scheduling while atomic",
	                                   "BUG: sleeping function called",
	                                   "BUG: workqueue lockup",
	                                   "BUG: spinlock ",
	                                   "BUG: rwlock ",
	                                   "BUG: Bad page ",
	                                   "BUG: Bad rss-counter"};

	for (size_t i = 0; i < sizeof(bugs) / sizeof(*bugs); i++)
		if (n >= strlen(bugs[i]) && memcmp(text, bugs[i], strlen(bugs[i])) == 0)
			return true;
	return false;
}

bool guest_says_hung(const char *text, size_t n, uint32_t *pid)
{
	static const char *const lockups[] = {"BUG: soft lockup - CPU#", "Watchdog detected hard LOCKUP",
	                                      "self-detected stall on CPU", "detected stalls on CPUs",
	                                      "detected expedited stalls"};
	char line[LINE_MAX + 1] = "";
	const char *blocked;

	memcpy(line, n ? text : "", n < LINE_MAX ? n : LINE_MAX);
	*pid = 0;
	blocked = strncmp(line, "INFO: task ", 11) == 0 ? strstr(line, " blocked for more than ") : NULL;
	if (blocked) {
		*pid = pid_before(line, blocked);
		return *pid != 0;
	}
	for (size_t i = 0; i < sizeof(lockups) / sizeof(*lockups); i++)
		if (strstr(line, lockups[i]))
			return true;
	return false;
}
