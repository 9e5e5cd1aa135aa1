/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers, flags and names: values that need no memory. */
#include <exectrace/target/decode/values/printer.h>

#include <net/if.h>
#include <stdio.h>
#include <sys/ipc.h>
#include <sys/sysmacros.h>

/* --- Constants: numbers with names --- */

bool begin_names(struct printer *p, uint64_t value, enum number_form form)
{
	if (p->inner || !p->d->names)
		return true;
	if (form == NUMBER_INT)
		put_signed(p, (int)value);
	else if (form == NUMBER_UNSIGNED)
		put_unsigned(p, value);
	else if (form == NUMBER_OCTAL)
		put_format(p, "%#llo", (unsigned long long)value);
	else
		put_hex(p, value);
	if (p->d->names == DECODE_NAMES_RAW)
		return false;
	put_text(p, " /* ");
	p->inner = true;
	return true;
}

void end_names(struct printer *p, bool inner)
{
	if (inner || !p->d->names)
		return;
	put_text(p, " */");
	p->inner = false;
}

/* Kinds whose printer makes names of the whole number. */
static bool is_named(unsigned kind)
{
	switch (kind) {
	case KIND_FUTEXOP:
	case KIND_OPEN:
	case KIND_MMAP:
	case KIND_IPCCMD:
	case KIND_SOCKTYPE:
	case KIND_PROTO:
	case KIND_STATXFLAGS:
	case KIND_MEMFD:
	case KIND_UFFD:
	case KIND_QCMD:
	case KIND_FANINIT:
	case KIND_SWAPFLAGS:
		return true;
	default:
		return false;
	}
}

void print_kind(struct printer *p, unsigned kind, uint64_t value, unsigned aux)
{
	bool inner = p->inner, named = p->d->names && is_named(kind);

	if (named && !begin_names(p, (uint32_t)value, kind == KIND_QCMD ? NUMBER_UNSIGNED : NUMBER_HEX))
		return;
	kind_row(p, kind)->print(p, value, aux);
	if (named)
		end_names(p, inner);
}

void put_enum(struct printer *p, uint64_t value, unsigned set)
{
	const char *name = value_name(set, value);
	bool inner = p->inner;

	/* Of a set that has few names, for the others are just numbers. */
	if (!name && !*value_set(set)->unknown) {
		put_hex(p, value);
		return;
	}
	if (!begin_names(p, value, NUMBER_HEX))
		return;
	if (name)
		put_text(p, name);
	else if (p->inner && !inner)
		put_text(p, value_set(set)->unknown);
	else
		put_format(p, *value_set(set)->unknown ? "%#llx /* %s */" : "%#llx%s", (unsigned long long)value,
		           value_set(set)->unknown);
	end_names(p, inner);
}

/* The names of the bits that are set; what is left of them. */
static uint64_t put_names(struct printer *p, uint64_t value, const struct value_set *set, const char **separator)
{
	for (size_t i = 0; i < set->n && value; i++) {
		uint64_t bits = set->names[i].value;

		if (!bits || (value & bits) != bits)
			continue;
		put_text(p, *separator);
		put_text(p, set->names[i].name);
		*separator = "|";
		value &= ~bits;
	}
	return value;
}

void put_flags(struct printer *p, uint64_t value, unsigned set)
{
	const char *separator = "", *zero = value ? NULL : value_name(set, 0);
	bool inner = p->inner;
	uint64_t left;

	if (!value && (!p->d->names || inner || !zero)) {
		put_text(p, zero ? zero : "0");
		return;
	}
	if (!begin_names(p, value, NUMBER_HEX))
		return;
	if (!value)
		put_text(p, zero);
	left = put_names(p, value, value_set(set), &separator);
	if (left == value && left && p->inner && !inner)
		put_text(p, value_set(set)->unknown);
	else if (left == value && left)
		put_format(p, *value_set(set)->unknown ? "%#llx /* %s */" : "%#llx%s", (unsigned long long)left,
		           value_set(set)->unknown);
	else if (left)
		put_format(p, "|%#llx", (unsigned long long)left);
	end_names(p, inner);
}

void put_more_flags(struct printer *p, uint64_t value, unsigned set)
{
	const char *separator = "|";
	uint64_t left = put_names(p, value, value_set(set), &separator);

	if (left)
		put_format(p, "|%#llx", (unsigned long long)left);
}

/* --- Kinds --- */

void print_int(struct printer *p, uint64_t value, unsigned aux)
{
	(void)aux;
	put_signed(p, (int)value);
}

void print_uint(struct printer *p, uint64_t value, unsigned aux)
{
	(void)aux;
	put_unsigned(p, (unsigned)value);
}

void print_long(struct printer *p, uint64_t value, unsigned aux)
{
	(void)aux;
	put_signed(p, as_signed(p, value));
}

void print_ulong(struct printer *p, uint64_t value, unsigned aux)
{
	(void)aux;
	put_unsigned(p, value);
}

void print_hex(struct printer *p, uint64_t value, unsigned aux)
{
	(void)aux;
	put_hex(p, value);
}

void print_hex32(struct printer *p, uint64_t value, unsigned aux)
{
	(void)aux;
	put_format(p, "%#x", (unsigned)value);
}

void print_addr(struct printer *p, uint64_t value, unsigned aux)
{
	(void)aux;
	put_addr(p, value);
}

void print_addrx(struct printer *p, uint64_t value, unsigned aux)
{
	(void)aux;
	put_addr(p, value);
}

/* A network interface by its index, in strace's form of a name. */
void print_interface(struct printer *p, uint64_t value, unsigned aux)
{
	char name[IF_NAMESIZE];
	bool inner = p->inner;

	(void)aux;
	if (!p->d->interface || p->d->interface(p->d->user, (unsigned)value, name)) {
		put_unsigned(p, (unsigned)value);
		return;
	}
	if (!begin_names(p, (unsigned)value, NUMBER_UNSIGNED))
		return;
	put_text(p, "if_nametoindex(");
	put_quoted(p, name, strnlen(name, sizeof(name)), false);
	put_text(p, ")");
	end_names(p, inner);
}

void print_mode(struct printer *p, uint64_t value, unsigned aux)
{
	(void)aux;
	put_format(p, "%#03o", (unsigned)value & 0xffff);
}

/* The calls of i386 that have a successor with 32 in its name take 16 bits. */
static bool has_short_ids(const struct printer *p)
{
	const struct syscall_desc *desc = p->word == 4 ? syscall_by_nr(p->call->arch, p->call->nr) : NULL;
	char wide[32];

	if (!desc || snprintf(wide, sizeof(wide), "%s32", desc->name) >= (int)sizeof(wide))
		return false;
	return syscall_by_name(wide) != NULL;
}

void print_uid(struct printer *p, uint64_t value, unsigned aux)
{
	(void)aux;
	if (!p->raw && has_short_ids(p))
		value = (uint16_t)value == UINT16_MAX ? UINT32_MAX : (uint16_t)value;
	if ((uint32_t)value == UINT32_MAX)
		put_text(p, "-1");
	else
		put_unsigned(p, (unsigned)value);
}

void print_id(struct printer *p, uint64_t value, unsigned aux)
{
	(void)aux;
	put_signed(p, (int)value);
}

void print_dev(struct printer *p, uint64_t value, unsigned aux)
{
	dev_t dev = p->raw ? value : (uint32_t)value; /* an argument is as the kernel has it */
	bool inner = p->inner;

	(void)aux;
	if (!begin_names(p, dev, NUMBER_HEX))
		return;
	put_format(p, "makedev(%#x, %#x)", major(dev), minor(dev));
	end_names(p, inner);
}

void print_flags(struct printer *p, uint64_t value, unsigned aux)
{
	put_flags(p, (uint32_t)value, aux);
}

void print_wflags(struct printer *p, uint64_t value, unsigned aux)
{
	put_flags(p, value, aux);
}

void print_enum(struct printer *p, uint64_t value, unsigned aux)
{
	put_enum(p, (uint32_t)value, aux);
}

void print_wenum(struct printer *p, uint64_t value, unsigned aux)
{
	put_enum(p, value, aux);
}

void print_enumd(struct printer *p, uint64_t value, unsigned aux)
{
	const char *name = value_name(aux, (uint32_t)value);

	put_format(p, "%d /* %s */", (int)value, name ? name : value_set(aux)->unknown);
}

/* One that is a decimal number when it has no name. */
void print_enumu(struct printer *p, uint64_t value, unsigned aux)
{
	bool inner = p->inner;

	if (value_name(aux, value)) {
		put_enum(p, value, aux);
	} else if (begin_names(p, value, NUMBER_UNSIGNED)) {
		if (!p->inner || inner)
			put_format(p, "%llu /* %s */", (unsigned long long)value, value_set(aux)->unknown);
		else
			put_text(p, value_set(aux)->unknown);
		end_names(p, inner);
	}
}

/* A 64-bit number that takes two registers where a register has 32 bits. aux: not below 0. */
void print_off64(struct printer *p, uint64_t value, unsigned aux)
{
	if (p->word == 4) {
		value |= call_arg(p, p->reg + 1u) << 32;
		p->reg++;
	}
	if (aux)
		put_unsigned(p, value);
	else
		put_signed(p, (int64_t)value);
}

/* Likewise, but 64-bit machines ignore the second register. */
void print_pos(struct printer *p, uint64_t value, unsigned aux)
{
	(void)aux;
	if (p->word == 4)
		value |= call_arg(p, p->reg + 1u) << 32;
	p->reg++;
	put_signed(p, (int64_t)value);
}

void print_fanmask(struct printer *p, uint64_t value, unsigned aux)
{
	(void)aux;
	if (p->word == 4) {
		value |= call_arg(p, p->reg + 1u) << 32;
		p->reg++;
	}
	put_flags(p, value, SET_fanevents);
}

void print_pgoff(struct printer *p, uint64_t value, unsigned aux)
{
	(void)aux;
	put_hex(p, value << 12);
}

void print_key(struct printer *p, uint64_t value, unsigned aux)
{
	bool inner = p->inner;

	(void)aux;
	if ((uint32_t)value != IPC_PRIVATE) {
		put_format(p, "%#x", (unsigned)value);
	} else if (begin_names(p, value, NUMBER_INT)) {
		put_text(p, "IPC_PRIVATE");
		end_names(p, inner);
	}
}

void print_keyid(struct printer *p, uint64_t value, unsigned aux)
{
	const char *name = value_name(SET_keyring, (uint32_t)value);
	bool inner = p->inner;

	(void)aux;
	if (!name) {
		put_signed(p, (int)value);
	} else if (begin_names(p, value, NUMBER_INT)) {
		put_text(p, name);
		end_names(p, inner);
	}
}
