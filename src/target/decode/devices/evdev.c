/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Input devices: what commands of ioctl point to whose number says how long it is (linux/input.h). */
#include <exectrace/target/decode/structs/structs.h>

#include <asm/ioctl.h>
#include <linux/input.h>

#define BITS_MAX (KEY_CNT / 8)
#define BITS_SHOWN 4 /* names of bits that are shown without -v */
#define SLOTS_MAX 4096
#define ABSINFO_OLD 20 /* bytes of input_absinfo before it had a resolution */

/* A bit for each event of a kind: what they are called, how many there can be. */
struct events {
	uint16_t set, n;
};

static struct events events_of_type(unsigned type)
{
	switch (type) {
	case 0:
		return (struct events){SET_u_ev, EV_CNT};
	case EV_KEY:
		return (struct events){SET_u_key, KEY_CNT};
	case EV_REL:
		return (struct events){SET_u_rel, REL_CNT};
	case EV_ABS:
		return (struct events){SET_u_abs, ABS_CNT};
	case EV_MSC:
		return (struct events){SET_u_msc, MSC_CNT};
	case EV_SW:
		return (struct events){SET_u_sw, SW_CNT};
	case EV_LED:
		return (struct events){SET_u_led, LED_CNT};
	case EV_SND:
		return (struct events){SET_u_snd, SND_CNT};
	case EV_REP:
		return (struct events){SET_u_rep, REP_CNT};
	case EV_FF:
		return (struct events){SET_u_ff, FF_CNT};
	default:
		return (struct events){0, 0};
	}
}

/* Of the bits that a command asks for; none: it asks for something else. */
static struct events events_of_command(unsigned nr)
{
	switch (nr) {
	case 0x09:
		return (struct events){SET_u_prop, INPUT_PROP_CNT};
	case 0x18:
		return events_of_type(EV_KEY);
	case 0x19:
		return events_of_type(EV_LED);
	case 0x1a:
		return events_of_type(EV_SND);
	case 0x1b:
		return events_of_type(EV_SW);
	default:
		return nr >= 0x20 && nr <= 0x3f ? events_of_type(nr - 0x20) : (struct events){0, 0};
	}
}

static void put_bit_names(struct printer *p, const unsigned char *bytes, unsigned n, unsigned set)
{
	unsigned shown = 0;

	put_text(p, "[");
	for (unsigned i = 0; i < 8 * n; i++) {
		if (!(bytes[i / 8] >> i % 8 & 1))
			continue;
		if (shown == BITS_SHOWN && !p->d->verbose) {
			put_text(p, " ...");
			break;
		}
		put_text(p, shown++ ? " " : "");
		put_enum(p, i, set);
	}
	put_text(p, "]");
}

/* As the words that they are in. */
static void put_bit_words(struct printer *p, const unsigned char *bytes, unsigned n)
{
	put_text(p, "[");
	for (unsigned at = 0; at < n; at += p->word) {
		put_text(p, at ? ", " : "");
		put_hex(p, load_number(bytes + at, p->word));
	}
	put_text(p, "]");
}

/* Of the bits that the command can return as many bytes as it has returned. */
static void put_bits(struct printer *p, uint64_t addr, struct events events)
{
	unsigned char bytes[BITS_MAX + 8];
	uint64_t returned = returned_bytes(p);
	unsigned n = (events.n + 7u) / 8, words;

	n = returned < n ? (unsigned)returned : n;
	words = (n + p->word - 1) / p->word * p->word;
	if (!n || words > sizeof(bytes) || !peek_bytes(p, addr, bytes, words)) {
		put_addr(p, addr);
		return;
	}
	if (p->d->names != DECODE_NAMES_RAW)
		put_bit_names(p, bytes, n, events.set);
	if (p->d->names == DECODE_NAMES_ABBREV)
		return;
	put_text(p, p->d->names == DECODE_NAMES_RAW ? "" : " /* ");
	put_bit_words(p, bytes, words);
	put_text(p, p->d->names == DECODE_NAMES_RAW ? "" : " */");
}

/* Programs may know a shorter or a longer structure than we do. */
static void put_absinfo(struct printer *p, uint64_t addr, unsigned size)
{
	const unsigned whole = sizeof(struct input_absinfo), known = size < whole ? ABSINFO_OLD : whole;
	size_t before = p->out->len;

	if (size < ABSINFO_OLD) {
		put_addr(p, addr);
		return;
	}
	put_struct_of(p, addr, known, STRUCT_u_input_absinfo);
	if (size == known || !p->d->verbose || p->out->len == before || p->out->data[p->out->len - 1] != '}')
		return;
	buf_cut(p->out, p->out->len - 1);
	put_text(p, ", ...}");
}

static void put_slot(struct printer *p, const unsigned char *item, unsigned size)
{
	put_signed(p, (int32_t)load_number(item, size));
}

/* A code and its value in each slot. */
static void put_slots(struct printer *p, uint64_t addr, unsigned size)
{
	unsigned char bytes[SLOTS_MAX];

	if (size < 4 || size > sizeof(bytes) || !peek_bytes(p, addr, bytes, size)) {
		put_addr(p, addr);
		return;
	}
	put_text(p, "{code=");
	put_enum(p, load_number(bytes, 4), SET_u_abs_mt);
	put_text(p, ", values=");
	p->raw = bytes + 4;
	p->size = size - 4;
	put_items(p, 4, put_slot, 4);
	p->raw = NULL;
	put_text(p, "}");
}

/* The argument of such a command, by its address. */
void print_evdev(struct printer *p, uint64_t addr, unsigned aux)
{
	uint32_t cmd = (uint32_t)call_arg(p, 1);
	struct events events = events_of_command(_IOC_NR(cmd));

	(void)aux;
	if (_IOC_DIR(cmd) == _IOC_WRITE)
		put_absinfo(p, addr, _IOC_SIZE(cmd));
	else if (!call_succeeded(p))
		put_addr(p, addr);
	else if (_IOC_NR(cmd) >= 0x40)
		put_absinfo(p, addr, _IOC_SIZE(cmd));
	else if (_IOC_NR(cmd) == 0x0a)
		put_slots(p, addr, _IOC_SIZE(cmd));
	else if (events.n)
		put_bits(p, addr, events);
	else if (_IOC_NR(cmd) <= 0x08)
		put_bytes(p, addr, returned_bytes(p));
	else
		put_addr(p, addr);
}

/* What a key sends, and which key that is. */
void print_keycode(struct printer *p, uint64_t value, unsigned aux)
{
	(void)value;
	(void)aux;
	put_format(p, "%u, ", (unsigned)load_number(p->raw, 4));
	put_enum(p, load_number(p->raw + 4, 4), SET_u_key);
}
