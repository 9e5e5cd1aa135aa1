/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/format/gate/outcome.h>

#include <stddef.h>

const char *const guest_outcomes[GUEST_PANICKED + 1] = {
	[GUEST_RUNS] = NULL,           [GUEST_POWERED_OFF] = "powered off",
	[GUEST_HALTED] = "halted",     [GUEST_RESET] = "was reset",
	[GUEST_HUNG] = "hung",         [GUEST_OOPSED] = "oopsed",
	[GUEST_PANICKED] = "panicked",
};
