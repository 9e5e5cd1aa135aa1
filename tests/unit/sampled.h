/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls and samples of a small QEMU, in two files as by trace and by profile. After tap.h. */
#ifndef EXECTRACE_TESTS_UNIT_SAMPLED_H
#define EXECTRACE_TESTS_UNIT_SAMPLED_H

#include "sample_dir.h"

#define KVM_RUN 0xae80
#define FUTEX 202
#define IOCTL 16

static const uint64_t stack_run[] = {0x400110, 0x400211};              /* kvm_cpu_exec < thread */
static const uint64_t stack_kernel[] = {0xffffffff81000010, 0x400111}; /* vcpu_run < kvm_cpu_exec */
static const uint64_t stack_disk[] = {0x400310};                       /* iothread_run */

static const struct data_symbol qemu_symbols[] = {{0x100, 0x100, TEXT("kvm_cpu_exec")},
                                                  {0x200, 0x100, TEXT("thread")},
                                                  {0x300, 0x100, TEXT("iothread_run")}};
static const struct data_symbol kernel_symbols[] = {{0xffffffff81000000, 0x100, TEXT("vcpu_run")}};

#define CALL(tid, nr, error, at, time, ...)   \
	{                                     \
		DATA_SYSCALL, 0, .syscall = { \
			tid,                  \
			AUDIT_ARCH_X86_64,    \
			nr,                   \
			3,                    \
			error,                \
			0,                    \
			BEGIN + (at)*MS,      \
			(time)*MS,            \
			error ? -11 : 0,      \
			0,                    \
			{__VA_ARGS__},        \
			NULL                  \
		}                             \
	}

static const struct data_event traced_file[] = {
	{DATA_THREAD, BEGIN, .thread = {10, 10, 1, 0}},
	{DATA_COMM, BEGIN, .comm = {10, TEXT("qemu")}},
	{DATA_THREAD, BEGIN, .thread = {11, 10, 10, 0}},
	{DATA_THREAD, BEGIN, .thread = {12, 10, 10, 0}},
	{DATA_THREAD, BEGIN, .thread = {13, 10, 10, 0}},
	{DATA_COMM, BEGIN, .comm = {13, TEXT("worker")}},
	CALL(11, IOCTL, false, 1, 30, 5, KVM_RUN),
	CALL(11, IOCTL, true, 40, 10, 5, KVM_RUN),
	CALL(11, FUTEX, false, 51, 4, 0),
	CALL(10, FUTEX, false, 2, 5, 0),
	CALL(10, IOCTL, false, 8, 2, 5, 0xae01),
	CALL(12, FUTEX, false, 3, 50, 0),
	CALL(13, FUTEX, false, 4, 7, 0),
};

static const struct data_event sampled_file[] = {
	{DATA_THREAD, BEGIN, .thread = {10, 10, 1, 0}},
	{DATA_COMM, BEGIN, .comm = {10, TEXT("qemu")}},
	{DATA_THREAD, BEGIN, .thread = {11, 10, 10, 0}},
	{DATA_THREAD, BEGIN, .thread = {12, 10, 10, 0}},
	{DATA_FILE, BEGIN, .file = {1, TEXT("/bin/qemu"), TEXT("")}},
	{DATA_FILE, BEGIN, .file = {2, TEXT("[kernel]"), TEXT("")}},
	{DATA_MAPSET, BEGIN, .mapset = {1, 0, 10}},
	{DATA_MAP, BEGIN, .map = {1, 0x400000, 0x401000, 0, 1, 5}},
	{DATA_MAP, BEGIN, .map = {1, 1ull << 63, 0xffffffffff600000, 1ull << 63, 2, 4}},
	{DATA_STACK, BEGIN, .stack = {1, 1, COUNT(stack_run), stack_run}},
	{DATA_STACK, BEGIN, .stack = {2, 1, COUNT(stack_kernel), stack_kernel}},
	{DATA_STACK, BEGIN, .stack = {3, 1, COUNT(stack_disk), stack_disk}},
	{DATA_SYMBOLS, BEGIN, .symbols = {1, COUNT(qemu_symbols), qemu_symbols}},
	{DATA_SYMBOLS, BEGIN, .symbols = {2, COUNT(kernel_symbols), kernel_symbols}},
	{DATA_SAMPLE, BEGIN + 2 * MS, .sample = {11, 0, 3 * MS, 1, 0}},
	{DATA_SAMPLE, BEGIN + 3 * MS, .sample = {11, 1, 2 * MS, 2, DATA_SAMPLE_CUT}},
	{DATA_SAMPLE, BEGIN + 4 * MS, .sample = {12, 1, 1 * MS, 3, 0}},
	{DATA_SAMPLE, BEGIN + 5 * MS, .sample = {10, 0, 4 * MS, 0, 0}},
	{DATA_COMM, BEGIN + 60 * MS, .comm = {12, TEXT("IO disk")}}, /* after all that is known of it */
};

static inline bool sampled_make(char *dir)
{
	char path[256];
	bool made = CHECK(mkdtemp(dir));

	snprintf(path, sizeof(path), "%s/trace-1-10.xtr", dir);
	made = made && CHECK_INT(sample_write_events(path, 10, traced_file, COUNT(traced_file)), 0);
	snprintf(path, sizeof(path), "%s/profile-1-10.xtr", dir);
	return made && CHECK_INT(sample_write_events(path, 10, sampled_file, COUNT(sampled_file)), 0);
}

static inline void sampled_remove(const char *dir)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/trace-1-10.xtr", dir);
	unlink(path);
	snprintf(path, sizeof(path), "%s/profile-1-10.xtr", dir);
	unlink(path);
	rmdir(dir);
}

#endif
