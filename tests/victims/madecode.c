/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Code that is made at run time, and belongs to no file, calls getpid ten times. */
#include <string.h>
#include <sys/mman.h>

int main(void)
{
	/* mov $39, %eax; syscall; ret */
	static const unsigned char code[] = {0xb8, 39, 0, 0, 0, 0x0f, 0x05, 0xc3};
	unsigned char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	long (*call)(void);

	if (page == MAP_FAILED)
		return 1;
	memcpy(page, code, sizeof(code));
	memcpy(&call, &page, sizeof(call));
	if (mprotect(page, 4096, PROT_READ | PROT_EXEC))
		return 1;
	for (int i = 0; i < 10; i++)
		call();
	return 0;
}
