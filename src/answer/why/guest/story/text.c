/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/why/guest/story/text.h>

#include <exectrace/base/clock.h>
#include <exectrace/base/quote.h>
#include <string.h>

#define NAME_MAX 60u /* bytes of a name */

void guest_story_time(struct buf *out, const struct guest_story *g, uint64_t time)
{
	if (g->ns)
		clock_print(out, time);
	else
		buf_printf(out, "%.3fM", (double)time / 1e6);
}

void text_name(struct buf *out, const char *name)
{
	size_t n = strlen(name);

	quote_terminal(out, name, n < NAME_MAX ? n : NAME_MAX);
}

void text_cut(struct buf *out, const char *text, size_t max)
{
	size_t n = strlen(text), at = n > max ? max : n;

	while (at && at < n && ((unsigned char)text[at] & 0xc0) == 0x80) /* not within a character */
		at--;
	quote_terminal(out, text, at);
	buf_puts(out, at < n ? "..." : "");
}

void text_task(struct buf *out, const char *task, uint32_t pid)
{
	text_name(out, *task ? task : "a task");
	buf_printf(out, " [%u]", pid);
}

void text_function(struct buf *out, const char *name, const char *module)
{
	text_name(out, *name ? name : "code");
	if (*module && strcmp(module, "[kernel]") != 0 && strcmp(module, name) != 0) {
		buf_puts(out, *module == '[' ? " " : " of ");
		text_name(out, module);
	}
}

void text_padded(struct buf *out, const struct guest_story *g, uint64_t ticks)
{
	struct buf time = BUF_INIT;

	guest_story_time(&time, g, ticks);
	buf_printf(out, "  %8s", time.data ? time.data : "?");
	buf_release(&time);
}
