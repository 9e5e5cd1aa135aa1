/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Addresses of sockets, by their family. */
#include <exectrace/target/decode/structs/network.h>
#include <exectrace/target/decode/structs/structs.h>

#include <fcntl.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#define PATH_BYTES 108 /* of sun_path */

static void put_family_name(struct printer *p, unsigned family)
{
	put_text(p, "{sa_family=");
	put_enum(p, family, SET_domain);
}

static void put_path_context(struct printer *p, const char *path, size_t n)
{
	char whole[PATH_BYTES + 1];

	memcpy(whole, path, n);
	whole[n] = '\0';
	put_context(p, 0, AT_FDCWD, whole);
}

static void put_unix(struct printer *p, const char *path, size_t n)
{
	put_family_name(p, AF_UNIX);
	if (n > PATH_BYTES)
		n = PATH_BYTES;
	/* A NUL first: the abstract name space, where all bytes count. */
	if (n && !*path) {
		put_text(p, ", sun_path=@");
		put_quoted(p, path + 1, n - 1, false);
	} else if (n) {
		put_text(p, ", sun_path=");
		put_quoted(p, path, strnlen(path, n), false);
		put_path_context(p, path, strnlen(path, n));
	}
	put_text(p, "}");
}

void put_inet6(struct printer *p, const char *raw, size_t n)
{
	const struct in6_addr *host = (const void *)(raw + 8);
	struct in6_addr copy;

	memcpy(&copy, host, sizeof(copy));
	put_text(p, ", sin6_port=");
	print_be16(p, load_number(raw + 2, 2), 0);
	put_text(p, ", sin6_flowinfo=");
	print_be32(p, load_number(raw + 4, 4), 0);
	put_text(p, ", ");
	put_inet6_field(p, "sin6_addr", (const unsigned char *)raw + 8);
	if (n < sizeof(struct sockaddr_in6))
		return;
	put_text(p, ", sin6_scope_id=");
	if (IN6_IS_ADDR_LINKLOCAL(&copy) || IN6_IS_ADDR_MC_LINKLOCAL(&copy))
		print_interface(p, load_number(raw + 24, 4), 0);
	else
		put_unsigned(p, load_number(raw + 24, 4));
}

/* A sockaddr_ll, of which n bytes are known, 12 at least. */
static void put_link(struct printer *p, const char *raw, size_t n)
{
	unsigned len = (unsigned char)raw[11];

	put_address_fields(p, raw, STRUCT_socklink);
	put_text(p, len && n > 12 ? ", sll_addr=[" : "");
	for (unsigned i = 0; i < len && i < 8 && 12 + i < n; i++) {
		put_text(p, i ? ", " : "");
		put_format(p, "%#02x", (unsigned char)raw[12 + i]);
	}
	if (len && n > 12)
		put_text(p, len > 8 ? ", ...]" : "]");
}

/* Families whose structure is a table, by the bytes that an address has at least. */
static const struct family {
	uint16_t family, least, structure;
} families[] = {
	{AF_INET, 16, STRUCT_sockinet},   {AF_IPX, 16, STRUCT_sockipx},
	{AF_X25, 18, STRUCT_sockx25},     {AF_NETLINK, 12, STRUCT_socknetlink},
	{AF_VSOCK, 16, STRUCT_sockvsock}, {42, 12, STRUCT_sockqrtr},
	{44, 16, STRUCT_sockxdp},         {45, 12, STRUCT_sockmctp},
};

static const struct family *find_family(unsigned family)
{
	for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++)
		if (families[i].family == family)
			return &families[i];
	return NULL;
}

void put_address_fields(struct printer *p, const char *bytes, unsigned structure)
{
	size_t mark = p->out->len;

	put_text(p, ",");
	put_changes(p, (const unsigned char *)bytes, NULL, structure);
	if (p->out->len <= mark + 2)
		return;
	/* The brackets are those of the address. */
	p->out->data[mark + 1] = ' ';
	buf_cut(p->out, p->out->len - 1);
}

void put_address(struct printer *p, const char *raw, size_t n)
{
	unsigned family = n < 2 ? 0 : (unsigned)load_number(raw, 2);
	const struct family *known = find_family(family);

	if (n < 2) {
		put_text(p, "{}");
		return;
	}
	if (family == AF_UNIX) {
		put_unix(p, raw + 2, n - 2);
		return;
	}
	put_family_name(p, family);
	if (known && n >= known->least) {
		put_address_fields(p, raw, known->structure);
	} else if (family == AF_INET6 && n >= 24) {
		put_inet6(p, raw, n);
	} else if (family == AF_PACKET && n >= 12) {
		put_link(p, raw, n);
	} else if (!put_rare_address(p, family, raw, n) && n > 2) {
		put_text(p, ", sa_data=");
		put_quoted(p, raw + 2, n - 2, false);
	}
	put_text(p, "}");
}
