/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/target/match/glob.h>

#include <ctype.h>
#include <exectrace/base/quote.h>
#include <exectrace/base/utf8.h>
#include <string.h>

/* Bytes that are not UTF-8 become "code points" above all real ones. */
#define NOT_UTF8 0x110000

/* Bytes of the character at p; a byte that is not UTF-8 is a character of its own. */
static size_t char_len(const char *p, size_t n)
{
	size_t len = utf8_len(p, n);

	return len ? len : 1;
}

static unsigned code_point(const char *p, size_t n)
{
	static const unsigned char first_mask[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
	size_t len = utf8_len(p, n);
	unsigned code = (unsigned char)*p;

	if (len == 0)
		return NOT_UTF8 | code;
	code &= first_mask[len];
	for (size_t i = 1; i < len; i++)
		code = code << 6 | ((unsigned char)p[i] & 0x3f);
	return code;
}

struct class
{
	const char *name;
	int (*has)(int);
};

static const struct class classes[] = {
	{"alnum", isalnum}, {"alpha", isalpha}, {"blank", isblank}, {"cntrl", iscntrl},
	{"digit", isdigit}, {"graph", isgraph}, {"lower", islower}, {"print", isprint},
	{"punct", ispunct}, {"space", isspace}, {"upper", isupper}, {"xdigit", isxdigit},
};

/* The end of "[:name:]" when that is what starts at p, else NULL; *class is NULL for a name that is none. */
static const char *class_at(const char *p, const struct class **class)
{
	size_t len;

	if (p[0] != '[' || p[1] != ':')
		return NULL;
	len = strspn(p + 2, "abcdefghijklmnopqrstuvwxyz");
	if (p[2 + len] != ':' || p[3 + len] != ']')
		return NULL;
	*class = NULL;
	for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++)
		if (strlen(classes[i].name) == len && strncmp(classes[i].name, p + 2, len) == 0)
			*class = &classes[i];
	return p + len + 4;
}

/* Behind the '[' and its negation. */
static const char *bracket_start(const char *p, bool *negated)
{
	*negated = p[1] == '!' || p[1] == '^';
	return p + 1 + *negated;
}

/* The ']' that closes the bracket at p; NULL when there is none. A ']' that comes first is a member. */
static const char *bracket_end(const char *p)
{
	const struct class *class;
	bool negated;
	const char *q = bracket_start(p, &negated);

	if (*q == ']')
		q++;
	while (*q && *q != ']') {
		const char *after = class_at(q, &class);

		if (after)
			q = after;
		else
			q += *q == '\\' && q[1] ? 2 : 1;
	}
	return *q ? q : NULL;
}

/* One member of a bracket, or one end of a range: its code point; *p moves behind it. */
static unsigned member(const char **p, const char *end)
{
	unsigned code;

	if (**p == '\\' && *p + 1 < end)
		(*p)++;
	code = code_point(*p, (size_t)(end - *p));
	*p += char_len(*p, (size_t)(end - *p));
	return code;
}

static bool bracket_has(const char *p, const char *end, unsigned code)
{
	bool negated, found = false;

	p = bracket_start(p, &negated);
	while (p < end) {
		const struct class *class;
		const char *after = class_at(p, &class);
		unsigned low, high;

		if (after) {
			found |= class && code < 0x80 && class->has((int)code);
			p = after;
			continue;
		}
		low = high = member(&p, end);
		if (*p == '-' && p + 1 < end) {
			p++;
			high = member(&p, end);
		}
		found |= code >= low && code <= high;
	}
	return found != negated;
}

/* Matches the character of len bytes at s with one element of the glob, which is moved behind that when it does. */
static bool match_one(const char **glob, const char *s, size_t len)
{
	const char *p = *glob, *end = *p == '[' ? bracket_end(p) : NULL;
	size_t plain;

	if (*p == '\0')
		return false;
	if (*p == '?' || end) {
		*glob = (end ? end : p) + 1;
		return *s != '/' && (!end || bracket_has(p, end, code_point(s, len)));
	}
	if (*p == '\\' && p[1])
		p++;
	plain = char_len(p, strlen(p));
	*glob = p + plain;
	return plain == len && memcmp(p, s, len) == 0;
}

/* Where to go on when what follows a star fails: let it take one character (or directory) more. */
struct retry {
	const char *glob; /* behind the star; NULL when there is none */
	size_t at;        /* where what follows it was tried last */
};

/* One or two stars at *glob, which is moved behind them. The last star of a kind is the only one worth trying again. */
static void begin_star(const char **glob, bool at_start, struct retry star[static 3], size_t at)
{
	const char *p = *glob + strspn(*glob, "*");
	bool deep = p - *glob > 1, dirs = deep && at_start && *p == '/';
	struct retry here = {.glob = p + dirs, .at = at};

	star[0] = deep ? (struct retry){0} : here;
	if (deep) {
		star[1] = dirs ? (struct retry){0} : here;
		star[2] = dirs ? here : (struct retry){0};
	}
	*glob = here.glob;
}

/* star[0]: within a component, star[1]: any bytes, star[2]: whole directories. False when nothing is left to be tried.
 */
static bool next_try(struct retry star[static 3], const char *bytes, size_t n)
{
	const char *slash;

	if (star[0].glob && star[0].at < n && bytes[star[0].at] != '/') {
		star[0].at += char_len(bytes + star[0].at, n - star[0].at);
		return true;
	}
	star[0].glob = NULL;
	if (star[1].glob && star[1].at < n) {
		star[1].at += char_len(bytes + star[1].at, n - star[1].at);
		return true;
	}
	slash = star[2].glob && star[2].at < n ? memchr(bytes + star[2].at, '/', n - star[2].at) : NULL;
	if (slash)
		star[2].at = (size_t)(slash - bytes) + 1;
	return slash;
}

bool glob_match(const char *glob, const char *bytes, size_t n)
{
	struct retry star[3] = {{0}};
	const char *p = glob;
	size_t at = 0;

	while (*p || at < n) {
		size_t len = at < n ? char_len(bytes + at, n - at) : 0;
		const struct retry *again;

		if (*p == '*') {
			begin_star(&p, p == glob || p[-1] == '/', star, at);
			continue;
		}
		if (len && match_one(&p, bytes + at, len)) {
			at += len;
			continue;
		}
		if (!next_try(star, bytes, n))
			return false;
		again = star[0].glob ? &star[0] : star[1].glob ? &star[1] : &star[2];
		p = again->glob;
		at = again->at;
	}
	return true;
}

bool glob_is_special(const char *text)
{
	return text[strcspn(text, "*?[\\")] != '\0';
}
