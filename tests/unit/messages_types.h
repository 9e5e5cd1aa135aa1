/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the kernel's ring buffer of messages has what, as Linux 6.1 does: part of an initialiser of struct types. */
#ifndef EXECTRACE_TESTS_UNIT_MESSAGES_TYPES_H
#define EXECTRACE_TESTS_UNIT_MESSAGES_TYPES_H

#define MESSAGES_TYPES                                                                                         \
	.messages = true, .entry_ring = 0, .entry_id = 16, .ring_count_bits = 0, .ring_descriptors = 8,        \
	.ring_infos = 16, .ring_size_bits = 40, .ring_data = 48, .descriptor_size = 24, .descriptor_begin = 8, \
	.descriptor_next = 16, .block_data = 8, .info_size = 88, .info_stamp = 8, .info_length = 16,           \
	.info_facility = 18, .info_caller = 20

#endif
