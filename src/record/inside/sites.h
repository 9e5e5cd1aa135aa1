/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a program makes calls: the text there, the jumps that are put into it, what is known of files. */
#ifndef EXECTRACE_SRC_RECORD_INSIDE_SITES_H
#define EXECTRACE_SRC_RECORD_INSIDE_SITES_H

#include "private.h"

/* --- Text around sites, read and written for many at once (texts.c) ----------------------------------------------- */

#define TEXT_BEFORE 64u /* bytes before a `syscall` that are looked at */
#define TEXT_BEHIND 8u

struct text {
	unsigned char bytes[TEXT_BEFORE + TEXT_BEHIND];
};

struct texts {
	struct inside_thread *thread;
	struct text_page {
		uint64_t at;
		unsigned from, to; /* what is changed of it; to 0: nothing */
	} * pages;
	size_t n, room;
	unsigned char *bytes; /* of the pages, one behind the other */
	bool read;
	uint64_t *sites; /* with a jump that is not written yet */
	size_t n_sites, room_sites;
	uint64_t stubs_at; /* stubs that are not written yet: */
	unsigned char stubs[25 * STUB_BYTES];
	size_t n_stubs;
	bool failed; /* to write a stub */
};

void texts_begin(struct texts *texts, struct inside_thread *thread);
/* The text around a site in the mapping from start to end will be read. */
void texts_want(struct texts *texts, uint64_t at, uint64_t start, uint64_t end);
/* Reads what is wanted. False: it cannot be read. */
bool texts_read(struct texts *texts);
/* What was read, with what was changed since; before the mapping there are int3. False: it was not wanted. */
bool texts_get(const struct texts *texts, uint64_t at, struct text *text);
/* Will be written, the stubs before the jumps. The jump of a site lies in one page. */
void texts_put_stub(struct texts *texts, uint64_t at, const unsigned char *code, size_t n);
bool texts_put_jump(struct texts *texts, uint64_t site, uint64_t at, const unsigned char *jump, size_t n);
/* Writes all; sites whose jumps cannot be written have no stub. Frees what there is. */
void texts_end(struct texts *texts);

/* --- Patches (patch.c) -------------------------------------------------------------------------------------------- */

/* Makes a stopped thread's program jump to a stub at this site, if that can be; its threads are held. */
void patch(struct inside_thread *thread, struct site *site, uint64_t nr);

/* Patches a site that was patched in another program, if the text around it, which was read, is the same. */
void patch_known(struct inside_thread *thread, struct texts *texts, uint64_t at, unsigned len,
                 const unsigned char *known);

/* Memory for stubs that sites which are known will need, to be mapped in one go. */
struct foreseen {
	uint64_t bases[ARENAS];
	unsigned n;
};

/* Adds what a site needs as patch_known() has it; then all is mapped. Without that each has its own. */
void patch_foresee(const struct inside_thread *thread, struct foreseen *foreseen, uint64_t at, unsigned len,
                   const unsigned char *known);
void patch_provide(struct inside_thread *thread, const struct foreseen *foreseen);

/* Whether it still does. */
bool patch_stands(const struct inside_thread *thread, const struct site *site);

/* Where in a stub a fault means that gs is not the agent's. */
uint64_t patch_looks_at_gs(const struct site *site);

/* Puts the text back; threads are held. */
void patch_undo(const struct inside_thread *thread);

/* --- What is known of files from programs before (learned.c) ------------------------------------------------------ */

/* A site was patched; its instruction before, and the text around it as it was. */
void learn(const struct inside_thread *thread, uint64_t at, unsigned len, const struct text *text);

/*
 * Patches what is known of the file that is mapped at `at`; 0: of all from which it has made calls. Threads are held.
 * True when there is a jump at this site. What space_site() has returned is not valid any more.
 */
bool learned_apply(struct inside_thread *thread, uint64_t at);

/* Its program has made many calls; it is one that has, in another process. */
void learn_long(const struct inside_thread *thread);
bool learned_long(const struct inside_thread *thread);

void learned_free(struct learned *learned);

#endif
