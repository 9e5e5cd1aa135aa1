/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What must hold whatever the input of a fuzzer. */
#ifndef EXECTRACE_TESTS_FUZZ_EXPECT_H
#define EXECTRACE_TESTS_FUZZ_EXPECT_H

#include <stdio.h>
#include <stdlib.h>

/* Stops the fuzzer, which keeps the input. Says where: compilers make one of all traps of a function. */
#define expect(cond) ((cond) ? (void)0 : expect_failed(__FILE__, __LINE__, #cond))

_Noreturn static inline void expect_failed(const char *file, int line, const char *cond)
{
	fprintf(stderr, "%s:%d: not so: %s\n", file, line, cond);
	abort();
}

#endif
