/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <linux/ioctl.h>
#include <linux/types.h>

#define MIXER_COUNT 32
#define MIXER_RAW 1u /* the caller's levels are those of the hardware */

struct mixer_gain {
	__u32 channel;
	__u32 gain;
	__u32 flags; /* MIXER_RAW or 0 */
};

#define MIXER_SET_GAIN _IOW('x', 1, struct mixer_gain)
#define MIXER_RUN _IO('x', 2)
