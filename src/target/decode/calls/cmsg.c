/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Control messages: what comes with the bytes of sendmsg and recvmsg (cmsg(3)). */
#include <exectrace/target/decode/calls/calls.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

static void put_fd_list(struct printer *p, const unsigned char *data, size_t n)
{
	put_text(p, "[");
	for (size_t i = 0; i + 4 <= n; i += 4) {
		put_text(p, i ? ", " : "");
		print_fd(p, load_number(data + i, 4), 0);
	}
	put_text(p, "]");
}

/* By which function the data of a message is shown, when it has so many bytes at least. */
typedef void put_data_fn(struct printer *p, const unsigned char *data, size_t n);

static void put_credentials(struct printer *p, const unsigned char *data, size_t n)
{
	(void)n;
	put_format(p, "{pid=%d, uid=%u, gid=%u}", (int)load_number(data, 4), (unsigned)load_number(data + 4, 4),
	           (unsigned)load_number(data + 8, 4));
}

static void put_time(struct printer *p, const unsigned char *data, const char *fraction)
{
	put_format(p, "{tv_sec=%lld, %s=%lld}", (long long)load_number(data, p->word), fraction,
	           (long long)load_number(data + p->word, p->word));
}

static void put_one_time(struct printer *p, const unsigned char *data, size_t n, const char *fraction)
{
	if (n >= 2 * p->word)
		put_time(p, data, fraction);
	else
		put_text(p, "???");
}

static void put_timeval(struct printer *p, const unsigned char *data, size_t n)
{
	put_one_time(p, data, n, "tv_usec");
}

static void put_timespec(struct printer *p, const unsigned char *data, size_t n)
{
	put_one_time(p, data, n, "tv_nsec");
}

/* The new ones have 64 bits in every program. */
static void put_wide_timeval(struct printer *p, const unsigned char *data, size_t n)
{
	(void)n;
	put_format(p, "{tv_sec=%lld, tv_usec=%lld}", (long long)load_number(data, 8),
	           (long long)load_number(data + 8, 8));
}

static void put_wide_timespec(struct printer *p, const unsigned char *data, size_t n)
{
	(void)n;
	put_format(p, "{tv_sec=%lld, tv_nsec=%lld}", (long long)load_number(data, 8),
	           (long long)load_number(data + 8, 8));
}

static void put_timestamps(struct printer *p, const unsigned char *data, size_t n)
{
	put_text(p, "[");
	for (unsigned i = 0; i < 3 && (i + 1) * 2 * p->word <= n; i++) {
		put_text(p, i ? ", " : "");
		put_time(p, data + 2 * i * p->word, "tv_nsec");
	}
	put_text(p, "]");
}

static void put_numbers(struct printer *p, const unsigned char *data, size_t n)
{
	put_text(p, "[");
	for (size_t i = 0; i + 4 <= n; i += 4)
		put_format(p, "%s%d", i ? ", " : "", (int)load_number(data + i, 4));
	put_text(p, "]");
}

static void put_octets(struct printer *p, const unsigned char *data, size_t n)
{
	put_text(p, "[");
	for (size_t i = 0; i < n; i++)
		put_format(p, data[i] ? "%s%#x" : "%s0", i ? ", " : "", data[i]);
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
	uint16_t level, type, least;
	put_data_fn *put;
} control_kinds[] = {
	{SOL_SOCKET, SCM_RIGHTS, 4, put_fd_list},
	{SOL_SOCKET, SCM_CREDENTIALS, 12, put_credentials},
	{SOL_SOCKET, SO_TIMESTAMP_OLD, 8, put_timeval},
	{SOL_SOCKET, SO_TIMESTAMPNS_OLD, 8, put_timespec},
	{SOL_SOCKET, SO_TIMESTAMPING_OLD, 24, put_timestamps},
	{SOL_SOCKET, 63, 16, put_wide_timeval},  /* SO_TIMESTAMP_NEW */
	{SOL_SOCKET, 64, 16, put_wide_timespec}, /* SO_TIMESTAMPNS_NEW */
	{IPPROTO_IP, IP_TTL, 4, put_numbers},
	{IPPROTO_IP, IP_CHECKSUM, 4, put_numbers},
	{IPPROTO_IP, IP_TOS, 1, put_octets},
	{IPPROTO_IP, IP_RECVOPTS, 1, put_octets},
	{IPPROTO_IP, IP_RETOPTS, 1, put_octets},
	{IPPROTO_IP, IP_PKTINFO, 12, put_packet_info},
	{IPPROTO_IP, IP_RECVERR, 32, put_extended_error},
	{IPPROTO_IP, IP_ORIGDSTADDR, 16, put_destination},
};

static const struct control_kind *find_kind(unsigned level, unsigned type)
{
	for (size_t i = 0; i < sizeof(control_kinds) / sizeof(control_kinds[0]); i++) {
		if (control_kinds[i].level == level && control_kinds[i].type == type)
			return &control_kinds[i];
	}
	return NULL;
}

static void put_control_data(struct printer *p, unsigned level, unsigned type, const unsigned char *data, size_t n)
{
	const struct control_kind *kind = find_kind(level, type);

	if (!n || (kind && n < kind->least))
		return;
	put_text(p, ", cmsg_data=");
	if (kind)
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

void put_control(struct printer *p, uint64_t addr, uint64_t n)
{
	unsigned char raw[CONTROL_MAX];
	unsigned head = p->word + 8;

	if (n > sizeof(raw))
		n = sizeof(raw);
	if (n < head || !peek_bytes(p, addr, raw, n)) {
		put_addr(p, addr);
		return;
	}
	for (uint64_t at = 0; at + head <= n;) {
		uint64_t len = load_number(raw + at, p->word);
		unsigned level = (unsigned)load_number(raw + at + p->word, 4);
		unsigned type = (unsigned)load_number(raw + at + p->word + 4, 4);
		uint64_t end = len < head || len > n - at ? n : at + len;

		put_format(p, "%s{cmsg_len=%llu, cmsg_level=", at ? ", " : "[", (unsigned long long)len);
		put_enum(p, level, SET_solevel);
		put_text(p, ", cmsg_type=");
		put_control_type(p, level, type);
		put_control_data(p, level, type, raw + at + head, end - at - head);
		put_text(p, "}");
		at = (end + p->word - 1) / p->word * p->word;
	}
	put_text(p, "]");
}
