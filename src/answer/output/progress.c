/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/output/progress.h>

#include <exectrace/base/clock.h>
#include <exectrace/base/fd.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define PATIENCE NS_PER_S          /* works that take less tell nothing */
#define INTERVAL (200 * NS_PER_MS) /* between two lines */
#define CLEAR "\r\033[K"

void progress_begin(struct progress *p)
{
	*p = (struct progress){.wanted = isatty(STDERR_FILENO) == 1, .begun = clock_now()};
}

void progress_tell(void *ctx, uint64_t done, uint64_t total)
{
	struct progress *p = ctx;
	char line[80];
	uint64_t now;
	int n;

	if (!p->wanted || !total)
		return;
	now = clock_now();
	if (now - p->begun < PATIENCE || now - p->shown < INTERVAL)
		return;
	p->shown = now;
	p->visible = true;
	n = snprintf(line, sizeof(line), CLEAR "reading: %u%%", (unsigned)(100.0 * (double)done / (double)total));
	(void)fd_write_all(STDERR_FILENO, line, (size_t)n);
}

void progress_end(void *ctx)
{
	struct progress *p = ctx;

	if (p->visible)
		(void)fd_write_all(STDERR_FILENO, CLEAR, strlen(CLEAR));
	p->visible = p->wanted = false;
}
