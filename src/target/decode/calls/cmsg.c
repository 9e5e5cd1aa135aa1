/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Control messages: what comes with the bytes of sendmsg and recvmsg (cmsg(3)). */
#include <exectrace/target/decode/calls/calls.h>

#include <arpa/inet.h>
#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

/* Whether the item is the first one that is not shown. */
static bool ends_list(struct printer *p, size_t i)
{
	if (i < p->d->string_max || p->d->verbose)
		return false;
	put_text(p, "...");
	return true;
}

static void put_fd_list(struct printer *p, const unsigned char *data, size_t n)
{
	put_text(p, "[");
	for (size_t i = 0; i + 4 <= n; i += 4) {
		put_text(p, i ? ", " : "");
		if (ends_list(p, i / 4))
			break;
		print_fd(p, load_number(data + i, 4), 0);
	}
	put_text(p, "]");
}

/* By which function the data of a message is shown, when it has so many bytes at least. */
typedef void put_data_fn(struct printer *p, const unsigned char *data, size_t n);

static void put_credentials(struct printer *p, const unsigned char *data, size_t n)
{
	(void)n;
	put_text(p, "{pid=");
	put_process(p, DECODE_TGID, load_number(data, 4));
	put_format(p, ", uid=%u, gid=%u}", (unsigned)load_number(data + 4, 4), (unsigned)load_number(data + 8, 4));
}

/* Seconds and a fraction of them, of `size` bytes each. */
static void put_time(struct printer *p, const unsigned char *data, unsigned size, const char *fraction)
{
	p->size = size;
	put_format(p, "{tv_sec=%lld, %s=%llu}", (long long)as_signed(p, load_number(data, size)), fraction,
	           (unsigned long long)load_number(data + size, size));
}

static void put_timeval(struct printer *p, const unsigned char *data, size_t n)
{
	(void)n;
	put_time(p, data, p->word, "tv_usec");
}

static void put_timespec(struct printer *p, const unsigned char *data, size_t n)
{
	(void)n;
	put_time(p, data, p->word, "tv_nsec");
}

/* The new ones have 64 bits in every program. */
static void put_wide_timeval(struct printer *p, const unsigned char *data, size_t n)
{
	(void)n;
	put_time(p, data, 8, "tv_usec");
}

static void put_wide_timespec(struct printer *p, const unsigned char *data, size_t n)
{
	(void)n;
	put_time(p, data, 8, "tv_nsec");
}

static void put_times(struct printer *p, const unsigned char *data, unsigned size)
{
	put_text(p, "[");
	for (unsigned i = 0; i < 3; i++) {
		put_text(p, i ? ", " : "");
		put_time(p, data + (size_t)2 * i * size, size, "tv_nsec");
	}
	put_text(p, "]");
}

static void put_timestamps(struct printer *p, const unsigned char *data, size_t n)
{
	(void)n;
	put_times(p, data, p->word);
}

static void put_wide_timestamps(struct printer *p, const unsigned char *data, size_t n)
{
	(void)n;
	put_times(p, data, 8);
}

static void put_number(struct printer *p, const unsigned char *data, size_t n)
{
	(void)n;
	put_format(p, "[%u]", (unsigned)load_number(data, 4));
}

static void put_octet(struct printer *p, const unsigned char *data, size_t n)
{
	(void)n;
	put_format(p, "[%#x]", data[0]);
}

static void put_octets(struct printer *p, const unsigned char *data, size_t n)
{
	put_text(p, "[");
	for (size_t i = 0; i < n; i++) {
		put_text(p, i ? ", " : "");
		if (ends_list(p, i))
			break;
		put_format(p, "%#x", data[i]);
	}
	put_text(p, "]");
}

static void put_packet_info(struct printer *p, const unsigned char *data, size_t n)
{
	char local[INET_ADDRSTRLEN], to[INET_ADDRSTRLEN];

	(void)n;
	inet_ntop(AF_INET, data + 4, local, sizeof(local));
	inet_ntop(AF_INET, data + 8, to, sizeof(to));
	put_text(p, "{ipi_ifindex=");
	print_interface(p, load_number(data, 4), 0);
	put_format(p, ", ipi_spec_dst=inet_addr(\"%s\"), ipi_addr=inet_addr(\"%s\")}", local, to);
}

/* An error, and behind it the address of who found it. */
static void put_extended_error(struct printer *p, const unsigned char *data, size_t n)
{
	put_format(p, "{ee_errno=%u, ee_origin=%u, ee_type=%u", (unsigned)load_number(data, 4), data[4], data[5]);
	put_format(p, ", ee_code=%u, ee_info=%u, ee_data=%u, offender=", data[6], (unsigned)load_number(data + 8, 4),
	           (unsigned)load_number(data + 12, 4));
	put_address(p, (const char *)data + 16, n - 16);
	put_text(p, "}");
}

static void put_destination(struct printer *p, const unsigned char *data, size_t n)
{
	put_address(p, (const char *)data, n);
}

static const struct control_kind {
	uint16_t level, type;
	uint16_t least, words; /* bytes and longs that the data has at least */
	put_data_fn *put;
} control_kinds[] = {
	{SOL_SOCKET, SCM_RIGHTS, 4, 0, put_fd_list},
	{SOL_SOCKET, SCM_CREDENTIALS, 12, 0, put_credentials},
	{SOL_SOCKET, SO_TIMESTAMP_OLD, 0, 2, put_timeval},
	{SOL_SOCKET, SO_TIMESTAMPNS_OLD, 0, 2, put_timespec},
	{SOL_SOCKET, SO_TIMESTAMPING_OLD, 0, 6, put_timestamps},
	{SOL_SOCKET, 63, 16, 0, put_wide_timeval},    /* SO_TIMESTAMP_NEW */
	{SOL_SOCKET, 64, 16, 0, put_wide_timespec},   /* SO_TIMESTAMPNS_NEW */
	{SOL_SOCKET, 65, 48, 0, put_wide_timestamps}, /* SO_TIMESTAMPING_NEW */
	{IPPROTO_IP, IP_TTL, 4, 0, put_number},
	{IPPROTO_IP, IP_CHECKSUM, 4, 0, put_number},
	{IPPROTO_IP, IP_TOS, 1, 0, put_octet},
	{IPPROTO_IP, IP_RECVOPTS, 1, 0, put_octets},
	{IPPROTO_IP, IP_RETOPTS, 1, 0, put_octets},
	{IPPROTO_IP, IP_PKTINFO, 12, 0, put_packet_info},
	{IPPROTO_IP, IP_RECVERR, 32, 0, put_extended_error},
	{IPPROTO_IP, IP_ORIGDSTADDR, 16, 0, put_destination},
};

static const struct control_kind *find_kind(unsigned level, unsigned type)
{
	for (size_t i = 0; i < sizeof(control_kinds) / sizeof(control_kinds[0]); i++) {
		if (control_kinds[i].level == level && control_kinds[i].type == type)
			return &control_kinds[i];
	}
	return NULL;
}

/* head: of the message that n bytes of data belong to. */
static void put_control_data(struct printer *p, const unsigned char *head, const unsigned char *data, size_t n)
{
	unsigned level = (unsigned)load_number(head + p->word, 4), type = (unsigned)load_number(head + p->word + 4, 4);
	const struct control_kind *kind = find_kind(level, type);

	if (!n || (kind && kind->put == put_fd_list && n < kind->least))
		return;
	put_text(p, ", cmsg_data=");
	if (kind && n < kind->least + (size_t)kind->words * p->word)
		put_text(p, "???");
	else if (kind)
		kind->put(p, data, n);
	else
		put_quoted(p, (const char *)data, n < p->d->string_max ? n : p->d->string_max, n > p->d->string_max);
}

static void put_control_type(struct printer *p, unsigned level, unsigned type)
{
	if (level == SOL_SOCKET)
		put_enum(p, type, SET_scm);
	else if (level == IPPROTO_IP)
		put_enum(p, type, SET_ipcontrol);
	else
		put_format(p, "%#x", type);
}

static void put_message_head(struct printer *p, const unsigned char *head, uint64_t len)
{
	unsigned level = (unsigned)load_number(head + p->word, 4);

	put_format(p, "{cmsg_len=%llu, cmsg_level=", (unsigned long long)len);
	put_enum(p, level, SET_solevel);
	put_text(p, ", cmsg_type=");
	put_control_type(p, level, (unsigned)load_number(head + p->word + 4, 4));
}

/* more: there are more bytes than those n. */
static void put_messages(struct printer *p, uint64_t addr, const unsigned char *raw, uint64_t n, bool more)
{
	unsigned head = p->word + 8;

	for (uint64_t at = 0; at < n;) {
		uint64_t len = n - at < head ? 0 : load_number(raw + at, p->word);
		uint64_t end = len > n - at ? n : at + len;

		put_text(p, at ? ", " : "[");
		if (n - at < head) {
			put_format(p, "... /* %#llx */", (unsigned long long)(addr + at));
			break;
		}
		put_message_head(p, raw + at, len);
		if (len >= head)
			put_control_data(p, raw + at, raw + at + head, end - at - head);
		put_text(p, "}");
		/* Behind one that is too short for its own head there is none that could be found. */
		if (len < head && at + head < n)
			put_format(p, ", ... /* %#llx */", (unsigned long long)(addr + at + head));
		if (len < head)
			break;
		at = (end + p->word - 1) / p->word * p->word;
	}
	put_text(p, more ? ", ...]" : "]");
}

void put_control(struct printer *p, uint64_t addr, uint64_t n)
{
	cleanup_buf struct buf many = BUF_INIT;
	unsigned char few[512], *raw = few;
	bool more = n > CONTROL_SHOWN;

	if (more)
		n = CONTROL_SHOWN;
	if (n > sizeof(few)) {
		if (buf_reserve(&many, n)) {
			p->rc = -ENOMEM;
			return;
		}
		raw = (unsigned char *)many.data;
	}
	if (n < p->word + 8 || !peek_bytes(p, addr, raw, n))
		put_addr(p, addr);
	else
		put_messages(p, addr, raw, n, more);
}
