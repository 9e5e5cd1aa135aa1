/* SPDX-License-Identifier: GPL-2.0-or-later */
#define PCRE2_CODE_UNIT_WIDTH 8
#include <exectrace/cli/version.h>

#include <exectrace/answer/output/output.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/cli/commands.h>
#include <exectrace/pick/engine/engine.h>
#include <pcre2.h>
#include <seccomp.h>

/* "10.42 2022-12-11": all that PCRE2 ever answered fits many times over. */
#define PCRE2_VERSION_MAX 64

int version_show(void)
{
	cleanup_buf struct buf out = BUF_INIT;
	const struct scmp_version *seccomp = seccomp_version();
	char pcre2[PCRE2_VERSION_MAX] = "?";
	int r;

	if (pcre2_config(PCRE2_CONFIG_VERSION, NULL) <= PCRE2_VERSION_MAX)
		pcre2_config(PCRE2_CONFIG_VERSION, pcre2);
	r = buf_puts(&out, PROGRAM " " EXECTRACE_VERSION "\n");
	for (size_t i = 0; engine_at(i); i++)
		r |= buf_printf(&out, "%s%s", i ? ", " : "engines: ", engine_at(i));
	r |= buf_putc(&out, '\n');
	r |= buf_printf(&out, "libraries: libseccomp %u.%u.%u, PCRE2 %s\n", seccomp->major, seccomp->minor,
	                seccomp->micro, pcre2);
	return output_text(&out, r);
}
