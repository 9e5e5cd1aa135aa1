/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/output/cell.h>

#include <exectrace/base/clock.h>
#include <exectrace/base/quote.h>
#include <stdio.h>
#include <string.h>

int cell_text(struct buf *out, const char *bytes, size_t n)
{
	return quote_terminal(out, bytes, n);
}

int cell_columns(const char *text)
{
	int columns = 0;

	for (; *text; text++)
		columns += ((unsigned char)*text & 0xc0) != 0x80;
	return columns;
}

int cell_duration(struct buf *out, uint64_t ns, int width)
{
	struct buf text = BUF_INIT;
	int rc = clock_print(&text, ns);

	if (!rc)
		rc = buf_printf(out, " %*s", width, text.data);
	buf_release(&text);
	return rc;
}

int cell_grouped(struct buf *out, uint64_t number)
{
	char digits[32];
	int n = snprintf(digits, sizeof(digits), "%llu", (unsigned long long)number), rc = 0;

	for (int i = 0; i < n && !rc; i++) {
		if (i && (n - i) % 3 == 0)
			rc = buf_putc(out, ',');
		if (!rc)
			rc = buf_putc(out, digits[i]);
	}
	return rc;
}

int cell_csv(struct buf *out, const char *bytes, size_t n)
{
	return quote_csv(out, bytes, n);
}
