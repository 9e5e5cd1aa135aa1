/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Structures that grow with the kernel: who calls says how large the one is that he means (clone3(2), openat2(2)). */
#include <exectrace/target/decode/values/printer.h>

#include <errno.h>
#include <linux/perf_event.h>
#include <linux/sched/types.h>

#define BEYOND_MAX 4096 /* bytes behind what is known of a structure that are looked at: the kernel takes a page */

void put_beyond(struct printer *p, uint64_t addr, uint64_t known, uint64_t size)
{
	unsigned char raw[BEYOND_MAX];
	uint64_t n = size > known ? size - known : 0;
	bool filled = false;

	if (n > sizeof(raw))
		n = sizeof(raw);
	if (n && !peek_bytes(p, addr + known, raw, n)) {
		put_text(p, ", ???");
		return;
	}
	for (uint64_t i = 0; i < n; i++)
		filled |= raw[i] != 0;
	if (!filled)
		return;
	put_format(p, ", /* bytes %llu..%llu */ \"", (unsigned long long)known, (unsigned long long)size - 1);
	for (uint64_t i = 0; i < n && i < p->d->string_max; i++)
		put_format(p, "\\x%02x", raw[i]);
	put_text(p, n > p->d->string_max ? "\"..." : "\"");
}

/* The structure has more than we know of. */
static void put_more(struct printer *p)
{
	put_text(p, ", ...}");
}

void print_openhow(struct printer *p, uint64_t value, unsigned aux)
{
	uint64_t flags, mode, resolve, unknown;

	if (call_arg(p, 3) < 24 || !peek_number(p, value, 8, &flags) || !peek_number(p, value + 8, 8, &mode) ||
	    !peek_number(p, value + 16, 8, &resolve)) {
		put_addr(p, value);
		return;
	}
	put_text(p, "{flags=");
	print_open(p, flags, aux);
	unknown = flags & ~(uint64_t)UINT32_MAX; /* open(2) has 32 */
	if (unknown)
		put_format(p, "|%#llx", (unsigned long long)unknown);
	if (mode || flags & (0100 | 020000000)) /* O_CREAT, __O_TMPFILE */
		put_format(p, ", mode=%#03llo", (unsigned long long)mode);
	put_text(p, ", resolve=");
	put_flags(p, resolve, SET_resolve);
	put_beyond(p, value, 24, call_arg(p, 3));
	put_text(p, "}");
}

/* A member of 64 bits, if the size says that there is one. */
static void put_member(struct printer *p, uint64_t addr, uint64_t size, unsigned at, unsigned set)
{
	static const char *const names[] = {"{handled_access_fs=", ", handled_access_net=", ", scoped="};
	uint64_t value;

	if (size < at + 8 || !peek_number(p, addr + at, 8, &value))
		return;
	put_text(p, names[at / 8]);
	put_flags(p, value, set);
}

/* aux: the register with its size. */
void print_landlockattr(struct printer *p, uint64_t value, unsigned aux)
{
	uint64_t size = call_arg(p, aux), first;

	if (size < 8 || !peek_number(p, value, 8, &first)) {
		put_addr(p, value);
		return;
	}
	put_member(p, value, size, 0, SET_landlockfs);
	put_member(p, value, size, 8, SET_landlocknet);
	put_member(p, value, size, 16, SET_landlockscope);
	if (size > 24)
		put_more(p);
	else
		put_text(p, "}");
}

/* A descriptor in 64 bits. */
void print_usernsfd(struct printer *p, uint64_t value, unsigned aux)
{
	if (value > INT32_MAX)
		put_unsigned(p, value);
	else
		print_fd(p, value, aux);
}

/* --- sched_setattr --- */

/* Its size is in it; 0 stands for the first one (sched_copy_attr, kernel/sched/syscalls.c). */
void print_schedattr(struct printer *p, uint64_t value, unsigned aux)
{
	uint64_t size;

	(void)aux;
	if (!peek_number(p, value, 4, &size)) {
		put_addr(p, value);
	} else if (size && size < SCHED_ATTR_SIZE_VER0) {
		put_format(p, "{size=%u}", (unsigned)size);
	} else {
		size_t before = p->out->len;

		put_struct(p, value, STRUCT_schedattr);
		if (size <= SCHED_ATTR_SIZE_VER1 || p->out->len == before || p->out->data[p->out->len - 1] != '}')
			return;
		buf_cut(p->out, p->out->len - 1);
		put_more(p);
	}
}

/* The size that the kernel has stored, for it knows another one. */
void print_schedattr_out(struct printer *p, uint64_t value, unsigned aux)
{
	uint64_t size;

	(void)aux;
	if (p->result.error && p->result.value == -E2BIG && peek_number(p, value, 4, &size))
		put_format(p, " => {size=%u}", (unsigned)size);
}

/* --- perf_event_open --- */

/* The bits of the word behind read_format, from the lowest one; precise_ip has two. */
static const char *const perf_bits[] = {
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

#define PERF_FREQ (UINT64_C(1) << 10)
#define PRECISE_IP 15u

static void put_perf_bits(struct printer *p, uint64_t bits)
{
	static const char *const skids[] = {"arbitrary skid", "constant skid", "requested to have 0 skid",
	                                    "must have 0 skid"};

	for (unsigned i = 0; i < sizeof(perf_bits) / sizeof(perf_bits[0]); i++) {
		unsigned precise = bits >> PRECISE_IP & 3;

		if (i == PRECISE_IP)
			put_format(p, ", precise_ip=%u /* %s */", precise, skids[precise]);
		else if (perf_bits[i] && bits >> i & 1)
			put_format(p, ", %s=1", perf_bits[i]);
	}
}

/* What a counter counts, in words that depend on its type. */
static void put_perf_config(struct printer *p, uint64_t type, uint64_t config)
{
	if (type == PERF_TYPE_HARDWARE) {
		put_enum(p, config, SET_perfhardware);
	} else if (type == PERF_TYPE_SOFTWARE) {
		put_enum(p, config, SET_perfsoftware);
	} else if (type == PERF_TYPE_HW_CACHE && !(config >> 24)) {
		put_enum(p, config >> 16, SET_perfcacheresult);
		put_text(p, "<<16|");
		put_enum(p, config >> 8 & 0xff, SET_perfcacheop);
		put_text(p, "<<8|");
		put_enum(p, config & 0xff, SET_perfcache);
	} else {
		put_hex(p, config);
	}
}

void print_perfattr(struct printer *p, uint64_t value, unsigned aux)
{
	unsigned char raw[PERF_ATTR_SIZE_VER0];
	uint64_t size = 0, type, bits;

	(void)aux;
	if (!peek_bytes(p, value, raw, sizeof(raw)) || ((size = load_number(raw + 4, 4)) && size < sizeof(raw))) {
		put_addr(p, value);
		return;
	}
	type = load_number(raw, 4);
	bits = load_number(raw + 40, 8);
	put_text(p, "{type=");
	put_enum(p, type, SET_perftype);
	put_text(p, ", size=");
	if (size)
		put_enum(p, size, SET_perfsize);
	else
		put_text(p, "0");
	put_text(p, ", config=");
	put_perf_config(p, type, load_number(raw + 8, 8));
	put_format(p, ", sample_%s=%llu, sample_type=", bits & PERF_FREQ ? "freq" : "period",
	           (unsigned long long)load_number(raw + 16, 8));
	put_flags(p, load_number(raw + 24, 8), SET_perfsample);
	put_text(p, ", read_format=");
	put_flags(p, load_number(raw + 32, 8), SET_perfread);
	put_perf_bits(p, bits);
	put_more(p);
}
