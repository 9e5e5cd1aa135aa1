/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sockets: addresses, options, messages. */
#include <exectrace/target/decode/calls/calls.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

/* --- Addresses --- */

static void put_unix(struct printer *p, const char *path, size_t n)
{
	if (!n) {
		put_text(p, "{sa_family=AF_UNIX}");
		return;
	}
	put_text(p, "{sa_family=AF_UNIX, sun_path=");
	/* A NUL first: the abstract name space, where all bytes count. */
	if (!*path) {
		put_text(p, "@");
		put_quoted(p, path + 1, n - 1, false);
	} else {
		put_quoted(p, path, strnlen(path, n), false);
	}
	put_text(p, "}");
}

static void put_inet(struct printer *p, const struct sockaddr_in *in)
{
	char text[INET_ADDRSTRLEN];

	inet_ntop(AF_INET, &in->sin_addr, text, sizeof(text));
	put_format(p, "{sa_family=AF_INET, sin_port=htons(%u), sin_addr=inet_addr(\"%s\")}", ntohs(in->sin_port), text);
}

static void put_inet6(struct printer *p, const struct sockaddr_in6 *in6)
{
	char text[INET6_ADDRSTRLEN];

	inet_ntop(AF_INET6, &in6->sin6_addr, text, sizeof(text));
	put_format(p, "{sa_family=AF_INET6, sin6_port=htons(%u), sin6_flowinfo=htonl(%u)", ntohs(in6->sin6_port),
	           ntohl(in6->sin6_flowinfo));
	put_format(p, ", inet_pton(AF_INET6, \"%s\", &sin6_addr), sin6_scope_id=", text);
	if (IN6_IS_ADDR_LINKLOCAL(&in6->sin6_addr) || IN6_IS_ADDR_MC_LINKLOCAL(&in6->sin6_addr))
		print_interface(p, in6->sin6_scope_id, 0);
	else
		put_unsigned(p, in6->sin6_scope_id);
	put_text(p, "}");
}

/* A sockaddr_ll, of which n bytes are known, 12 at least. */
static void put_link(struct printer *p, const char *raw, size_t n)
{
	unsigned len = (unsigned char)raw[11];

	put_text(p, "{sa_family=AF_PACKET, sll_protocol=htons(");
	put_enum(p, ntohs((uint16_t)load_number(raw + 2, 2)), SET_etherproto);
	put_text(p, "), sll_ifindex=");
	print_interface(p, load_number(raw + 4, 4), 0);
	put_text(p, ", sll_hatype=");
	put_enum(p, load_number(raw + 8, 2), SET_arphrd);
	put_text(p, ", sll_pkttype=");
	put_enum(p, (unsigned char)raw[10], SET_packettype);
	put_format(p, ", sll_halen=%u", len);
	put_text(p, len && n > 12 ? ", sll_addr=[" : "");
	for (unsigned i = 0; i < len && 12 + i < n; i++)
		put_format(p, "%s%#x", i ? ", " : "", (unsigned char)raw[12 + i]);
	put_text(p, len && n > 12 ? "]}" : "}");
}

/* Of n bytes, 2 at least. */
static void put_family(struct printer *p, const char *raw, size_t n)
{
	unsigned family = (unsigned)load_number(raw, 2);
	struct sockaddr_in in;
	struct sockaddr_in6 in6;

	if (family == AF_UNIX) {
		put_unix(p, raw + 2, n - 2);
	} else if (family == AF_INET && n >= sizeof(in)) {
		memcpy(&in, raw, sizeof(in));
		put_inet(p, &in);
	} else if (family == AF_INET6 && n >= sizeof(in6)) {
		memcpy(&in6, raw, sizeof(in6));
		put_inet6(p, &in6);
	} else if (family == AF_NETLINK && n >= 12) {
		put_format(p, "{sa_family=AF_NETLINK, nl_pid=%d, nl_groups=%#08x}", (int)load_number(raw + 4, 4),
		           (unsigned)load_number(raw + 8, 4));
	} else if (family == AF_PACKET && n >= 12) {
		put_link(p, raw, n);
	} else if (family == AF_VSOCK && n >= 16) {
		put_format(p, "{sa_family=AF_VSOCK, svm_cid=%#x, svm_port=%#x, svm_flags=",
		           (unsigned)load_number(raw + 8, 4), (unsigned)load_number(raw + 4, 4));
		put_format(p, "%#x}", (unsigned)load_number(raw + 12, 1));
	} else {
		put_text(p, "{sa_family=");
		put_enum(p, family, SET_domain);
		if (n > 2) {
			put_text(p, ", sa_data=");
			put_quoted(p, raw + 2, n - 2, false);
		}
		put_text(p, "}");
	}
}

void put_address(struct printer *p, const char *raw, size_t n)
{
	if (n >= 2)
		put_family(p, raw, n);
	else
		put_text(p, "{}");
}

void put_sockaddr(struct printer *p, uint64_t addr, uint64_t n)
{
	char raw[SOCKADDR_MAX];

	if (n > sizeof(raw))
		n = sizeof(raw);
	if (n < 2 || !peek_bytes(p, addr, raw, n))
		put_addr(p, addr);
	else
		put_family(p, raw, n);
}

void print_sockaddr(struct printer *p, uint64_t value, unsigned aux)
{
	int n = (int)call_arg(p, aux);

	put_sockaddr(p, value, n > 0 ? (uint64_t)n : 0);
}

/* aux: the register with the address of the length, which decode_enter has kept as it was before. */
void print_osockaddr(struct printer *p, uint64_t value, unsigned aux)
{
	uint64_t now, before = p->state->saved[0];

	if (!value || !peek_number(p, call_arg(p, aux), 4, &now)) {
		put_addr(p, value);
		return;
	}
	put_sockaddr(p, value, now < before ? now : before);
}

void print_socklen(struct printer *p, uint64_t value, unsigned aux)
{
	uint64_t now, before = p->state->saved[0];

	(void)aux;
	if (!peek_number(p, value, 4, &now))
		put_addr(p, value);
	else if (call_succeeded(p) && now != before)
		put_format(p, "[%d => %d]", (int)before, (int)now);
	else
		put_format(p, "[%d]", (int)before);
}

/* --- Messages --- */

/* A msghdr of which `total` bytes of data are shown. before: msg_namelen as it was, for what the kernel wrote. */
static void put_msghdr(struct printer *p, uint64_t addr, uint64_t total, const uint64_t *before)
{
	unsigned char raw[56];
	unsigned w = p->word;
	uint64_t name, namelen, control, controllen;

	if (!peek_bytes(p, addr, raw, 7 * w)) {
		put_addr(p, addr);
		return;
	}
	name = load_number(raw, w);
	namelen = load_number(raw + w, 4);
	control = load_number(raw + 4 * w, w);
	controllen = load_number(raw + 5 * w, w);
	put_text(p, "{msg_name=");
	put_sockaddr(p, name, before && *before < namelen ? *before : namelen);
	if (before && *before != namelen)
		put_format(p, ", msg_namelen=%d => %d", (int)*before, (int)namelen);
	else
		put_format(p, ", msg_namelen=%d", (int)namelen);
	put_text(p, ", msg_iov=");
	put_iovs(p, load_number(raw + 2 * w, w), load_number(raw + 3 * w, w), total, put_message_bytes);
	put_format(p, ", msg_iovlen=%llu", (unsigned long long)load_number(raw + 3 * w, w));
	if (control && controllen) {
		put_text(p, ", msg_control=");
		put_control(p, control, controllen);
	}
	put_format(p, ", msg_controllen=%llu, msg_flags=", (unsigned long long)controllen);
	put_flags(p, load_number(raw + 6 * w, 4), SET_msg);
	put_text(p, "}");
}

void print_msg(struct printer *p, uint64_t value, unsigned aux)
{
	(void)aux;
	put_msghdr(p, value, UINT64_MAX, NULL);
}

void print_omsg(struct printer *p, uint64_t value, unsigned aux)
{
	uint64_t namelen;

	(void)aux;
	if (p->result.error && peek_number(p, value + p->word, 4, &namelen))
		put_format(p, "{msg_namelen=%d}", (int)namelen);
	else if (p->result.error)
		put_addr(p, value);
	else
		put_msghdr(p, value, returned_bytes(p), &p->state->saved[0]);
}

static void item_mmsg(struct printer *p, uint64_t addr, unsigned out)
{
	(void)out;
	put_text(p, "{msg_hdr=");
	put_msghdr(p, addr, UINT64_MAX, NULL);
	put_text(p, "}");
}

static void item_mmsg_done(struct printer *p, uint64_t addr, unsigned received)
{
	uint64_t i = (addr - call_arg(p, 1)) / (8 * p->word), len = 0;
	uint64_t before = i < DECODE_NAMES ? p->state->names[i] : 0;

	peek_number(p, addr + 7 * p->word, 4, &len);
	put_text(p, "{msg_hdr=");
	put_msghdr(p, addr, len, received && i < DECODE_NAMES ? &before : NULL);
	put_format(p, ", msg_len=%u}", (unsigned)len);
}

/* aux: the register with their number. */
void print_mmsg(struct printer *p, uint64_t value, unsigned aux)
{
	struct array array = {.addr = value,
	                      .n = call_arg(p, aux),
	                      .size = 8 * p->word,
	                      .print = call_succeeded(p) ? item_mmsg_done : item_mmsg};

	put_array(p, &array);
}

void print_ommsg(struct printer *p, uint64_t value, unsigned aux)
{
	struct array array = {.addr = value,
	                      .n = returned_bytes(p),
	                      .size = 8 * p->word,
	                      .print = item_mmsg_done,
	                      .aux = true};

	(void)aux;
	put_array(p, &array);
}

/* As it was before the call, which stores what is left. */
void print_mmsg_time(struct printer *p, uint64_t value, unsigned aux)
{
	const uint64_t *saved = p->state->saved;

	(void)aux;
	if (p->state->has_saved)
		put_format(p, "{tv_sec=%lld, tv_nsec=%llu}", (long long)as_signed(p, saved[0]),
		           (unsigned long long)saved[1]);
	else
		put_addr(p, value);
}

/* --- i386's one door to all of them --- */

static const struct {
	const char *name;
	uint8_t nargs;
} doors[] = {
	{"", 0},           {"socket", 3},      {"bind", 3},        {"connect", 3},    {"listen", 2},
	{"accept", 3},     {"getsockname", 3}, {"getpeername", 3}, {"socketpair", 4}, {"send", 4},
	{"recv", 4},       {"sendto", 6},      {"recvfrom", 6},    {"shutdown", 2},   {"setsockopt", 5},
	{"getsockopt", 5}, {"sendmsg", 3},     {"recvmsg", 3},     {"accept4", 4},    {"recvmmsg", 5},
	{"sendmmsg", 4},
};

const struct syscall_desc *socketcall(const struct decoder *d, struct syscall_call *call)
{
	uint32_t which = (uint32_t)call->args[0], words[SYSCALL_ARGS];
	uint64_t addr = (uint32_t)call->args[1];

	if (!which || which >= sizeof(doors) / sizeof(doors[0]) || !d->read || !addr ||
	    d->read(d->user, addr, words, doors[which].nargs * sizeof(*words)))
		return NULL;
	for (unsigned i = 0; i < doors[which].nargs; i++)
		call->args[i] = words[i];
	return syscall_by_name(doors[which].name);
}
