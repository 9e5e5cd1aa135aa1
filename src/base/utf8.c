/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/base/utf8.h>

size_t utf8_len(const char *bytes, size_t n)
{
	const unsigned char *p = (const unsigned char *)bytes;
	/* The second byte has a narrower range after these, which keeps out overlong forms, surrogates and what is
	   above U+10FFFF. */
	unsigned char low = p[0] == 0xe0 ? 0xa0 : p[0] == 0xf0 ? 0x90 : 0x80;
	unsigned char high = p[0] == 0xed ? 0x9f : p[0] == 0xf4 ? 0x8f : 0xbf;
	size_t len;

	if (p[0] < 0x80)
		return 1;
	if (p[0] < 0xc2 || p[0] > 0xf4)
		return 0;
	len = p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;
	if (len > n || p[1] < low || p[1] > high)
		return 0;
	for (size_t i = 2; i < len; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	return len;
}

size_t utf8_valid(const char *bytes, size_t n)
{
	size_t i = 0, len;

	while (i < n && (len = utf8_len(bytes + i, n - i)))
		i += len;
	return i;
}

int utf8_replace(struct buf *out, const char *bytes, size_t n)
{
	int rc = 0;

	while (n && !rc) {
		size_t valid = utf8_valid(bytes, n);

		rc = buf_append(out, bytes, valid);
		bytes += valid;
		n -= valid;
		if (!n || rc)
			break;
		rc = buf_puts(out, "\xef\xbf\xbd");
		bytes++;
		n--;
	}
	return rc;
}
