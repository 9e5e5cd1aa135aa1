/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The pages around sites that are known, read in one call, changed here, and each written in one. Threads are held, and
 * a page is changed as a whole: whoever dies, each jump is there or not, and where one is its stub is, too.
 */
#include "sites.h"

#include <exectrace/base/grow.h>
#include <exectrace/target/process/mem.h>
#include <stdlib.h>
#include <string.h>

#define FILL 0xcc

static uint64_t page_of(uint64_t addr)
{
	return addr & ~(uint64_t)(PAGE - 1);
}

static unsigned char *bytes_of(const struct texts *texts, const struct text_page *page)
{
	return texts->bytes + (size_t)(page - texts->pages) * PAGE;
}

void texts_begin(struct texts *texts, struct inside_thread *thread)
{
	*texts = (struct texts){.thread = thread};
}

static struct text_page *find_page(const struct texts *texts, uint64_t page)
{
	for (size_t i = texts->n; i-- > 0;) {
		if (texts->pages[i].at == page)
			return &texts->pages[i];
	}
	return NULL;
}

void texts_want(struct texts *texts, uint64_t at, uint64_t start, uint64_t end)
{
	uint64_t page = page_of(at - TEXT_BEFORE);

	for (; page < at + TEXT_BEHIND; page += PAGE) {
		if (page < start || page >= end || find_page(texts, page))
			continue;
		if (grow_array((void **)&texts->pages, texts->n, &texts->room, sizeof(*texts->pages)) == 0)
			texts->pages[texts->n++] = (struct text_page){.at = page};
	}
}

bool texts_read(struct texts *texts)
{
	remote_addr_t *at = calloc(texts->n + 1, sizeof(*at));

	texts->bytes = malloc(texts->n * PAGE + 1);
	for (size_t i = 0; i < texts->n && at; i++)
		at[i] = texts->pages[i].at;
	texts->read = at && texts->bytes && mem_read_pages(texts->thread->tid, at, texts->n, PAGE, texts->bytes) == 0;
	free(at);
	return texts->read;
}

/* Bytes from `at` on that lie in one page that was read, n of them at most. */
static unsigned char *bytes_at(const struct texts *texts, uint64_t at, size_t *n)
{
	const struct text_page *page = find_page(texts, page_of(at));

	if (*n > PAGE - at % PAGE)
		*n = PAGE - at % PAGE;
	return page ? bytes_of(texts, page) + at % PAGE : NULL;
}

bool texts_get(const struct texts *texts, uint64_t at, struct text *text)
{
	size_t n;

	for (size_t i = 0; i < sizeof(text->bytes); i += n) {
		uint64_t from = at - TEXT_BEFORE + i;
		const unsigned char *bytes;

		n = sizeof(text->bytes) - i;
		bytes = bytes_at(texts, from, &n);
		if (bytes)
			memcpy(text->bytes + i, bytes, n);
		else if (from + n <= at)
			memset(text->bytes + i, FILL, n);
		else
			return false;
	}
	return true;
}

static void write_stubs(struct texts *texts)
{
	if (texts->n_stubs && space_poke(texts->thread, texts->stubs_at, texts->stubs, texts->n_stubs))
		texts->failed = true;
	texts->n_stubs = 0;
}

void texts_put_stub(struct texts *texts, uint64_t at, const unsigned char *code, size_t n)
{
	if (at != texts->stubs_at + texts->n_stubs || texts->n_stubs + STUB_BYTES > sizeof(texts->stubs))
		write_stubs(texts);
	if (!texts->n_stubs)
		texts->stubs_at = at;
	memset(texts->stubs + texts->n_stubs, FILL, STUB_BYTES);
	memcpy(texts->stubs + texts->n_stubs, code, n);
	texts->n_stubs += STUB_BYTES;
}

bool texts_put_jump(struct texts *texts, uint64_t site, uint64_t at, const unsigned char *jump, size_t n)
{
	struct text_page *page = find_page(texts, page_of(at));
	unsigned from = at % PAGE, to = from + (unsigned)n;

	if (!page || to > PAGE ||
	    grow_array((void **)&texts->sites, texts->n_sites, &texts->room_sites, sizeof(*texts->sites)))
		return false;
	texts->sites[texts->n_sites++] = site;
	memcpy(bytes_of(texts, page) + from, jump, n);
	if (!page->to || from < page->from)
		page->from = from;
	if (to > page->to)
		page->to = to;
	return true;
}

/* The jumps of one page; those that it does not get are none. */
static void write_page(const struct texts *texts, const struct text_page *page)
{
	struct space *space = texts->thread->space;
	const unsigned char *bytes = bytes_of(texts, page);

	if (!texts->failed &&
	    space_poke(texts->thread, page->at + page->from, bytes + page->from, page->to - page->from) == 0)
		return;
	for (size_t i = 0; i < texts->n_sites; i++) {
		struct site *site = space_site(space, texts->sites[i], false);

		if (site && page_of(site->at - site->len) == page->at)
			site->stub = 0;
	}
}

void texts_end(struct texts *texts)
{
	write_stubs(texts);
	for (size_t i = 0; i < texts->n; i++) {
		if (texts->pages[i].to)
			write_page(texts, &texts->pages[i]);
	}
	free(texts->pages);
	free(texts->bytes);
	free(texts->sites);
}
