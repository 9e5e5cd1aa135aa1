/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The open descriptors of a process, as its calls tell. */
#ifndef EXECTRACE_ANSWER_STORY_STATE_DESCRIPTORS_H
#define EXECTRACE_ANSWER_STORY_STATE_DESCRIPTORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct descriptor {
	int fd;
	bool cloexec;
	bool is_stderr;  /* a copy of standard error */
	bool writes;     /* opened to write */
	uint32_t object; /* what it refers to (objects.h) */
	uint32_t file;   /* number of the open file description, which copies share; 0: unknown */
	uint32_t opener; /* number of the process that opened it; in a table of those that were closed, closed it */
	uint64_t since;  /* when, ns */
};

/* All 0 at first; by ascending numbers. */
struct descriptors {
	struct descriptor *items;
	size_t n, cap;
};

/* Opens one, in place of one that had the number. 0 or -ENOMEM. */
int descriptors_open(struct descriptors *table, const struct descriptor *descriptor);

/* The descriptor of that number; NULL: it is not known to be open. */
struct descriptor *descriptors_find(const struct descriptors *table, int fd);

void descriptors_close(struct descriptors *table, int fd);

/* How many descriptors refer to an object. */
size_t descriptors_of(const struct descriptors *table, uint32_t object);

/* The first one by which an object may be written to, opened before a time, ns; NULL: there is none. */
const struct descriptor *descriptors_writer(const struct descriptors *table, uint32_t object, uint64_t time);

/* A child's copy of its parent's; *to is empty before. 0 or -ENOMEM. */
int descriptors_copy(struct descriptors *to, const struct descriptors *from);

void descriptors_release(struct descriptors *table);

#endif
