/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The memory into which the kernel writes the records of a processor (perf_event_open(2), "MMAP layout"). */
#ifndef EXECTRACE_SRC_RECORD_SAMPLE_RING_H
#define EXECTRACE_SRC_RECORD_SAMPLE_RING_H

#include <stddef.h>
#include <stdint.h>

struct perf_ring {
	void *memory; /* a page of struct perf_event_mmap_page, and the data */
	size_t size;  /* of the data: a power of two */
	uint32_t cpu;
};

/* Is given each record of the ring, n bytes at a multiple of 8. 0, or a status that ends the drain. */
typedef int ring_record_fn(void *user, const void *bytes, size_t n);

/* What a ring may have, so that those of all processors together are not too much. */
size_t ring_size(long cpus);

/* Maps the ring of an event; a smaller one where locked memory is short (kernel.perf_event_mlock_kb). 0 or -errno. */
int ring_open(struct perf_ring *ring, int fd, size_t size);

/* Gives away what is in it by now. 0; -EBADMSG when that is damaged; the status of `take`. */
int ring_drain(const struct perf_ring *ring, ring_record_fn *take, void *user);

void ring_close(struct perf_ring *ring);

#endif
