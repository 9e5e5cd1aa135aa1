/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/why/guest/story/lineage.h>

#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/grow.h>
#include <exectrace/base/quote.h>
#include <stdlib.h>
#include <string.h>

#define COMMAND_MAX 90u /* bytes that people see */

static struct lineage_process *find(const struct lineages *l, uint32_t pid)
{
	uintptr_t number = (uintptr_t)idmap_get(&l->by_pid, pid, 0);

	return number ? &l->list[number - 1] : NULL;
}

/* The process of a number, made when it is new. NULL: no memory. */
static struct lineage_process *find_or_add(struct lineages *l, uint32_t pid)
{
	struct lineage_process *p = find(l, pid);

	if (p)
		return p;
	if (grow_array((void **)&l->list, l->n, &l->cap, sizeof(*l->list)) ||
	    idmap_put(&l->by_pid, pid, 0, (void *)(uintptr_t)(l->n + 1)))
		return NULL;
	l->list[l->n] = (struct lineage_process){0};
	return &l->list[l->n++];
}

static int see_new(struct lineages *l, const struct data_thread *thread)
{
	struct lineage_process *p = find_or_add(l, thread->pid);
	const struct lineage_process *parent = p ? find(l, thread->parent) : NULL;

	if (!p)
		return -ENOMEM;
	*p = (struct lineage_process){thread->parent, parent ? parent->command : NULL, true};
	return 0;
}

static int see_exec(struct lineages *l, const struct data_exec *exec)
{
	struct lineage_process *p = find_or_add(l, exec->pid);
	cleanup_buf struct buf command = BUF_INIT;
	size_t at = 0;

	if (!p)
		return -ENOMEM;
	for (uint32_t i = 0; i < exec->argc && at < exec->argv.n; i++) {
		size_t n = strnlen(exec->argv.bytes + at, exec->argv.n - at);

		buf_puts(&command, i ? " " : "");
		quote_shell(&command, exec->argv.bytes + at, n);
		at += n + 1;
	}
	if (!exec->argc)
		quote_shell(&command, exec->path.n ? exec->path.bytes : "", exec->path.n);
	p->forked = false;
	return command.err ? command.err
	                   : pool_text(l->commands, command.len ? command.data : "", command.len, &p->command, NULL);
}

int lineages_see(struct lineages *l, const struct data_event *event)
{
	if (event->type == DATA_EXEC)
		return see_exec(l, &event->exec);
	return event->thread.tid == event->thread.pid ? see_new(l, &event->thread) : 0;
}

void lineages_release(struct lineages *l)
{
	free(l->list);
	idmap_release(&l->by_pid);
}

void lineage_find(struct guest_lineage *lineage, const struct lineages *l, uint32_t pid)
{
	const struct lineage_process *p = pid ? find(l, pid) : NULL;

	for (lineage->n = 0; p && p->command && lineage->n < GUEST_LINEAGE; pid = p->parent, p = find(l, pid))
		lineage->list[lineage->n++] = (struct guest_command){pid, p->command, p->forked};
}

const char *lineage_command(const struct lineages *l, uint32_t pid)
{
	const struct lineage_process *p = find(l, pid);

	return p && !p->forked ? p->command : NULL;
}

const char *lineage_command_named(const struct lineages *l, uint32_t pid, const char *name)
{
	const struct lineage_process *p = find(l, pid);

	/* "exe" is what executes /proc/self/exe, as a busybox does for its applets. */
	return p && p->command && *name && (strcmp(name, "exe") == 0 || strstr(p->command, name)) ? p->command : NULL;
}

void lineage_print(struct buf *out, const struct guest_lineage *lineage)
{
	for (size_t i = 0; i < lineage->n; i++) {
		const char *command = lineage->list[i].command;
		size_t n = strlen(command);

		buf_puts(out, i > 1 ? ", " : i ? ", started by " : "");
		quote_terminal(out, command, n < COMMAND_MAX ? n : COMMAND_MAX);
		buf_printf(out, "%s%s [%u]", n < COMMAND_MAX ? "" : "...", lineage->list[i].forked ? " (fork)" : "",
		           lineage->list[i].pid);
	}
}

void lineage_json(struct jsonl *j, const char *key, const struct guest_lineage *lineage)
{
	struct buf all = BUF_INIT, text = BUF_INIT;
	struct jsonl one = {.out = &text};

	for (size_t i = 0; i < lineage->n; i++) {
		jsonl_begin(&one);
		jsonl_unsigned(&one, "pid", lineage->list[i].pid);
		jsonl_string(&one, "command", lineage->list[i].command);
		jsonl_bool(&one, "forked", lineage->list[i].forked);
		jsonl_end(&one);
		jsonl_object(&all, &one);
	}
	jsonl_objects(j, key, &all);
	buf_release(&text);
}
