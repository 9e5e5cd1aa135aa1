/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Arguments and results of a guest's functions, for people and as JSON (RFC 8259). All add to out; 0 or -ENOMEM. */
#ifndef EXECTRACE_ANSWER_REPORT_VALUES_H
#define EXECTRACE_ANSWER_REPORT_VALUES_H

#include <exectrace/answer/replay/replay.h>
#include <exectrace/base/buf.h>
#include <exectrace/format/data/signature.h>

/* `msecs=80, name="eth0"`. types: NULL: not known. */
int values_print_args(struct buf *out, const struct signature *types, const struct data_values *values);

/* `0`, `-2 (ENOENT)`; nothing for a function without a result. */
int values_print_result(struct buf *out, const struct signature *types, const struct data_values *values);

/* Likewise, as an object, {"msecs":80,"name":"eth0"}, and as one value: pointers are strings, "0xffff888003c0c000", but
 * for errors in them. */
int values_json_args(struct buf *out, const struct signature *types, const struct data_values *values);
int values_json_result(struct buf *out, const struct signature *types, const struct data_values *values);

/* Arguments as an array of texts, ["msecs=80","name=\"eth0\""]. */
int values_list_args(struct buf *out, const struct signature *types, const struct data_values *values);

/* How calls are told with their values: as texts; as JSON; arguments as a list, and results as texts. */
enum call_values { CALL_VALUES_NONE, CALL_VALUES_TEXT, CALL_VALUES_JSON, CALL_VALUES_LIST };

/*
 * While a sink of a replay is told of a call of a function: its arguments, or its result, as a malloc'ed text in *text,
 * which stays as it is where they were not recorded. 0 or -ENOMEM.
 */
int values_text(const struct replay *p, uint32_t function, enum call_values how, const char **text);
int values_result_text(const struct replay *p, uint32_t function, enum call_values how, const char **text);

#endif
