/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines "name=value" are the options of a rule set, up to an empty line; those that are refused are left out. The lines
 * that follow are a record: each is a word of argv, or a field that its first letter says.
 */
#include "expect.h"
#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/pick/rules/ruleset.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Takes one line off the text; NULL at its end. The newline becomes a NUL. */
static char *next_line(char **text)
{
	char *line = *text, *end;

	if (!line)
		return NULL;
	end = strchr(line, '\n');
	if (end)
		*end = '\0';
	*text = end ? end + 1 : NULL;
	return line;
}

/*
 * A regular expression may take exponential time, which PCRE2's limits end only after seconds. That is known, and no
 * news; so the fuzzer works with lower ones, unless the input sets some itself.
 */
static void add_regex(struct ruleset *set, const char *name, const char *value, struct buf *err)
{
	static const char limits[] = "(*LIMIT_MATCH=2000)(*LIMIT_DEPTH=500)";
	cleanup_buf struct buf limited = BUF_INIT;
	size_t name_len = strstr(name, "env") ? strcspn(value, "=") : 0;

	if (name_len && value[name_len] == '=')
		name_len++;
	if (strstr(value, "LIMIT_"))
		return;
	buf_append(&limited, value, name_len);
	buf_puts(&limited, limits);
	buf_puts(&limited, value + name_len);
	(void)ruleset_add(set, name, limited.data, err);
}

static void add_option(struct ruleset *set, char *line)
{
	cleanup_buf struct buf err = BUF_INIT;
	char *value = strchr(line, '=');
	int before = ruleset_count(set), rc;

	if (value)
		*value++ = '\0';
	rc = ruleset_add(set, line, value, &err);
	expect(rc == 0 || rc == -EINVAL);
	expect((rc == 0) == (err.len == 0));
	expect(rc == 0 || !ruleset_knows(line) || strncmp(err.data, "--", 2) == 0);
	expect(ruleset_knows(line) || rc);
	expect(ruleset_count(set) == before || (rc == 0 && ruleset_count(set) == before + 1));
}

static void add_options(struct ruleset *set, char **text)
{
	char *line;

	while ((line = next_line(text)) && *line) {
		cleanup_buf struct buf err = BUF_INIT;
		const char *name = strncmp(line, "not-", 4) ? line : line + 4;
		char *value = strchr(line, '=');
		bool regex = !strncmp(name, "cmd=", 4) || !strncmp(name, "env=", 4) || !strncmp(name, "parent=", 7) ||
		             !strncmp(name, "under=", 6);

		if (!regex) {
			add_option(set, line);
			continue;
		}
		*value++ = '\0';
		add_regex(set, line, value, &err);
	}
}

static void set_text(char **to, const char *text)
{
	free(*to);
	*to = strdup(text);
}

static void fill_record(struct exec_record *rec, char *text)
{
	char *line;

	while ((line = next_line(&text))) {
		const char *rest = *line ? line + 1 : line;

		switch (*line) {
		case 'x':
			set_text(&rec->exe, rest);
			break;
		case 'i':
			set_text(&rec->interp, rest);
			break;
		case 'd':
			set_text(&rec->cwd, rest);
			break;
		case 'e':
			strv_push(&rec->env, rest);
			break;
		case 'p':
			strv_push(&rec->ancestors, rest);
			break;
		case 'u':
			rec->uid = (uid_t)atoi(rest);
			break;
		case '!':
			rec->error = (unsigned)atoi(rest);
			break;
		default:
			strv_push(&rec->argv, line);
		}
	}
	rec->have = ~0u;
	exec_record_join(rec);
}

/* A match changes nothing; counting is undone by taking it back. */
static void match(struct ruleset *set, struct exec_record *rec)
{
	cleanup_buf struct buf why = BUF_INIT;
	struct verdict first, again;

	ruleset_match(set, rec, &first, &why);
	expect(first.rule >= 0 && first.rule <= ruleset_count(set));
	expect(ruleset_counts(set) || !first.counted);
	ruleset_match(set, rec, &again, NULL);
	expect(again.rule == first.rule && again.counted == first.counted);
	ruleset_commit(set, &first);
	ruleset_retract(set, &first);
	ruleset_match(set, rec, &again, NULL);
	expect(again.rule == first.rule && again.counted == first.counted);
	for (int i = 0; i < 3; i++) {
		ruleset_commit(set, &again);
		ruleset_match(set, rec, &again, &why);
	}
	if (rec->argv.n)
		ruleset_mentions(set, rec->argv.items[0], strlen(rec->argv.items[0]));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	cleanup_free char *text = strndup((const char *)data, size);
	cleanup_buf struct buf err = BUF_INIT;
	struct ruleset *set = ruleset_new("/start/dir");
	struct exec_record rec = {.tid = 1};
	char *rest = text;

	expect(set && text);
	add_options(set, &rest);
	(void)ruleset_finish(set, true, &err);
	fill_record(&rec, rest);
	match(set, &rec);
	exec_record_release(&rec);
	ruleset_free(set);
	return 0;
}
