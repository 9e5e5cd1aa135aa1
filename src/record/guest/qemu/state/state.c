/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/record/guest/qemu/state/state.h>

struct plugin *the_plugin;
