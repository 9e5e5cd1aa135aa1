/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/record/guest/core/arguments.h>

#include <stdlib.h>

void ring_values_hold(void *values)
{
	struct ring_values *v = values;

	if (v)
		v->refs++;
}

void ring_values_drop(void *values)
{
	struct ring_values *v = values;

	if (!v || --v->refs)
		return;
	free(v->texts);
	free(v);
}
