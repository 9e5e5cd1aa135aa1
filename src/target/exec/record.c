/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/target/exec/record.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Command lines longer than this are rare: their memory is not kept. */
#define KEEP_BYTES (256 * 1024)

void exec_record_want(struct exec_record *rec, unsigned fields)
{
	unsigned missing = fields & ~rec->have;

	if (!missing)
		return;
	if (rec->fill)
		rec->fill(rec, missing, rec->ctx);
	/* What nobody filled will not be there the next time either. */
	missing &= ~rec->have;
	rec->have |= missing;
	rec->error |= missing;
}

int exec_record_join(struct exec_record *rec)
{
	const char *path = rec->path ? rec->path : "";
	int err;

	buf_reset(&rec->cmdline, KEEP_BYTES);
	err = buf_puts(&rec->cmdline, rec->argv.n ? "" : path);
	for (size_t i = 0; i < rec->argv.n && !err; i++) {
		if (i)
			err = buf_putc(&rec->cmdline, ' ');
		if (!err)
			err = buf_puts(&rec->cmdline, rec->argv.items[i]);
	}
	return err;
}

void exec_record_reset(struct exec_record *rec)
{
	struct buf cmdline = rec->cmdline;

	rec->cmdline = BUF_INIT;
	exec_record_release(rec);
	buf_reset(&cmdline, KEEP_BYTES);
	rec->cmdline = cmdline;
}

void exec_record_release(struct exec_record *rec)
{
	strv_release(&rec->argv);
	buf_release(&rec->cmdline);
	free(rec->path);
	free(rec->exe);
	free(rec->interp);
	free(rec->cwd);
	strv_release(&rec->env);
	strv_release(&rec->state);
	strv_release(&rec->ancestors);
	*rec = (struct exec_record){0};
}

/* Sets *to to a copy of text, which may be NULL. */
static int copy_text(char **to, const char *text)
{
	*to = text ? strdup(text) : NULL;
	return text && !*to ? -ENOMEM : 0;
}

/* Nothing in *to may be shared with *from when this fails: it is released then. */
static int copy_owned(struct exec_record *to, const struct exec_record *from)
{
	int err = copy_text(&to->path, from->path);

	if (!err)
		err = copy_text(&to->exe, from->exe);
	if (!err)
		err = copy_text(&to->interp, from->interp);
	if (!err)
		err = copy_text(&to->cwd, from->cwd);
	if (!err)
		err = strv_extend(&to->argv, &from->argv);
	if (!err)
		err = strv_extend(&to->env, &from->env);
	if (!err)
		err = strv_extend(&to->state, &from->state);
	if (!err)
		err = strv_extend(&to->ancestors, &from->ancestors);
	if (!err && from->cmdline.data)
		err = buf_append(&to->cmdline, from->cmdline.data, from->cmdline.len);
	return err;
}

int exec_record_copy(struct exec_record *to, const struct exec_record *from)
{
	int err;

	*to = (struct exec_record){
		.pid = from->pid,
		.tid = from->tid,
		.ppid = from->ppid,
		.uid = from->uid,
		.threads = from->threads,
		.when = from->when,
		.when_wall = from->when_wall,
		.outcome = from->outcome,
		.setid = from->setid,
		.depth = from->depth,
		.have = from->have,
		.error = from->error,
		.refused = from->refused,
	};
	err = copy_owned(to, from);
	if (err)
		exec_record_release(to);
	return err;
}
