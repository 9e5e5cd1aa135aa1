/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/calls/call.h>

#include "call_memory.h"
#include <errno.h>
#include <exectrace/base/kerrno.h>
#include <exectrace/target/arch/arch.h>
#include <exectrace/target/decode/decode.h>
#include <exectrace/target/syscalls/table.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#define TEXT_KEPT 65536 /* bytes of the text of a call whose memory is used again */

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
	struct call_memory memory = {.call = call};
	struct decoder decoder = {
		.marks = marks,
		.known = known,
		.n_known = known_of(call, known),
		.read = call_memory_read,
		.fd_path = call_memory_descriptor,
		.user = &memory,
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
	memory.behind = true;
	return unfinished ? decode_gone(&decoder, &what, &state, out)
	                  : decode_exit(&decoder, &what, &state, &result, out);
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

/* The next one in a list such as "[{fd=3<socket:[4711]>, events=POLLIN}, ...]", from *at on, which goes behind it. */
static bool next_listed(struct data_text list, size_t *at, struct data_text *path)
{
	const char *open, *close, *end = list.bytes + list.n;

	while (*at < list.n && (open = memchr(list.bytes + *at, '<', list.n - *at))) {
		close = memchr(open, '>', (size_t)(end - open));
		*at = (size_t)((close ? close : end) - list.bytes);
		if (!close || open == list.bytes || open[-1] < '0' || open[-1] > '9')
			continue;
		*path = (struct data_text){open + 1, (size_t)(close - open - 1)};
		return true;
	}
	return false;
}

static bool is_list(struct data_text text)
{
	return text.n > 1 && *text.bytes == '[';
}

/* The path of the first descriptor that a text has. */
static bool first_descriptor(struct data_text text, struct data_text *path)
{
	size_t at = 0;

	return behind_descriptor(text, path) || (is_list(text) && next_listed(text, &at, path));
}

/* The first name in a call, *extra; false: it has none. */
static bool first_name(const struct data_syscall *call, const struct data_extra **extra)
{
	for (size_t i = 0; i < call->nextras; i++) {
		*extra = &call->extras[i];
		if ((*extra)->kind == DATA_EXTRA_PATH)
			return true;
	}
	return false;
}

bool call_path(const struct data_syscall *call, struct data_text *path)
{
	const struct data_extra *name;
	bool named = first_name(call, &name);

	/* An empty name stands for the descriptor before it (AT_EMPTY_PATH). */
	if (named && name->text.n) {
		*path = name->text;
		return true;
	}
	for (size_t i = 0; i < call->nextras; i++) {
		const struct data_extra *extra = &call->extras[i];

		if (extra->kind == DATA_EXTRA_TEXT && extra->arg != SYSCALL_ARGS && first_descriptor(extra->text, path))
			return true;
	}
	if (named)
		*path = name->text;
	return named;
}

/* The directory that a name is relative to, when it was recorded, without a slash at its end. */
static bool directory_of(const struct data_syscall *call, const struct data_extra *name, struct data_text *dir)
{
	bool found = false;

	if (!name->text.n || *name->text.bytes == '/')
		return false;
	for (size_t i = 0; i < call->nextras && !found; i++)
		if (name->arg && call->extras[i].arg == name->arg - 1 && call->extras[i].kind == DATA_EXTRA_TEXT)
			found = behind_descriptor(call->extras[i].text, dir) && dir->n;
	if (found)
		dir->n -= dir->bytes[dir->n - 1] == '/';
	return found;
}

/* Adds a name without the "./" in front of it. */
static int put_relative(struct buf *out, struct data_text name)
{
	while (name.n > 2 && name.bytes[0] == '.' && name.bytes[1] == '/') {
		name.bytes += 2;
		name.n -= 2;
	}
	return name.n == 1 && *name.bytes == '.' ? 0 : buf_printf(out, "/%.*s", (int)name.n, name.bytes);
}

int call_file(struct buf *out, const struct data_syscall *call)
{
	struct data_text path, dir;
	const struct data_extra *name;
	int rc;

	if (!call_path(call, &path))
		return -ENOENT;
	if (!first_name(call, &name) || name->text.bytes != path.bytes || !directory_of(call, name, &dir))
		return buf_append(out, path.n ? path.bytes : "", path.n);
	rc = buf_append(out, dir.bytes, dir.n);
	return rc ? rc : put_relative(out, path);
}

bool call_failed(const struct data_syscall *call)
{
	return is_failure(call->error, call->result);
}

static bool fits(const char *bytes, size_t n, const char *pattern)
{
	char text[PATH_MAX + 1];
	const char *at;

	if (n > PATH_MAX)
		return false;
	memcpy(text, bytes, n);
	text[n] = 0;
	if (strcmp(text, pattern) == 0 || fnmatch(pattern, text, 0) == 0)
		return true;
	if (*pattern == '/')
		return false;
	/* The end of a longer one. */
	for (at = strchr(text, '/'); at; at = strchr(at + 1, '/'))
		if (strcmp(at + 1, pattern) == 0 || fnmatch(pattern, at + 1, 0) == 0)
			return true;
	return false;
}

/* A name in the call, perhaps relative to the directory in the argument before it. */
static bool name_fits(const struct data_syscall *call, const struct data_extra *extra, const char *pattern)
{
	struct data_text dir, name = extra->text;
	char full[PATH_MAX + 1];
	int n;

	if (fits(name.n ? name.bytes : "", name.n, pattern))
		return true;
	if (!directory_of(call, extra, &dir))
		return false;
	n = snprintf(full, sizeof(full), "%.*s/%.*s", (int)dir.n, dir.bytes, (int)name.n, name.n ? name.bytes : "");
	return n > 0 && (size_t)n < sizeof(full) && fits(full, (size_t)n, pattern);
}

/* In `{sa_family=AF_UNIX, sun_path="run/s.sock"}`. */
static bool address_fits(struct data_text text, const char *pattern)
{
	static const char key[] = "sun_path=\"";
	const char *at = text.n ? memmem(text.bytes, text.n, key, sizeof(key) - 1) : NULL, *end;

	if (!at)
		return false;
	at += sizeof(key) - 1;
	end = memchr(at, '"', (size_t)(text.bytes + text.n - at));
	return end && fits(at, (size_t)(end - at), pattern);
}

/* The name behind a descriptor, perhaps that of the peer of a socket: "UNIX:run/s.sock". */
static bool descriptor_fits(struct data_text path, const char *pattern)
{
	size_t n = 0;

	if (fits(path.bytes, path.n, pattern))
		return true;
	while (n < path.n && path.bytes[n] >= 'A' && path.bytes[n] <= 'Z')
		n++;
	return n > 2 && n < path.n && path.bytes[n] == ':' && fits(path.bytes + n + 1, path.n - n - 1, pattern);
}

static bool list_fits(struct data_text list, const char *pattern)
{
	struct data_text path;

	for (size_t at = 0; next_listed(list, &at, &path);)
		if (descriptor_fits(path, pattern))
			return true;
	return false;
}

/* An argument, or the result, that is no name. */
static bool text_fits(struct data_text text, const char *pattern)
{
	struct data_text path = {0};

	if (behind_descriptor(text, &path))
		return descriptor_fits(path, pattern);
	return is_list(text) ? list_fits(text, pattern) : address_fits(text, pattern);
}

/* What was recorded as it was in memory: in its arguments as they are shown. Without memory none fits. */
static bool shown_fits(const struct data_syscall *call, const char *pattern)
{
	struct call_parts parts = {0};
	bool found = false;

	if (!call_take_apart(&parts, call, false))
		for (unsigned i = 0; i < parts.nargs && !found; i++)
			found = text_fits(parts.args[i].text, pattern);
	call_parts_release(&parts);
	return found;
}

bool call_names(const struct data_syscall *call, const char *pattern)
{
	bool memory = false;

	for (size_t i = 0; i < call->nextras; i++) {
		const struct data_extra *extra = &call->extras[i];

		if (extra->kind == DATA_EXTRA_PATH && name_fits(call, extra, pattern))
			return true;
		if (extra->kind == DATA_EXTRA_TEXT && text_fits(extra->text, pattern))
			return true;
		memory |= extra->kind == DATA_EXTRA_MEMORY;
	}
	return memory && shown_fits(call, pattern);
}
