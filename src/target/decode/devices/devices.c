/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parts of what commands of ioctl point to that no table describes: of gpio.h, rtc.h, hdreg.h, perf_event.h. */
#include <exectrace/target/decode/structs/structs.h>

#include <linux/gpio.h>
#include <linux/rtc.h>

#define SECTOR 512u
#define SECTORS_SHOWN 4096u /* bytes of sectors */

/* --- gpio.h: attributes of lines --- */

/* A line by its offset. */
void print_gpio_offset(struct printer *p, uint64_t value, unsigned aux)
{
	(void)aux;
	put_format(p, "{offset=%u}", (unsigned)value);
}

/* Of what it is the value; what is not known as it is. */
static void put_attribute(struct printer *p, const unsigned char *item, bool whole)
{
	uint64_t id = load_number(item, 4), padding = load_number(item + 4, 4), data = load_number(item + 8, 8);

	if (!whole && id == GPIO_V2_LINE_ATTR_ID_FLAGS) {
		put_text(p, "flags=");
		put_flags(p, data, SET_u_gpio_v2_line_flag);
	} else if (!whole && id == GPIO_V2_LINE_ATTR_ID_OUTPUT_VALUES) {
		put_text(p, "values=");
		put_hex(p, data);
	} else if (!whole && id == GPIO_V2_LINE_ATTR_ID_DEBOUNCE) {
		put_format(p, "debounce_period_us=%u", (unsigned)data);
	} else {
		put_format(p, "id=%u", (unsigned)id);
		if (padding)
			put_format(p, ", padding=%#x", (unsigned)padding);
		put_text(p, ", data=");
		put_hex(p, data);
	}
}

/* size: with a mask of lines behind it, or without. */
static void put_attribute_item(struct printer *p, const unsigned char *item, unsigned size)
{
	bool masked = size > sizeof(struct gpio_v2_line_attribute), whole = load_number(item + 4, 4) != 0;

	put_text(p, masked && whole ? "{attr={" : "{");
	put_attribute(p, item, whole);
	if (masked) {
		put_text(p, whole ? "}, mask=" : ", mask=");
		put_hex(p, load_number(item + sizeof(struct gpio_v2_line_attribute), 8));
	}
	put_text(p, "}");
}

/* aux: bytes of each. */
void print_gpio_attributes(struct printer *p, uint64_t value, unsigned aux)
{
	(void)value;
	if (aux >= sizeof(struct gpio_v2_line_attribute))
		put_items(p, aux, put_attribute_item, aux);
}

/* --- rtc.h: a parameter; which one it is stands before it --- */

void print_rtc_value(struct printer *p, uint64_t value, unsigned aux)
{
	(void)aux;
	switch (load_number(p->raw - 8, 8)) {
	case RTC_PARAM_FEATURES:
		put_flags(p, value, SET_u_rtc_feature);
		break;
	case RTC_PARAM_CORRECTION:
		break; /* the value has a sign */
	case RTC_PARAM_BACKUP_SWITCH_MODE:
		put_enum(p, value, SET_u_rtc_bsm);
		break;
	default:
		put_hex(p, value);
		break;
	}
}

/* --- hdreg.h: a command of a drive, which its result and sectors replace --- */

/* n bytes, of which those that are shown must be there. */
static void put_sectors(struct printer *p, uint64_t addr, unsigned n)
{
	unsigned char bytes[SECTORS_SHOWN];
	unsigned shown = n < p->d->string_max ? n : p->d->string_max;

	shown = shown < sizeof(bytes) ? shown : (unsigned)sizeof(bytes);
	if (!peek_bytes(p, addr, bytes, shown)) {
		put_addr(p, addr);
		return;
	}
	p->raw = bytes;
	p->size = shown;
	print_hex_string(p, 0, 0);
	p->raw = NULL;
	put_text(p, shown < n ? "..." : "");
}

void print_drive_command(struct printer *p, uint64_t addr, unsigned aux)
{
	unsigned char bytes[4];

	(void)aux;
	if (!p->made) {
		put_struct(p, addr, STRUCT_u_hd_drive_cmd_hdr);
	} else if (!call_succeeded(p)) {
		return;
	} else if (!peek_bytes(p, addr, bytes, sizeof(bytes))) {
		put_text(p, " => ");
		put_addr(p, addr);
	} else {
		put_text(p, " => {status=");
		put_hex(p, bytes[0]);
		put_format(p, ", error=%u, nsector=%u", bytes[1], bytes[2]);
		if (bytes[3]) {
			put_text(p, ", buf=");
			put_sectors(p, addr + sizeof(bytes), bytes[3] * SECTOR);
		}
		put_text(p, "}");
	}
}

/* --- perf_event.h: how many numbers of programs there is room for, how many there are, they --- */

static void item_number(struct printer *p, uint64_t addr, unsigned size)
{
	uint64_t number;

	if (peek_number(p, addr, size, &number))
		put_unsigned(p, number);
}

void print_query_bpf(struct printer *p, uint64_t addr, unsigned aux)
{
	struct array ids = {.addr = addr + 8, .size = 4, .print = item_number, .aux = 4};
	uint64_t room;

	(void)aux;
	if (!peek_number(p, addr, 4, &room)) {
		put_addr(p, addr);
		return;
	}
	put_format(p, "{ids_len=%u", (unsigned)room);
	if (call_succeeded(p) && peek_number(p, addr + 4, 4, &ids.n)) {
		put_format(p, ", prog_cnt=%u, ids=", (unsigned)ids.n);
		put_array(p, &ids);
		put_text(p, "}");
	} else {
		put_text(p, ", ...}");
	}
}
