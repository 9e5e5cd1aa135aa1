/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/cmd/cell.h>

#include <exectrace/base/clock.h>
#include <exectrace/base/quote.h>
#include <string.h>

int cell_text(struct buf *out, const char *bytes, size_t n)
{
	int rc = 0;

	for (size_t i = 0; i < n && !rc;) {
		unsigned char c = (unsigned char)bytes[i];
		size_t len = c < ' ' || c == 0x7f ? 0 : c < 0x80 ? 1 : quote_utf8_len(bytes + i, n - i);

		/* U+0080 to U+009F are control characters too. */
		if (len == 2 && c == 0xc2 && (unsigned char)bytes[i + 1] < 0xa0)
			len = 0;
		rc = len ? buf_append(out, bytes + i, len) : buf_printf(out, "\\x%02x", c);
		i += len ? len : 1;
	}
	return rc;
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

int cell_csv(struct buf *out, const char *bytes, size_t n)
{
	return quote_csv(out, bytes, n);
}
