/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <linux/ioctl.h>

#define METER_COUNT 8

#define METER_START _IOW('m', 1, int)
#define METER_STOP _IOW('m', 2, int)
