/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/pick/run/log.h>

#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/clock.h>
#include <exectrace/base/err.h>
#include <exectrace/base/fd.h>
#include <exectrace/base/file.h>
#include <exectrace/base/quote.h>
#include <exectrace/pick/action/process.h>
#include <exectrace/target/exec/usage.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LINE_MAX_BYTES 160 /* of a command line in the tree */
#define FOLD_MIN 3u        /* siblings of one program from which on they are folded */
#define DEPTH_MAX 200u
#define WALK_MAX 64 /* ancestors looked at */

static struct log_node *newest_of(const struct log *log, pid_t pid)
{
	struct log_node *node = log->bucket[(unsigned)pid % LOG_BUCKETS];

	while (node && node->rec.pid != pid)
		node = node->bucket;
	return node;
}

/* The nearest ancestor that is logged and alive as far as is known. */
static struct log_node *ancestor_of(const struct log *log, const struct exec_record *rec)
{
	pid_t pid = rec->ppid;

	for (int depth = 0; depth < WALK_MAX && pid > 1; depth++) {
		struct log_node *node = newest_of(log, pid);

		if (node && !node->end.ended)
			return node;
		pid = process_parent(pid);
	}
	return NULL;
}

static void link_node(struct log *log, struct log_node *node)
{
	struct log_node ***grow = node->parent ? &node->parent->grow : &log->grow;
	struct log_node **first = node->parent ? &node->parent->child : &log->top;
	struct log_node **bucket = &log->bucket[(unsigned)node->rec.pid % LOG_BUCKETS];

	if (!*grow)
		*grow = first;
	**grow = node;
	*grow = &node->sibling;
	node->next = log->all;
	log->all = node;
	node->bucket = *bucket;
	*bucket = node;
}

struct log_node *log_add(struct log *log, const struct exec_record *rec)
{
	struct log_node *node = calloc(1, sizeof(*node));
	struct log_node *before = newest_of(log, rec->pid);

	if (!node || exec_record_copy(&node->rec, rec)) {
		free(node);
		return NULL;
	}
	if (before && !before->end.ended) { /* one program replaces the other in the same process */
		before->replaced = true;
		node->parent = before->parent;
	} else {
		node->parent = ancestor_of(log, rec);
	}
	link_node(log, node);
	return node;
}

void log_end(struct log_node *node, const struct exec_end *end)
{
	node->end = *end;
}

static bool failed(const struct log_node *node)
{
	return node->end.known && node->end.wait_status != 0;
}

/* Its end, if it has ended, is not known: it may have failed. */
static bool is_unknown(const struct log_node *node)
{
	return !node->replaced && !node->end.known;
}

static const char *program(const struct log_node *node)
{
	const char *name = node->rec.argv.n ? node->rec.argv.items[0] : "";
	const char *slash = strrchr(name, '/');

	return slash ? slash + 1 : name;
}

/*
 * How many siblings from node on are plain repetitions of it: the same program, no children, no failure. Ends that are
 * not known are folded with their like only.
 */
static unsigned repetitions(const struct log_node *node, const struct log_node **after)
{
	unsigned n = 0;

	for (*after = node; *after; *after = (*after)->sibling, n++) {
		if (strcmp(program(*after), program(node)) != 0 || failed(*after) || (*after)->child ||
		    is_unknown(*after) != is_unknown(node) || (*after)->end.ended != node->end.ended)
			break;
	}
	return n;
}

static int print_duration(const struct log *log, struct buf *out, uint64_t ns)
{
	int err = buf_puts(out, log->color ? "\033[36m" : "");

	if (!err)
		err = clock_print(out, ns);
	return err ? err : buf_puts(out, log->color ? "\033[0m" : "");
}

static int print_node(const struct log *log, const struct log_node *node, struct buf *out)
{
	bool bad = failed(node);
	int err = exec_print_cmdline(out, &node->rec, LINE_MAX_BYTES);

	if (!err)
		err = buf_printf(out, "  [%d] ", (int)node->rec.pid);
	if (node->replaced)
		return err ? err : buf_puts(out, "exec");
	if (!err && node->end.when > node->rec.when)
		err = print_duration(log, out, node->end.when - node->rec.when);
	if (!err)
		err = buf_puts(out, bad && log->color ? " \033[1;31m" : " ");
	if (!err)
		err = exec_print_end(out, &node->end);
	if (!err && bad && log->color)
		err = buf_puts(out, "\033[0m");
	return err ? err : exec_usage_print(out, &node->end.usage);
}

static int print_folded(const struct log *log, const struct log_node *node, unsigned n, struct buf *out)
{
	const struct log_node *first = node;
	uint64_t total = 0;
	int err = quote_shell(out, program(node), strlen(program(node)));

	if (!err)
		err = buf_printf(out, " ... %u times, ", n);
	for (unsigned i = 0; i < n; i++, node = node->sibling) {
		if (node->end.when > node->rec.when)
			total += node->end.when - node->rec.when;
	}
	if (!err)
		err = print_duration(log, out, total);
	if (err || !is_unknown(first))
		return err;
	err = buf_putc(out, ' ');
	return err ? err : exec_print_end(out, &first->end);
}

static int print_children(const struct log *log, const struct log_node *parent, struct buf *prefix, struct buf *out);

static int print_branch(const struct log *log, const struct log_node *node, bool last, struct buf *prefix,
                        struct buf *out)
{
	size_t n = prefix->len;
	int err = 0;

	if (n > DEPTH_MAX * 4 || !node->child)
		return 0;
	err = buf_puts(prefix, last ? "    " : "│   ");
	if (!err)
		err = print_children(log, node, prefix, out);
	prefix->len = n;
	if (prefix->data)
		prefix->data[n] = 0;
	return err;
}

static int print_children(const struct log *log, const struct log_node *parent, struct buf *prefix, struct buf *out)
{
	const struct log_node *node = parent ? parent->child : log->top;
	int err = 0;

	while (node && !err) {
		const struct log_node *after = NULL;
		unsigned n = repetitions(node, &after);
		const struct log_node *next = n >= FOLD_MIN ? after : node->sibling;

		err = buf_printf(out, "%s%s", prefix->data ? prefix->data : "", next ? "├── " : "└── ");
		if (!err)
			err = n >= FOLD_MIN ? print_folded(log, node, n, out) : print_node(log, node, out);
		if (!err)
			err = buf_putc(out, '\n');
		if (!err && n < FOLD_MIN)
			err = print_branch(log, node, !next, prefix, out);
		node = next;
	}
	return err;
}

int log_tree(const struct log *log, struct buf *out)
{
	cleanup_buf struct buf prefix = BUF_INIT;

	return print_children(log, NULL, &prefix, out);
}

static bool known(const struct strv *files, const char *name)
{
	for (size_t i = 0; i < files->n; i++) {
		if (strcmp(files->items[i], name) == 0)
			return true;
	}
	return false;
}

bool log_failed_first(struct log *log, const char *name)
{
	if (known(&log->failed, name))
		return false;
	(void)strv_push(&log->failed, name);
	return true;
}

int log_write(struct log *log, const char *name, const struct buf *text)
{
	cleanup_buf struct buf line = BUF_INIT;
	cleanup_fd int fd = -1;
	int err = buf_append(&line, text->data, text->len);

	if (!err)
		err = buf_putc(&line, '\n');
	if (err)
		return err;
	if (!name)
		return fd_write_all(2, line.data, line.len);
	/* A pipe that nobody reads shall not stop everything. */
	fd = file_open_output(name, O_APPEND | O_NONBLOCK, !known(&log->files, name));
	if (fd < 0)
		return fd;
	if (!known(&log->files, name))
		(void)strv_push(&log->files, name);
	return fd_write_all(fd, line.data, line.len);
}

void log_release(struct log *log)
{
	while (log->all) {
		struct log_node *next = log->all->next;

		exec_record_release(&log->all->rec);
		free(log->all);
		log->all = next;
	}
	strv_release(&log->files);
	strv_release(&log->failed);
	*log = (struct log){.color = log->color};
}
