/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "matcher.h"

#include "place.h"

#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/path.h>
#include <exectrace/base/quote.h>
#include <exectrace/base/spelling.h>
#include <exectrace/target/match/pattern.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>

/* What is known of each kind: how its value is read and how a record is asked. */
struct kind {
	const char *name;
	unsigned field;    /* of enum exec_field */
	const char *lacks; /* said when that could not be read */
	int (*parse)(struct matcher *m, const char *cwd, struct buf *why);
	enum match_result (*test)(const struct matcher *m, const struct exec_record *rec);
};

static enum match_result yes_if(bool match)
{
	return match ? MATCH_YES : MATCH_NO;
}

static int refuse(struct buf *why, const char *reason)
{
	int err = buf_puts(why, reason);

	return err ? err : -EINVAL;
}

static int parse_regex(struct matcher *m, const char *cwd, struct buf *why)
{
	(void)cwd;
	return pattern_regex_at(m->text, 0, &m->pattern, why);
}

static int parse_user(struct matcher *m, const char *cwd, struct buf *why)
{
	const struct passwd *user;
	unsigned long uid;
	char *end;

	(void)cwd;
	if (!*m->text)
		return refuse(why, "a name or number is missing");
	/* As chown(1) does it: a name that looks like a number goes first. */
	user = getpwnam(m->text);
	if (user) {
		m->uid = user->pw_uid;
		return 0;
	}
	if (strspn(m->text, "0123456789") != strlen(m->text))
		return refuse(why, "no such user");
	errno = 0;
	uid = strtoul(m->text, &end, 10);
	if (errno || uid >= (uid_t)-1)
		return refuse(why, "user number too large");
	m->uid = (uid_t)uid;
	return 0;
}

static int parse_exe(struct matcher *m, const char *cwd, struct buf *why)
{
	cleanup_buf struct buf deep = BUF_INIT;
	size_t at;
	int err;

	if (!*m->text)
		return refuse(why, "a pattern is missing");
	if (!strchr(m->text, '/'))
		return pattern_glob(m->text, &m->pattern, why, &at);
	if (*m->text != '*') /* it names a place */
		return place_parse(m->text, cwd, PLACE_FILE, &m->place);
	/* A whole path begins with a '/': a star at the start is meant for the directories before. */
	err = buf_printf(&deep, "*%s", m->text);
	return err ? err : pattern_glob(deep.data, &m->pattern, why, &at);
}

static int parse_cwd(struct matcher *m, const char *cwd, struct buf *why)
{
	if (!*m->text)
		return refuse(why, "a directory is missing");
	return place_parse(m->text, cwd, PLACE_DIR, &m->place);
}

static int parse_env(struct matcher *m, const char *cwd, struct buf *why)
{
	size_t len = strcspn(m->text, "=");

	(void)cwd;
	if (!len)
		return refuse(why, "a variable's name is missing at offset 0");
	m->name = strndup(m->text, len);
	if (!m->name)
		return -ENOMEM;
	return m->text[len] ? pattern_regex_at(m->text, len + 1, &m->pattern, why) : 0;
}

static enum match_result find(const struct matcher *m, const char *text, size_t n)
{
	int found = pattern_match(m->pattern, text, n);

	return found < 0 ? MATCH_ENDLESS : yes_if(found);
}

/* Of two texts one is enough; a search that was given up may have been for it. */
static enum match_result either(enum match_result a, enum match_result b)
{
	return b == MATCH_NO ? a : b;
}

static enum match_result test_cmd(const struct matcher *m, const struct exec_record *rec)
{
	return find(m, rec->cmdline.data, rec->cmdline.len);
}

static enum match_result test_user(const struct matcher *m, const struct exec_record *rec)
{
	return yes_if(rec->uid == m->uid);
}

static bool is_file(const struct matcher *m, const char *file)
{
	if (m->place)
		return place_is(m->place, file);
	if (!strchr(m->text, '/'))
		file = path_name(file);
	return pattern_match(m->pattern, file, strlen(file)) > 0;
}

static enum match_result test_exe(const struct matcher *m, const struct exec_record *rec)
{
	if (rec->interp && is_file(m, rec->interp))
		return MATCH_YES;
	return rec->exe ? yes_if(is_file(m, rec->exe)) : MATCH_UNKNOWN;
}

static enum match_result test_cwd(const struct matcher *m, const struct exec_record *rec)
{
	return rec->cwd ? yes_if(place_holds(m->place, rec->cwd)) : MATCH_UNKNOWN;
}

static enum match_result test_env(const struct matcher *m, const struct exec_record *rec)
{
	enum match_result result = MATCH_NO;
	size_t len = strlen(m->name);

	for (size_t i = 0; i < rec->env.n && result != MATCH_YES; i++) {
		const char *var = rec->env.items[i];

		if (strncmp(var, m->name, len) != 0 || var[len] != '=')
			continue;
		result = m->pattern ? either(result, find(m, var + len + 1, strlen(var + len + 1))) : MATCH_YES;
	}
	return result;
}

/* In the nearest n ancestors. */
static enum match_result find_above(const struct matcher *m, const struct exec_record *rec, size_t n)
{
	enum match_result result = MATCH_NO;

	for (size_t i = 0; i < n && result != MATCH_YES; i++)
		result = either(result, find(m, rec->ancestors.items[i], strlen(rec->ancestors.items[i])));
	return result;
}

static enum match_result test_parent(const struct matcher *m, const struct exec_record *rec)
{
	return find_above(m, rec, rec->ancestors.n ? 1 : 0);
}

static enum match_result test_under(const struct matcher *m, const struct exec_record *rec)
{
	return find_above(m, rec, rec->ancestors.n);
}

static const struct kind kinds[MATCH_KINDS] = {
	[MATCH_CMD] = {"cmd", EXEC_ARGV, "the arguments", parse_regex, test_cmd},
	[MATCH_USER] = {"user", EXEC_USER, "the user", parse_user, test_user},
	[MATCH_EXE] = {"exe", EXEC_TARGET, "the name of the file", parse_exe, test_exe},
	[MATCH_CWD] = {"cwd", EXEC_CWD, "the working directory", parse_cwd, test_cwd},
	[MATCH_ENV] = {"env", EXEC_ENV, "the environment", parse_env, test_env},
	[MATCH_PARENT] = {"parent", EXEC_ANCESTORS, "the parent", parse_regex, test_parent},
	[MATCH_UNDER] = {"under", EXEC_ANCESTORS, "the ancestors", parse_regex, test_under},
};

bool matcher_knows(const char *name, enum matcher_kind *kind, bool *negated)
{
	*negated = strncmp(name, "not-", 4) == 0;
	if (*negated)
		name += 4;
	for (int i = 0; i < MATCH_KINDS; i++) {
		if (strcmp(kinds[i].name, name) == 0) {
			*kind = (enum matcher_kind)i;
			return true;
		}
	}
	return false;
}

int matcher_parse(enum matcher_kind kind, const char *value, const char *cwd, struct matcher **ret, struct buf *why)
{
	struct matcher *m = calloc(1, sizeof(*m));
	int err = -ENOMEM;

	if (!m)
		return err;
	m->kind = kind;
	m->text = strdup(value);
	if (m->text)
		err = kinds[kind].parse(m, cwd, why);
	if (err)
		matcher_free(m);
	else
		*ret = m;
	return err;
}

enum match_result matcher_test(const struct matcher *m, struct exec_record *rec)
{
	const struct kind *kind = &kinds[m->kind];
	enum match_result result;

	exec_record_want(rec, kind->field);
	if (rec->error & kind->field)
		return MATCH_UNKNOWN;
	result = kind->test(m, rec);
	if (m->negated && (result == MATCH_YES || result == MATCH_NO))
		return result == MATCH_YES ? MATCH_NO : MATCH_YES;
	return result;
}

int matcher_explain(const struct matcher *m, enum match_result result, struct buf *out)
{
	const struct kind *kind = &kinds[m->kind];
	int err = buf_printf(out, "--%s%s=", m->negated ? "not-" : "", kind->name);

	if (!err)
		err = quote_shell(out, m->text, strlen(m->text));
	if (err)
		return err;
	if (result == MATCH_UNKNOWN)
		return buf_printf(out, ": %s could not be read", kind->lacks);
	if (result == MATCH_ENDLESS)
		return buf_puts(out, ": given up, it would try for too long");
	return buf_puts(out, m->negated ? " matches" : " does not match");
}

/* True when text starts with base once backslashes that are not in base are left out. */
static bool starts_with(const char *text, const char *base, size_t n)
{
	for (size_t i = 0; i < n; text++) {
		if (*text == '\0' || (*text != base[i] && *text != '\\'))
			return false;
		i += *text == base[i];
	}
	return true;
}

/* True when base differs by a slip of the keyboard from a word of text: one edit in four letters, two in eight. */
static bool resembles(const char *text, const char *base, size_t n)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

	for (size_t len = 0; *text; text += len + strcspn(text + len, letters)) {
		len = strspn(text, letters);
		if (len >= 4 && len <= SPELLING_MAX && n <= SPELLING_MAX &&
		    spelling_distance(text, len, base, n) <= len / 4)
			return true;
	}
	return false;
}

bool matcher_lacks_directory(const struct matcher *m)
{
	return m->kind == MATCH_CWD && !m->negated && !place_exists(m->place);
}

bool matcher_mentions(const struct matcher *m, const char *base, size_t n)
{
	bool programs =
		m->kind == MATCH_CMD || m->kind == MATCH_EXE || m->kind == MATCH_PARENT || m->kind == MATCH_UNDER;

	if (!programs || m->negated || !n)
		return false;
	for (const char *p = m->text; *p; p++)
		if (starts_with(p, base, n))
			return true;
	return resembles(m->text, base, n);
}

void matcher_free(struct matcher *m)
{
	if (!m)
		return;
	pattern_free(m->pattern);
	place_free(m->place);
	free(m->name);
	free(m->text);
	free(m);
}
