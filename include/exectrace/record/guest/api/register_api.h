/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The guest's registers and memory by QEMU's interface for plugins (registers from version 2 on, memory from 4): for
 * builds that export nothing else. It is too slow for each call, but not for what hooks look at.
 */
#ifndef EXECTRACE_RECORD_GUEST_API_REGISTER_API_H
#define EXECTRACE_RECORD_GUEST_API_REGISTER_API_H

#include <exectrace/record/guest/api/qemu.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define REGISTER_API_COUNT 16 /* general registers */

/* The general registers in QEMU's interface; where `n` is REGISTER_API_COUNT they can be had. */
struct register_api {
	void *handles[REGISTER_API_COUNT];
	unsigned n;
};

/* Looks for the registers in QEMU's interface. While QEMU tells of the beginning of a vCPU. */
void register_api_find(struct register_api *asked, const struct qemu *q);

/* Reads them as of the vCPU that calls back, which has to be with QEMU_READ_REGISTERS. False: not all. */
bool register_api_read(const struct register_api *asked, const struct qemu *q, uint64_t registers[REGISTER_API_COUNT]);

/* Copies n bytes of the memory that the vCPU sees. */
bool register_api_memory(const struct qemu *q, uint64_t address, void *to, size_t n);

#endif
