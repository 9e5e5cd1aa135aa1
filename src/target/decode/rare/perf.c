/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What perf_event_open(2) is to count: struct perf_event_attr of linux/perf_event.h. */
#include <exectrace/target/decode/calls/calls.h>

#include <errno.h>
#include <linux/perf_event.h>

#define ATTR_BYTES 136u         /* PERF_ATTR_SIZE_VER8 */
#define BRIEF_BYTES 48u         /* up to the bits: what is shown without -v */
#define SIZE_AT 4u              /* of the member that says how many there are */
#define BRANCH_STACK (1u << 11) /* PERF_SAMPLE_BRANCH_STACK */
#define STACK_USER (1u << 13)   /* PERF_SAMPLE_STACK_USER */
#define WATERMARK (UINT64_C(1) << 14)
#define USE_CLOCKID (UINT64_C(1) << 25)

/* The bits of the word behind read_format, from the lowest one; precise_ip has two. */
static const char *const bit_names[] = {
	"disabled",
	"inherit",
	"pinned",
	"exclusive",
	"exclude_user",
	"exclude_kernel",
	"exclude_hv",
	"exclude_idle",
	"mmap",
	"comm",
	"freq",
	"inherit_stat",
	"enable_on_exec",
	"task",
	"watermark",
	"precise_ip",
	NULL,
	"mmap_data",
	"sample_id_all",
	"exclude_host",
	"exclude_guest",
	"exclude_callchain_kernel",
	"exclude_callchain_user",
	"mmap2",
	"comm_exec",
	"use_clockid",
	"context_switch",
	"write_backward",
	"namespaces",
	"ksymbol",
	"bpf_event",
	"aux_output",
	"cgroup",
	"text_poke",
	"build_id",
	"inherit_thread",
	"remove_on_exec",
	"sigtrap",
};

#define BITS (unsigned)(sizeof(bit_names) / sizeof(bit_names[0]))
#define FREQ (UINT64_C(1) << 10)
#define PRECISE_IP 15u

/* With -v those that are not set, too. */
static void put_bits(struct printer *p, uint64_t bits)
{
	static const char *const skids[] = {"arbitrary skid", "constant skid", "requested to have 0 skid",
	                                    "must have 0 skid"};

	for (unsigned i = 0; i < BITS; i++) {
		unsigned precise = bits >> PRECISE_IP & 3, bit = bits >> i & 1;

		if (i == PRECISE_IP)
			put_format(p, ", precise_ip=%u /* %s */", precise, skids[precise]);
		else if (bit_names[i] && (bit || p->d->verbose))
			put_format(p, ", %s=%u", bit_names[i], bit);
	}
	if (bits >> BITS)
		put_format(p, ", __reserved_1=%#llx /* Bits 63..%u */", (unsigned long long)bits >> BITS, BITS);
}

/* The kind of processor, where there are several, in the upper half. */
static uint32_t put_upper(struct printer *p, uint64_t config)
{
	if (config >> 32)
		put_format(p, "%#x<<32|", (unsigned)(config >> 32));
	return (uint32_t)config;
}

/* What a counter counts, in words that depend on its type. */
static void put_config(struct printer *p, uint64_t type, uint64_t config)
{
	switch (type) {
	case PERF_TYPE_HARDWARE:
		put_enum(p, put_upper(p, config), SET_perfhardware);
		break;
	case PERF_TYPE_SOFTWARE:
		put_enum(p, config, SET_perfsoftware);
		break;
	case PERF_TYPE_TRACEPOINT:
		put_unsigned(p, config);
		break;
	case PERF_TYPE_HW_CACHE:
		config = put_upper(p, config);
		if (config >> 24)
			put_format(p, "%#x<<24|", (unsigned)(config >> 24));
		put_enum(p, config >> 16 & 0xff, SET_perfcacheresult);
		put_text(p, "<<16|");
		put_enum(p, config >> 8 & 0xff, SET_perfcacheop);
		put_text(p, "<<8|");
		put_enum(p, config & 0xff, SET_perfcache);
		break;
	default:
		put_hex(p, config);
		break;
	}
}

/* A member that the structure has from a size on. */
struct member {
	const char *name;
	uint8_t at, bytes;
	bool decimal;
};

static uint64_t word(const unsigned char *attr, unsigned at, unsigned bytes)
{
	return load_number(attr + at, bytes);
}

static void put_member(struct printer *p, const unsigned char *attr, const struct member *member)
{
	uint64_t value = word(attr, member->at, member->bytes);

	put_format(p, ", %s=", member->name);
	if (member->decimal)
		put_unsigned(p, value);
	else
		put_hex(p, value);
}

/* Two words that mean something else for a breakpoint. */
static void put_breakpoint(struct printer *p, const unsigned char *attr, uint64_t size)
{
	bool breakpoint = word(attr, 0, 4) == PERF_TYPE_BREAKPOINT;
	const struct member address = {breakpoint ? "bp_addr" : "config1", 56, 8, false};
	const struct member length = {breakpoint ? "bp_len" : "config2", 64, 8, breakpoint};

	if (breakpoint) {
		put_text(p, ", bp_type=");
		put_enum(p, word(attr, 52, 4), word(attr, 52, 4) <= 7 ? SET_breakpoint : SET_breakpoints);
	}
	put_member(p, attr, &address);
	if (size > length.at)
		put_member(p, attr, &length);
}

/* The last words, which came one after the other. */
static void put_last(struct printer *p, const unsigned char *attr, uint64_t size)
{
	static const struct member members[] = {
		{"sample_regs_intr", 96, 8, false}, {"aux_watermark", 104, 4, true},
		{"sample_max_stack", 108, 2, true}, {NULL, 110, 2, false},
		{"aux_sample_size", 112, 4, true},  {NULL, 116, 4, false},
		{"sig_data", 120, 8, false},        {"config3", 128, 8, false},
	};

	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]) && members[i].at < size; i++) {
		const struct member *member = &members[i];
		uint64_t value = word(attr, member->at, member->bytes);

		if (member->name)
			put_member(p, attr, member);
		else if (value)
			put_format(p, " /* bytes %u..%u: %#x */", member->at, member->at + member->bytes - 1u,
			           (unsigned)value);
	}
}

/* With -v: what is behind the bits, of the `size` bytes that there are. */
static void put_rest(struct printer *p, const unsigned char *attr, uint64_t size)
{
	const struct member regs = {"sample_regs_user", 80, 8, false}, stack = {"sample_stack_user", 88, 4, false};
	uint64_t bits = word(attr, 40, 8), sampled = word(attr, 24, 8);

	put_format(p, ", wakeup_%s=%u", bits & WATERMARK ? "watermark" : "events", (unsigned)word(attr, 48, 4));
	put_breakpoint(p, attr, size);
	if (size > 72 && sampled & BRANCH_STACK) {
		put_text(p, ", branch_sample_type=");
		put_flags(p, word(attr, 72, 8), SET_perfbranch);
	}
	if (size > regs.at)
		put_member(p, attr, &regs);
	if (size > stack.at && sampled & STACK_USER)
		put_member(p, attr, &stack);
	if (size > 92 && bits & USE_CLOCKID) {
		put_text(p, ", clockid=");
		put_enum(p, word(attr, 92, 4), SET_clock);
	}
	put_last(p, attr, size);
}

/* What the program said; behind it what the kernel would take, which it says instead. */
static void put_size(struct printer *p, uint64_t addr, uint64_t size)
{
	uint64_t now = 0;

	put_text(p, ", size=");
	put_enum(p, size, SET_perfsize);
	if (!p->result.error || p->result.value != -E2BIG)
		return;
	put_text(p, " => ");
	if (peek_number(p, addr + SIZE_AT, 4, &now))
		put_enum(p, now, SET_perfsize);
	else
		put_text(p, "???");
}

/* The size that the program said. The call may overwrite it, an ioctl does not. */
static bool get_size(struct printer *p, uint64_t addr, uint64_t *size)
{
	*size = p->state->saved[0];
	return p->state->has_saved || (!p->at_exit && peek_number(p, addr + SIZE_AT, 4, size));
}

/*
 * The bytes that are shown, of those that the program says there are. A structure that is shorter than that is read as
 * far as it goes, for it may be one of an older version. Returns how many they are; 0: too few.
 */
static uint64_t read_attr(struct printer *p, uint64_t addr, uint64_t given, unsigned char attr[ATTR_BYTES])
{
	uint64_t size = given ? given : PERF_ATTR_SIZE_VER0;

	if (size < PERF_ATTR_SIZE_VER0)
		return 0;
	if (!p->d->verbose)
		return peek_bytes(p, addr, attr, BRIEF_BYTES) ? BRIEF_BYTES : 0;
	if (size > ATTR_BYTES)
		size = ATTR_BYTES;
	for (; size >= PERF_ATTR_SIZE_VER0; size = (size - 1) / 8 * 8) {
		if (peek_bytes(p, addr, attr, size))
			return size;
	}
	return 0;
}

void print_perfattr(struct printer *p, uint64_t value, unsigned aux)
{
	unsigned char attr[ATTR_BYTES] = {0};
	uint64_t given = 0, size = get_size(p, value, &given) ? read_attr(p, value, given, attr) : 0, bits;

	(void)aux;
	if (!size) {
		put_addr(p, value);
		return;
	}
	bits = word(attr, 40, 8);
	put_text(p, "{type=");
	put_enum(p, word(attr, 0, 4), SET_perftype);
	put_size(p, value, given);
	put_text(p, ", config=");
	put_config(p, word(attr, 0, 4), word(attr, 8, 8));
	put_format(p, ", sample_%s=%llu, sample_type=", bits & FREQ ? "freq" : "period",
	           (unsigned long long)word(attr, 16, 8));
	put_flags(p, word(attr, 24, 8), SET_perfsample);
	put_text(p, ", read_format=");
	put_flags(p, word(attr, 32, 8), SET_perfread);
	put_bits(p, bits);
	if (p->d->verbose)
		put_rest(p, attr, size);
	put_text(p, given > size || (!given && size < PERF_ATTR_SIZE_VER0) ? ", ...}" : "}");
}
