/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <linux/ioctl.h>

#define ABBA_FLUSH _IO('a', 1)
