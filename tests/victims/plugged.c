/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The library that split loads. */
void plugged(void (*call)(int), int n);

void plugged(void (*call)(int), int n)
{
	call(n);
	__asm__ volatile("" ::: "memory");
}
