/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lsan
 * Built with the address sanitizer: at its end the leak checker looks at the process, which it cannot do while a tracer
 * is attached
 * ("LeakSanitizer does not work under ptrace"). Nothing leaks, so it must end silently with 0.
 */
#include "victim.h"

int main(void)
{
	char *volatile memory = malloc(1000);

	memory[0] = 'x';
	free(memory);
	return 0;
}
