/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Flags with a structure of their own: an enumeration in some bits, a shifted number in others. */
#include <exectrace/target/decode/values/printer.h>

#include <fcntl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#define HUGE_SHIFT 26 /* MAP_HUGE_SHIFT, MFD_HUGE_SHIFT, SHM_HUGE_SHIFT */
#define HUGE_MASK 0x3fu
#define IPC_64 0x100
#define MEMPOLICY_FLAGS 0xe000
#define SWAP_PRIORITY 0x7fff
#define FAN_CLASSES 0xc

void put_flags_behind(struct printer *p, uint64_t value, unsigned set)
{
	bool inner = p->inner;

	if (!value)
		return;
	if (inner || !p->d->names) {
		put_more_flags(p, value, set);
		return;
	}
	put_text(p, "|");
	put_hex(p, value);
	if (p->d->names == DECODE_NAMES_RAW || !has_name(value, set))
		return;
	put_text(p, " /* ");
	p->inner = true;
	put_flags(p, value, set);
	p->inner = false;
	put_text(p, " */");
}

void put_commented(struct printer *p, print_fn *print, uint64_t value, unsigned set)
{
	const struct decoder *d = p->d;
	struct decoder commented = *d;

	if (!d->names)
		commented.names = DECODE_NAMES_VERBOSE;
	p->d = &commented;
	print(p, value, set);
	p->d = d;
}

void note_names(struct printer *p, print_fn *print, uint64_t value, unsigned set)
{
	bool inner = p->inner;

	if (p->d->names == DECODE_NAMES_RAW)
		return;
	p->inner = true;
	note_print(p, print, value, set);
	p->inner = inner;
}

bool has_name(uint64_t value, unsigned set)
{
	const struct value_set *names = value_set(set);

	for (size_t i = 0; i < names->n; i++)
		if (names->names[i].value ? (value & names->names[i].value) == names->names[i].value : !value)
			return true;
	return false;
}

void print_open(struct printer *p, uint64_t value, unsigned aux)
{
	uint32_t flags = (uint32_t)value;

	(void)aux;
	put_enum(p, flags & O_ACCMODE, SET_accmode);
	put_more_flags(p, flags & ~(uint32_t)O_ACCMODE, SET_openflags);
}

/* aux: only O_CREAT wants one, for there are no files without a name. */
void print_omode(struct printer *p, uint64_t value, unsigned aux)
{
	uint64_t flags = call_arg(p, p->reg - 1u);

	if (flags & O_CREAT || (!aux && flags & (O_TMPFILE & ~O_DIRECTORY)))
		print_mode(p, value, aux);
}

/* The binary logarithm of the size of huge pages, if there is one, as `21<<MAP_HUGE_SHIFT`, with text around it. */
static void put_huge(struct printer *p, const char *before, uint64_t flags, const char *shift, const char *behind)
{
	unsigned size = flags >> HUGE_SHIFT & HUGE_MASK;

	if (!size)
		return;
	put_format(p, "%s%u<<", before, size);
	if (p->inner || !p->d->names)
		put_text(p, shift);
	else if (p->d->names == DECODE_NAMES_RAW)
		put_unsigned(p, HUGE_SHIFT);
	else
		put_format(p, "%u /* %s */", HUGE_SHIFT, shift);
	put_text(p, behind);
}

void print_mmap(struct printer *p, uint64_t value, unsigned aux)
{
	uint32_t flags = (uint32_t)value;

	(void)aux;
	put_enum(p, flags & MAP_TYPE, SET_maptype);
	put_more_flags(p, flags & ~(uint32_t)MAP_TYPE & ~(HUGE_MASK << HUGE_SHIFT), SET_map);
	put_huge(p, "|", flags, "MAP_HUGE_SHIFT", "");
}

void print_mremap_addr(struct printer *p, uint64_t value, unsigned aux)
{
	(void)aux;
	unsigned both = MREMAP_FIXED | MREMAP_MAYMOVE;

	if ((call_arg(p, p->reg - 1u) & both) == both)
		put_addr(p, value);
}

/* Whether a bit of it has a name. */
static bool has_names(uint32_t flags, unsigned set)
{
	for (size_t i = 0; i < value_set(set)->n; i++) {
		uint64_t bits = value_set(set)->names[i].value;

		if (bits && (flags & bits) == bits)
			return true;
	}
	return false;
}

void print_shmflg(struct printer *p, uint64_t value, unsigned aux)
{
	uint32_t flags = (uint32_t)value & ~0777u;
	bool huge = aux == SET_shmget;

	if (huge)
		flags &= ~(HUGE_MASK << HUGE_SHIFT);
	if (flags && huge && !has_names(flags, aux))
		put_hex(p, flags);
	else if (flags)
		put_flags(p, flags, aux);
	if (flags)
		put_text(p, "|");
	if (huge)
		put_huge(p, "", (uint32_t)value, "SHM_HUGE_SHIFT", "|");
	put_format(p, "%#03o", (unsigned)value & 0777);
}

void print_ipccmd(struct printer *p, uint64_t value, unsigned aux)
{
	if (value & IPC_64)
		put_text(p, "IPC_64|");
	put_enum(p, (uint32_t)value & ~(uint32_t)IPC_64, aux);
}

void print_socktype(struct printer *p, uint64_t value, unsigned aux)
{
	uint32_t flags = (uint32_t)value & ~0xfu;

	(void)aux;
	put_enum(p, value & 0xf, SET_socktype);
	put_more_flags(p, flags, SET_sockflags);
}

/* socket(2): the protocols of a family; linux/if_packet.h, linux/can.h, linux/phonet.h, linux/nfc.h, linux/caif/ */
void print_proto(struct printer *p, uint64_t value, unsigned aux)
{
	static const struct {
		int family;
		unsigned set;
	} sets[] = {
		{AF_INET, SET_inetproto},    {AF_INET6, SET_inetproto}, {AF_NETLINK, SET_netlinkproto},
		{AF_BLUETOOTH, SET_btproto}, {AF_CAN, SET_canproto},    {AF_PHONET, SET_pnproto},
		{AF_NFC, SET_nfcproto},      {AF_CAIF, SET_caifproto},
	};
	int family = (int)call_arg(p, 0);

	(void)aux;
	if (family == AF_PACKET) {
		print_htons_enum(p, (uint16_t)value, SET_etherproto);
		return;
	}
	for (size_t i = 0; i < sizeof(sets) / sizeof(*sets); i++) {
		if (sets[i].family != family)
			continue;
		put_enum(p, (uint32_t)value, sets[i].set);
		return;
	}
	put_format(p, "%u", (unsigned)value);
}

void print_stmode(struct printer *p, uint64_t value, unsigned aux)
{
	const char *type = value_name(SET_filetype, value & S_IFMT);

	bool inner = p->inner;

	(void)aux;
	p->mode = (uint32_t)value;
	if (!begin_names(p, value, NUMBER_OCTAL))
		return;
	if (type)
		put_format(p, "%s|", type);
	else if (value & S_IFMT)
		put_format(p, "%#o|", (unsigned)value & S_IFMT);
	put_format(p, "%s%s%s%#03o", value & S_ISUID ? "S_ISUID|" : "", value & S_ISGID ? "S_ISGID|" : "",
	           value & S_ISVTX ? "S_ISVTX|" : "", (unsigned)value & 0777);
	end_names(p, inner);
}

void print_nodemode(struct printer *p, uint64_t value, unsigned aux)
{
	if (value & S_IFMT && !value_name(SET_filetype, value & S_IFMT))
		print_mode(p, value, aux);
	else
		print_stmode(p, value & 0xffff, aux);
}

void print_nodedev(struct printer *p, uint64_t value, unsigned aux)
{
	uint64_t mode = call_arg(p, aux);

	if (S_ISCHR(mode) || S_ISBLK(mode))
		print_dev(p, (uint32_t)value, 0);
}

void print_persona(struct printer *p, uint64_t value, unsigned aux)
{
	uint32_t persona = (uint32_t)value;

	(void)aux;
	if (persona == UINT32_MAX) {
		put_text(p, "0xffffffff");
		return;
	}
	put_enum(p, persona & 0xff, SET_personality);
	put_flags_behind(p, persona & ~0xffu, SET_personalityflags);
}

void print_schedpol(struct printer *p, uint64_t value, unsigned aux)
{
	(void)aux;
	put_enum(p, (uint32_t)value, SET_sched);
}

void print_statxflags(struct printer *p, uint64_t value, unsigned aux)
{
	uint32_t sync = (uint32_t)value & 0x6000;

	(void)aux;
	if (sync == 0x6000)
		put_text(p, "AT_STATX_FORCE_SYNC|AT_STATX_DONT_SYNC");
	else
		put_enum(p, sync, SET_statxsync);
	put_more_flags(p, (uint32_t)value & ~0x6000u, SET_at);
}

void print_memfd(struct printer *p, uint64_t value, unsigned aux)
{
	uint32_t flags = (uint32_t)value & ~(HUGE_MASK << HUGE_SHIFT);

	(void)aux;
	if (flags || !value)
		put_flags(p, flags, SET_memfd);
	put_huge(p, flags ? "|" : "", (uint32_t)value, "MFD_HUGE_SHIFT", "");
}

void print_uffd(struct printer *p, uint64_t value, unsigned aux)
{
	uint32_t flags = (uint32_t)value;

	(void)aux;
	if (!(flags & 1)) {
		put_flags(p, flags, SET_uffd);
		return;
	}
	put_text(p, "UFFD_USER_MODE_ONLY");
	put_more_flags(p, flags & ~1u, SET_uffd);
}

void print_mpol(struct printer *p, uint64_t value, unsigned aux)
{
	uint32_t flags = (uint32_t)value & MEMPOLICY_FLAGS;
	bool inner = p->inner;

	(void)aux;
	if (!value_name(SET_mempolicy, value & ~(uint64_t)MEMPOLICY_FLAGS)) {
		put_flags(p, value, SET_mempolicyflags);
		return;
	}
	if (!begin_names(p, value, NUMBER_HEX))
		return;
	put_enum(p, (uint32_t)value & ~(uint32_t)MEMPOLICY_FLAGS, SET_mempolicy);
	put_more_flags(p, flags, SET_mempolicyflags);
	end_names(p, inner);
}

/* mbind(2) has a long. */
void print_wide_mpol(struct printer *p, uint64_t value, unsigned aux)
{
	print_mpol(p, value, aux);
}

void print_qcmd(struct printer *p, uint64_t value, unsigned aux)
{
	(void)aux;
	put_text(p, "QCMD(");
	put_enum(p, (uint32_t)value >> 8, SET_quota);
	put_text(p, ", ");
	put_enum(p, value & 0xff, SET_quotatype);
	put_text(p, ")");
}

void put_ioprio(struct printer *p, uint64_t value, unsigned aux)
{
	(void)aux;
	put_text(p, "IOPRIO_PRIO_VALUE(");
	put_enum(p, (uint32_t)value >> 13, SET_ioprioclass);
	put_format(p, ", %u)", (unsigned)value & 0x1fff);
}

void print_ioprio(struct printer *p, uint64_t value, unsigned aux)
{
	if (!p->d->names) {
		put_ioprio(p, value, aux);
		return;
	}
	put_signed(p, (int)value);
	if (p->d->names == DECODE_NAMES_RAW)
		return;
	put_text(p, " /* ");
	put_ioprio(p, value, aux);
	put_text(p, " */");
}

/* Two bits are a number (fanotify_init(2)). */
void print_faninit(struct printer *p, uint64_t value, unsigned aux)
{
	(void)aux;
	put_enum(p, value & FAN_CLASSES, SET_fanclass);
	if (!(value & ~(uint64_t)FAN_CLASSES))
		return;
	put_text(p, "|");
	put_flags(p, value & ~(uint64_t)FAN_CLASSES, SET_faninit);
}

void print_swapflags(struct printer *p, uint64_t value, unsigned aux)
{
	unsigned flags = (unsigned)value & ~SWAP_PRIORITY, priority = (unsigned)value & SWAP_PRIORITY;

	(void)aux;
	if (flags)
		put_flags(p, flags, SET_swap);
	put_format(p, "%s%u", flags ? "|" : "", priority);
}

/* The upper half may be a magic number that old kernels asked for (mount(2)). */
void print_mountflags(struct printer *p, uint64_t value, unsigned aux)
{
	bool inner = p->inner;

	(void)aux;
	if ((value & MS_MGC_MSK) != MS_MGC_VAL) {
		put_flags(p, value, SET_mount);
		return;
	}
	if (begin_names(p, MS_MGC_VAL, NUMBER_HEX)) {
		put_text(p, "MS_MGC_VAL");
		end_names(p, inner);
	}
	put_flags_behind(p, value & ~(uint64_t)MS_MGC_MSK, SET_mount);
}

void print_seccompflags(struct printer *p, uint64_t value, unsigned aux)
{
	(void)aux;
	if (call_arg(p, 0) == 1 /* SECCOMP_SET_MODE_FILTER */)
		put_flags(p, (uint32_t)value, SET_seccompflags);
	else
		put_format(p, "%#x", (unsigned)value);
}

void print_clone3flags(struct printer *p, uint64_t value, unsigned aux)
{
	(void)aux;
	put_flags(p, value, SET_clone3);
}

/* --- Bits that are known by their number --- */
