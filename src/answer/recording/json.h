/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading JSON objects with json-c: fields by name and kind; what is missing or of another kind is "not there". */
#ifndef EXECTRACE_SRC_ANSWER_RECORDING_JSON_H
#define EXECTRACE_SRC_ANSWER_RECORDING_JSON_H

#include <exectrace/base/strv.h>
#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Parses n bytes as one object and nothing else, of the size that ours may have. 0 with *ret for json_object_put;
 * -EBADMSG; -ENOMEM.
 */
int json_read(const char *bytes, size_t n, struct json_object **ret);

/* A string, up to a NUL in it; NULL when it is not there. The object's. */
const char *json_string(struct json_object *object, const char *name);

/* An integer within 64 bits. False when it is not there. */
bool json_number(struct json_object *object, const char *name, int64_t *value);

/* Seconds with a fraction, exactly, as ns. False when it is not there, negative or out of range. */
bool json_seconds(struct json_object *object, const char *name, uint64_t *ns);

/* Adds the strings of an array to v; other items become "". 0, -ENOENT when there is no such array, -ENOMEM. */
int json_strings(struct json_object *object, const char *name, struct strv *v);

#endif
