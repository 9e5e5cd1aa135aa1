/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Structures and fields of them that need more than a table (layout.c). */
#include <exectrace/target/decode/structs/structs.h>

#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#ifndef STATX_MNT_ID_UNIQUE /* include/uapi/linux/stat.h, from Linux 6.8 on */
#define STATX_MNT_ID_UNIQUE 0x4000u
#endif
#ifndef STATX_SUBVOL /* 6.10 */
#define STATX_SUBVOL 0x8000u
#endif

#define SCHED_FLAG_KEEP_POLICY 0x08
#define SCHED_FLAG_KEEP_PARAMS 0x10
#define SCHED_ATTR_SIZE_VER1 56 /* include/uapi/linux/sched/types.h */

/* --- Fields with a look of their own --- */

static bool is_device(const struct printer *p)
{
	return S_ISCHR(p->mode) || S_ISBLK(p->mode);
}

void print_stsize(struct printer *p, uint64_t value, unsigned aux)
{
	(void)aux;
	if (!is_device(p))
		put_format(p, "%lld", (long long)value);
}

void print_strdev(struct printer *p, uint64_t value, unsigned aux)
{
	if (is_device(p))
		print_dev(p, value, aux);
}

/* The nanoseconds lie behind it. */
void print_sttime(struct printer *p, uint64_t value, unsigned aux)
{
	(void)aux;
	put_format(p, "%lld", (long long)as_signed(p, value));
	put_date(p, as_signed(p, value), load_number(p->raw + p->size, p->size), 9);
}

/* The nanoseconds lie behind it. */
void print_statxtime(struct printer *p, uint64_t value, unsigned aux)
{
	unsigned nsec = (unsigned)load_number(p->raw + 8, 4);

	(void)aux;
	put_format(p, "{tv_sec=%lld, tv_nsec=%u}", (long long)value, nsec);
	if (value || nsec)
		put_date(p, (int64_t)value, nsec, 9);
}

/* What only newer kernels fill in: stx_mask says. aux: where in the structure it is. */
void print_statx_more(struct printer *p, uint64_t value, unsigned aux)
{
	uint64_t mask = load_number(p->raw - aux, 4);

	if (aux == 144 && mask & (STATX_MNT_ID | STATX_MNT_ID_UNIQUE))
		put_hex(p, value);
	else if ((aux == 152 || aux == 156) && mask & STATX_DIOALIGN)
		put_unsigned(p, value);
	else if (aux == 160 && mask & STATX_SUBVOL)
		put_hex(p, value);
}

/* name: of the value, when it is no limit. */
static void put_limit(struct printer *p, uint64_t value, const char *name)
{
	bool inner = p->inner, shortened = value > 1024 && value % 1024 == 0;

	if (!name && !shortened) {
		put_unsigned(p, value);
		return;
	}
	if (!begin_names(p, value, NUMBER_UNSIGNED))
		return;
	if (name)
		put_text(p, name);
	else
		put_format(p, "%llu*1024", (unsigned long long)value / 1024);
	end_names(p, inner);
}

void print_rlim(struct printer *p, uint64_t value, unsigned aux)
{
	const char *infinity = p->size == 4 ? "RLIM_INFINITY" : "RLIM64_INFINITY";

	(void)aux;
	put_limit(p, value, value == (p->size == 4 ? UINT32_MAX : UINT64_MAX) ? infinity : NULL);
}

void print_rlim64(struct printer *p, uint64_t value, unsigned aux)
{
	(void)aux;
	put_limit(p, value, value == UINT64_MAX ? "RLIM64_INFINITY" : NULL);
}

void print_fsid(struct printer *p, uint64_t value, unsigned aux)
{
	(void)aux;
	put_format(p, "{val=[%#x, %#x]}", (unsigned)value, (unsigned)(value >> 32));
}

void print_loads(struct printer *p, uint64_t value, unsigned aux)
{
	(void)value;
	(void)aux;
	put_text(p, "[");
	for (unsigned i = 0; i < 3; i++)
		put_format(p, "%s%llu", i ? ", " : "", (unsigned long long)load_number(p->raw + i * p->word, p->word));
	put_text(p, "]");
}

void print_sigval(struct printer *p, uint64_t value, unsigned aux)
{
	(void)aux;
	if (!value)
		return;
	put_format(p, "{sival_int=%d, sival_ptr=", (int)value);
	put_addr(p, value);
	put_text(p, "}");
}

/* SIGEV_* of the struct sigevent that has a field so many bytes behind sigev_notify. */
static int sigev_notify(const struct printer *p, unsigned behind)
{
	return (int)load_number(p->raw - behind, 4);
}

void print_sigev_signo(struct printer *p, uint64_t value, unsigned aux)
{
	int notify = (int)load_number(p->raw + 4, 4);

	if (notify == SIGEV_SIGNAL || notify == SIGEV_THREAD || notify == SIGEV_THREAD_ID)
		print_signal(p, value, aux);
	else
		put_format(p, "%u", (unsigned)value);
}

void print_sigev_tid(struct printer *p, uint64_t value, unsigned aux)
{
	(void)aux;
	if (sigev_notify(p, 4) == SIGEV_THREAD_ID)
		put_process(p, DECODE_TID, value);
}

void print_sigev_function(struct printer *p, uint64_t value, unsigned aux)
{
	(void)aux;
	if (sigev_notify(p, 4) == SIGEV_THREAD)
		put_addr(p, value);
}

void print_sigev_attributes(struct printer *p, uint64_t value, unsigned aux)
{
	(void)aux;
	if (sigev_notify(p, 4 + p->word) == SIGEV_THREAD)
		put_addr(p, value);
}

/* The last two fields of struct sched_attr came with Linux 5.3: its first says how long it is. aux: their offset. */
void print_sched_util(struct printer *p, uint64_t value, unsigned aux)
{
	if (load_number(p->raw - aux, 4) >= SCHED_ATTR_SIZE_VER1)
		put_format(p, "%u", (unsigned)value);
}

/* What sched_setattr leaves as it is is not there. aux: the offset of the field in struct sched_attr. */
static bool is_kept(const struct printer *p, unsigned aux, uint64_t flags)
{
	return load_number(p->raw - aux + 8, 8) & flags;
}

void print_sched_policy(struct printer *p, uint64_t value, unsigned aux)
{
	if ((int32_t)value < 0 || !is_kept(p, aux, SCHED_FLAG_KEEP_POLICY | SCHED_FLAG_KEEP_PARAMS))
		print_enum(p, value, SET_sched);
}

void print_sched_nice(struct printer *p, uint64_t value, unsigned aux)
{
	if (!is_kept(p, aux, SCHED_FLAG_KEEP_PARAMS))
		put_format(p, "%d", (int)value);
}

void print_sched_param(struct printer *p, uint64_t value, unsigned aux)
{
	if (!is_kept(p, aux, SCHED_FLAG_KEEP_PARAMS))
		put_unsigned(p, value);
}

/* --- Structures whose layout depends on what they hold --- */

static void put_caps(struct printer *p, uint64_t bits)
{
	const char *separator = "";

	if (!bits)
		put_text(p, "0");
	for (unsigned cap = 0; cap < 64; cap++) {
		const char *name = bits >> cap & 1 ? value_name(SET_cap, cap) : NULL;

		if (name)
			put_format(p, "%s1<<%s", separator, name);
		else if (bits >> cap & 1)
			put_format(p, "%s1<<%u", separator, cap);
		if (bits >> cap & 1)
			separator = "|";
	}
}

/* The header, register 0, says how many words there are. */
void print_caps(struct printer *p, uint64_t value, unsigned aux)
{
	static const char *const names[] = {"{effective=", ", permitted=", ", inheritable="};
	unsigned char raw[24] = {0};
	uint64_t version = 0;
	unsigned n;

	(void)aux;
	if (!peek_number(p, call_arg(p, 0), 4, &version)) {
		put_addr(p, value);
		return;
	}
	n = version == 0x20071026 || version == 0x20080522 ? 2 : 1;
	if (!peek_bytes(p, value, raw, 12 * n)) {
		put_addr(p, value);
		return;
	}
	for (unsigned i = 0; i < 3; i++) {
		put_text(p, names[i]);
		put_caps(p, load_number(raw + 4 * i, 4) | load_number(raw + 12 + 4 * i, 4) << 32);
	}
	put_text(p, "}");
}

void print_mqattr(struct printer *p, uint64_t value, unsigned aux)
{
	(void)aux;
	if (call_arg(p, 1) & 0100)
		put_struct(p, value, STRUCT_mqcreate);
}

void print_iouring(struct printer *p, uint64_t value, unsigned aux)
{
	(void)aux;
	p->giving = !call_succeeded(p);
	put_struct(p, value, STRUCT_u_io_uring_params);
	p->giving = false;
}

static void item_time(struct printer *p, uint64_t addr, unsigned structure)
{
	const char *name = NULL;
	uint64_t nsec, sec, fraction;

	if (structure != STRUCT_timeval && peek_number(p, addr + struct_size(p, structure) / 2, p->word, &nsec))
		name = nsec == UTIME_NOW ? "UTIME_NOW" : nsec == UTIME_OMIT ? "UTIME_OMIT" : NULL;
	if (name && p->d->names == DECODE_NAMES_ABBREV) {
		put_text(p, name);
		return;
	}
	put_struct(p, addr, structure);
	if (name && p->d->names == DECODE_NAMES_VERBOSE)
		put_format(p, " /* %s */", name);
	if (name)
		return;
	p->size = struct_size(p, structure) / 2;
	if (peek_number(p, addr, p->size, &sec) && peek_number(p, addr + p->size, p->size, &fraction) &&
	    (sec || fraction))
		put_date(p, as_signed(p, sec), fraction, structure == STRUCT_timeval ? 6 : 9);
}

void print_times(struct printer *p, uint64_t value, unsigned aux)
{
	struct array array = {.addr = value, .n = 2, .size = struct_size(p, aux), .print = item_time, .aux = aux};
	unsigned char both[32];

	/* The kernel takes both or none. */
	if (value && !peek_bytes(p, value, both, 2 * (size_t)array.size))
		put_addr(p, value);
	else
		put_array(p, &array);
}

void print_orusage(struct printer *p, uint64_t value, unsigned aux)
{
	(void)aux;
	if (call_succeeded(p) && p->result.value > 0)
		put_struct(p, value, STRUCT_rusage);
	else
		put_addr(p, value);
}
