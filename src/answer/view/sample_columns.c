/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/view/sample_columns.h>

#include <string.h>

void sample_columns(const struct table_column *columns, struct table_column *to)
{
	static const char *const names[][4] = {{"Calls", "calls", "Samples", "samples"},
	                                       {"Calls A", "calls_a", "Samples A", "samples_a"},
	                                       {"Calls B", "calls_b", "Samples B", "samples_b"}};
	size_t n = 0;

	for (; columns[n].title; n++) {
		to[n] = columns[n];
		for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
			if (strcmp(columns[n].title, names[i][0]) != 0)
				continue;
			to[n].title = names[i][2];
			to[n].key = names[i][3];
		}
	}
	to[n] = (struct table_column){0};
}
