/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Structures that grow with the kernel: who calls says how large the one is that he means (clone3(2), openat2(2)). */
#include <exectrace/target/decode/structs/structs.h>

#include <errno.h>
#include <fcntl.h>
#include <linux/sched/types.h>

#define LANDLOCK_RULE_PATH_BENEATH 1 /* include/uapi/linux/landlock.h, which not all have */
#define LANDLOCK_RULE_NET_PORT 2
#define BEYOND_MAX 4096 /* bytes behind what is known of a structure that are looked at: the kernel takes a page */

void put_beyond(struct printer *p, uint64_t addr, uint64_t known, uint64_t size)
{
	unsigned char raw[BEYOND_MAX];
	uint64_t n = size > known ? size - known : 0;
	const char *separator = p->out->len && p->out->data[p->out->len - 1] == '{' ? "" : ", ";
	bool filled = false;

	if (n > sizeof(raw))
		n = sizeof(raw);
	if (n && !peek_bytes(p, addr + known, raw, n)) {
		put_format(p, "%s???", separator);
		return;
	}
	for (uint64_t i = 0; i < n; i++)
		filled |= raw[i] != 0;
	if (!filled)
		return;
	put_format(p, "%s/* bytes %llu..%llu */ \"", separator, (unsigned long long)known,
	           (unsigned long long)size - 1);
	for (uint64_t i = 0; i < n && i < p->d->string_max; i++)
		put_format(p, "\\x%02x", raw[i]);
	put_text(p, n > p->d->string_max ? "\"..." : "\"");
}

/* aux: the structure, whose size is in the register behind it. */
void print_sized(struct printer *p, uint64_t value, unsigned aux)
{
	uint64_t size = call_arg(p, p->reg + 1u);

	if (size < struct_size(p, aux))
		put_addr(p, value);
	else
		put_struct_beyond(p, value, size, aux);
}

void put_struct_beyond(struct printer *p, uint64_t addr, uint64_t size, unsigned structure)
{
	size_t before = p->out->len;

	put_struct(p, addr, structure);
	if (p->out->len == before || p->out->data[p->out->len - 1] != '}')
		return;
	buf_cut(p->out, p->out->len - 1);
	put_beyond(p, addr, struct_size(p, structure), size);
	put_text(p, "}");
}

/* The structure has more than we know of. */
static void put_more(struct printer *p)
{
	put_text(p, ", ...}");
}

/* open(2) has 32 bits of these. */
static void put_wide_open(struct printer *p, uint64_t flags)
{
	bool inner = p->inner;

	if (!begin_names(p, flags, NUMBER_HEX))
		return;
	put_enum(p, flags & O_ACCMODE, SET_accmode);
	put_more_flags(p, flags & ~(uint64_t)O_ACCMODE, SET_openflags);
	end_names(p, inner);
}

void print_openhow(struct printer *p, uint64_t value, unsigned aux)
{
	uint64_t flags, mode, resolve;

	(void)aux;
	if (call_arg(p, 3) < 24 || !peek_number(p, value, 8, &flags) || !peek_number(p, value + 8, 8, &mode) ||
	    !peek_number(p, value + 16, 8, &resolve)) {
		put_addr(p, value);
		return;
	}
	put_text(p, "{flags=");
	put_wide_open(p, flags);
	if (mode || flags & (0100 | 020000000)) /* O_CREAT, __O_TMPFILE */
		put_format(p, ", mode=%#03llo", (unsigned long long)mode);
	put_text(p, ", resolve=");
	put_flags(p, resolve, SET_resolve);
	put_beyond(p, value, 24, call_arg(p, 3));
	put_text(p, "}");
}

/* A member of 64 bits, if the size says that there is one. Returns how many bytes are shown. */
static unsigned put_member(struct printer *p, uint64_t addr, uint64_t size, unsigned at, unsigned set)
{
	static const char *const names[] = {"{handled_access_fs=", ", handled_access_net=", ", scoped="};
	uint64_t value;

	if (size < at + 8 || !peek_number(p, addr + at, 8, &value))
		return 0;
	put_text(p, names[at / 8]);
	put_flags(p, value, set);
	return 8;
}

/* aux: the register with its size. */
void print_landlockattr(struct printer *p, uint64_t value, unsigned aux)
{
	uint64_t size = call_arg(p, aux), first, shown;

	if (size < 8 || !peek_number(p, value, 8, &first)) {
		put_addr(p, value);
		return;
	}
	shown = put_member(p, value, size, 0, SET_landlockfs);
	shown += put_member(p, value, size, 8, SET_landlocknet);
	shown += put_member(p, value, size, 16, SET_landlockscope);
	if (size > shown)
		put_more(p);
	else
		put_text(p, "}");
}

/* What landlock_add_rule is given, by its second argument (include/uapi/linux/landlock.h). */
void print_landlockrule(struct printer *p, uint64_t value, unsigned aux)
{
	uint32_t type = (uint32_t)call_arg(p, 1);

	(void)aux;
	if (type == LANDLOCK_RULE_PATH_BENEATH)
		put_struct(p, value, STRUCT_landlockpath);
	else if (type == LANDLOCK_RULE_NET_PORT)
		put_struct(p, value, STRUCT_landlockport);
	else
		put_addr(p, value);
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

		put_struct(p, value, STRUCT_schedset);
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
