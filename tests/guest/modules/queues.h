/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <linux/ioctl.h>

#define QUEUES_COUNT 4

#define QUEUES_SUBMIT _IOW('q', 1, int)
