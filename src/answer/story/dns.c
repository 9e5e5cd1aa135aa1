/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dns.h"

#include "failures.h"
#include <exectrace/base/cleanup.h>
#include <string.h>

#define HEADER 12u       /* bytes */
#define NAME_LENGTH 255u /* bytes at most: RFC 1035, 2.3.4 */
#define LABEL_MAX 63u
#define PORT ":53"

/* What a name server says: RFC 1035, 4.1.1, RCODE. NULL: no failure, or an unknown one. */
static const char *answer_name(unsigned rcode)
{
	static const char *const names[] = {NULL, "FORMERR", "SERVFAIL", "NXDOMAIN, no such name", "NOTIMP", "REFUSED"};

	return rcode < sizeof(names) / sizeof(*names) ? names[rcode] : NULL;
}

/* The server that a socket is connected to, as "10.0.0.1:53"; NULL: none of names. */
static const char *server_of(const struct taken *c)
{
	uint32_t socket = taken_object(c, 0);
	const char *server = socket ? objects_at(&c->h->objects, socket)->server : NULL;
	size_t n = server ? strlen(server) : 0;

	return n > strlen(PORT) && strcmp(server + n - strlen(PORT), PORT) == 0 ? server : NULL;
}

/* The name of the question, with dots; false: the message has none. */
static bool question(struct data_text message, struct buf *name)
{
	size_t at = HEADER;

	while (at < message.n && message.bytes[at] && name->len < NAME_LENGTH) {
		size_t n = (unsigned char)message.bytes[at];

		if (n > LABEL_MAX || n >= message.n - at)
			return false;
		if (name->len)
			buf_putc(name, '.');
		buf_append(name, message.bytes + at + 1, n);
		at += n + 1;
	}
	return name->len && !name->err && at < message.n && !message.bytes[at];
}

/* True of an answer to one question, as far as its first bytes tell: few of all that is read are. */
static bool is_answer(struct data_text message)
{
	return message.n > HEADER && (unsigned char)message.bytes[2] & 0x80 && !message.bytes[4] &&
	       message.bytes[5] == 1;
}

void dns_take(const struct taken *c)
{
	struct data_text message;
	const char *server;
	cleanup_buf struct buf name = BUF_INIT;
	unsigned rcode;

	if (taken_fails(c) || c->call->result <= (int64_t)HEADER ||
	    (strcmp(c->name, "recvfrom") != 0 && strcmp(c->name, "read") != 0))
		return;
	message = taken_extra(c, 1, DATA_EXTRA_BYTES);
	server = is_answer(message) ? server_of(c) : NULL;
	if (!server || !question(message, &name))
		return;
	rcode = (unsigned char)message.bytes[3] & 15;
	if (answer_name(rcode))
		failures_add_answer(c->h, c->p, c->event->time, history_text(c->h, name.data, name.len), server,
		                    answer_name(rcode));
	else if (message.bytes[6] || message.bytes[7])
		failures_resolved(c->p, name.data);
}
