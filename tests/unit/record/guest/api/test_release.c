/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/record/guest/api/release.h"
#include "tap.h"
#include <stdlib.h>
#include <string.h>

/* What is found must not depend on what is behind the memory that is looked at: it is in a block of its own. */
static unsigned find(const char *text, size_t n)
{
	char *memory = malloc(n ? n : 1);
	unsigned release;

	memcpy(memory, text, n);
	release = release_find(memory, n);
	free(memory);
	return release;
}

#define FIND(text) find(text, sizeof(text) - 1)

static void test_releases(void)
{
	CHECK_INT(FIND("\0x\0QEMU emulator version 11.1.3 (Debian 1:11.1.3+ds-1)\nCopyright"), 1101);
	CHECK_INT(FIND("QEMU emulator version 11.0.0\n"), 1100);
	CHECK_INT(FIND("QEMU emulator version 11.0.50 (v11.0.0-12-g0123456789)\n"), 1101);
	CHECK_INT(FIND("QEMU emulator version 9.2.94\n"), 903);
	CHECK_INT(FIND("QEMU emulator version 10.2.1"), 1002);
	CHECK_INT(FIND("QEMU emulator version \0QEMU emulator version 10.2.1"), 1002);
}

static void test_none(void)
{
	CHECK_INT(FIND(""), 0);
	CHECK_INT(FIND("QEMU emulator version "), 0);
	CHECK_INT(FIND("QEMU emulator version 11."), 0);
	CHECK_INT(FIND("QEMU emulator version %s\n"), 0);
	CHECK_INT(FIND("QEMU emulator versio"), 0);
}

/* A sanitizer puts between constants what must not be read; the plugin itself never has one. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#endif

/* This program is no QEMU, but its constants are looked through. */
static void test_program(void)
{
#ifndef SANITIZED
	CHECK(release_of_program() != 0);
#endif
}

int main(void)
{
	test_releases();
	test_none();
	test_program();
	return TAP_DONE();
}
