/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Mounts by their numbers: statmount(2), listmount(2). Source: struct mnt_id_req and statmount of linux/mount.h. */
#include <exectrace/base/cleanup.h>
#include <exectrace/target/decode/calls/calls.h>

#include <linux/limits.h>

#define REQ_BYTES 24u    /* MNT_ID_REQ_SIZE_VER0 */
#define REQ_NS_BYTES 32u /* MNT_ID_REQ_SIZE_VER1 */
#define STATMOUNT_BYTES 512u
#define STRINGS_BYTES (3u * PATH_MAX) /* that are looked at */

/* How a member is shown. */
enum how { AS_HEX, AS_DECIMAL, AS_FLAGS, AS_ENUM, AS_STRING };

/* A member of struct statmount, and the bit of the mask that says that it is there; 0: always. */
struct member {
	const char *name;
	uint8_t at, bytes, how;
	uint8_t mask;
	uint16_t set;
};

static const struct member members[] = {
	{"size", 0, 4, AS_DECIMAL, 0, 0},
	{"mnt_opts", 4, 4, AS_STRING, 0x80, 0},
	{"mask", 8, 8, AS_FLAGS, 0, SET_statmount},
	{"sb_dev_major", 16, 4, AS_DECIMAL, 0x01, 0},
	{"sb_dev_minor", 20, 4, AS_DECIMAL, 0x01, 0},
	{"sb_magic", 24, 8, AS_ENUM, 0x01, SET_fsmagic},
	{"sb_flags", 32, 4, AS_FLAGS, 0x01, SET_statmountsb},
	{"fs_type", 36, 4, AS_STRING, 0x20, 0},
	{"mnt_id", 40, 8, AS_HEX, 0x02, 0},
	{"mnt_parent_id", 48, 8, AS_HEX, 0x02, 0},
	{"mnt_id_old", 56, 4, AS_HEX, 0x02, 0},
	{"mnt_parent_id_old", 60, 4, AS_HEX, 0x02, 0},
	{"mnt_attr", 64, 8, AS_FLAGS, 0x02, SET_mountattr},
	{"mnt_propagation", 72, 8, AS_FLAGS, 0x02, SET_statmountpropagation},
	{"mnt_peer_group", 80, 8, AS_HEX, 0x02, 0},
	{"mnt_master", 88, 8, AS_HEX, 0x02, 0},
	{"propagate_from", 96, 8, AS_HEX, 0x04, 0},
	{"mnt_root", 104, 4, AS_STRING, 0x08, 0},
	{"mnt_point", 108, 4, AS_STRING, 0x10, 0},
	{"mnt_ns_id", 112, 8, AS_HEX, 0x40, 0},
};

/* aux: the register of a call to statmount, whose last word is a mask; 0: of listmount, whose first may mean the root.
 */
void print_mnt_id_req(struct printer *p, uint64_t value, unsigned aux)
{
	unsigned char req[REQ_NS_BYTES] = {0};
	uint64_t size = 0, id;

	if (!peek_number(p, value, 4, &size)) {
		put_addr(p, value);
		return;
	}
	put_format(p, "{size=%u", (unsigned)size);
	if (size < REQ_BYTES) {
		put_text(p, "}");
		return;
	}
	if (!peek_bytes(p, value, req, size < sizeof(req) ? size : sizeof(req))) {
		put_text(p, ", ???}");
		return;
	}
	if (load_number(req + 4, 4))
		put_format(p, ", spare=%#x", (unsigned)load_number(req + 4, 4));
	put_text(p, ", mnt_id=");
	id = load_number(req + 8, 8);
	if (aux)
		put_hex(p, id);
	else
		put_enum(p, id, SET_listmount);
	put_text(p, ", param=");
	if (aux)
		put_flags(p, load_number(req + 16, 8), SET_statmount);
	else
		put_hex(p, load_number(req + 16, 8));
	if (size >= REQ_NS_BYTES) {
		put_text(p, ", mnt_ns_id=");
		put_hex(p, load_number(req + 24, 8));
	}
	if (size > REQ_NS_BYTES)
		put_beyond(p, value, REQ_NS_BYTES, size);
	put_text(p, "}");
}

static void put_member(struct printer *p, const struct member *member, uint64_t value, const struct buf *strings)
{
	switch (member->how) {
	case AS_DECIMAL:
		put_unsigned(p, value);
		break;
	case AS_FLAGS:
		put_flags(p, value, member->set);
		break;
	case AS_ENUM:
		put_enum(p, value, member->set);
		break;
	case AS_STRING:
		if (value < strings->len) {
			const char *text = strings->data + value;
			size_t n = strnlen(text, strings->len - value);

			put_quoted(p, text, n, n == strings->len - value);
			break;
		}
		put_hex(p, value);
		break;
	default:
		put_hex(p, value);
		break;
	}
}

/* The strings behind the structure, which has `size` bytes with them, of a buffer of `room`. */
static void take_strings(struct printer *p, uint64_t addr, uint64_t size, uint64_t room, struct buf *to)
{
	uint64_t n = size > STATMOUNT_BYTES && size <= room ? size - STATMOUNT_BYTES : 0;

	if (n > STRINGS_BYTES)
		n = STRINGS_BYTES;
	if (n && buf_reserve(to, n) == 0 && peek_bytes(p, addr + STATMOUNT_BYTES, to->data, n))
		to->len = n;
}

/* aux: the register with the size of the buffer. */
void print_statmount(struct printer *p, uint64_t value, unsigned aux)
{
	unsigned char raw[STATMOUNT_BYTES] = {0};
	cleanup_buf struct buf strings = BUF_INIT;
	uint64_t room = call_arg(p, aux), size = room < sizeof(raw) ? room : sizeof(raw), mask;
	const char *separator = "{";

	if (size < 4 || !peek_bytes(p, value, raw, size)) {
		put_addr(p, value);
		return;
	}
	mask = load_number(raw + 8, 8);
	take_strings(p, value, load_number(raw, 4), room, &strings);
	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
		const struct member *member = &members[i];

		if (member->mask && !(mask & member->mask))
			continue;
		put_format(p, "%s%s=", separator, member->name);
		put_member(p, member, load_number(raw + member->at, member->bytes), &strings);
		separator = ", ";
	}
	put_text(p, "}");
}

static void item_mount(struct printer *p, uint64_t addr, unsigned aux)
{
	uint64_t id = 0;

	(void)aux;
	if (peek_number(p, addr, 8, &id))
		put_hex(p, id);
}

/* Numbers of mounts. aux: the register with the room for them. */
void print_mount_ids(struct printer *p, uint64_t value, unsigned aux)
{
	uint64_t room = call_arg(p, aux), n = returned_bytes(p);
	struct array array = {.addr = value, .n = n < room ? n : room, .size = 8, .print = item_mount};

	put_array(p, &array);
}
