/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dump.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define LINE_BYTES 16u
#define DUMP_MAX (32u << 20) /* bytes of a buffer that are shown */
#define BUFFERS_MAX 1024u    /* IOV_MAX: the kernel takes no more buffers, nor messages */

struct dumping {
	const struct decoder *decoder;
	struct buf *out;
	unsigned word;
	pid_t tid;
	int digits;    /* of offsets in the buffer that is shown */
	uint64_t left; /* bytes that the call has filled in */
	int rc;
};

static bool is_in(const struct trace_descriptors *set, int fd)
{
	for (unsigned i = 0; i < set->n; i++)
		if (set->named[i] == fd)
			return !set->others;
	return set->others;
}

static bool is_empty(const struct trace_descriptors *set)
{
	return !set->n && !set->others;
}

bool dump_is_wanted(const struct trace_form *form)
{
	return !is_empty(&form->reads) || !is_empty(&form->writes);
}

static void put(struct dumping *d, const char *text)
{
	if (!d->rc)
		d->rc = buf_puts(d->out, text);
}

/* Digits of offsets: those of the last one, five at least. */
static int digits_of(uint64_t n)
{
	int digits = 5;

	for (n = n ? (n - 1) >> 20 : 0; n; n >>= 4)
		digits++;
	return digits;
}

static void put_line(struct dumping *d, uint64_t at, const unsigned char *bytes, unsigned n)
{
	char hex[3 * LINE_BYTES + 2] = "", text[LINE_BYTES + 1] = "";
	size_t end = 0;

	for (unsigned i = 0; i < n; i++) {
		end += (size_t)snprintf(hex + end, sizeof(hex) - end, i == LINE_BYTES / 2 ? " %02x " : "%02x ",
		                        bytes[i]);
		text[i] = bytes[i] >= ' ' && bytes[i] < 0x7f ? (char)bytes[i] : '.';
	}
	if (!d->rc)
		d->rc = buf_printf(d->out, " | %0*llx  %-49s %-16s |\n", d->digits, (unsigned long long)at, hex, text);
}

static bool look(const struct dumping *d, uint64_t addr, void *to, size_t n)
{
	return addr && d->decoder->read(d->decoder->user, addr, to, n) == 0;
}

static uint64_t look_at_word(const struct dumping *d, uint64_t addr)
{
	uint64_t word = 0;

	return look(d, addr, &word, d->word) ? word : 0;
}

static void put_bytes(struct dumping *d, uint64_t addr, uint64_t n)
{
	unsigned char bytes[64 * LINE_BYTES];

	d->digits = digits_of(n);
	for (uint64_t at = 0; at < n && !d->rc; at += sizeof(bytes)) {
		size_t some = n - at < sizeof(bytes) ? (size_t)(n - at) : sizeof(bytes);

		if (at >= DUMP_MAX) {
			put(d, " | ...\n");
			return;
		}
		if (!look(d, addr + at, bytes, some)) {
			d->rc = buf_printf(d->out, " | <Cannot fetch %zu byte%s from pid %d @%#llx>\n", some,
			                   some == 1 ? "" : "s", (int)d->tid, (unsigned long long)(addr + at));
			return;
		}
		for (size_t i = 0; i < some; i += LINE_BYTES)
			put_line(d, at + i, bytes + i, some - i < LINE_BYTES ? (unsigned)(some - i) : LINE_BYTES);
	}
}

/* n iovecs, of which no more than d->left bytes are shown. */
static void put_buffers(struct dumping *d, uint64_t addr, uint64_t n)
{
	for (uint64_t i = 0; i < n && i < BUFFERS_MAX && !d->rc; i++, addr += 2 * d->word) {
		uint64_t base = look_at_word(d, addr), size = look_at_word(d, addr + d->word);

		if (size > d->left)
			size = d->left;
		d->left -= size;
		if (!size)
			continue;
		d->rc = buf_printf(d->out, " * %llu bytes in buffer %u\n", (unsigned long long)size, (unsigned)i);
		put_bytes(d, base, size);
	}
}

/* The buffers of a msghdr: behind its name and the length of that. */
static void put_message(struct dumping *d, uint64_t addr)
{
	put_buffers(d, look_at_word(d, addr + 2 * d->word), look_at_word(d, addr + 3 * d->word));
}

/* n of mmsghdr: a msghdr, of seven words, and how many bytes were moved. */
static void put_messages(struct dumping *d, uint64_t addr, uint64_t n)
{
	for (uint64_t i = 0; i < n && i < BUFFERS_MAX && !d->rc; i++, addr += 8 * d->word) {
		uint32_t moved = 0;

		if (!look(d, addr + 7 * d->word, &moved, sizeof(moved)))
			return;
		d->rc = buf_printf(d->out, " = %llu buffers in vector %u\n",
		                   (unsigned long long)look_at_word(d, addr + 3 * d->word), (unsigned)i);
		d->left = moved;
		put_message(d, addr);
	}
}

enum shape { BYTES, BUFFERS, MESSAGE, MESSAGES };

static const struct moving {
	const char *name;
	enum shape shape;
	bool writes;
} movings[] = {
	{"read", BYTES, false},      {"pread64", BYTES, false},         {"recv", BYTES, false},
	{"recvfrom", BYTES, false},  {"mq_timedreceive", BYTES, false}, {"mq_timedreceive_time64", BYTES, false},
	{"readv", BUFFERS, false},   {"preadv", BUFFERS, false},        {"preadv2", BUFFERS, false},
	{"recvmsg", MESSAGE, false}, {"recvmmsg", MESSAGES, false},     {"recvmmsg_time64", MESSAGES, false},
	{"write", BYTES, true},      {"pwrite64", BYTES, true},         {"send", BYTES, true},
	{"sendto", BYTES, true},     {"mq_timedsend", BYTES, true},     {"mq_timedsend_time64", BYTES, true},
	{"writev", BUFFERS, true},   {"pwritev", BUFFERS, true},        {"pwritev2", BUFFERS, true},
	{"vmsplice", BUFFERS, true}, {"sendmsg", MESSAGE, true},        {"sendmmsg", MESSAGES, true},
};

static const struct moving *find(const char *name)
{
	for (size_t i = 0; i < sizeof(movings) / sizeof(movings[0]); i++)
		if (strcmp(movings[i].name, name) == 0)
			return &movings[i];
	return NULL;
}

static uint64_t argument(const struct thread *thread, unsigned n)
{
	return thread->call.arch->word == 4 ? (uint32_t)thread->call.args[n] : thread->call.args[n];
}

/* What a call writes is all that it was given, also where it has taken less. */
static void put_moved(struct dumping *d, const struct moving *moving, const struct thread *thread)
{
	uint64_t returned = thread->result.value > 0 ? (uint64_t)thread->result.value : 0;

	d->left = moving->writes ? UINT64_MAX : returned;
	if (moving->shape == BYTES)
		put_bytes(d, argument(thread, 1), moving->writes ? argument(thread, 2) : returned);
	else if (moving->shape == BUFFERS)
		put_buffers(d, argument(thread, 1), argument(thread, 2));
	else if (moving->shape == MESSAGE)
		put_message(d, argument(thread, 1));
	else
		put_messages(d, argument(thread, 1), returned);
}

/* Of a call that has failed there is what it was to write, if that could be read. */
static bool is_nothing(const struct thread *thread, const struct moving *moving)
{
	return thread->result.error && (!moving->writes || thread->result.value == -EFAULT);
}

int dump_call(const struct trace_form *form, const struct decoder *decoder, const struct thread *thread,
              struct buf *out)
{
	const struct syscall_desc *desc =
		dump_is_wanted(form) ? syscall_by_nr(thread->call.arch, thread->call.nr) : NULL;
	const struct moving *moving = desc ? find(desc->name) : NULL;
	int fd = (int)thread->call.args[0];
	struct dumping d = {.decoder = decoder, .out = out, .tid = thread->tid, .word = thread->call.arch->word};

	if (!moving || fd < 0 || is_nothing(thread, moving) ||
	    !is_in(moving->writes ? &form->writes : &form->reads, fd))
		return 0;
	put_moved(&d, moving, thread);
	return d.rc;
}
