/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What name servers answer. */
#ifndef EXECTRACE_SRC_ANSWER_STORY_DNS_H
#define EXECTRACE_SRC_ANSWER_STORY_DNS_H

#include "taken.h"

/*
 * A call that has received an answer of a name server (RFC 1035, 4.1), on a socket that is connected to port 53: one
 * that there is no such name, or that it has none to give, is a failure of the process; one with an address ends the
 * search for a name whose first label is the same.
 */
void dns_take(const struct taken *c);

#endif
