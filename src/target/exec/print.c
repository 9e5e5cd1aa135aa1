/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/target/exec/print.h>

#include <exectrace/base/cleanup.h>
#include <exectrace/base/clock.h>
#include <exectrace/base/quote.h>
#include <exectrace/target/exec/usage.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

static bool known(const struct exec_record *rec, enum exec_field field)
{
	return (rec->have & field) && !(rec->error & field);
}

/* The pid is asked for last of all; until then the thread stands for it. */
static int pid_of(const struct exec_record *rec)
{
	return (int)(rec->pid ? rec->pid : rec->tid);
}

/* Shortens to max bytes that end in dots, between two characters. */
static void cut(struct buf *line, size_t max)
{
	static const char dots[] = "...";
	size_t n = max < sizeof(dots) - 1 ? max : sizeof(dots) - 1;
	size_t at = max - n;

	while (at && ((unsigned char)line->data[at] & 0xc0) == 0x80)
		at--;
	memcpy(line->data + at, dots, n);
	line->len = at + n;
	line->data[line->len] = '\0';
}

int exec_print_cmdline(struct buf *out, const struct exec_record *rec, size_t max)
{
	cleanup_buf struct buf line = BUF_INIT;
	int err = 0;

	if (!rec->argv.n && rec->path)
		err = quote_shell(&line, rec->path, strlen(rec->path));
	else if (!rec->argv.n)
		err = buf_putc(&line, '?');
	for (size_t i = 0; i < rec->argv.n && !err && (!max || line.len <= max); i++) {
		if (i)
			err = buf_putc(&line, ' ');
		if (!err)
			err = quote_shell(&line, rec->argv.items[i], strlen(rec->argv.items[i]));
	}
	if (err)
		return err;
	if (max && line.len > max)
		cut(&line, max);
	return buf_append(out, line.data, line.len);
}

int exec_print_signal(struct buf *out, int sig)
{
	const char *name = sigabbrev_np(sig);

	if (name)
		return buf_printf(out, "SIG%s", name);
	if (sig == SIGRTMIN)
		return buf_puts(out, "SIGRTMIN");
	if (sig > SIGRTMIN && sig <= SIGRTMAX)
		return buf_printf(out, "SIGRTMIN+%d", sig - SIGRTMIN);
	return buf_printf(out, "SIG%d", sig);
}

int exec_print_end(struct buf *out, const struct exec_end *end)
{
	cleanup_buf struct buf text = BUF_INIT;
	int err;

	if (!end->known)
		return buf_puts(out, end->ended ? "?" : "running");
	if (WIFEXITED(end->wait_status))
		return buf_printf(out, "exit %d", WEXITSTATUS(end->wait_status));
	if (!WIFSIGNALED(end->wait_status))
		return buf_puts(out, "?");
	err = exec_print_signal(&text, WTERMSIG(end->wait_status));
	if (!err && WCOREDUMP(end->wait_status))
		err = buf_puts(&text, " (core)");
	return err ? err : buf_append(out, text.data, text.len);
}

/* True when *ns is how long it ran. */
static bool duration(const struct exec_record *rec, const struct exec_end *end, uint64_t *ns)
{
	*ns = end->when - rec->when;
	return end->when && rec->when && end->when >= rec->when;
}

/* "[4711] parent 4709 depth 2, " with ? for what is not known. */
static int print_family(struct buf *out, const struct exec_record *rec)
{
	int err = buf_printf(out, "[%d] parent ", pid_of(rec));

	if (!err)
		err = known(rec, EXEC_IDS) ? buf_printf(out, "%d", (int)rec->ppid) : buf_putc(out, '?');
	if (!err)
		err = buf_puts(out, " depth ");
	if (!err)
		err = known(rec, EXEC_ANCESTORS) ? buf_printf(out, "%u", rec->depth) : buf_putc(out, '?');
	return err ? err : buf_puts(out, ", ");
}

int exec_print_text(struct buf *out, const struct exec_record *rec, const struct exec_end *end)
{
	cleanup_buf struct buf line = BUF_INIT;
	uint64_t ns;
	int err = print_family(&line, rec);

	if (!err)
		err = exec_print_end(&line, end);
	if (!err && duration(rec, end, &ns)) {
		err = buf_puts(&line, ", ");
		if (!err)
			err = clock_print(&line, ns);
	}
	if (!err)
		err = exec_usage_print(&line, &end->usage);
	if (!err)
		err = buf_puts(&line, ", in ");
	if (!err)
		err = rec->cwd ? quote_shell(&line, rec->cwd, strlen(rec->cwd)) : buf_putc(&line, '?');
	if (!err)
		err = buf_puts(&line, ": ");
	if (!err)
		err = exec_print_cmdline(&line, rec, 0);
	return err ? err : buf_append(out, line.data, line.len);
}

/* The values of one JSON object. Each function adds `,"name":value` and gives up quietly once err is set. */
struct object {
	struct buf text;
	int err;
};

static void name(struct object *o, const char *key)
{
	if (!o->err)
		o->err = buf_printf(&o->text, "%s\"%s\":", o->text.len ? "," : "{", key);
}

static void add_number(struct object *o, const char *key, bool is_known, long long value)
{
	name(o, key);
	if (!o->err)
		o->err = is_known ? buf_printf(&o->text, "%lld", value) : buf_puts(&o->text, "null");
}

static void add_seconds(struct object *o, const char *key, bool is_known, uint64_t ns)
{
	name(o, key);
	if (!o->err)
		o->err = is_known ? buf_printf(&o->text, "%llu.%09llu", (unsigned long long)(ns / NS_PER_S),
		                               (unsigned long long)(ns % NS_PER_S))
		                  : buf_puts(&o->text, "null");
}

static void add_size(struct object *o, const char *key, uint64_t bytes)
{
	name(o, key);
	if (!o->err)
		o->err = buf_printf(&o->text, "%llu", (unsigned long long)bytes);
}

static void add_string(struct object *o, const char *key, const char *text)
{
	name(o, key);
	if (!o->err)
		o->err = text ? quote_json(&o->text, text, strlen(text)) : buf_puts(&o->text, "null");
}

static void add_strings(struct object *o, const char *key, const struct strv *v)
{
	name(o, key);
	if (!o->err)
		o->err = buf_puts(&o->text, v ? "[" : "null");
	for (size_t i = 0; v && i < v->n && !o->err; i++) {
		if (i)
			o->err = buf_putc(&o->text, ',');
		if (!o->err)
			o->err = quote_json(&o->text, v->items[i], strlen(v->items[i]));
	}
	if (!o->err && v)
		o->err = buf_putc(&o->text, ']');
}

static void add_bool(struct object *o, const char *key, bool value)
{
	name(o, key);
	if (!o->err)
		o->err = buf_puts(&o->text, value ? "true" : "false");
}

static void add_end(struct object *o, const struct exec_record *rec, const struct exec_end *end)
{
	cleanup_buf struct buf sig = BUF_INIT;
	bool killed = end->known && WIFSIGNALED(end->wait_status);
	uint64_t ns;
	bool timed = duration(rec, end, &ns);

	if (!o->err && killed)
		o->err = exec_print_signal(&sig, WTERMSIG(end->wait_status));
	add_number(o, "status", end->known && WIFEXITED(end->wait_status), WEXITSTATUS(end->wait_status));
	add_string(o, "signal", killed ? sig.data : NULL);
	name(o, "core");
	if (!o->err && !end->known)
		o->err = buf_puts(&o->text, "null");
	else if (!o->err)
		o->err = buf_puts(&o->text, killed && WCOREDUMP(end->wait_status) ? "true" : "false");
	add_seconds(o, "duration", timed, ns);
	add_bool(o, "ended", end->ended);
}

/* What is not known is left out. */
static void add_usage(struct object *o, const struct exec_usage *usage)
{
	if (usage->cpu) {
		add_seconds(o, "cpu_user", true, usage->user);
		add_seconds(o, "cpu_system", true, usage->system);
	}
	if (usage->peak)
		add_size(o, "peak", usage->peak);
	if (usage->io) {
		add_size(o, "read", usage->read);
		add_size(o, "written", usage->written);
	}
}

int exec_print_json(struct buf *out, const struct exec_record *rec, const struct exec_end *end)
{
	struct object o = {.text = BUF_INIT};

	add_number(&o, "pid", true, pid_of(rec));
	add_number(&o, "ppid", known(rec, EXEC_IDS), rec->ppid);
	add_number(&o, "depth", known(rec, EXEC_ANCESTORS), rec->depth);
	add_number(&o, "uid", known(rec, EXEC_USER), rec->uid);
	add_seconds(&o, "time", rec->when_wall != 0, rec->when_wall);
	add_strings(&o, "argv", known(rec, EXEC_ARGV) ? &rec->argv : NULL);
	add_string(&o, "path", rec->path);
	add_string(&o, "exe", rec->exe);
	add_string(&o, "interp", rec->interp);
	add_string(&o, "cwd", rec->cwd);
	add_end(&o, rec, end);
	add_usage(&o, &end->usage);
	if (known(rec, EXEC_STATE))
		add_strings(&o, "state", &rec->state);
	if (known(rec, EXEC_ENV))
		add_strings(&o, "env", &rec->env);
	if (!o.err)
		o.err = buf_putc(&o.text, '}');
	if (!o.err)
		o.err = buf_append(out, o.text.data, o.text.len);
	buf_release(&o.text);
	return o.err;
}
