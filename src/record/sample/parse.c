/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parse.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/sysmacros.h>

#define TRAILER 24u /* PERF_SAMPLE_TID, _TIME and _CPU behind records that are no samples */

/* What is left of a record. */
struct rest {
	const unsigned char *at, *end;
	bool bad;
};

static size_t left(const struct rest *r)
{
	return (size_t)(r->end - r->at);
}

/* n bytes of it; NULL when they are not there. */
static const void *take(struct rest *r, uint64_t n)
{
	const void *at = r->at;

	if (n > left(r)) {
		r->bad = true;
		return NULL;
	}
	r->at += n;
	return at;
}

static uint64_t take64(struct rest *r)
{
	const void *at = take(r, sizeof(uint64_t));
	uint64_t v = 0;

	if (at)
		memcpy(&v, at, sizeof(v));
	return v;
}

static uint32_t take32(struct rest *r)
{
	const void *at = take(r, sizeof(uint32_t));
	uint32_t v = 0;

	if (at)
		memcpy(&v, at, sizeof(v));
	return v;
}

/* n numbers. */
static const uint64_t *take_list(struct rest *r, uint64_t n)
{
	return n <= left(r) / sizeof(uint64_t) ? take(r, n * sizeof(uint64_t)) : take(r, UINT64_MAX);
}

/* The text that all that is left holds. */
static const char *take_text(struct rest *r)
{
	const char *text = (const char *)r->at;

	if (!memchr(text, '\0', left(r))) {
		r->bad = true;
		return "";
	}
	r->at = r->end;
	return text;
}

uint64_t ring_sample_type(const struct ring_format *format)
{
	uint64_t type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD;

	if (format->chain)
		type |= PERF_SAMPLE_CALLCHAIN;
	if (format->stack)
		type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	return type;
}

static void take_stack(const struct ring_format *format, struct rest *r, struct ring_record *record)
{
	uint64_t size, copied;

	record->sample.abi = (unsigned)take64(r);
	if (record->sample.abi != PERF_SAMPLE_REGS_ABI_NONE) {
		record->sample.n_registers = (size_t)__builtin_popcountll(format->registers);
		record->sample.registers = take_list(r, record->sample.n_registers);
	}
	size = take64(r);
	if (!size)
		return;
	record->sample.stack = take(r, size);
	copied = take64(r);
	if (copied > size)
		r->bad = true;
	record->sample.n_stack = r->bad ? 0 : (size_t)copied;
	record->sample.whole = copied == size;
}

static void take_sample(const struct ring_format *format, struct rest *r, struct ring_record *record)
{
	record->pid = take32(r);
	record->tid = take32(r);
	record->time = take64(r);
	record->cpu = take32(r);
	(void)take32(r);
	record->sample.period = take64(r);
	if (format->chain) {
		record->sample.n_chain = (size_t)take64(r);
		record->sample.chain = take_list(r, record->sample.n_chain);
	}
	if (format->stack)
		take_stack(format, r, record);
}

static void take_map(struct rest *r, struct ring_record *record, bool build_id)
{
	uint32_t major, minor;

	record->map.address = take64(r);
	record->map.size = take64(r);
	record->map.offset = take64(r);
	major = take32(r);
	minor = take32(r);
	record->map.device = makedev(major, minor);
	record->map.inode = take64(r);
	(void)take64(r); /* its generation */
	record->map.protection = take32(r);
	(void)take32(r); /* MAP_* */
	record->map.path = take_text(r);
	/* In their place is a build id, which is not asked for. */
	if (build_id || record->map.address + record->map.size < record->map.address)
		r->bad = true;
}

/* What stands behind a record that is no sample. */
static void take_trailer(struct rest *r, struct ring_record *record)
{
	struct rest trailer = *r;

	if (left(r) < TRAILER) {
		r->bad = true;
		return;
	}
	trailer.at = r->end - TRAILER;
	r->end = trailer.at;
	record->pid = take32(&trailer);
	record->tid = take32(&trailer);
	record->time = take64(&trailer);
	record->cpu = take32(&trailer);
}

static void take_task(struct rest *r, struct ring_record *record)
{
	record->pid = take32(r);
	record->task.ppid = take32(r);
	record->tid = take32(r);
	record->task.ptid = take32(r);
}

static void take_other(const struct perf_event_header *header, struct rest *r, struct ring_record *record)
{
	take_trailer(r, record);
	switch (record->kind) {
	case RING_MAP:
	case RING_COMM:
		record->pid = take32(r);
		record->tid = take32(r);
		if (record->kind == RING_MAP) {
			take_map(r, record, header->misc & PERF_RECORD_MISC_MMAP_BUILD_ID);
			return;
		}
		record->comm.exec = header->misc & PERF_RECORD_MISC_COMM_EXEC;
		record->comm.name = take_text(r);
		return;
	case RING_FORK:
	case RING_EXIT:
		take_task(r, record);
		return;
	case RING_LOST:
		(void)take64(r); /* of which event */
		record->lost = take64(r);
		return;
	default:
		return;
	}
}

static enum ring_kind kind_of(uint32_t type)
{
	switch (type) {
	case PERF_RECORD_SAMPLE:
		return RING_SAMPLE;
	case PERF_RECORD_MMAP2:
		return RING_MAP;
	case PERF_RECORD_COMM:
		return RING_COMM;
	case PERF_RECORD_FORK:
		return RING_FORK;
	case PERF_RECORD_EXIT:
		return RING_EXIT;
	case PERF_RECORD_LOST:
		return RING_LOST;
	case PERF_RECORD_THROTTLE:
		return RING_THROTTLE;
	default:
		return RING_OTHER;
	}
}

int ring_parse(const struct ring_format *format, const void *bytes, size_t n, struct ring_record *record)
{
	struct rest r = {bytes, (const unsigned char *)bytes + n, false};
	struct perf_event_header header;
	const void *at = take(&r, sizeof(header));

	*record = (struct ring_record){.kind = RING_OTHER};
	if (!at)
		return -EBADMSG;
	memcpy(&header, at, sizeof(header));
	if (header.size != n)
		return -EBADMSG;
	record->kind = kind_of(header.type);
	if (record->kind == RING_SAMPLE)
		take_sample(format, &r, record);
	else
		take_other(&header, &r, record);
	return r.bad ? -EBADMSG : 0;
}
