/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/recording/call.h>

#include <errno.h>
#include <exectrace/target/arch/arch.h>
#include <exectrace/target/decode/decode.h>
#include <exectrace/target/syscalls/table.h>
#include <stdio.h>
#include <string.h>

#define TEXT_KEPT 65536 /* bytes of the text of a call whose memory is used again */

static int no_memory(void *user, uint64_t addr, void *to, size_t n)
{
	(void)user;
	(void)addr;
	(void)to;
	(void)n;
	return -EFAULT;
}

static const struct arch *arch_of(const struct data_syscall *call)
{
	return arch_by_call(call->arch, call->nr);
}

const char *call_name(const struct data_syscall *call, char *out)
{
	const struct arch *arch = arch_of(call);
	const struct syscall_desc *desc = arch ? syscall_by_nr(arch, call->nr) : NULL;

	if (desc)
		return desc->name;
	snprintf(out, CALL_NAME_MAX, "syscall_%#x", call->nr);
	return out;
}

static size_t known_of(const struct data_syscall *call, struct decode_known *known)
{
	static const enum decode_known_kind kinds[] = {
		[DATA_EXTRA_BYTES] = DECODE_KNOWN_BYTES,
		[DATA_EXTRA_PATH] = DECODE_KNOWN_PATH,
		[DATA_EXTRA_TEXT] = DECODE_KNOWN_TEXT,
	};
	size_t n = 0;

	for (size_t i = 0; i < call->nextras; i++) {
		const struct data_extra *extra = &call->extras[i];

		if (extra->kind > DATA_EXTRA_TEXT || extra->arg > SYSCALL_ARGS)
			continue;
		known[n++] = (struct decode_known){
			.reg = extra->arg,
			.kind = kinds[extra->kind],
			.bytes = extra->text.n ? extra->text.bytes : "",
			.n = extra->text.n,
		};
	}
	return n;
}

/* Calls of a machine that has no table. */
static int print_foreign(struct buf *out, const struct data_syscall *call, bool unfinished, struct decode_marks *marks)
{
	static const char *const names[SYSCALL_ARGS] = {"a", "b", "c", "d", "e", "f"};
	int rc = buf_printf(out, "syscall_%#x(", call->nr);

	for (unsigned i = 0; i < call->nargs && i < SYSCALL_ARGS && !rc; i++) {
		if (i)
			rc = buf_puts(out, ", ");
		marks->args[i].name = names[i];
		marks->args[i].begin = out->len;
		if (!rc)
			rc = buf_printf(out, "%#llx", (unsigned long long)call->args[i]);
		marks->args[i].end = out->len;
		marks->n = i + 1;
	}
	marks->result = out->len + strlen(") = ");
	if (rc)
		return rc;
	return unfinished ? buf_puts(out, ") = ?") : buf_printf(out, ") = %lld", (long long)call->result);
}

static int print(struct buf *out, const struct data_syscall *call, bool unfinished, struct decode_marks *marks)
{
	struct decode_known known[DATA_EXTRAS_MAX];
	struct decoder decoder = {
		.marks = marks,
		.known = known,
		.n_known = known_of(call, known),
		.read = no_memory,
		.string_max = DECODE_STRING_MAX,
	};
	struct syscall_call what = {.arch = arch_of(call), .nr = call->nr, .tid = (pid_t)call->tid};
	const struct syscall_result result = {.value = call->result, .error = call->error};
	struct decode_state state = {0};
	int rc;

	if (!what.arch)
		return print_foreign(out, call, unfinished, marks);
	memcpy(what.args, call->args, sizeof(what.args));
	rc = decode_enter(&decoder, &what, &state, out);
	if (rc)
		return rc;
	return unfinished ? decode_gone(&what, &state, out) : decode_exit(&decoder, &what, &state, &result, out);
}

int call_print(struct buf *out, const struct data_syscall *call, bool unfinished)
{
	struct decode_marks marks = {0};

	return print(out, call, unfinished, &marks);
}

int call_take_apart(struct call_parts *parts, const struct data_syscall *call, bool unfinished)
{
	struct decode_marks marks = {0};
	struct buf *text = &parts->text;
	int rc;

	buf_reset(text, TEXT_KEPT);
	rc = print(text, call, unfinished, &marks);
	if (rc)
		return rc;
	parts->name = (struct data_text){text->data, strcspn(text->data, "(")};
	for (unsigned i = 0; i < marks.n; i++) {
		parts->args[i].name = marks.args[i].name;
		parts->args[i].text.bytes = text->data + marks.args[i].begin;
		parts->args[i].text.n = marks.args[i].end - marks.args[i].begin;
	}
	parts->nargs = marks.n;
	parts->result = (struct data_text){"", 0};
	if (!unfinished)
		parts->result = (struct data_text){text->data + marks.result, text->len - marks.result};
	return 0;
}

void call_parts_release(struct call_parts *parts)
{
	buf_release(&parts->text);
}

/* The path in "3</etc/passwd>". */
static bool behind_descriptor(struct data_text text, struct data_text *path)
{
	size_t at = 0;

	while (at < text.n && text.bytes[at] >= '0' && text.bytes[at] <= '9')
		at++;
	if (at == 0 && text.n > 8 && memcmp(text.bytes, "AT_FDCWD", 8) == 0)
		at = 8;
	if (!at || at + 2 > text.n || text.bytes[at] != '<' || text.bytes[text.n - 1] != '>')
		return false;
	*path = (struct data_text){text.bytes + at + 1, text.n - at - 2};
	return true;
}

bool call_path(const struct data_syscall *call, struct data_text *path)
{
	bool found = false;

	for (size_t i = 0; i < call->nextras; i++) {
		const struct data_extra *extra = &call->extras[i];

		if (extra->kind == DATA_EXTRA_PATH) {
			*path = extra->text;
			return true;
		}
		if (!found && extra->kind == DATA_EXTRA_TEXT && extra->arg != SYSCALL_ARGS)
			found = behind_descriptor(extra->text, path);
	}
	return found;
}

bool call_names(const struct data_syscall *call, const char *path)
{
	size_t n = strlen(path);

	for (size_t i = 0; i < call->nextras; i++) {
		const struct data_extra *extra = &call->extras[i];
		struct data_text text = extra->text;

		if (extra->kind == DATA_EXTRA_BYTES ||
		    (extra->kind == DATA_EXTRA_TEXT && !behind_descriptor(extra->text, &text)))
			continue;
		if (text.n == n && (!n || memcmp(text.bytes, path, n) == 0))
			return true;
	}
	return false;
}
