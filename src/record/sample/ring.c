/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ring.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define RINGS_BYTES (64u << 20) /* of all rings together, about */
#define RING_MAX (8u << 20)
#define RING_MIN (64u << 10)

size_t ring_size(long cpus)
{
	size_t size = RING_MAX;

	while (size > RING_MIN && size * (size_t)cpus > RINGS_BYTES)
		size /= 2;
	return size;
}

int ring_open(struct perf_ring *ring, int fd, size_t size)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	for (;; size /= 2) {
		ring->memory = mmap(NULL, page + size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		ring->size = size;
		if (ring->memory != MAP_FAILED)
			return 0;
		if ((errno != EPERM && errno != ENOMEM) || size <= RING_MIN)
			return -errno;
	}
}

void ring_close(struct perf_ring *ring)
{
	munmap(ring->memory, (size_t)sysconf(_SC_PAGESIZE) + ring->size);
}

/* A record that is cut in two by the end of the ring. */
struct whole {
	uint64_t bytes[UINT16_MAX / 8 + 1];
};

int ring_drain(const struct perf_ring *ring, ring_record_fn *take, void *user)
{
	struct perf_event_mmap_page *page = ring->memory;
	const unsigned char *data = (const unsigned char *)ring->memory + sysconf(_SC_PAGESIZE);
	uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE), tail = page->data_tail;
	struct whole whole;
	int rc = 0;

	while (!rc && tail < head) {
		size_t at = tail & (ring->size - 1);
		const void *record = data + at;
		struct perf_event_header header;

		/* Records are multiples of 8 bytes, so their heads are never cut. */
		memcpy(&header, record, sizeof(header));
		if (header.size < sizeof(header) || header.size % 8 || header.size > head - tail)
			return -EBADMSG;
		if (at + header.size > ring->size) {
			memcpy(whole.bytes, record, ring->size - at);
			memcpy((char *)whole.bytes + (ring->size - at), data, header.size - (ring->size - at));
			record = whole.bytes;
		}
		rc = take(user, record, header.size);
		tail += header.size;
		/* Room is made at once: others are coming. */
		__atomic_store_n(&page->data_tail, tail, __ATOMIC_RELEASE);
	}
	return rc;
}
