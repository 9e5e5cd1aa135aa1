/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the ioctls about network interfaces point to (netdevice(7)). */
#include <exectrace/target/decode/calls/calls.h>

#include <net/if.h>
#include <string.h>
#include <sys/ioctl.h>

#define VALUE IFNAMSIZ /* where in struct ifreq the union is */
#define UNION_MAX 24   /* its bytes */

enum request_form { FLAGS, NUMBER, ADDRESS, HARDWARE, MAP, NAME, INDEX };

static const struct request {
	uint16_t cmd;
	uint8_t form;
	bool out; /* the kernel fills it in */
	const char *name;
} requests[] = {
	{0x8913, FLAGS, true, "ifr_flags"},       {0x8914, FLAGS, false, "ifr_flags"},
	{0x8915, ADDRESS, true, "ifr_addr"},      {0x8916, ADDRESS, false, "ifr_addr"},
	{0x8917, ADDRESS, true, "ifr_dstaddr"},   {0x8918, ADDRESS, false, "ifr_dstaddr"},
	{0x8919, ADDRESS, true, "ifr_broadaddr"}, {0x891a, ADDRESS, false, "ifr_broadaddr"},
	{0x891b, ADDRESS, true, "ifr_netmask"},   {0x891c, ADDRESS, false, "ifr_netmask"},
	{0x891d, NUMBER, true, "ifr_metric"},     {0x891e, NUMBER, false, "ifr_metric"},
	{0x8921, NUMBER, true, "ifr_mtu"},        {0x8922, NUMBER, false, "ifr_mtu"},
	{0x8924, HARDWARE, false, "ifr_hwaddr"},  {0x8927, HARDWARE, true, "ifr_hwaddr"},
	{0x8933, NUMBER, true, "ifr_ifindex"},    {0x8942, NUMBER, true, "ifr_qlen"},
	{0x8943, NUMBER, false, "ifr_qlen"},      {0x8970, MAP, true, "ifr_map"},
	{0x8971, MAP, false, "ifr_map"},          {0x8923, NAME, false, "ifr_newname"},
	{0x8929, NAME, true, "ifr_slave"},        {0x8930, NAME, false, "ifr_slave"},
	{0x8931, HARDWARE, false, "ifr_hwaddr"},  {0x8932, HARDWARE, false, "ifr_hwaddr"},
	{0x8937, HARDWARE, false, "ifr_hwaddr"},  {0x89a2, INDEX, false, "ifr_ifindex"},
	{0x89a3, INDEX, false, "ifr_ifindex"},
};

static const struct request *find_request(uint32_t cmd)
{
	for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]); i++) {
		if (requests[i].cmd == cmd)
			return &requests[i];
	}
	return NULL;
}

bool ioctl_is_netdevice(uint32_t cmd, bool *late)
{
	const struct request *request = find_request(cmd);

	*late = !request || request->out;
	return request || cmd == SIOCGIFNAME || cmd == SIOCGIFCONF;
}

/* struct ifreq is as large as its union, in which struct ifmap has two longs. */
static unsigned request_size(const struct printer *p)
{
	return VALUE + (p->word == 8 ? 24 : 16);
}

/* One that is not ended is shown but for its last byte. */
static void put_interface(struct printer *p, const char *raw)
{
	size_t n = strnlen(raw, IFNAMSIZ);

	put_quoted(p, raw, n < IFNAMSIZ ? n : n - 1, n == IFNAMSIZ);
}

static void put_name(struct printer *p, const char *raw)
{
	put_text(p, "ifr_name=");
	put_interface(p, raw);
}

static void put_typed_hardware(struct printer *p, const unsigned char *value)
{
	put_text(p, "{sa_family=");
	put_enum(p, load_number(value, 2), SET_arphrd);
	put_text(p, ", sa_data=");
	for (unsigned i = 0; i < 6; i++)
		put_format(p, "%s%02x", i ? ":" : "", value[2 + i]);
	put_text(p, "}");
}

static void put_map(struct printer *p, const unsigned char *value)
{
	const unsigned char *rest = value + 2 * p->word;

	put_format(p, "{mem_start=%#llx, mem_end=%#llx", (unsigned long long)load_number(value, p->word),
	           (unsigned long long)load_number(value + p->word, p->word));
	put_format(p, ", base_addr=%#x, irq=%#x, dma=%#x, port=%#x}", (unsigned)load_number(rest, 2), rest[2], rest[3],
	           rest[4]);
}

static void put_value(struct printer *p, const struct request *request, const unsigned char *value)
{
	put_format(p, ", %s=", request->name);
	switch (request->form) {
	case FLAGS:
		put_flags(p, load_number(value, 2), SET_iff);
		break;
	case NUMBER:
		put_format(p, "%d", (int)load_number(value, 4));
		break;
	case ADDRESS:
		put_address(p, (const char *)value, 16);
		break;
	case HARDWARE:
		put_typed_hardware(p, value);
		break;
	case NAME:
		put_interface(p, (const char *)value);
		break;
	default:
		put_map(p, value);
		break;
	}
}

static void put_request(struct printer *p, uint64_t addr, const struct request *request)
{
	unsigned char raw[VALUE + UNION_MAX] = {0};

	if (!peek_bytes(p, addr, raw, request_size(p))) {
		put_addr(p, addr);
		return;
	}
	if (request->form == INDEX) {
		put_format(p, "{%s=", request->name);
		print_interface(p, load_number(raw + VALUE, 4), 0);
		put_text(p, "}");
		return;
	}
	put_text(p, "{");
	put_name(p, (const char *)raw);
	if (!request->out || call_succeeded(p))
		put_value(p, request, raw + VALUE);
	put_text(p, "}");
}

/* SIOCGIFNAME asks the other way round. */
static void put_name_request(struct printer *p, uint64_t addr)
{
	unsigned char raw[VALUE + UNION_MAX] = {0};

	if (!peek_bytes(p, addr, raw, request_size(p))) {
		put_addr(p, addr);
		return;
	}
	put_format(p, "{ifr_ifindex=%d", (int)load_number(raw + VALUE, 4));
	if (call_succeeded(p)) {
		put_text(p, ", ");
		put_name(p, (const char *)raw);
	}
	put_text(p, "}");
}

static void item_request(struct printer *p, uint64_t addr, unsigned aux)
{
	(void)aux;
	put_request(p, addr, find_request(0x8915));
}

static void put_size(struct printer *p, int bytes)
{
	int size = (int)request_size(p);

	put_format(p, "%d", bytes);
	if (bytes >= size && bytes % size == 0)
		put_format(p, " /* %d * sizeof(struct ifreq) */", bytes / size);
}

/* struct ifconf: how many bytes there are, and where. */
static void put_list(struct printer *p, uint64_t addr)
{
	int before = (int)p->state->saved[0];
	uint64_t len, buffer;

	if (!peek_number(p, addr, 4, &len) || !peek_number(p, addr + p->word, p->word, &buffer)) {
		put_addr(p, addr);
		return;
	}
	put_text(p, "{ifc_len=");
	if (call_succeeded(p) && buffer && before != (int)len) {
		put_size(p, before);
		put_text(p, " => ");
	}
	put_size(p, (int)len);
	put_text(p, ", ifc_buf=");
	if (call_succeeded(p) && buffer)
		put_array(p, &(struct array){.addr = buffer,
		                             .n = (int)len > 0 ? (uint64_t)len / request_size(p) : 0,
		                             .size = request_size(p),
		                             .print = item_request});
	else
		put_addr(p, buffer);
	put_text(p, "}");
}

void put_netdevice(struct printer *p, uint32_t cmd, uint64_t addr)
{
	if (cmd == SIOCGIFCONF)
		put_list(p, addr);
	else if (cmd == SIOCGIFNAME)
		put_name_request(p, addr);
	else
		put_request(p, addr, find_request(cmd));
}
