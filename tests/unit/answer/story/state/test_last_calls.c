/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The last calls of a thread are copies, and small. */
#include <exectrace/answer/story/state/last_calls.h>

#include "tap.h"
#include <errno.h>
#include <linux/audit.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

static void take(struct last_calls **calls, uint32_t nr, int64_t result, const char *text, uint8_t kind)
{
	char gone[2048] = "";
	const struct data_extra extra = {.arg = 1, .kind = kind, .text = {gone, strlen(text)}};
	const struct data_syscall call = {.nr = nr,
	                                  .error = result < 0,
	                                  .result = result,
	                                  .nextras = *text != 0,
	                                  .extras = &extra};

	memcpy(gone, text, strlen(text));
	CHECK_INT(last_calls_take(calls, &call, nr, false), 0);
	memset(gone, 'x', sizeof(gone));
}

static void order(void)
{
	struct last_calls *calls = NULL;

	CHECK(!last_calls_at(NULL, 0));
	CHECK(!last_calls_failed(NULL));
	for (uint32_t i = 1; i <= 5; i++) {
		take(&calls, i, 0, "", 0);
		CHECK_INT(last_calls_at(calls, 0)->call.nr, i);
	}
	CHECK_INT(last_calls_at(calls, 2)->call.nr, 3);
	CHECK(!last_calls_at(calls, 3));
	CHECK(!last_calls_failed(calls));
	free(calls);
}

static void texts(void)
{
	struct last_calls *calls = NULL;
	char large[1024];

	memset(large, 'a', sizeof(large) - 1);
	large[sizeof(large) - 1] = '\0';
	take(&calls, 1, 0, "3</etc/services>", DATA_EXTRA_TEXT);
	CHECK(memcmp(last_calls_at(calls, 0)->call.extras[0].text.bytes, "3</etc/services>", 16) == 0);
	take(&calls, 2, 0, large, DATA_EXTRA_TEXT); /* half of it would be wrong */
	CHECK_INT(last_calls_at(calls, 0)->call.nextras, 0);
	take(&calls, 3, 0, large, DATA_EXTRA_STRING);
	CHECK_INT(last_calls_at(calls, 0)->extras[0].kind, DATA_EXTRA_CUT);
	CHECK_INT(last_calls_at(calls, 0)->extras[0].text.n, LAST_CALL_BYTES);
	take(&calls, 4, 0, large, DATA_EXTRA_BYTES);
	CHECK_INT(last_calls_at(calls, 0)->extras[0].text.n, LAST_CALL_BUFFER);
	free(calls);
}

/* The file that was read last is known however many calls came behind. */
static void reads(void)
{
	const struct data_extra file = {.arg = 0, .kind = DATA_EXTRA_TEXT, .text = {"3</etc/rc>", 10}},
				pipe = {.arg = 0, .kind = DATA_EXTRA_TEXT, .text = {"4<pipe:[7]>", 11}};
	struct data_syscall call = {.arch = AUDIT_ARCH_X86_64, .nr = SYS_read, .result = 9, .nextras = 1};
	struct last_calls *calls = NULL;

	CHECK(!last_calls_read(NULL));
	call.extras = &pipe;
	CHECK_INT(last_calls_take(&calls, &call, 1, false), 0);
	CHECK(!last_calls_read(calls));
	call.extras = &file;
	CHECK_INT(last_calls_take(&calls, &call, 2, false), 0);
	call.nr = SYS_write;
	for (uint64_t i = 3; i < 20; i++)
		CHECK_INT(last_calls_take(&calls, &call, i, false), 0);
	if (CHECK(last_calls_read(calls) != NULL))
		CHECK_INT((long long)last_calls_read(calls)->time, 2);
	free(calls);
}

static void failures(void)
{
	struct last_calls *calls = NULL;

	take(&calls, 1, -EACCES, "/etc/shadow", DATA_EXTRA_PATH);
	for (uint32_t i = 2; i < 9; i++)
		take(&calls, i, i % 2 ? -ENOTTY : 0, "", 0);
	CHECK_INT(last_calls_failed(calls)->call.nr, 1);
	CHECK(memcmp(last_calls_failed(calls)->extras[0].text.bytes, "/etc/shadow", 11) == 0);
	free(calls);
}

int main(void)
{
	order();
	texts();
	reads();
	failures();
	return TAP_DONE();
}
