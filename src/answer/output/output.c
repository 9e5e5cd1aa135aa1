/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/output/output.h>

#include <exectrace/base/err.h>
#include <exectrace/base/exit_status.h>
#include <exectrace/base/fd.h>
#include <string.h>
#include <unistd.h>

int output_text(const struct buf *text, int r)
{
	if (r < 0)
		return output_error(&BUF_INIT, r);
	r = fd_write_all(STDOUT_FILENO, text->data, text->len);
	if (!r)
		return 0;
	err_say(ERR_ERROR, "cannot write to standard output: %s", strerror(-r));
	return RUN_FAILED;
}

int output_error(const struct buf *err, int r)
{
	err_say(ERR_ERROR, "%s", err->len ? err->data : strerror(-r));
	return RUN_FAILED;
}
