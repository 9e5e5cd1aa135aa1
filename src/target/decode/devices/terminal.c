/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Members of the kernel's structures termio, termios and termios2 (ioctl_tty(2)). */
#include <exectrace/target/decode/structs/structs.h>

#include <termios.h>

#define INPUT_SHIFT 16 /* IBSHIFT: of the speed of what comes in */

/* The names of a part of it, and | behind. */
static void put_part(struct printer *p, uint64_t value, unsigned set)
{
	put_enum(p, value, set);
	put_text(p, "|");
}

/* What is left when its parts are shown: nothing for 0. */
static void put_rest(struct printer *p, uint64_t value, unsigned set)
{
	if (value)
		put_flags(p, value, set);
	else
		buf_cut(p->out, p->out->len - 1);
}

/* c_oflag: two bits for tabs and carriage returns, one for other delays. */
void print_oflag(struct printer *p, uint64_t value, unsigned aux)
{
	static const struct {
		uint32_t mask;
		unsigned set;
	} parts[] = {{NLDLY, SET_u_nldly}, {CRDLY, SET_u_crdly}, {TABDLY, SET_u_tabdly},
	             {BSDLY, SET_u_bsdly}, {VTDLY, SET_u_vtdly}, {FFDLY, SET_u_ffdly}};

	(void)aux;
	for (unsigned i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		put_part(p, value & parts[i].mask, parts[i].set);
		value &= ~(uint64_t)parts[i].mask;
	}
	put_rest(p, value, SET_oflag);
}

void print_cflag(struct printer *p, uint64_t value, unsigned aux)
{
	uint64_t input = value & CIBAUD;

	(void)aux;
	put_part(p, value & (CBAUD | CBAUDEX), SET_baud);
	if (input) {
		put_enum(p, input >> INPUT_SHIFT, SET_baud);
		put_text(p, "<<");
		put_part(p, INPUT_SHIFT, SET_ibshift);
	}
	put_part(p, value & CSIZE, SET_csize);
	put_rest(p, value & ~(uint64_t)(CBAUD | CBAUDEX | CIBAUD | CSIZE), SET_cflag);
}

/* Characters by what they are for. aux: the names of that. */
void print_control_chars(struct printer *p, uint64_t value, unsigned aux)
{
	(void)value;
	put_text(p, "[");
	for (unsigned i = 0; i < p->size; i++) {
		const char *name = value_name(aux, i);

		if (name)
			put_format(p, "%s[%s]=", i ? ", " : "", name);
		else
			put_format(p, "%s[%u]=", i ? ", " : "", i);
		put_hex(p, p->raw[i]);
	}
	put_text(p, "]");
}
