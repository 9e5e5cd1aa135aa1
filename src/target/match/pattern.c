/* SPDX-License-Identifier: GPL-2.0-or-later */
#define PCRE2_CODE_UNIT_WIDTH 8

#include <exectrace/target/match/pattern.h>

#include <errno.h>
#include <exectrace/base/quote.h>
#include <exectrace/base/utf8.h>
#include <exectrace/target/match/glob.h>
#include <pcre2.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/*
 * The JIT's own stack. The 32 KiB that it takes from the machine stack by default are not enough for a pattern like
 * (a|b)*c on a few thousand characters. Only what is used is ever allocated.
 */
#define JIT_STACK_FIRST (32 * 1024)
#define JIT_STACK_MAX (8 * 1024 * 1024)

/* Memory that the interpreter may take for backtracking, in KiB; PCRE2 itself would go up to 20 GB. */
#define HEAP_LIMIT (1024 * 1024)

#define MESSAGE_MAX 256

struct pattern {
	char *text;
	/* NULL for a glob */
	pcre2_code *code;
	pcre2_match_data *found;
	pcre2_match_context *context;
	pcre2_jit_stack *stack; /* NULL when there is no JIT */
};

static struct pattern *pattern_new(const char *text)
{
	struct pattern *p = calloc(1, sizeof(*p));

	if (p)
		p->text = strdup(text);
	if (p && !p->text) {
		free(p);
		p = NULL;
	}
	return p;
}

static bool is_utf8(const char *text)
{
	size_t n = strlen(text);

	for (size_t i = 0; i < n;) {
		size_t len = utf8_len(text + i, n - i);

		if (!len)
			return false;
		i += len;
	}
	return true;
}

/* -EINVAL with the message for a number of pcre2_compile's, or -ENOMEM. */
static int refuse(int number, struct buf *err)
{
	PCRE2_UCHAR message[MESSAGE_MAX];
	int rc;

	if (number == PCRE2_ERROR_HEAP_FAILED)
		return -ENOMEM;
	/* What does not fit is cut and still ended by a NUL. */
	pcre2_get_error_message(number, message, sizeof(message));
	rc = buf_puts(err, (const char *)message);
	return rc ? rc : -EINVAL;
}

/* Without a JIT (not built in, or memory may not be made executable) matching is slower, and that is all. */
static void use_jit(struct pattern *p)
{
	if (pcre2_jit_compile(p->code, PCRE2_JIT_COMPLETE))
		return;
	p->stack = pcre2_jit_stack_create(JIT_STACK_FIRST, JIT_STACK_MAX, NULL);
	if (p->stack)
		pcre2_jit_stack_assign(p->context, NULL, p->stack);
}

int pattern_regex(const char *text, struct pattern **ret, struct buf *err, size_t *at)
{
	uint32_t utf = is_utf8(text) ? PCRE2_UTF | PCRE2_MATCH_INVALID_UTF : 0;
	/* A newline in an argument ends nothing that the user thinks of as a line; \C could stop inside a character. */
	uint32_t options = PCRE2_DOTALL | PCRE2_NEVER_BACKSLASH_C | utf;
	struct pattern *p = pattern_new(text);
	PCRE2_SIZE offset = 0;
	int number = 0;

	if (!p)
		return -ENOMEM;
	p->code = pcre2_compile((PCRE2_SPTR)text, PCRE2_ZERO_TERMINATED, options, &number, &offset, NULL);
	if (!p->code) {
		pattern_free(p);
		*at = offset;
		return refuse(number, err);
	}
	p->found = pcre2_match_data_create(1, NULL);
	p->context = pcre2_match_context_create(NULL);
	if (!p->found || !p->context) {
		pattern_free(p);
		return -ENOMEM;
	}
	pcre2_set_heap_limit(p->context, HEAP_LIMIT);
	use_jit(p);
	*ret = p;
	return 0;
}

int pattern_regex_at(const char *text, size_t from, struct pattern **ret, struct buf *why)
{
	size_t at = 0;
	int err = pattern_regex(text + from, ret, why, &at);

	if (err == -EINVAL && buf_printf(why, " at offset %zu", from + at))
		err = -ENOMEM;
	/* No regular expression begins with these. */
	if (err == -EINVAL && (text[from] == '*' || text[from] == '?') &&
	    buf_puts(why, "; this takes a regular expression, not a glob: a star is '.*', a dot '\\.'"))
		err = -ENOMEM;
	return err;
}

int pattern_glob(const char *text, struct pattern **ret, struct buf *err, size_t *at)
{
	(void)err;
	(void)at;
	*ret = pattern_new(text);
	return *ret ? 0 : -ENOMEM;
}

/* By the interpreter, which takes its memory from the heap; given back at once, as it can be hundreds of MB. */
static int match_slowly(const struct pattern *p, PCRE2_SPTR subject, size_t n)
{
	pcre2_match_data *found = pcre2_match_data_create(1, NULL);
	int rc = PCRE2_ERROR_NOMEMORY;

	if (found)
		rc = pcre2_match(p->code, subject, n, 0, PCRE2_NO_JIT, found, p->context);
	pcre2_match_data_free(found);
	return rc;
}

int pattern_match(const struct pattern *p, const char *bytes, size_t n)
{
	PCRE2_SPTR subject = (PCRE2_SPTR)(n ? bytes : "");
	int rc;

	if (!p->code)
		return glob_match(p->text, (const char *)subject, n);
	rc = pcre2_match(p->code, subject, n, 0, 0, p->found, p->context);
	if (rc == PCRE2_ERROR_JIT_STACKLIMIT || rc == PCRE2_ERROR_JIT_BADOPTION)
		rc = match_slowly(p, subject, n);
	if (rc < 0)
		return rc == PCRE2_ERROR_NOMATCH ? 0 : -E2BIG;
	return 1;
}

const char *pattern_text(const struct pattern *p)
{
	return p->text;
}

void pattern_free(struct pattern *p)
{
	if (!p)
		return;
	pcre2_jit_stack_free(p->stack);
	pcre2_match_context_free(p->context);
	pcre2_match_data_free(p->found);
	pcre2_code_free(p->code);
	free(p->text);
	free(p);
}
