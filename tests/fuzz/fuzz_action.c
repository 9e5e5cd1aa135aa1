/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any text of --run: an action that is whole, or one line that says what is wrong; then its templates are expanded. */
#include "expect.h"
#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/pick/action/action.h>
#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct template_values values = {.pid = 4711,
                                              .n = 3,
                                              .comm = "../x",
                                              .rule = 2,
                                              .time = UINT64_C(1) << 60};

static bool is_known(const char *name)
{
	for (size_t i = 0; action_name(i); i++)
		if (strcmp(action_name(i), name) == 0)
			return true;
	return false;
}

static void expand(const char *text)
{
	cleanup_buf struct buf out = BUF_INIT;

	expect(template_expand(&out, text, &values) == 0);
	expect(strchr(text, '{') || strcmp(out.data ? out.data : "", text) == 0);
	expect(!out.data ||
	       (!strstr(out.data, "{pid}") && !strstr(out.data, "{n}") && !strstr(out.data, "{comm}") &&
	        !strstr(out.data, "{rule}") && !strstr(out.data, "{host}") && !strstr(out.data, "{time}")));
	expect(!out.data || strlen(out.data) == out.len);
}

static void whole(const struct action *action)
{
	cleanup_strv struct strv to = STRV_INIT;
	bool runs = action->kind == ACTION_TOOL || action->kind == ACTION_WRAP;

	expect(action->name && is_known(action->name));
	expect(runs == (action->program != NULL) && (!runs || action->program[0] == '/'));
	expect(!runs || action->args.n > 0);
	expect(action->kind == ACTION_ARGS || !action->env.n);
	expect(action->kind != ACTION_TOOL || action->ready);
	for (size_t i = 0; i < action->args.n; i++)
		expand(action->args.items[i]);
	for (size_t i = 0; i < action->env.n; i++)
		expect(strchr(action->env.items[i], '=') > action->env.items[i]);
	expect(template_expand_strv(&to, &action->args, &values) == 0 && to.n == action->args.n);
	if (action->output)
		expand(action->output);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	cleanup_buf struct buf text = BUF_INIT, err = BUF_INIT;
	struct action action;
	int e;

	setenv("PATH", "/usr/bin:/bin", 1);
	expect(buf_append(&text, data, strnlen((const char *)data, size)) == 0);
	expand(text.data);
	memset(&action, 0xee, sizeof(action));
	e = action_parse(text.data, &action, &err);
	expect(e == 0 || e == -EINVAL);
	expect((e == 0) == (err.len == 0));
	/* One line, unless what it quotes has several. */
	expect(!err.data || strchr(text.data, '\n') || !strchr(err.data, '\n'));
	if (!e)
		whole(&action);
	else
		expect(!action.program && !action.args.items && !action.env.items && !action.output);
	action_release(&action);
	return 0;
}
