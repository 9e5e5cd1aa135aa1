/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ioctl: its commands and what they point to. */
#include <exectrace/target/decode/calls/calls.h>

#include <asm/ioctl.h>
#include <exectrace/target/syscalls/ioctls.h>
#include <termios.h>

#define POINTED_MAX 4096 /* bytes of what an argument points to that are shown */

/* Commands whose number has a length or an index in it (input.h, hidraw.h, joystick.h, uinput.h, spidev.h, hiddev.h).
 */
static const struct {
	uint8_t type, direction, nr, last; /* those from nr to last */
	bool sized;                        /* its parameter is the size, else how far it is from nr */
	const char *name;
	uint16_t set;    /* of the parameter */
	uint16_t points; /* to this structure; 0: it is not known to what */
} families[] = {
	{'E', _IOC_READ, 0x06, 0x06, true, "EVIOCGNAME", 0, 0},
	{'E', _IOC_READ, 0x07, 0x07, true, "EVIOCGPHYS", 0, 0},
	{'E', _IOC_READ, 0x08, 0x08, true, "EVIOCGUNIQ", 0, 0},
	{'E', _IOC_READ, 0x09, 0x09, true, "EVIOCGPROP", 0, 0},
	{'E', _IOC_READ, 0x0a, 0x0a, true, "EVIOCGMTSLOTS", 0, 0},
	{'E', _IOC_READ, 0x18, 0x18, true, "EVIOCGKEY", 0, 0},
	{'E', _IOC_READ, 0x19, 0x19, true, "EVIOCGLED", 0, 0},
	{'E', _IOC_READ, 0x1a, 0x1a, true, "EVIOCGSND", 0, 0},
	{'E', _IOC_READ, 0x1b, 0x1b, true, "EVIOCGSW", 0, 0},
	{'E', _IOC_READ, 0x20, 0x3f, true, "EVIOCGBIT", SET_u_ev, 0},
	{'E', _IOC_READ, 0x40, 0x7f, false, "EVIOCGABS", SET_u_abs, STRUCT_u_input_absinfo},
	{'E', _IOC_WRITE, 0xc0, 0xff, false, "EVIOCSABS", SET_u_abs, STRUCT_u_input_absinfo},
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
	if (set && (index || !sized))
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
	if (families[family].points) {
		command.how = families[family].direction == _IOC_READ ? IOCTL_OUT : IOCTL_IN;
		command.kind = KIND_IN;
		command.aux = families[family].points;
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
	bool late;

	if (ioctl_is_netdevice((uint32_t)call_arg(p, 1), &late))
		return late;
	return command_of(p).how == IOCTL_OUT;
}

/* The delays of c_oflag: two bits for tabs and carriage returns, one for the others. */
static void put_delays(struct printer *p, uint32_t oflag)
{
	put_format(p, "NL%u|CR%u|", (oflag & NLDLY) != 0, (oflag & CRDLY) >> 9);
	if ((oflag & TABDLY) == XTABS)
		put_text(p, "XTABS");
	else
		put_format(p, "TAB%u", (oflag & TABDLY) >> 11);
	put_format(p, "|BS%u|VT%u|FF%u", (oflag & BSDLY) != 0, (oflag & VTDLY) != 0, (oflag & FFDLY) != 0);
	put_more_flags(p, oflag & ~(uint32_t)(NLDLY | CRDLY | TABDLY | BSDLY | VTDLY | FFDLY), SET_oflag);
}

/* struct termios of the kernel: four words, c_line, c_cc. */
static void put_termios(struct printer *p, uint64_t addr)
{
	uint32_t words[4];
	unsigned char raw[36];
	const char *speed;

	if (!peek_bytes(p, addr, raw, sizeof(raw))) {
		put_addr(p, addr);
		return;
	}
	for (unsigned i = 0; i < 4; i++)
		words[i] = (uint32_t)load_number(raw + 4 * i, 4);
	put_text(p, "{c_iflag=");
	put_flags(p, words[0], SET_iflag);
	put_text(p, ", c_oflag=");
	put_delays(p, words[1]);
	speed = value_name(SET_baud, words[2] & (CBAUD | CBAUDEX));
	put_format(p, ", c_cflag=%s|%s", speed ? speed : "B???", value_name(SET_csize, words[2] & CSIZE));
	put_more_flags(p, words[2] & ~(uint32_t)(CBAUD | CBAUDEX | CSIZE), SET_cflag);
	put_text(p, ", c_lflag=");
	put_flags(p, words[3], SET_lflag);
	put_text(p, ", ...}");
}

static bool is_termios(uint32_t cmd)
{
	return cmd >= 0x5401 && cmd <= 0x5404;
}

/* Whether items have brackets of their own. */
static bool is_many(unsigned kind)
{
	return kind == KIND_CHARS || kind == KIND_NUMBERS || kind == KIND_SIGNED || kind == KIND_HEXES;
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
	else if (n > sizeof(raw) || !peek_bytes(p, addr, raw, n))
		put_addr(p, addr);
	else
		put_value(p, raw, command);
}

void ioctl_save(struct printer *p)
{
	struct ioctl_command command = command_of(p);
	unsigned n = command.how == IOCTL_INOUT ? command.size[p->word == 4] : 0;

	if (n && n <= sizeof(p->state->given) && peek_bytes(p, call_arg(p, 2), p->state->given, n))
		p->state->n_given = (uint16_t)n;
}

static void put_argument(struct printer *p, uint64_t value, const struct ioctl_command *command)
{
	switch (command->how) {
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
		kind_row(p, command->kind)->print(p, value, command->aux);
		break;
	case IOCTL_OUT:
		/* What the kernel was to fill in is not there when the call has failed. */
		if (call_succeeded(p))
			put_pointed(p, value, command);
		else
			put_addr(p, value);
		break;
	case IOCTL_IN:
	case IOCTL_INOUT:
		p->giving = command->how == IOCTL_INOUT;
		put_pointed(p, value, command);
		p->giving = false;
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
	if (value && is_termios(cmd) && (call_succeeded(p) || cmd != 0x5401))
		put_termios(p, value);
	else if (ioctl_is_netdevice(cmd, &late))
		put_netdevice(p, cmd, value);
	else
		put_argument(p, value, &command);
}

/* What the kernel has changed of what it was given. */
void print_ioctl_out(struct printer *p, uint64_t value, unsigned aux)
{
	struct ioctl_command command;
	unsigned char raw[DECODE_GIVEN];
	unsigned n = p->state->n_given;

	(void)aux;
	if (!n || !call_succeeded(p) || !peek_bytes(p, value, raw, n) || memcmp(raw, p->state->given, n) == 0)
		return;
	command = command_of(p);
	put_text(p, " => ");
	if (command.kind == KIND_IN)
		put_changes(p, raw, p->state->given, command.aux);
	else
		put_value(p, raw, &command);
}
