/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tables against the kernel's headers, and against themselves. */
#include "tap.h"
#include <ctype.h>
#include <exectrace/target/syscalls/table.h>
#include <stdlib.h>
#include <unistd.h>

/* Directories that hold asm/ for x86, wherever this is compiled. */
static const char *const headers[] = {"/usr/include/x86_64-linux-gnu/asm", "/usr/include/asm"};

/* The number in "#define __NR_name 12" or "(__X32_SYSCALL_BIT + 12)", -1 when the line is none; name: 64 bytes. */
static long defined(const char *line, char *name)
{
	const char *digits;

	if (sscanf(line, "#define __NR_%63s", name) != 1)
		return -1;
	digits = strstr(line, name) + strlen(name);
	if (strstr(digits, "+ "))
		digits = strstr(digits, "+ ") + 2;
	while (*digits && !isdigit((unsigned char)*digits))
		digits++;
	return *digits ? strtol(digits, NULL, 10) : -1;
}

static void against(const char *file, const struct arch *arch)
{
	char path[256], line[256], name[64];
	FILE *in = NULL;
	int seen = 0, wrong = 0;

	for (unsigned i = 0; i < 2 && !in; i++) {
		snprintf(path, sizeof(path), "%s/%s", headers[i], file);
		in = fopen(path, "r");
	}
	if (!in) {
		printf("# no %s here\n", file);
		return;
	}
	while (fgets(line, sizeof(line), in)) {
		long nr = defined(line, name);
		const struct syscall_desc *desc = nr < 0 ? NULL : syscall_by_nr(arch, (uint32_t)nr | arch->nr_bit);

		if (nr < 0)
			continue;
		seen++;
		if (!desc || strcmp(desc->name, name) != 0) {
			wrong++;
			printf("# %s %ld is %s\n", name, nr, desc ? desc->name : "missing");
		}
	}
	fclose(in);
	CHECK(seen > 300);
	CHECK_INT(wrong, 0);
}

static void with_headers(void)
{
	against("unistd_64.h", arch_by_name("x86_64"));
	against("unistd_32.h", arch_by_name("i386"));
	against("unistd_x32.h", arch_by_name("x32"));
}

/* Later than some headers. */
static void later_calls(void)
{
	CHECK_INT(syscall_nr(arch_by_name("x86_64"), "cachestat"), 451);
	CHECK_INT(syscall_nr(arch_by_name("i386"), "mseal"), 462);
	CHECK_INT(syscall_nr(arch_by_name("x32"), "rt_sigaction"), 0x40000200);
	CHECK_INT(syscall_nr(arch_by_name("x32"), "read"), 0x40000000);
	CHECK_INT(syscall_nr(arch_by_name("x86_64"), "socketcall"), -1);
	CHECK_INT(syscall_nr(arch_by_name("x86_64"), "nonsense"), -1);
}

static void bounds(void)
{
	CHECK(!syscall_by_nr(arch_by_name("x86_64"), 467));
	CHECK(!syscall_by_nr(arch_by_name("x86_64"), UINT32_MAX));
	CHECK(!syscall_by_nr(arch_by_name("i386"), SYSCALL_NR_MAX));
	CHECK(!syscall_by_nr(arch_by_name("aarch64"), 0));
	CHECK(!syscall_by_name("nonsense"));
}

static void descriptions(void)
{
	const struct syscall_desc *desc = syscall_by_name("openat");
	size_t n = 0, bad = 0;

	if (CHECK(desc)) {
		CHECK_INT(desc->nargs, 4);
		CHECK_STR(desc->args[1].name, "pathname");
		CHECK_INT(desc->classes, SYSCALL_FILE | SYSCALL_DESC);
		CHECK_INT(desc->ret, SYSCALL_RET_FD);
	}
	for (; syscall_at(n); n++) {
		desc = syscall_at(n);
		bad += desc->nargs > SYSCALL_ARGS || !*desc->name;
		for (unsigned i = 0; i < desc->nargs && i < SYSCALL_ARGS; i++)
			bad += !*desc->args[i].name;
	}
	CHECK(n > 460);
	CHECK_INT(bad, 0);
}

static uint32_t classes_of(const char *name)
{
	const struct syscall_desc *desc = syscall_by_name(name);

	return desc ? desc->classes : 0;
}

static void classes(void)
{
	CHECK_INT(syscall_class("file"), SYSCALL_FILE);
	CHECK_INT(syscall_class("net"), SYSCALL_NETWORK);
	CHECK_INT(syscall_class("nonsense"), 0);
	CHECK(classes_of("execve") & SYSCALL_FILE && classes_of("execve") & SYSCALL_PROCESS);
	CHECK_INT(classes_of("connect"), SYSCALL_NETWORK);
	CHECK_INT(classes_of("mmap"), SYSCALL_MEMORY | SYSCALL_DESC);
	CHECK_INT(classes_of("rt_sigprocmask"), SYSCALL_SIGNAL);
	CHECK_INT(classes_of("semop"), SYSCALL_IPC);
	CHECK_INT(classes_of("getpid"), 0);
}

int main(void)
{
	with_headers();
	later_calls();
	bounds();
	descriptions();
	classes();
	return TAP_DONE();
}
