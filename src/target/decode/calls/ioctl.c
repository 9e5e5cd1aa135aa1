/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ioctl: its commands and what they point to. */
#include <exectrace/target/decode/calls/calls.h>

#include <asm/ioctl.h>
#include <termios.h>

void print_ioctl(struct printer *p, uint64_t value, unsigned aux)
{
	static const char *const directions[] = {"_IOC_NONE", "_IOC_WRITE", "_IOC_READ", "_IOC_READ|_IOC_WRITE"};
	uint32_t cmd = (uint32_t)value;
	const char *name = value_name(SET_ioctl, cmd);

	(void)aux;
	if (name)
		put_text(p, name);
	else
		put_format(p, "_IOC(%s, %#x, %#x, %#x)", directions[_IOC_DIR(cmd)], _IOC_TYPE(cmd), _IOC_NR(cmd),
		           _IOC_SIZE(cmd));
}

enum ioctl_arg {
	ARG_ADDR,
	ARG_NONE,
	ARG_NUMBER,
	ARG_FD,
	ARG_IN_INT,
	ARG_OUT_INT, /* from here */
	ARG_OUT_SHORT,
	ARG_OUT_LONG, /* a long of the process */
	ARG_OUT_64,   /* to here filled in by the kernel */
	ARG_RANGE,    /* two numbers of 64 bits */
	ARG_IN_STRUCT,
	ARG_OUT_STRUCT,
	ARG_SET,
};

static const struct {
	uint32_t cmd;
	uint8_t arg; /* of enum ioctl_arg */
	uint16_t aux;
} commands[] = {
	{0x5409, ARG_NUMBER, 0},                    /* TCSBRK */
	{0x540b, ARG_SET, SET_ioctlflush},          /* TCFLSH */
	{0x540c, ARG_NONE, 0},                      /* TIOCEXCL */
	{0x540d, ARG_NONE, 0},                      /* TIOCNXCL */
	{0x540e, ARG_NUMBER, 0},                    /* TIOCSCTTY */
	{0x540f, ARG_OUT_INT, 0},                   /* TIOCGPGRP */
	{0x5410, ARG_IN_INT, 0},                    /* TIOCSPGRP */
	{0x5411, ARG_OUT_INT, 0},                   /* TIOCOUTQ */
	{0x5413, ARG_OUT_STRUCT, STRUCT_winsize},   /* TIOCGWINSZ */
	{0x5414, ARG_IN_STRUCT, STRUCT_winsize},    /* TIOCSWINSZ */
	{0x541b, ARG_OUT_INT, 0},                   /* FIONREAD */
	{0x5421, ARG_IN_INT, 0},                    /* FIONBIO */
	{0x5422, ARG_NONE, 0},                      /* TIOCNOTTY */
	{0x5424, ARG_OUT_INT, 0},                   /* TIOCGETD */
	{0x5425, ARG_NUMBER, 0},                    /* TCSBRKP */
	{0x5429, ARG_OUT_INT, 0},                   /* TIOCGSID */
	{0x80045430, ARG_OUT_INT, 0},               /* TIOCGPTN */
	{0x40045431, ARG_IN_INT, 0},                /* TIOCSPTLCK */
	{0x5450, ARG_NONE, 0},                      /* FIONCLEX */
	{0x5451, ARG_NONE, 0},                      /* FIOCLEX */
	{0x5452, ARG_IN_INT, 0},                    /* FIOASYNC */
	{0x40049409, ARG_NUMBER, 0},                /* FICLONE */
	{0xc0045877, ARG_NONE, 0},                  /* FIFREEZE */
	{0xc0045878, ARG_NONE, 0},                  /* FITHAW */
	{0x125d, ARG_IN_INT, 0},                    /* BLKROSET */
	{0x125e, ARG_OUT_INT, 0},                   /* BLKROGET */
	{0x125f, ARG_NONE, 0},                      /* BLKRRPART */
	{0x1260, ARG_OUT_LONG, 0},                  /* BLKGETSIZE */
	{0x1261, ARG_NONE, 0},                      /* BLKFLSBUF */
	{0x1262, ARG_NUMBER, 0},                    /* BLKRASET */
	{0x1263, ARG_OUT_LONG, 0},                  /* BLKRAGET */
	{0x1267, ARG_OUT_SHORT, 0},                 /* BLKSECTGET */
	{0x1268, ARG_OUT_INT, 0},                   /* BLKSSZGET */
	{0x80081270, ARG_OUT_INT, 0},               /* BLKBSZGET */
	{0x40081271, ARG_IN_INT, 0},                /* BLKBSZSET */
	{0x80081272, ARG_OUT_64, 0},                /* BLKGETSIZE64 */
	{0x80041272, ARG_OUT_64, 0},                /* BLKGETSIZE64 of 32-bit programs */
	{0x1277, ARG_RANGE, 0},                     /* BLKDISCARD */
	{0x1278, ARG_OUT_INT, 0},                   /* BLKIOMIN */
	{0x1279, ARG_OUT_INT, 0},                   /* BLKIOOPT */
	{0x127a, ARG_OUT_INT, 0},                   /* BLKALIGNOFF */
	{0x127b, ARG_OUT_INT, 0},                   /* BLKPBSZGET */
	{0x127c, ARG_OUT_INT, 0},                   /* BLKDISCARDZEROES */
	{0x127d, ARG_RANGE, 0},                     /* BLKSECDISCARD */
	{0x127e, ARG_OUT_SHORT, 0},                 /* BLKROTATIONAL */
	{0x127f, ARG_RANGE, 0},                     /* BLKZEROOUT */
	{0x4c00, ARG_FD, 0},                        /* LOOP_SET_FD */
	{0x4c01, ARG_NONE, 0},                      /* LOOP_CLR_FD */
	{0x4c04, ARG_IN_STRUCT, STRUCT_loopinfo},   /* LOOP_SET_STATUS64 */
	{0x4c05, ARG_OUT_STRUCT, STRUCT_loopinfo},  /* LOOP_GET_STATUS64 */
	{0x4c06, ARG_FD, 0},                        /* LOOP_CHANGE_FD */
	{0x4c07, ARG_NONE, 0},                      /* LOOP_SET_CAPACITY */
	{0x4c08, ARG_NUMBER, 0},                    /* LOOP_SET_DIRECT_IO */
	{0x4c09, ARG_NUMBER, 0},                    /* LOOP_SET_BLOCK_SIZE */
	{0x4c0a, ARG_IN_STRUCT, STRUCT_loopconfig}, /* LOOP_CONFIGURE */
	{0x4c80, ARG_NUMBER, 0},                    /* LOOP_CTL_ADD */
	{0x4c81, ARG_NUMBER, 0},                    /* LOOP_CTL_REMOVE */
	{0x4c82, ARG_NONE, 0},                      /* LOOP_CTL_GET_FREE */
	{0x80045200, ARG_OUT_INT, 0},               /* RNDGETENTCNT */
	{0x40045201, ARG_IN_INT, 0},                /* RNDADDTOENTCNT */
	{0x5204, ARG_NONE, 0},                      /* RNDZAPENTCNT */
	{0x5206, ARG_NONE, 0},                      /* RNDCLEARPOOL */
	{0x5207, ARG_NONE, 0},                      /* RNDRESEEDCRNG */
	{0xb701, ARG_NONE, 0},                      /* NS_GET_USERNS */
	{0xb702, ARG_NONE, 0},                      /* NS_GET_PARENT */
	{0xb703, ARG_NONE, 0},                      /* NS_GET_NSTYPE */
	{0x2400, ARG_SET, SET_perfflag},            /* PERF_EVENT_IOC_ENABLE */
	{0x2401, ARG_SET, SET_perfflag},            /* PERF_EVENT_IOC_DISABLE */
	{0x2402, ARG_NUMBER, 0},                    /* PERF_EVENT_IOC_REFRESH */
	{0x2403, ARG_SET, SET_perfflag},            /* PERF_EVENT_IOC_RESET */
	{0x2405, ARG_FD, 0},                        /* PERF_EVENT_IOC_SET_OUTPUT */
	{0x8901, ARG_IN_INT, 0},                    /* FIOSETOWN */
	{0x8902, ARG_IN_INT, 0},                    /* SIOCSPGRP */
	{0x8903, ARG_OUT_INT, 0},                   /* FIOGETOWN */
	{0x8904, ARG_OUT_INT, 0},                   /* SIOCGPGRP */
	{0x8905, ARG_OUT_INT, 0},                   /* SIOCATMARK */
	{0xb704, ARG_OUT_INT, 0},                   /* NS_GET_OWNER_UID */
};

static unsigned argument_of(uint32_t cmd, unsigned *detail)
{
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		if (commands[i].cmd == cmd) {
			*detail = commands[i].aux;
			return commands[i].arg;
		}
	}
	return ARG_ADDR;
}

bool ioctl_is_late(const struct printer *p)
{
	uint32_t cmd = (uint32_t)call_arg(p, 1);
	unsigned detail, what = argument_of(cmd, &detail);
	bool late;

	if (ioctl_is_netdevice(cmd, &late))
		return late;
	return (what >= ARG_OUT_INT && what <= ARG_OUT_64) || what == ARG_OUT_STRUCT || cmd == 0x5401;
}

static void put_int_at(struct printer *p, uint64_t addr)
{
	uint64_t number;

	if (peek_number(p, addr, 4, &number))
		put_format(p, "[%d]", (int)number);
	else
		put_addr(p, addr);
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

/* A number that the kernel has filled in. */
static void put_out_number(struct printer *p, uint64_t addr, unsigned what)
{
	unsigned size = what == ARG_OUT_SHORT ? 2 : what == ARG_OUT_64 ? 8 : p->word;
	uint64_t number;

	if (what == ARG_OUT_INT)
		put_int_at(p, addr);
	else if (peek_number(p, addr, size, &number))
		put_format(p, "[%llu]", (unsigned long long)number);
	else
		put_addr(p, addr);
}

static void put_range(struct printer *p, uint64_t addr)
{
	uint64_t range[2];

	if (peek_bytes(p, addr, range, sizeof(range)))
		put_format(p, "[%llu, %llu]", (unsigned long long)range[0], (unsigned long long)range[1]);
	else
		put_addr(p, addr);
}

static void put_argument(struct printer *p, uint64_t value, unsigned what, unsigned detail)
{
	/* What the kernel was to fill in is not there when the call has failed. */
	bool filled = call_succeeded(p);

	if (what == ARG_NUMBER)
		print_int(p, value, 0);
	else if (what == ARG_FD)
		print_fd(p, value, 0);
	else if (what == ARG_SET)
		put_enum(p, value, detail);
	else if (what == ARG_IN_INT)
		put_int_at(p, value);
	else if (what >= ARG_OUT_INT && what <= ARG_OUT_64 && filled)
		put_out_number(p, value, what);
	else if (what == ARG_RANGE)
		put_range(p, value);
	else if (what == ARG_IN_STRUCT || (what == ARG_OUT_STRUCT && filled))
		put_struct(p, value, detail);
	else if (what != ARG_NONE)
		print_hex(p, value, 0);
}

void print_ioctl_arg(struct printer *p, uint64_t value, unsigned aux)
{
	uint32_t cmd = (uint32_t)call_arg(p, 1);
	unsigned detail = 0, what = argument_of(cmd, &detail);
	bool late;

	(void)aux;
	if (!value && (is_termios(cmd) || (what >= ARG_IN_INT && what <= ARG_OUT_STRUCT)))
		put_text(p, "NULL");
	else if (is_termios(cmd) && (call_succeeded(p) || cmd != 0x5401))
		put_termios(p, value);
	else if (ioctl_is_netdevice(cmd, &late))
		put_netdevice(p, cmd, value);
	else
		put_argument(p, value, what, detail);
}
