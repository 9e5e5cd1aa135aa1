/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which recording it is, and of which machine: what tells many recordings apart in one table. */
#ifndef EXECTRACE_ANSWER_RECORDING_IDENTITY_H
#define EXECTRACE_ANSWER_RECORDING_IDENTITY_H

#include <exectrace/answer/recording/recording.h>

#define RECORDING_ID_TEXT 33 /* bytes of it as text: 32 hexadecimal digits and a NUL */

/* 128 bits, as of a trace of OpenTelemetry; never 0. */
struct recording_id {
	uint64_t high, low;
};

/*
 * The same each time, wherever the recording lies and whatever it is called; another one for another recording. It is
 * made of what the recording says of itself: the machine, the command, and when it began by two clocks. Where no clock
 * is known, as of an imported log, what the file begins with counts, too.
 */
struct recording_id recording_identify(const struct recording *r);

/* As text, in lower case. */
void recording_id_print(struct recording_id id, char text[RECORDING_ID_TEXT]);

/* The name of the machine that it is of; "" when that is not known. */
const char *recording_host(const struct recording *r);

#endif
