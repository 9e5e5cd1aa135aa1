/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Recordings of a guest from a line of text. Words, each with the clock behind an @: Ca a call of the function "a", R a
 * return, Ta a tail call, Ia an interrupt, X the return from it, U an end that was not seen, S1/0 stack 1 on CPU 0,
 * P1=33:sh stack 1 is process 33, named sh, W1 the task of stack 1 may run again, N1 it is new, Y0:500 CPU 0 is at 500
 * ns of the host. After tap.h.
 */
#ifndef EXECTRACE_TESTS_UNIT_GUEST_SAMPLE_H
#define EXECTRACE_TESTS_UNIT_GUEST_SAMPLE_H

#include "tap.h"

#include <exectrace/answer/replay/replay.h>
#include <exectrace/format/data/writer.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct guest {
	int fd;
	char path[64];
	struct data_writer *writer;
	struct recording *recording;
};

/* Begins a file whose clock counts `kind`, hz of them a second. */
static inline bool guest_begin(struct guest *g, uint32_t kind, uint64_t hz)
{
	const struct data_facts facts = {
		.clocks = {{.kind = DATA_CLOCK_MONOTONIC, .hz = 1000000000}, {.kind = kind, .hz = hz}}};
	struct data_event event = {.type = DATA_FUNCTION};
	char name[2] = "a";

	*g = (struct guest){.fd = memfd_create("guest", MFD_CLOEXEC)};
	snprintf(g->path, sizeof(g->path), "/proc/self/fd/%d", g->fd);
	if (!CHECK(g->fd >= 0) || !CHECK_INT(data_writer_open(&g->writer, g->fd, &facts, NULL), 0))
		return false;
	for (; *name <= 'z'; (*name)++) {
		event.function = (struct data_function){.id = (uint64_t)(*name - 'a' + 1),
		                                        .address = (uint64_t)*name << 8,
		                                        .name = {name, 1}};
		(void)data_writer_event(g->writer, &event);
	}
	return true;
}

static inline int guest_task(struct guest *g, uint64_t clock, const char *word)
{
	struct data_event event = {.type = DATA_TASK, .clock = clock};
	char *end;

	event.task.stack = strtoull(word, &end, 10);
	event.task.pid = event.task.tgid = (uint32_t)strtoul(end + 1, &end, 10);
	event.task.name = (struct data_text){end + 1, strcspn(end + 1, "@")};
	return data_writer_event(g->writer, &event);
}

/* The kernel logs something. */
static inline void guest_message(struct guest *g, uint64_t clock, uint32_t level, uint32_t caller, const char *text)
{
	struct data_event event = {.type = DATA_MESSAGE, .clock = clock};

	event.message = (struct data_message){0, level, clock * 1000, caller, {text, strlen(text)}};
	CHECK_INT(data_writer_event(g->writer, &event), 0);
}

/* A letter stands for a function of this name, of the kernel or a module of it. */
static inline void guest_name(struct guest *g, char letter, const char *name, const char *module)
{
	const uint64_t file = strcmp(module, "[kernel]") == 0 ? 1 : 2;
	struct data_event event = {.type = DATA_FILE, .file = {.id = file, .path = {module, strlen(module)}}};

	(void)data_writer_event(g->writer, &event);
	event = (struct data_event){.type = DATA_FUNCTION};
	event.function = (struct data_function){.id = (uint64_t)(letter - 'a' + 1),
	                                        .file = file,
	                                        .address = (uint64_t)letter << 8,
	                                        .name = {name, strlen(name)}};
	(void)data_writer_event(g->writer, &event);
}

/* Adds one word. */
static inline int guest_word(struct guest *g, const char *word)
{
	uint64_t clock = strtoull(strchr(word, '@') + 1, NULL, 10), function = (uint64_t)(word[1] - 'a' + 1);
	struct data_event event = {.clock = clock};
	char *end;

	switch (*word) {
	case 'C':
		return data_writer_call(g->writer, clock, function);
	case 'R':
		return data_writer_return(g->writer, clock);
	case 'T':
		return data_writer_tail(g->writer, clock, function);
	case 'I':
		return data_writer_irq_enter(g->writer, clock, function);
	case 'X':
		return data_writer_irq_exit(g->writer, clock);
	case 'U':
		return data_writer_unwind(g->writer, clock);
	case 'S':
		event.on.stack = strtoull(word + 1, &end, 10);
		return data_writer_switch(g->writer, clock, event.on.stack, (uint32_t)strtoul(end + 1, NULL, 10));
	case 'L': /* calls:ticks that were left out, for which function z stands */
		event.type = DATA_FILTERED;
		event.filtered.function = 'z' - 'a' + 1;
		event.filtered.count = strtoull(word + 1, &end, 10);
		event.filtered.ticks = strtoull(end + 1, NULL, 10);
		return data_writer_event(g->writer, &event);
	case 'W':
	case 'N':
		event.type = DATA_WAKE;
		event.wake = (struct data_wake){strtoull(word + 1, NULL, 10), *word == 'N' ? DATA_WAKE_NEW : 0};
		return data_writer_event(g->writer, &event);
	case 'H': /* lock:stack of who has it */
		event.type = DATA_HELD;
		event.held.lock = strtoull(word + 1, &end, 10);
		event.held.stack = strtoull(end + 1, NULL, 10);
		return data_writer_event(g->writer, &event);
	case 'P':
		return guest_task(g, clock, word + 1);
	default:
		event.type = DATA_SYNC;
		event.sync.cpu = (uint32_t)strtoul(word + 1, &end, 10);
		event.sync.clock = strtoull(end + 1, NULL, 10);
		return data_writer_event(g->writer, &event);
	}
}

static inline void guest_add(struct guest *g, const char *text)
{
	char *copy = strdup(text), *save = NULL;
	int rc = 0;

	for (char *word = strtok_r(copy, " ", &save); word && !rc; word = strtok_r(NULL, " ", &save))
		rc = guest_word(g, word);
	CHECK_INT(rc, 0);
	free(copy);
}

/* Ends the file and opens it as a recording. */
static inline bool guest_open_recording(struct guest *g)
{
	struct buf why = BUF_INIT;
	bool good = CHECK_INT(data_writer_close(g->writer), 0) &&
	            CHECK_INT(recording_open(&g->recording, g->path, NULL, &why), 0);

	buf_release(&why);
	return good;
}

static inline void guest_end(struct guest *g)
{
	recording_close(g->recording);
	close(g->fd);
}

#endif
