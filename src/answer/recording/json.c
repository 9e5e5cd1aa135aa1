/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "json.h"

#include <ctype.h>
#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/clock.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH 16 /* of objects within objects; ours have two */
#define CONTAINERS 64
#define VALUES (1u << 20)

/*
 * A value takes json-c up to a hundred times the bytes that it has in the text. Ours are an argv (execve(2) takes fewer
 * than VALUES strings) in one of a few arrays; what has more is not ours, and is not parsed.
 */
static bool fits(const char *bytes, size_t n)
{
	size_t values = 0, containers = 0;
	bool quoted = false;

	for (size_t i = 0; i < n; i++) {
		char c = bytes[i];

		if (c == '"')
			quoted = !quoted;
		else if (quoted)
			i += c == '\\';
		else if (c == '[' || c == '{')
			containers++;
		else if (c == ',')
			values++;
		else if (c == '\'' || c == '/')
			return false; /* json-c has other strings and comments, too */
	}
	return values <= VALUES && containers <= CONTAINERS;
}

/* The number of "\\uXXXX" at the beginning of n bytes; 0: it is something else. */
static unsigned escape_at(const char *bytes, size_t n)
{
	char digits[5] = "";
	char *end;
	unsigned long value;

	if (n < 6 || bytes[0] != '\\' || bytes[1] != 'u')
		return 0;
	memcpy(digits, bytes + 2, 4);
	value = strtoul(digits, &end, 16);
	return end == digits + 4 ? (unsigned)value : 0;
}

/*
 * A byte that is no UTF-8 is written as the half of a surrogate pair, U+DC80 to U+DCFF (PEP 383). json-c has another
 * character for such a half, and takes the byte itself. 0 or -ENOMEM; nothing is added where there are none.
 */
static int put_bytes(struct buf *out, const char *bytes, size_t n)
{
	size_t from = 0;
	int rc = 0;

	for (size_t i = 0; i < n && !rc; i++) {
		unsigned code = escape_at(bytes + i, n - i);

		if (code >= 0xd800 && code <= 0xdbff) {
			i += 11; /* and the other half */
		} else if (code >= 0xdc80 && code <= 0xdcff) {
			rc = buf_append(out, bytes + from, i - from);
			if (!rc)
				rc = buf_putc(out, (char)(code & 0xff));
			from = i + 6;
			i += 5;
		} else if (bytes[i] == '\\') {
			i++;
		}
	}
	return rc || !from ? rc : buf_append(out, bytes + from, n - from);
}

int json_read(const char *bytes, size_t n, struct json_object **ret)
{
	cleanup_buf struct buf copy = BUF_INIT;
	struct json_tokener *tokener;
	struct json_object *object;
	size_t end;

	if (n > INT_MAX || !fits(bytes, n))
		return -EBADMSG;
	if (memmem(bytes, n, "\\udc", 4) && put_bytes(&copy, bytes, n))
		return -ENOMEM;
	if (copy.len) {
		bytes = copy.data;
		n = copy.len;
	}
	tokener = json_tokener_new_ex(DEPTH);
	if (!tokener)
		return -ENOMEM;
	object = json_tokener_parse_ex(tokener, bytes, (int)n);
	end = json_tokener_get_parse_end(tokener);
	json_tokener_free(tokener);
	while (end < n && isspace((unsigned char)bytes[end]))
		end++;
	if (object && end == n && json_object_is_type(object, json_type_object)) {
		*ret = object;
		return 0;
	}
	json_object_put(object);
	return -EBADMSG;
}

static struct json_object *member(struct json_object *object, const char *name, enum json_type type)
{
	struct json_object *value;

	if (!json_object_is_type(object, json_type_object) || !json_object_object_get_ex(object, name, &value))
		return NULL;
	return json_object_is_type(value, type) ? value : NULL;
}

const char *json_string(struct json_object *object, const char *name)
{
	struct json_object *value = member(object, name, json_type_string);

	return value ? json_object_get_string(value) : NULL;
}

bool json_number(struct json_object *object, const char *name, int64_t *value)
{
	struct json_object *number = member(object, name, json_type_int);

	if (number)
		*value = json_object_get_int64(number);
	return number;
}

/* A double has too few digits for ns since 1970; json-c gives back the text that was read. */
bool json_seconds(struct json_object *object, const char *name, uint64_t *ns)
{
	struct json_object *value = member(object, name, json_type_double);
	const char *text;
	uint64_t seconds = 0, fraction = 0;
	int digits = 0;

	if (!value)
		value = member(object, name, json_type_int);
	text = value ? json_object_to_json_string(value) : "";
	if (!isdigit((unsigned char)*text))
		return false;
	for (; isdigit((unsigned char)*text); text++) {
		seconds = seconds * 10 + (uint64_t)(*text - '0');
		if (seconds > UINT64_MAX / NS_PER_S / 10)
			return false;
	}
	if (*text == '.')
		for (text++; isdigit((unsigned char)*text); text++, digits++)
			fraction = digits < 9 ? fraction * 10 + (uint64_t)(*text - '0') : fraction;
	for (; digits < 9; digits++)
		fraction *= 10;
	*ns = seconds * NS_PER_S + fraction;
	return !*text;
}

int json_strings(struct json_object *object, const char *name, struct strv *v)
{
	struct json_object *array = member(object, name, json_type_array);
	size_t n = array ? json_object_array_length(array) : 0;
	int rc = array ? 0 : -ENOENT;

	for (size_t i = 0; i < n && !rc; i++) {
		struct json_object *item = json_object_array_get_idx(array, i);

		rc = strv_push(v, json_object_is_type(item, json_type_string) ? json_object_get_string(item) : "");
	}
	return rc;
}
