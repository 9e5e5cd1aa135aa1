/* SPDX-License-Identifier: GPL-2.0-or-later */
/* keyctl(2): the operation says what the other arguments are. */
#include <exectrace/target/decode/calls/calls.h>

#include <exectrace/target/syscalls/names.h>
#include <linux/keyctl.h>
#include <string.h>

#define CAPABILITIES 64 /* bytes of them that are looked at */

/*
 * What the arguments of each operation are: a key, a number (d, u, n: int, unsigned, size; x: a word), a string, bytes
 * (b: as many as the next argument says; o and t: that the call has filled in, t a text); otherwise as in put_special.
 * Fewer letters: fewer arguments.
 */
static const char *const forms[] = {
	[KEYCTL_GET_KEYRING_ID] = "kd",
	[KEYCTL_JOIN_SESSION_KEYRING] = "s",
	[KEYCTL_UPDATE] = "kbn",
	[KEYCTL_REVOKE] = "k",
	[KEYCTL_CHOWN] = "kUU",
	[KEYCTL_SETPERM] = "kP",
	[KEYCTL_DESCRIBE] = "ktn",
	[KEYCTL_CLEAR] = "k",
	[KEYCTL_LINK] = "kk",
	[KEYCTL_UNLINK] = "kk",
	[KEYCTL_SEARCH] = "kssk",
	[KEYCTL_READ] = "kon",
	[KEYCTL_INSTANTIATE] = "kbnk",
	[KEYCTL_NEGATE] = "kuk",
	[KEYCTL_SET_REQKEY_KEYRING] = "R",
	[KEYCTL_SET_TIMEOUT] = "ku",
	[KEYCTL_ASSUME_AUTHORITY] = "k",
	[KEYCTL_GET_SECURITY] = "ktn",
	[KEYCTL_SESSION_TO_PARENT] = "",
	[KEYCTL_REJECT] = "kuEk",
	[KEYCTL_INSTANTIATE_IOV] = "kVnk",
	[KEYCTL_INVALIDATE] = "k",
	[KEYCTL_GET_PERSISTENT] = "Uk",
	[KEYCTL_DH_COMPUTE] = "DonK",
	[KEYCTL_PKEY_QUERY] = "kxsq",
	[KEYCTL_PKEY_ENCRYPT] = "AsIO",
	[KEYCTL_PKEY_DECRYPT] = "AsIO",
	[KEYCTL_PKEY_SIGN] = "AsIO",
	[KEYCTL_PKEY_VERIFY] = "AsIJ",
	[KEYCTL_RESTRICT_KEYRING] = "kss",
	[KEYCTL_MOVE] = "kkkM",
	[KEYCTL_CAPABILITIES] = "cn",
	[32 /* KEYCTL_WATCH_KEY */] = "kdd",
};

/* The letter of argument n behind the operation; 0: there is none. */
static char form_of(const struct printer *p, unsigned n)
{
	uint32_t operation = (uint32_t)call_arg(p, 0);
	const char *form = operation < sizeof(forms) / sizeof(forms[0]) ? forms[operation] : "xxxx";

	return n < strlen(form) ? form[n] : 0;
}

bool keyctl_is_late(const struct printer *p)
{
	char form = p->state->reg ? form_of(p, p->state->reg - 1u) : 0;

	return form && strchr("otqOc", form);
}

/* What the call has filled in: as many bytes as it says, but not more than it was given room for. */
static void put_output(struct printer *p, uint64_t addr, uint64_t room, bool text)
{
	uint64_t n = returned_bytes(p), last;

	if (n > room)
		n = room;
	if (!call_succeeded(p)) {
		put_addr(p, addr);
		return;
	}
	if (text && n && n <= p->d->string_max && peek_number(p, addr + n - 1, 1, &last) && !last)
		n--;
	put_bytes(p, addr, n);
}

static void put_spare(struct printer *p, const unsigned char *raw, unsigned n)
{
	bool used = false;

	for (unsigned i = 0; i < n * 4; i++)
		used |= raw[i] != 0;
	if (!used)
		return;
	for (unsigned i = 0; i < n; i++) {
		put_text(p, i ? ", " : ", __spare=[");
		put_hex(p, load_number(raw + i * 4, 4));
	}
	put_text(p, "]");
}

/* struct keyctl_dh_params: three keys. */
static void put_exchange(struct printer *p, uint64_t addr)
{
	static const char *const names[] = {"{private=", ", prime=", ", base="};
	uint32_t keys[3];

	if (!peek_bytes(p, addr, keys, sizeof(keys))) {
		put_addr(p, addr);
		return;
	}
	for (unsigned i = 0; i < 3; i++) {
		put_text(p, names[i]);
		print_keyid(p, keys[i], 0);
	}
	put_text(p, "}");
}

/* struct keyctl_kdf_params. */
static void put_derivation(struct printer *p, uint64_t addr)
{
	unsigned char raw[2 * 8 + 10 * 4]; /* padded to whole words */
	uint64_t length, info;

	if (!peek_bytes(p, addr, raw, 2 * p->word + (p->word == 8 ? 10 : 9) * 4)) {
		put_addr(p, addr);
		return;
	}
	length = load_number(raw + 2 * p->word, 4);
	put_text(p, "{hashname=");
	put_string(p, load_number(raw, p->word), p->d->string_max);
	put_text(p, ", otherinfo=");
	info = load_number(raw + p->word, p->word);
	if (length)
		put_bytes(p, info, length);
	else
		put_addr(p, info);
	put_format(p, ", otherinfolen=%u", (unsigned)length);
	put_spare(p, raw + 2 * p->word + 4, 8);
	put_text(p, "}");
}

static bool peek_key_params(struct printer *p, struct keyctl_pkey_params *params)
{
	return peek_bytes(p, call_arg(p, 1), params, sizeof(*params));
}

/* struct keyctl_pkey_params. */
static void put_key_params(struct printer *p, uint64_t addr)
{
	struct keyctl_pkey_params params;
	bool verifies = call_arg(p, 0) == KEYCTL_PKEY_VERIFY;

	if (!peek_key_params(p, &params)) {
		put_addr(p, addr);
		return;
	}
	put_text(p, "{key_id=");
	print_keyid(p, (uint32_t)params.key_id, 0);
	put_format(p, ", in_len=%u, %s=%u", params.in_len, verifies ? "in2_len" : "out_len", params.out_len);
	put_spare(p, (const unsigned char *)params.__spare, 7);
	put_text(p, "}");
}

/* The data of an operation with a public key. */
static void put_key_data(struct printer *p, uint64_t addr, char form)
{
	struct keyctl_pkey_params params;

	if (!peek_key_params(p, &params))
		put_addr(p, addr);
	else if (form == 'I')
		put_bytes(p, addr, params.in_len);
	else if (form == 'J')
		put_bytes(p, addr, params.in2_len);
	else
		put_output(p, addr, params.out_len, false);
}

static void put_capabilities(struct printer *p, uint64_t addr)
{
	uint64_t n = returned_bytes(p), room = call_arg(p, 2), byte;

	if (!call_succeeded(p) || !peek_number(p, addr, 1, &byte)) {
		put_addr(p, addr);
		return;
	}
	put_text(p, "[");
	for (uint64_t i = 0; i < n && i < room && i < CAPABILITIES && peek_number(p, addr + i, 1, &byte); i++) {
		put_text(p, i ? ", " : "");
		if (i < 2)
			put_flags(p, byte, i ? SET_u_keyctl_caps1 : SET_u_keyctl_caps0);
		else
			put_format(p, "%x", (unsigned)byte);
	}
	put_text(p, "]");
}

/* A number with a sign, and its name. */
static void put_named_int(struct printer *p, uint64_t value, const char *name, const char *unknown)
{
	bool inner = p->inner;

	if (!name) {
		put_signed(p, (int)value);
		if (unknown && p->d->names != DECODE_NAMES_RAW)
			put_format(p, " /* %s */", unknown);
	} else if (begin_names(p, value, NUMBER_INT)) {
		put_text(p, name);
		end_names(p, inner);
	}
}

static void put_error(struct printer *p, uint64_t value)
{
	const char *name = (uint32_t)value < 4096 ? errno_name((int)value) : NULL;

	if (name)
		put_named_int(p, value, name, NULL);
	else
		put_unsigned(p, (uint32_t)value);
}

static void put_special(struct printer *p, uint64_t value, char form)
{
	switch (form) {
	case 'U':
		print_uid(p, value, 0);
		break;
	case 'P':
		put_flags(p, (uint32_t)value, SET_keyperm);
		break;
	case 'M':
		put_flags(p, (uint32_t)value, SET_u_keyctl_move);
		break;
	case 'R':
		put_named_int(p, value, value_name(SET_keyreqkey, (uint32_t)value), value_set(SET_keyreqkey)->unknown);
		break;
	case 'E':
		put_error(p, value);
		break;
	case 'V':
		print_iov(p, value, p->reg + 1u);
		break;
	case 'D':
		put_exchange(p, value);
		break;
	case 'K':
		put_derivation(p, value);
		break;
	case 'A':
		put_key_params(p, value);
		break;
	case 'q':
		if (call_succeeded(p))
			put_struct(p, value, STRUCT_u_keyctl_pkey_query);
		else
			put_addr(p, value);
		break;
	case 'c':
		put_capabilities(p, value);
		break;
	default:
		put_key_data(p, value, form);
		break;
	}
}

/* aux: which argument it is. */
void print_keyctl(struct printer *p, uint64_t value, unsigned aux)
{
	char form = form_of(p, aux);

	switch (form) {
	case 0:
		break;
	case 'k':
		print_keyid(p, value, 0);
		break;
	case 'd':
		print_int(p, value, 0);
		break;
	case 'u':
		print_uint(p, value, 0);
		break;
	case 'n':
		print_ulong(p, value, 0);
		break;
	case 'x':
		print_hex(p, value, 0);
		break;
	case 's':
		put_string(p, value, p->d->string_max);
		break;
	case 'b':
		put_bytes(p, value, call_arg(p, p->reg + 1u));
		break;
	case 'o':
	case 't':
		put_output(p, value, call_arg(p, p->reg + 1u), form == 't');
		break;
	default:
		put_special(p, value, form);
		break;
	}
}
