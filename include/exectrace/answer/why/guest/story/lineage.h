/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which command a task of a guest runs, and who began it. */
#ifndef EXECTRACE_ANSWER_WHY_GUEST_STORY_LINEAGE_H
#define EXECTRACE_ANSWER_WHY_GUEST_STORY_LINEAGE_H

#include <exectrace/answer/recording/idmap.h>
#include <exectrace/answer/why/guest/story/story.h>
#include <exectrace/format/data/record.h>

/*
 * What is known of the guest's processes, while a replay goes on; all 0 at first, but for the pool. Commands are in it:
 * a child has its parent's, and copies could be thousands of times larger than a file that has many children.
 */
struct lineages {
	struct pool *commands;
	struct lineage_process {
		uint32_t parent;     /* 0: unknown */
		const char *command; /* of its last exec, or of its parent's; NULL: none, as of the kernel's threads */
		bool forked;         /* it is the parent's */
	} * list;
	size_t n, cap;
	struct idmap by_pid; /* number + 1 */
};

/* Takes a DATA_THREAD or DATA_EXEC record. 0 or -ENOMEM. */
int lineages_see(struct lineages *l, const struct data_event *event);
void lineages_release(struct lineages *l);

/* The processes of a task, itself first, as far as they ran a program. */
void lineage_find(struct guest_lineage *lineage, const struct lineages *l, uint32_t pid);

/* The command that a process executed; NULL: none. */
const char *lineage_command(const struct lineages *l, uint32_t pid);

/*
 * What a process executed and had the name of when its task was called `name`: a shell's child is called as the shell
 * until it executes something. NULL: none.
 */
const char *lineage_command_named(const struct lineages *l, uint32_t pid, const char *name);

/* Adds "./reader -n 4 [83], started by sh /etc/rc [70], /init [1]". Failures of these stay in out->err. */
void lineage_print(struct buf *out, const struct guest_lineage *lineage);

/* Adds a member to an object. */
void lineage_json(struct jsonl *j, const char *key, const struct guest_lineage *lineage);

#endif
