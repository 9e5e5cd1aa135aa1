/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/format/spool.h>

#define SPOOL_BYTES (256u << 10) /* a write of this size costs next to nothing a byte */

int spool_flush(struct spool *d)
{
	int err = d->text.err;

	if (!err && d->text.len && d->write)
		err = d->write(d->user, d->text.data, d->text.len);
	d->given += d->text.len;
	buf_reset(&d->text, 4 * SPOOL_BYTES);
	return err ? buf_fail(&d->text, err) : 0;
}

int spool_drain(struct spool *d)
{
	return d->text.err || d->text.len >= SPOOL_BYTES ? spool_flush(d) : 0;
}
