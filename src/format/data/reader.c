/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "read.h"
#include "wire.h"

#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

/* --- Bytes of the file ----------------------------------------------------------------------------------------------
 */

/* Truncating a mapped file kills its reader (SIGBUS); so it is read. */
long read_bytes(const struct blocks *from, uint64_t offset, size_t n, struct buf *to, const uint8_t **p)
{
	size_t got = 0;

	if (from->fd < 0) {
		uint64_t there = offset < from->size ? from->size - offset : 0;

		*p = there ? from->bytes + offset : from->bytes;
		return (long)(n < there ? n : there);
	}
	to->len = 0;
	if (buf_reserve(to, n))
		return -ENOMEM;
	while (got < n) {
		ssize_t done = pread(from->fd, to->data + got, n - got, (off_t)(offset + got));

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return -errno;
		if (!done)
			break;
		got += (size_t)done;
	}
	*p = (const uint8_t *)to->data;
	return (long)got;
}

/* --- The header ------------------------------------------------------------------------------------------------------
 */

static int bad_file(struct data_reader *r, struct buf *why, const char *what)
{
	int rc = buf_printf(why, "%s: %s", r->name, what);

	return rc ? rc : -EBADMSG;
}

/* Its writer was killed before the header was there, or it was cut. */
static int cut_header(struct data_reader *r, struct buf *why)
{
	int rc = bad_file(r, why, "ends within its header");

	return rc == -EBADMSG ? -ENODATA : rc;
}

static void get_clock(const uint8_t *p, struct data_clock *clock)
{
	clock->kind = wire_get32(p + WIRE_CLOCK_KIND);
	clock->hz = wire_get64(p + WIRE_CLOCK_HZ);
	clock->start = wire_get64(p + WIRE_CLOCK_START);
	clock->realtime = wire_get64(p + WIRE_CLOCK_REALTIME);
}

/* A text at *at, which moves behind it. False when it does not lie within n bytes. */
static bool get_text(const uint8_t *p, size_t n, size_t *at, struct data_text *text)
{
	uint32_t length;

	if (*at > n || n - *at < 4)
		return false;
	length = wire_get32(p + *at);
	*at += 4;
	if (length > n - *at)
		return false;
	*text = (struct data_text){(const char *)p + *at, length};
	*at += length;
	return true;
}

static bool get_facts(const uint8_t *p, size_t n, struct data_facts *facts)
{
	size_t at = wire_get32(p + WIRE_TEXTS);

	facts->arch = wire_get32(p + WIRE_ARCH);
	facts->page_size = wire_get32(p + WIRE_PAGE_SIZE);
	facts->cpus = wire_get32(p + WIRE_CPUS);
	facts->pid = wire_get32(p + WIRE_PID);
	for (int i = 0; i < DATA_CLOCKS; i++)
		get_clock(p + WIRE_CLOCKS + i * WIRE_CLOCK_SIZE, &facts->clocks[i]);
	return at >= DATA_HEADER_FIXED && get_text(p, n, &at, &facts->producer) && get_text(p, n, &at, &facts->host) &&
	       get_text(p, n, &at, &facts->system);
}

static int newer(struct data_reader *r, unsigned major, struct buf *why)
{
	int rc = buf_printf(why, "%s: has version %u of the format, which is newer than this exectrace (%u)", r->name,
	                    major, DATA_MAJOR);

	return rc ? rc : -EBADMSG;
}

static int read_header(struct data_reader *r, struct buf *why)
{
	const uint8_t *p;
	long got = read_bytes(&r->blocks, 0, DATA_HEADER_MAX, &r->header, &p);
	size_t length;

	if (got < 0)
		return (int)got;
	if (memcmp(p, DATA_MAGIC, got < DATA_MAGIC_SIZE ? (size_t)got : DATA_MAGIC_SIZE) != 0)
		return bad_file(r, why, "not an exectrace data file");
	if (got >= WIRE_MINOR && wire_get16(p + WIRE_MAJOR) > DATA_MAJOR)
		return newer(r, wire_get16(p + WIRE_MAJOR), why);
	if (got < DATA_HEADER_FIXED)
		return cut_header(r, why);
	length = wire_get32(p + WIRE_LENGTH);
	if (length < DATA_HEADER_FIXED || length > DATA_HEADER_MAX)
		return bad_file(r, why, "its header is damaged");
	if ((size_t)got < length)
		return cut_header(r, why);
	if (crc_of(&r->blocks.crc, p + WIRE_MAJOR, length - WIRE_MAJOR) != wire_get32(p + WIRE_CRC) ||
	    wire_get16(p + WIRE_MAJOR) != DATA_MAJOR || !get_facts(p, length, &r->facts))
		return bad_file(r, why, "its header is damaged");
	if (wire_get64(p + WIRE_REQUIRED))
		return bad_file(r, why, "needs features that this exectrace does not have");
	r->offset = r->blocks.offset = length;
	return 0;
}

/* --- Opening and closing ---------------------------------------------------------------------------------------------
 */

static int start(struct data_reader **ret, struct data_reader *r, const char *name, struct buf *why)
{
	int rc = -ENOMEM;

	r->name = strdup(name);
	r->blocks.zstd = ZSTD_createDCtx();
	if (r->name && r->blocks.zstd)
		rc = read_header(r, why);
	if (rc)
		data_reader_close(r);
	else
		*ret = r;
	return rc;
}

static struct data_reader *new_reader(void)
{
	struct data_reader *r = calloc(1, sizeof(*r));

	if (r) {
		r->blocks.fd = -1;
		crc_init(&r->blocks.crc);
	}
	return r;
}

int data_reader_fd(struct data_reader **ret, int fd, const char *name, struct buf *why)
{
	struct data_reader *r = new_reader();

	if (!r) {
		fd_close(&fd);
		return -ENOMEM;
	}
	r->blocks.fd = fd;
	return start(ret, r, name, why);
}

int data_reader_open(struct data_reader **ret, const char *path, struct buf *why)
{
	/* Not to wait for the other end of a pipe, which cannot be read in any case. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

	return fd < 0 ? -errno : data_reader_fd(ret, fd, path, why);
}

int data_reader_memory(struct data_reader **ret, const void *bytes, size_t n, const char *name, struct buf *why)
{
	struct data_reader *r = new_reader();

	if (!r)
		return -ENOMEM;
	r->blocks.bytes = bytes;
	r->blocks.size = n;
	return start(ret, r, name, why);
}

void data_reader_close(struct data_reader *r)
{
	if (!r)
		return;
	readahead_end(r->ahead);
	blocks_release(&r->blocks);
	block_release(&r->now);
	free(r->name);
	buf_release(&r->header);
	buf_release(&r->heads);
	record_schema_scratch_release(&r->scratch);
	dictionary_release(&r->dictionary);
	free(r);
}

const struct data_facts *data_reader_facts(const struct data_reader *r)
{
	return &r->facts;
}

uint64_t data_reader_offset(const struct data_reader *r)
{
	return r->offset;
}

enum data_end data_reader_end(const struct data_reader *r)
{
	return r->end;
}
