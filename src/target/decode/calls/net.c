/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sockets: addresses, options, messages. */
#include <exectrace/target/decode/calls/calls.h>

#define MESSAGES_MAX 1024 /* of sendmmsg and recvmmsg: the kernel takes no more */

/* --- Addresses --- */

void put_sockaddr(struct printer *p, uint64_t addr, uint64_t n)
{
	char raw[SOCKADDR_MAX];

	if (n > sizeof(raw))
		n = sizeof(raw);
	if (n < 2 || !peek_bytes(p, addr, raw, n))
		put_addr(p, addr);
	else
		put_address(p, raw, n);
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

/* Those that were not sent are shown as they were given. */
static void item_mmsg_done(struct printer *p, uint64_t addr, unsigned received)
{
	uint64_t i = (addr - call_arg(p, 1)) / (8 * p->word), len = 0;
	uint64_t before = i < DECODE_NAMES ? p->state->names[i] : 0;

	if (i >= returned_bytes(p)) {
		item_mmsg(p, addr, 0);
		return;
	}
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
	                      .max = p->d->verbose ? MESSAGES_MAX : 0,
	                      .print = call_succeeded(p) ? item_mmsg_done : item_mmsg};

	put_array(p, &array);
}

void print_ommsg(struct printer *p, uint64_t value, unsigned aux)
{
	struct array array = {.addr = value,
	                      .n = returned_bytes(p),
	                      .size = 8 * p->word,
	                      .max = p->d->verbose ? MESSAGES_MAX : 0,
	                      .print = item_mmsg_done,
	                      .aux = true};

	(void)aux;
	put_array(p, &array);
}

/* As it was before the call, which stores what is left. */
void print_mmsg_time(struct printer *p, uint64_t value, unsigned aux)
{
	const uint64_t *saved = p->state->saved;
	uint8_t first;

	(void)aux;
	/* It was read at the entry; that it is kept, a recording knows by a look at it. */
	peek_bytes(p, value, &first, 1);
	if (strstr(p->state->call->name, "64"))
		p->size = 8;
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
