/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/report/values.h>

#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/quote.h>
#include <exectrace/target/syscalls/names.h>
#include <inttypes.h>

#define ERRNO_MAX 4095

static const struct signature_value unknown = {.kind = SIGNATURE_REGISTER, .size = 8};

static const struct signature_value *type_of(const struct signature *types, unsigned arg)
{
	if (!types)
		return &unknown;
	if (arg == DATA_ARGS)
		return &types->result;
	return arg < types->n ? &types->args[arg] : &unknown;
}

/* What was read behind an argument; NULL: nothing. */
static const struct data_extra *extra_of(const struct data_values *values, unsigned arg)
{
	for (unsigned i = 0; i < values->nextras; i++) {
		if (values->extras[i].arg == arg)
			return &values->extras[i];
	}
	return NULL;
}

static bool is_string(const struct data_extra *extra)
{
	return extra->kind == DATA_EXTRA_STRING || extra->kind == DATA_EXTRA_CUT;
}

/* The name of an error, as a result or in a pointer; NULL: it is none. */
static const char *error_of(const struct signature_value *type, int64_t number, bool result)
{
	bool may = type->kind == SIGNATURE_POINTER || (result && type->kind == SIGNATURE_SIGNED && type->size >= 4);

	return may && number < 0 && number >= -ERRNO_MAX ? errno_name((int)-number) : NULL;
}

/* --- For people --------------------------------------------------------------------------------------------------- */

static int print_extra(struct buf *out, const struct data_extra *extra)
{
	int rc;

	if (!is_string(extra))
		return quote_terminal(out, extra->text.bytes, extra->text.n);
	rc = buf_putc(out, '"');
	rc = rc ? rc : quote_terminal(out, extra->text.bytes, extra->text.n);
	return rc ? rc : buf_puts(out, extra->kind == DATA_EXTRA_CUT ? "\"..." : "\"");
}

static int print_enum(struct buf *out, const struct signature_value *type, int64_t number)
{
	const struct data_text name = signature_enumerator(type, number);

	return name.n ? quote_terminal(out, name.bytes, name.n) : buf_printf(out, "%" PRId64, number);
}

static int print_char(struct buf *out, int64_t number)
{
	return number >= ' ' && number < 0x7f ? buf_printf(out, "'%c'", (char)number)
	                                      : buf_printf(out, "%" PRId64, number);
}

static int print_number(struct buf *out, const struct signature_value *type, int64_t number)
{
	switch (type->kind) {
	case SIGNATURE_BOOL:
		return buf_puts(out, number ? "true" : "false");
	case SIGNATURE_CHAR:
		return print_char(out, number);
	case SIGNATURE_UNSIGNED:
		return buf_printf(out, "%" PRIu64, (uint64_t)number);
	case SIGNATURE_SIGNED:
		return buf_printf(out, "%" PRId64, number);
	case SIGNATURE_POINTER:
	case SIGNATURE_REGISTER:
	case SIGNATURE_MEMORY:
		return number || type->kind != SIGNATURE_POINTER ? buf_printf(out, "%#" PRIx64, (uint64_t)number)
		                                                 : buf_puts(out, "NULL");
	case SIGNATURE_ENUM:
		return print_enum(out, type, number);
	default:
		return buf_putc(out, '?');
	}
}

static int print_value(struct buf *out, const struct signature_value *type, uint64_t value,
                       const struct data_extra *extra, bool result)
{
	int64_t number = signature_number(type, value);
	const char *error = error_of(type, number, result);

	if (error)
		return buf_printf(out, "%" PRId64 " (%s)", number, error);
	return extra ? print_extra(out, extra) : print_number(out, type, number);
}

static int print_arg(struct buf *out, const struct signature *types, const struct data_values *values, unsigned i)
{
	const struct signature_value *type = type_of(types, i);
	int rc = type->name.n ? quote_terminal(out, type->name.bytes, type->name.n) : 0;

	if (!rc && type->name.n)
		rc = buf_putc(out, '=');
	return rc ? rc : print_value(out, type, values->args[i], extra_of(values, i), false);
}

int values_print_args(struct buf *out, const struct signature *types, const struct data_values *values)
{
	int rc = 0;

	for (unsigned i = 0; i < values->nargs && !rc; i++) {
		rc = i ? buf_puts(out, ", ") : 0;
		rc = rc ? rc : print_arg(out, types, values, i);
	}
	return rc;
}

int values_print_result(struct buf *out, const struct signature *types, const struct data_values *values)
{
	const struct signature_value *type = type_of(types, DATA_ARGS);

	if (!values->nargs || type->kind == SIGNATURE_NOTHING)
		return 0;
	return print_value(out, type, values->args[0], extra_of(values, DATA_ARGS), true);
}

/* --- As JSON ------------------------------------------------------------------------------------------------------ */

static int json_number(struct buf *out, const struct signature_value *type, int64_t number)
{
	struct data_text name;

	switch (type->kind) {
	case SIGNATURE_BOOL:
		return buf_puts(out, number ? "true" : "false");
	case SIGNATURE_UNSIGNED:
		return buf_printf(out, "%" PRIu64, (uint64_t)number);
	case SIGNATURE_SIGNED:
	case SIGNATURE_CHAR:
		return buf_printf(out, "%" PRId64, number);
	case SIGNATURE_ENUM:
		name = signature_enumerator(type, number);
		return name.n ? quote_json(out, name.bytes, name.n) : buf_printf(out, "%" PRId64, number);
	case SIGNATURE_POINTER:
	case SIGNATURE_REGISTER:
	case SIGNATURE_MEMORY:
		return buf_printf(out, "\"0x%" PRIx64 "\"", (uint64_t)number);
	default:
		return buf_puts(out, "null");
	}
}

static int json_value(struct buf *out, const struct signature_value *type, uint64_t value,
                      const struct data_extra *extra, bool result)
{
	int64_t number = signature_number(type, value);

	if (error_of(type, number, result))
		return buf_printf(out, "%" PRId64, number);
	return extra ? quote_json(out, extra->text.bytes, extra->text.n) : json_number(out, type, number);
}

int values_json_args(struct buf *out, const struct signature *types, const struct data_values *values)
{
	int rc = buf_putc(out, '{');

	for (unsigned i = 0; i < values->nargs && !rc; i++) {
		const struct signature_value *type = type_of(types, i);

		rc = i ? buf_putc(out, ',') : 0;
		if (!rc && type->name.n)
			rc = quote_json(out, type->name.bytes, type->name.n);
		else if (!rc)
			rc = buf_printf(out, "\"arg%u\"", i + 1);
		rc = rc ? rc : buf_putc(out, ':');
		rc = rc ? rc : json_value(out, type, values->args[i], extra_of(values, i), false);
	}
	return rc ? rc : buf_putc(out, '}');
}

int values_json_result(struct buf *out, const struct signature *types, const struct data_values *values)
{
	const struct signature_value *type = type_of(types, DATA_ARGS);

	if (!values->nargs || type->kind == SIGNATURE_NOTHING)
		return buf_puts(out, "null");
	return json_value(out, type, values->args[0], extra_of(values, DATA_ARGS), true);
}

int values_list_args(struct buf *out, const struct signature *types, const struct data_values *values)
{
	cleanup_buf struct buf text = BUF_INIT;
	int rc = buf_putc(out, '[');

	for (unsigned i = 0; i < values->nargs && !rc; i++) {
		text.len = 0;
		rc = i ? buf_putc(out, ',') : 0;
		rc = rc ? rc : print_arg(&text, types, values, i);
		rc = rc ? rc : quote_json_valid(out, text.data, text.len);
	}
	return rc ? rc : buf_putc(out, ']');
}

/* --- Of calls ----------------------------------------------------------------------------------------------------- */

/* A text that one of the above makes. */
static int text_of(const char **text, const struct signature *types, const struct data_values *values,
                   int (*print)(struct buf *, const struct signature *, const struct data_values *))
{
	struct buf out = BUF_INIT;

	if (!values)
		return 0;
	(void)print(&out, types, values);
	*text = buf_steal(&out);
	return *text ? 0 : -ENOMEM;
}

int values_text(const struct replay *p, uint32_t function, enum call_values how, const char **text)
{
	return text_of(text, replay_function(p, function)->signature, how ? replay_args(p) : NULL,
	               how == CALL_VALUES_JSON   ? values_json_args
	               : how == CALL_VALUES_LIST ? values_list_args
	                                         : values_print_args);
}

int values_result_text(const struct replay *p, uint32_t function, enum call_values how, const char **text)
{
	return text_of(text, replay_function(p, function)->signature, how ? replay_result(p) : NULL,
	               how == CALL_VALUES_JSON ? values_json_result : values_print_result);
}
