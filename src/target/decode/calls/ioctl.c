/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ioctl: its commands and what they point to. */
#include <exectrace/target/decode/calls/calls.h>

#include <asm/ioctl.h>
#include <exectrace/target/syscalls/ioctls.h>

#define POINTED_MAX 4096 /* bytes of what an argument points to that are shown */

/* Commands whose number has a length or an index in it (input.h, hidraw.h, joystick.h, uinput.h, spidev.h, hiddev.h).
 */
static const struct {
	uint8_t type, direction, nr, last; /* those from nr to last */
	bool sized;                        /* its parameter is the size, else how far it is from nr */
	const char *name;
	uint16_t set;  /* of the parameter */
	uint16_t kind; /* what shows the argument, by its address; 0: it is not known to what that points */
} families[] = {
	{'E', _IOC_READ, 0x06, 0x06, true, "EVIOCGNAME", 0, KIND_EVDEV},
	{'E', _IOC_READ, 0x07, 0x07, true, "EVIOCGPHYS", 0, KIND_EVDEV},
	{'E', _IOC_READ, 0x08, 0x08, true, "EVIOCGUNIQ", 0, KIND_EVDEV},
	{'E', _IOC_READ, 0x09, 0x09, true, "EVIOCGPROP", 0, KIND_EVDEV},
	{'E', _IOC_READ, 0x0a, 0x0a, true, "EVIOCGMTSLOTS", 0, KIND_EVDEV},
	{'E', _IOC_READ, 0x18, 0x18, true, "EVIOCGKEY", 0, KIND_EVDEV},
	{'E', _IOC_READ, 0x19, 0x19, true, "EVIOCGLED", 0, KIND_EVDEV},
	{'E', _IOC_READ, 0x1a, 0x1a, true, "EVIOCGSND", 0, KIND_EVDEV},
	{'E', _IOC_READ, 0x1b, 0x1b, true, "EVIOCGSW", 0, KIND_EVDEV},
	{'E', _IOC_READ, 0x20, 0x3f, true, "EVIOCGBIT", SET_u_ev, KIND_EVDEV},
	{'E', _IOC_READ, 0x40, 0x7f, false, "EVIOCGABS", SET_u_abs, KIND_EVDEV},
	{'E', _IOC_WRITE, 0xc0, 0xff, false, "EVIOCSABS", SET_u_abs, KIND_EVDEV},
	{'H', _IOC_READ, 0x04, 0x04, true, "HIDIOCGRAWNAME", 0, 0},
	{'H', _IOC_READ, 0x05, 0x05, true, "HIDIOCGRAWPHYS", 0, 0},
	{'H', _IOC_READ, 0x08, 0x08, true, "HIDIOCGRAWUNIQ", 0, 0},
	{'H', _IOC_READ, 0x12, 0x12, true, "HIDIOCGPHYS", 0, 0},
	{'H', _IOC_READ | _IOC_WRITE, 0x06, 0x06, true, "HIDIOCSFEATURE", 0, 0},
	{'H', _IOC_READ | _IOC_WRITE, 0x07, 0x07, true, "HIDIOCGFEATURE", 0, 0},
	{'M', _IOC_WRITE, 0, 0xff, false, "MIXER_WRITE", 0, 0},
	{'M', _IOC_READ, 0, 0xff, false, "MIXER_READ", 0, 0},
	{'U', _IOC_READ, 0x2c, 0x2c, true, "UI_GET_SYSNAME", 0, 0},
	{'j', _IOC_READ, 0x13, 0x13, true, "JSIOCGNAME", 0, 0},
	{'k', _IOC_WRITE, 0, 0, true, "SPI_IOC_MESSAGE", 0, 0},
};

/* Which of them it is; negative: none. */
static int family_of(uint32_t cmd)
{
	for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++)
		if (families[i].type == _IOC_TYPE(cmd) && families[i].direction == _IOC_DIR(cmd) &&
		    _IOC_NR(cmd) >= families[i].nr && _IOC_NR(cmd) <= families[i].last)
			return (int)i;
	return -1;
}

static void put_family(struct printer *p, uint32_t cmd, int family)
{
	unsigned index = _IOC_NR(cmd) - families[family].nr;
	unsigned set = families[family].set;
	bool sized = families[family].sized;

	put_format(p, "%s(", families[family].name);
	if (set && p->d->names && !value_name(set, index))
		put_hex(p, index);
	else if (set && (index || !sized))
		put_enum(p, index, set);
	else if (set || !sized)
		put_unsigned(p, index);
	if (sized)
		put_format(p, set ? ", %u" : "%u", (unsigned)_IOC_SIZE(cmd));
	put_text(p, ")");
}

void print_ioctl(struct printer *p, uint64_t value, unsigned aux)
{
	static const char *const directions[] = {"_IOC_NONE", "_IOC_WRITE", "_IOC_READ", "_IOC_READ|_IOC_WRITE"};
	const struct ioctl_command *found[IOCTL_NAMES];
	uint32_t cmd = (uint32_t)value;
	size_t n = ioctl_find(p->word, cmd, found);
	int family = family_of(cmd);
	bool inner = p->inner;

	(void)aux;
	if (!begin_names(p, cmd, NUMBER_HEX))
		return;
	if (family >= 0)
		put_family(p, cmd, family);
	for (size_t i = 0; i < n; i++)
		put_format(p, "%s%s", i || family >= 0 ? " or " : "", found[i]->name);
	if (!n && family < 0)
		put_format(p, "_IOC(%s, %#x, %#x, %#x)", directions[_IOC_DIR(cmd)], _IOC_TYPE(cmd), _IOC_NR(cmd),
		           _IOC_SIZE(cmd));
	end_names(p, inner);
}

static struct ioctl_command family_command(uint32_t cmd)
{
	struct ioctl_command command = {.how = IOCTL_ADDRESS, .kind = KIND_HEX};
	int family = family_of(cmd);

	if (family < 0)
		return command;
	command.how = IOCTL_POINTER;
	if (families[family].kind) {
		command.how = families[family].direction == _IOC_READ ? IOCTL_LATE : IOCTL_SET;
		command.kind = families[family].kind;
	}
	return command;
}

/* What the argument of a command is: of two with one number the one of which more is known. */
static struct ioctl_command command_of(const struct printer *p)
{
	uint32_t cmd = (uint32_t)call_arg(p, 1);
	const struct ioctl_command *found[IOCTL_NAMES], *best = NULL;
	size_t n = ioctl_find(p->word, cmd, found);
	bool same = true;

	for (size_t i = 0; i < n; i++) {
		if (found[i]->how == IOCTL_ADDRESS)
			continue;
		if (best && (best->kind != found[i]->kind || best->aux != found[i]->aux))
			same = false;
		best = best ? best : found[i];
	}
	return best && same ? *best : family_command(cmd);
}

bool ioctl_is_late(const struct printer *p)
{
	struct ioctl_command command;
	bool late;

	if (ioctl_is_netdevice((uint32_t)call_arg(p, 1), &late))
		return late;
	command = command_of(p);
	return IOCTL_HOW(&command) == IOCTL_OUT || command.how == IOCTL_LATE;
}

/* Whether items have brackets of their own. */
static bool is_many(unsigned kind)
{
	switch (kind) {
	case KIND_CHARS:
	case KIND_STRUCTS:
	case KIND_BAREFLAGS:
	case KIND_NAME:
	case KIND_NUMBERS:
	case KIND_SIGNED:
	case KIND_HEXES:
	case KIND_FIRSTBYTES:
	case KIND_GPIOOFFSET:
		return true;
	default:
		return false;
	}
}

static void put_value(struct printer *p, const unsigned char *raw, const struct ioctl_command *command)
{
	unsigned size = p->size;

	p->raw = raw;
	p->size = command->size[p->word == 4];
	put_text(p, is_many(command->kind) ? "" : "[");
	kind_row(p, command->kind)->print(p, load_number(raw, p->size), command->aux);
	put_text(p, is_many(command->kind) ? "" : "]");
	p->raw = NULL;
	p->size = size;
}

static void put_pointed(struct printer *p, uint64_t addr, const struct ioctl_command *command)
{
	unsigned char raw[POINTED_MAX];
	unsigned n = command->size[p->word == 4];

	if (command->kind == KIND_IN)
		put_struct(p, addr, command->aux);
	else if (command->kind == KIND_HEXAT || command->kind == KIND_SCREENAT)
		kind_row(p, command->kind)->print(p, addr, command->aux);
	else if (n > sizeof(raw) || !peek_bytes(p, addr, raw, n))
		put_addr(p, addr);
	else
		put_value(p, raw, command);
}

void ioctl_save(struct printer *p)
{
	struct ioctl_command command = command_of(p);
	bool both = IOCTL_HOW(&command) == IOCTL_INOUT || command.how == IOCTL_OWN;
	unsigned n = both ? command.size[p->word == 4] : 0;

	if (n && n <= sizeof(p->state->given) && peek_bytes(p, call_arg(p, 2), p->state->given, n))
		p->state->n_given = (uint16_t)n;
}

/* What the kernel is given. */
static void put_input(struct printer *p, uint64_t value, const struct ioctl_command *command)
{
	bool both = IOCTL_HOW(command) == IOCTL_INOUT;

	if (command->kind == KIND_IN && struct_style(command->aux)) {
		p->state->after = put_given(p, value, command->aux) && both;
		return;
	}
	p->giving = both;
	put_pointed(p, value, command);
	p->giving = false;
}

static void put_argument(struct printer *p, uint64_t value, const struct ioctl_command *command)
{
	switch (IOCTL_HOW(command)) {
	case IOCTL_NONE:
		break;
	case IOCTL_POINTER:
		put_addr(p, value);
		break;
	case IOCTL_ULONG:
		put_unsigned(p, value);
		break;
	case IOCTL_NUMBER:
		print_int(p, value, 0);
		break;
	case IOCTL_FD:
		print_fd(p, value, 0);
		break;
	case IOCTL_SET:
	case IOCTL_LATE:
	case IOCTL_OWN:
		kind_row(p, command->kind)->print(p, value, command->aux);
		break;
	case IOCTL_OUT:
		/* What the kernel was to fill in is not there when the call has failed. */
		p->made = true;
		if (call_succeeded(p))
			put_pointed(p, value, command);
		else
			put_addr(p, value);
		p->made = false;
		break;
	case IOCTL_IN:
	case IOCTL_INOUT:
		put_input(p, value, command);
		break;
	default:
		print_hex(p, value, 0);
		break;
	}
}

void print_ioctl_arg(struct printer *p, uint64_t value, unsigned aux)
{
	uint32_t cmd = (uint32_t)call_arg(p, 1);
	struct ioctl_command command = command_of(p);
	bool late;

	(void)aux;
	if (ioctl_is_netdevice(cmd, &late))
		put_netdevice(p, cmd, value);
	else if (!value && command.how & IOCTL_BARE)
		put_text(p, "0");
	else
		put_argument(p, value, &command);
}

static void print_made(struct printer *p, uint64_t value, unsigned structure)
{
	put_made(p, value, p->state->n_given ? p->state->given : NULL, structure);
}

static void put_after(struct printer *p, uint64_t value, unsigned structure)
{
	if (struct_style(structure) & STYLE_NOTE)
		note_print(p, print_made, value, structure);
	else
		print_made(p, value, structure);
}

static void put_own(struct printer *p, uint64_t value, const struct ioctl_command *command)
{
	p->made = true;
	kind_row(p, command->kind)->print(p, value, command->aux);
	p->made = false;
}

/* What the kernel has changed of what it was given. */
void print_ioctl_out(struct printer *p, uint64_t value, unsigned aux)
{
	struct ioctl_command command;
	unsigned char raw[DECODE_GIVEN];
	unsigned n = p->state->n_given;

	(void)aux;
	if (!p->state->after && !n)
		return;
	command = command_of(p);
	if (command.how == IOCTL_OWN) {
		put_own(p, value, &command);
		return;
	}
	if (p->state->after) {
		put_after(p, value, command.aux);
		return;
	}
	if (!call_succeeded(p))
		return;
	if (!peek_bytes(p, value, raw, n) || memcmp(raw, p->state->given, n) == 0)
		return;
	put_text(p, " => ");
	if (command.kind == KIND_IN)
		put_changes(p, raw, p->state->given, command.aux);
	else
		put_value(p, raw, &command);
}
