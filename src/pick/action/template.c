/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/pick/action/action.h>

#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/clock.h>
#include <exectrace/base/quote.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Names of others: of programs and, as who sets it may be anybody, of the machine. */
static int add_name(struct buf *out, const char *name)
{
	return quote_file_name(out, name, strlen(name));
}

static int add_host(struct buf *out)
{
	char host[256] = "localhost";

	(void)gethostname(host, sizeof(host) - 1);
	return add_name(out, host);
}

/* The user's own path, as it is; but never the beginning of an option, a pipe or a command for the tool that gets it.
 */
static int add_dir(struct buf *out, const char *dir)
{
	int e = *dir && strchr("-|!+@", *dir) ? buf_puts(out, "./") : 0;

	return e ? e : buf_puts(out, dir);
}

static int add_time(struct buf *out, uint64_t ns)
{
	time_t seconds = (time_t)(ns / NS_PER_S);
	struct tm tm;
	char text[32];

	if (!localtime_r(&seconds, &tm) || !strftime(text, sizeof(text), "%Y%m%d-%H%M%S", &tm))
		return -EINVAL;
	return buf_puts(out, text);
}

static int add_value(struct buf *out, const char *name, size_t n, const struct template_values *values)
{
	if (n == 3 && strncmp(name, "pid", n) == 0)
		return buf_printf(out, "%d", (int)values->pid);
	if (n == 1 && *name == 'n')
		return buf_printf(out, "%lu", values->n);
	if (n == 4 && strncmp(name, "comm", n) == 0)
		return add_name(out, values->comm ? values->comm : "");
	if (n == 4 && strncmp(name, "rule", n) == 0)
		return buf_printf(out, "%d", values->rule);
	if (n == 4 && strncmp(name, "host", n) == 0)
		return add_host(out);
	if (n == 4 && strncmp(name, "time", n) == 0)
		return add_time(out, values->time);
	if (n == 3 && strncmp(name, "dir", n) == 0 && values->dir)
		return add_dir(out, values->dir);
	return -ENOENT;
}

bool template_in_dir(const char *output)
{
	return strncmp(output, "{dir}/", 6) == 0 && !strchr(output + 6, '/');
}

int template_expand(struct buf *out, const char *text, const struct template_values *values)
{
	while (*text) {
		size_t n = *text == '{' ? strcspn(text + 1, "}") : 0;
		int e = -ENOENT;

		if (n && text[n + 1] == '}')
			e = add_value(out, text + 1, n, values);
		if (!e) {
			text += n + 2;
			continue;
		}
		e = e == -ENOENT ? buf_putc(out, *text++) : e;
		if (e)
			return e;
	}
	return 0;
}

int template_expand_strv(struct strv *to, const struct strv *from, const struct template_values *values)
{
	for (size_t i = 0; i < from->n; i++) {
		cleanup_buf struct buf word = BUF_INIT;
		int e = template_expand(&word, from->items[i], values);

		if (!e)
			e = strv_push(to, word.data ? word.data : "");
		if (e)
			return e;
	}
	return 0;
}
