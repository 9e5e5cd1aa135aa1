/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/export/exporter/exporter.h>

#include <exectrace/answer/format/text.h>
#include <exectrace/answer/recording/identity.h>
#include <exectrace/base/quote.h>
#include <string.h>

/* The members that all lines begin with. */
static int describe(struct exporter *e)
{
	const char *host = recording_host(e->recording);
	char id[RECORDING_ID_TEXT];
	int rc;

	recording_id_print(recording_identify(e->recording), id);
	rc = buf_printf(&e->whence, "\"run\":\"%s\",\"host\":", id);
	return rc ? rc : quote_json_valid(&e->whence, host, strlen(host));
}

void exporter_json_begin(struct exporter *e, struct jsonl *j)
{
	*j = (struct jsonl){.out = &e->out.text, .valid = true};
	if (!e->whence.len)
		j->err = describe(e);
	jsonl_begin(j);
	jsonl_members(j, (struct data_text){e->whence.data, e->whence.len});
}
