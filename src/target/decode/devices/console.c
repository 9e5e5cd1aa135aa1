/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What ioctls of the console take (ioctl_console(2)): sounds, keys, fonts. */
#include <exectrace/target/decode/structs/structs.h>

#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <limits.h>
#include <linux/kd.h>
#include <linux/keyboard.h>

#define TICK_RATE 1193182u /* of the timer that makes sounds (PIT_TICK_RATE) */
#define PORTS_FIRST 0x3b4u /* the ports that a program may ask for (GPFIRST, GPLAST) */
#define PORTS_LAST 0x3dfu
#define SCREEN_CHARS 256u /* E_TABSZ */
#define KEY_STRING 512u   /* bytes of kbsentry.kb_string */
#define GLYPHS_MAX 512u
#define GLYPH_ROWS 32u
#define FONT_NAME 32u

static bool is_raw(const struct printer *p)
{
	return p->d->names == DECODE_NAMES_RAW;
}

static void put_sound(struct printer *p, unsigned hertz)
{
	if (is_raw(p))
		return;
	if (hertz)
		put_format(p, " /* %u Hz */", hertz);
	else
		put_text(p, " /* off */");
}

void print_sound(struct printer *p, uint64_t value, unsigned aux)
{
	(void)aux;
	put_unsigned(p, value);
	put_sound(p, value ? (unsigned)(TICK_RATE / value) : 0);
}

void print_tone(struct printer *p, uint64_t value, unsigned aux)
{
	unsigned ms = (uint32_t)value >> 16, count = value & 0xffff;

	(void)aux;
	if (ms)
		put_format(p, "%u<<16|", ms);
	put_unsigned(p, count);
	if (ms && count && !is_raw(p))
		put_format(p, " /* %u Hz, %u ms */", TICK_RATE / count, ms);
	else
		put_sound(p, 0);
}

void print_leds(struct printer *p, uint64_t value, unsigned set)
{
	put_flags(p, (uint8_t)value, set);
}

void print_ioport(struct printer *p, uint64_t value, unsigned aux)
{
	(void)aux;
	put_hex(p, value);
	if (value >= PORTS_FIRST && value <= PORTS_LAST && !is_raw(p))
		put_format(p, " /* GPFIRST + %u */", (unsigned)value - PORTS_FIRST);
}

/* A number that is shown as a decimal one where names are not all. */
void print_enum_int(struct printer *p, uint64_t value, unsigned set)
{
	const char *name = value_name(set, (uint32_t)value);
	bool inner = p->inner;

	if (!begin_names(p, value, NUMBER_INT))
		return;
	if (name)
		put_text(p, name);
	else if (p->inner && !inner)
		put_text(p, value_set(set)->unknown);
	else
		put_format(p, "%d /* %s */", (int)value, value_set(set)->unknown);
	end_names(p, inner);
}

void print_key_signal(struct printer *p, uint64_t value, unsigned aux)
{
	if (value < INT_MAX)
		print_signal(p, value, aux);
	else
		put_unsigned(p, value);
}

/* --- Memory --- */

/* Bytes of which none is text. One more than is shown has to be there. */
static void put_hex_bytes(struct printer *p, uint64_t addr, uint64_t n)
{
	size_t shown = n < p->d->string_max ? (size_t)n : p->d->string_max;
	size_t read = n > shown ? shown + 1 : shown;
	cleanup_buf struct buf bytes = BUF_INIT;

	if (!addr) {
		put_text(p, "NULL");
	} else if (buf_reserve(&bytes, read + 1)) {
		p->rc = -ENOMEM;
	} else if (!peek_bytes(p, addr, bytes.data, read)) {
		put_addr(p, addr);
	} else {
		put_text(p, "\"");
		for (size_t i = 0; i < shown; i++)
			put_format(p, "\\x%02x", (unsigned char)bytes.data[i]);
		put_text(p, n > shown ? "\"..." : "\"");
	}
}

void print_hex_at(struct printer *p, uint64_t addr, unsigned n)
{
	put_hex_bytes(p, addr, n);
}

static void item_screen(struct printer *p, uint64_t addr, unsigned aux)
{
	uint64_t value = 0;
	bool direct, plain = p->d->names == DECODE_NAMES_ABBREV;

	(void)aux;
	if (!peek_number(p, addr, 2, &value))
		return;
	direct = (value & ~(uint64_t)UNI_DIRECT_MASK) == UNI_DIRECT_BASE;
	if (!plain || !direct)
		put_hex(p, value);
	if (direct && !is_raw(p))
		put_format(p, plain ? "UNI_DIRECT_BASE+%s%x" : " /* UNI_DIRECT_BASE+%s%x */",
		           value & UNI_DIRECT_MASK ? "0x" : "", (unsigned)value & UNI_DIRECT_MASK);
}

void print_screen_at(struct printer *p, uint64_t addr, unsigned aux)
{
	struct array array = {.addr = addr, .n = SCREEN_CHARS, .size = 2, .print = item_screen};

	(void)aux;
	put_array(p, &array);
}

/* aux: the bytes of each of those that are counted. */
void print_pointed_hex(struct printer *p, uint64_t value, unsigned aux)
{
	put_hex_bytes(p, value, (p->counted ? p->items : 1) * aux);
}

/* Of struct console_font_op: what it points to, by its first member. */
void print_font_data(struct printer *p, uint64_t value, unsigned aux)
{
	const unsigned char *op = p->raw - p->at;
	uint64_t width = load_number(op + 8, 4), count = load_number(op + 16, 4);

	(void)aux;
	width = width < GLYPH_ROWS ? width : GLYPH_ROWS;
	count = count < GLYPHS_MAX ? count : GLYPHS_MAX;
	switch (load_number(op, 4)) {
	case KD_FONT_OP_GET:
		if (p->giving) {
			put_addr(p, value);
			break;
		}
		/* fall through */
	case KD_FONT_OP_SET:
		put_hex_bytes(p, value, (width + 7) / 8 * GLYPH_ROWS * count);
		break;
	case KD_FONT_OP_SET_DEFAULT:
		if (p->giving)
			put_string(p, value, p->d->string_max < FONT_NAME ? p->d->string_max : FONT_NAME - 1);
		break;
	case KD_FONT_OP_COPY:
		break;
	default:
		put_addr(p, value);
		break;
	}
}

/* --- Keys --- */

void print_key_table(struct printer *p, uint64_t value, unsigned aux)
{
	(void)aux;
	if (value_name(SET_u_key_table, value))
		put_enum(p, value, SET_u_key_table);
	else
		put_flags(p, value, SET_u_key_map);
}

static bool is_letter(unsigned type)
{
	return type == KT_LATIN || type == KT_META || type == KT_LETTER || type == KT_DEAD2;
}

/* It may be all that cannot be read of its structure. */
void print_key_value(struct printer *p, uint64_t value, unsigned aux)
{
	const char *name, *type;

	(void)aux;
	if (!peek_number(p, p->base + p->at, 2, &value)) {
		put_text(p, "???");
		return;
	}
	put_hex(p, value);
	name = is_letter((unsigned)value >> 8) ? NULL : value_name(SET_u_kb_key, value);
	type = value_name(SET_u_key_type, value >> 8);
	if (is_raw(p))
		return;
	if (name) {
		put_format(p, " /* %s */", name);
		return;
	}
	put_text(p, " /* K(");
	if (type)
		put_text(p, type);
	else
		put_hex(p, value >> 8);
	put_text(p, ", ");
	if (is_letter((unsigned)value >> 8))
		put_char(p, (unsigned char)value, true);
	else
		put_hex(p, value & 0xff);
	put_text(p, ") */");
}

void print_key_function(struct printer *p, uint64_t value, unsigned aux)
{
	const char *name = value_name(SET_u_kb_key, KT_FN << 8 | (value & 0xff));
	bool inner = p->inner;

	(void)aux;
	if (!begin_names(p, value, NUMBER_HEX))
		return;
	if (name)
		put_format(p, "KVAL(%s)", name);
	else
		put_format(p, "%#x /* KVAL(K_?\?\?) */", (unsigned)value);
	end_names(p, inner);
}

void print_key_string(struct printer *p, uint64_t value, unsigned aux)
{
	cleanup_buf struct buf text = BUF_INIT;
	int ended = peek_string(p, p->base + p->at, KEY_STRING, &text);
	size_t max = p->d->string_max < KEY_STRING ? p->d->string_max : KEY_STRING;

	(void)value;
	(void)aux;
	if (ended < 0)
		put_text(p, "???");
	else
		put_quoted(p, text.data ? text.data : "", text.len < max ? text.len : max, !ended || text.len >= max);
}

void print_character(struct printer *p, uint64_t value, unsigned aux)
{
	(void)aux;
	put_char(p, (unsigned char)value, true);
}
