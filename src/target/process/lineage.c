/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/target/process/lineage.h>

#include "identity.h"
#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/target/process/procfs.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BUCKETS 1024u
#define DEPTH_MAX 1000u   /* a walk ends here whatever /proc says */
#define SWEEP_FIRST 2048u /* entries before the dead are looked for */

/* One exec. The newest of a pid is found by hash; older ones only through `up`. */
struct lineage_entry {
	struct lineage_entry *next;     /* all entries */
	struct lineage_entry *bucket;   /* of one hash */
	const struct lineage_entry *up; /* nearest ancestor that has an entry */
	pid_t pid;
	uint64_t id;    /* identities_id(); 0: it was gone already */
	unsigned reach; /* in a sweep: how many more of its ancestors are kept; 0: nobody wants it */
	char *cmdline;
};

struct lineage {
	pid_t root;
	struct identities ids;
	struct lineage_entry *all;
	struct lineage_entry *bucket[BUCKETS];
	size_t count;
	size_t sweep_at;
};

struct lineage *lineage_new(pid_t root)
{
	struct lineage *lineage = calloc(1, sizeof(*lineage));

	if (lineage) {
		lineage->root = root;
		lineage->sweep_at = SWEEP_FIRST;
		identities_init(&lineage->ids);
	}
	return lineage;
}

static void entry_free(struct lineage_entry *entry)
{
	free(entry->cmdline);
	free(entry);
}

void lineage_free(struct lineage *lineage)
{
	while (lineage && lineage->all) {
		struct lineage_entry *next = lineage->all->next;

		entry_free(lineage->all);
		lineage->all = next;
	}
	if (lineage)
		identities_release(&lineage->ids);
	free(lineage);
}

size_t lineage_count(const struct lineage *lineage)
{
	return lineage->count;
}

static struct lineage_entry *find(const struct lineage *lineage, pid_t pid)
{
	struct lineage_entry *entry = lineage->bucket[(unsigned)pid % BUCKETS];

	while (entry && entry->pid != pid)
		entry = entry->bucket;
	return entry;
}

/* The entry of a pid, if it is still the same process. */
static struct lineage_entry *find_live(struct lineage *lineage, pid_t pid)
{
	struct lineage_entry *entry = find(lineage, pid);

	return entry && entry->id && entry->id == identities_id(&lineage->ids, pid) ? entry : NULL;
}

/*
 * ppid, the parent of pid, when it is in the tree, else 0: the root's, or that of one who was adopted from outside. Our
 * own parent is in it when it is noted: it may have been there before.
 */
static pid_t inside(const struct lineage *lineage, pid_t pid, pid_t ppid)
{
	if (ppid == getppid() && !find(lineage, ppid))
		return 0;
	return pid != lineage->root && ppid > 1 && ppid != getpid() ? ppid : 0;
}

static pid_t parent_of(struct lineage *lineage, pid_t pid)
{
	return inside(lineage, pid, identities_parent(&lineage->ids, pid));
}

static int push_cmdline(struct strv *to, pid_t pid)
{
	struct exec_record joined = {.have = EXEC_ARGV};
	int err = proc_strings(pid, "cmdline", &joined.argv);

	if (!err)
		err = exec_record_join(&joined);
	if (!err)
		err = strv_push(to, joined.cmdline.data ? joined.cmdline.data : "");
	exec_record_release(&joined);
	return err;
}

/* The living chain of parents from pid on, pid first. The count; *rooted tells whether it leads to the root. */
static unsigned climb(struct lineage *lineage, pid_t pid, pid_t *chain, bool *rooted)
{
	unsigned n = 0;

	while (pid > 0 && n < DEPTH_MAX) {
		chain[n++] = pid;
		pid = parent_of(lineage, pid);
	}
	*rooted = n && chain[n - 1] == lineage->root;
	return n;
}

void lineage_fill(struct lineage *lineage, struct exec_record *rec)
{
	pid_t chain[DEPTH_MAX];
	const struct lineage_entry *entry = NULL;
	bool rooted = false;
	unsigned n = climb(lineage, rec->pid, chain, &rooted);

	/* An orphan's present parent is no ancestor: what is sure ends with the last that is known to have executed
	 * here. */
	while (!rooted && n > 1 && !find_live(lineage, chain[n - 1]))
		n--;
	rec->have |= EXEC_ANCESTORS;
	rec->depth = 0;
	for (unsigned i = 1; i < n && push_cmdline(&rec->ancestors, chain[i]) == 0; i++)
		rec->depth++;
	entry = rooted || !n ? NULL : find_live(lineage, chain[n - 1]);
	for (entry = entry ? entry->up : NULL; entry && rec->depth < DEPTH_MAX; entry = entry->up) {
		if (strv_push(&rec->ancestors, entry->cmdline))
			return;
		rec->depth++;
	}
}

/* The nearest ancestor with an entry: by the living parents, else what is remembered of an orphan. */
static const struct lineage_entry *nearest(struct lineage *lineage, pid_t pid, uint64_t id)
{
	const struct lineage_entry *old = find(lineage, pid);
	pid_t parent = parent_of(lineage, pid);

	for (unsigned depth = 0; parent > 0 && depth < DEPTH_MAX; depth++) {
		struct lineage_entry *entry = find_live(lineage, parent);

		if (entry)
			return entry;
		parent = parent_of(lineage, parent);
	}
	return old && id && old->id == id ? old->up : NULL;
}

/*
 * What a living process descends from is kept, as far up as lineage_fill goes: in a tree in which each process starts
 * the next and ends, the line would grow for ever.
 */
static void mark(struct lineage_entry *entry)
{
	unsigned reach = DEPTH_MAX;

	for (struct lineage_entry *up = entry; up && reach && up->reach < reach; up = (struct lineage_entry *)up->up)
		up->reach = reach--;
}

/* Frees what no living process descends from. */
static void sweep(struct lineage *lineage)
{
	struct lineage_entry **link = &lineage->all;

	for (struct lineage_entry *entry = lineage->all; entry; entry = entry->next) {
		if (find_live(lineage, entry->pid) == entry)
			mark(entry);
	}
	for (struct lineage_entry *entry = lineage->all; entry; entry = entry->next) {
		if (entry->up && !entry->up->reach)
			entry->up = NULL;
	}
	memset(lineage->bucket, 0, sizeof(lineage->bucket));
	while (*link) {
		struct lineage_entry *entry = *link;

		if (!entry->reach) {
			*link = entry->next;
			entry_free(entry);
			lineage->count--;
			continue;
		}
		entry->reach = 0;
		link = &entry->next;
	}
	/* The list is newest first: older entries of a pid come later and must not hide the newest. */
	for (struct lineage_entry *entry = lineage->all; entry; entry = entry->next) {
		struct lineage_entry **bucket = &lineage->bucket[(unsigned)entry->pid % BUCKETS];

		while (*bucket)
			bucket = &(*bucket)->bucket;
		entry->bucket = NULL;
		*bucket = entry;
	}
	lineage->sweep_at = lineage->count * 2 > SWEEP_FIRST ? lineage->count * 2 : SWEEP_FIRST;
}

int lineage_note(struct lineage *lineage, const struct exec_record *rec)
{
	struct lineage_entry **bucket = NULL;
	struct lineage_entry *entry = NULL;

	if (lineage->count >= lineage->sweep_at)
		sweep(lineage);
	entry = calloc(1, sizeof(*entry));
	if (entry)
		entry->cmdline = strdup(rec->cmdline.data ? rec->cmdline.data : "");
	if (!entry || !entry->cmdline) {
		free(entry);
		return -ENOMEM;
	}
	entry->pid = rec->have & EXEC_IDS ? rec->pid : rec->tid;
	entry->id = identities_id(&lineage->ids, entry->pid);
	entry->up = nearest(lineage, entry->pid, entry->id);
	entry->next = lineage->all;
	lineage->all = entry;
	bucket = &lineage->bucket[(unsigned)entry->pid % BUCKETS];
	entry->bucket = *bucket;
	*bucket = entry;
	lineage->count++;
	return 0;
}
