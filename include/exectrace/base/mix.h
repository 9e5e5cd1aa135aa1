/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers as good as random ones that are the same each time; not for what somebody could want to forge. */
#ifndef EXECTRACE_BASE_MIX_H
#define EXECTRACE_BASE_MIX_H

#include <stddef.h>
#include <stdint.h>

/* A number made of two, always the same for the same two in this order; never 0. */
uint64_t mix(uint64_t a, uint64_t b);

/* Likewise of a number, and n bytes and how many they are. */
uint64_t mix_bytes(uint64_t a, const void *bytes, size_t n);

#endif
