/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The memory of a child, which has everything at the addresses that the test itself has it at: the test looks at its
 * own copy to know what must come.
 */
#include "program.h"
#include "tap.h"
#include <exectrace/base/cleanup.h>
#include <exectrace/target/process/mem.h>
#include <sys/mman.h>

#define PAGE 4096u
#define PAGES 80u /* then one that is not mapped */

static unsigned char *area; /* PAGES pages, the first 64 filled by a pattern */

static remote_addr_t at(const void *p)
{
	return (remote_addr_t)(uintptr_t)p;
}

static void map(void)
{
	area = mmap(NULL, (PAGES + 1) * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (area == MAP_FAILED)
		_exit(1);
	munmap(area + PAGES * PAGE, PAGE);
	for (size_t i = 0; i < 64 * PAGE; i++)
		area[i] = (unsigned char)(i * 31 + i / 4096);
}

static void reading(void)
{
	static unsigned char got[64 * PAGE];
	pid_t pid = idle_child();

	CHECK_INT(mem_read(pid, at(area), got, sizeof(got)), 0);
	CHECK(memcmp(got, area, sizeof(got)) == 0);
	CHECK_INT(mem_read(pid, at(area) + 4095, got, 2), 0);
	CHECK(memcmp(got, area + 4095, 2) == 0);
	CHECK_INT(mem_read(pid, at(area) + PAGES * PAGE - 1, got, 1), 0);
	CHECK_INT(mem_read(pid, at(area) + PAGES * PAGE - 1, got, 2), -EFAULT);
	CHECK_INT(mem_read(pid, at(area) + PAGES * PAGE, got, 1), -EFAULT);
	CHECK_INT(mem_read(pid, 0, got, 8), -EFAULT);
	CHECK_INT(mem_read(pid, UINT64_MAX - 3, got, 8), -EFAULT);
	CHECK_INT(mem_read(pid, 0xffff800000000000u, got, 8), -EFAULT);
	CHECK_INT(mem_read(pid, at(area), got, 0), 0);
	finish(pid);
	CHECK_INT(mem_read(pid, at(area), got, 1), -ESRCH);
}

static void writing(void)
{
	static const char text[] = "not to be written";
	unsigned char got[16], bytes[16] = "new bytes here.";
	pid_t pid = idle_child();

	CHECK_INT(mem_write(pid, at(area) + PAGE - 8, bytes, 16), 0);
	CHECK(peek(pid, at(area) + PAGE - 8, got, 16) && memcmp(got, bytes, 16) == 0);
	CHECK(memcmp(area + PAGE - 8, bytes, 16) != 0);
	CHECK_INT(mem_write(pid, at(text), bytes, 4), -EFAULT);
	CHECK(peek(pid, at(text), got, 4) && memcmp(got, text, 4) == 0);
	CHECK_INT(mem_write(pid, at(area) + PAGES * PAGE - 8, bytes, 16), -EFAULT);
	CHECK_INT(mem_poke(pid, at(text), bytes, 8), 0);
	CHECK(peek(pid, at(text), got, 8) && memcmp(got, bytes, 8) == 0);
	CHECK_STR(text, "not to be written");
	CHECK(mem_poke(pid, at(area) + PAGES * PAGE, bytes, 8) < 0);
	finish(pid);
	CHECK_INT(mem_write(pid, at(area), bytes, 1), -ESRCH);
	CHECK(mem_poke(pid, at(area), bytes, 1) < 0);
}

/* Puts n letters and a NUL so that the NUL is the last byte before `end`. */
static char *text_before(unsigned char *end, size_t n)
{
	char *start = (char *)end - n - 1;

	for (size_t i = 0; i < n; i++)
		start[i] = (char)('a' + i % 26);
	start[n] = '\0';
	return start;
}

static void one_string(pid_t pid, const char *text)
{
	cleanup_buf struct buf out = BUF_INIT;

	buf_puts(&out, "<");
	CHECK_INT(mem_read_str(pid, at(text), strlen(text), &out), 0);
	CHECK(out.len == strlen(text) + 1 && strcmp(out.data + 1, text) == 0);
	if (*text) {
		cleanup_buf struct buf rest = BUF_INIT;

		CHECK_INT(mem_read_str(pid, at(text), strlen(text) - 1, &rest), -E2BIG);
	}
}

static void strings(void)
{
	static const size_t lengths[] = {0, 1, 254, 255, 256, 257, 4095, 4096, 5000, 16383, 16640, 40000, 200000};
	unsigned char *end = area + PAGES * PAGE;
	cleanup_buf struct buf out = BUF_INIT;
	pid_t pid;

	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		char *last = text_before(end, lengths[i]);

		pid = idle_child();
		one_string(pid, last);
		finish(pid);
		pid = idle_child();
		one_string(pid, last + lengths[i] / 2);
		finish(pid);
	}
	memset(end - 300, 'x', 300);
	pid = idle_child();
	CHECK_INT(mem_read_str(pid, at(end - 300), 10000, &out), -EFAULT);
	CHECK_INT(mem_read_str(pid, at(end), 10000, &out), -EFAULT);
	CHECK_INT(mem_read_str(pid, 0, 10000, &out), -EFAULT);
	finish(pid);
	CHECK_INT(mem_read_str(pid, at(area), 10, &out), -ESRCH);
}

/* Writes a vector of pointers of that width to `to`. */
static void put_vector(unsigned char *to, unsigned word, const char *const *items, size_t n)
{
	for (size_t i = 0; i <= n; i++) {
		uint64_t value = i < n ? at(items[i]) : 0;

		memcpy(to + i * word, &value, word);
	}
}

/* What a child has at addr is items. */
static bool reads_back(const void *addr, unsigned word, const char *const *items, size_t n)
{
	cleanup_strv struct strv got = STRV_INIT;
	pid_t pid = idle_child();
	int err = mem_read_vector(pid, at(addr), word, &got);
	bool same = err == 0 && got.n == n;

	for (size_t i = 0; same && i < n; i++)
		same = strcmp(got.items[i], items[i]) == 0;
	finish(pid);
	if (!same)
		printf("# error %d, %zu strings, want %zu\n", err, got.n, n);
	return same;
}

static void vectors(void)
{
	static const char *items[2000];
	static char texts[2000][12];
	unsigned char *end = area + PAGES * PAGE;

	for (size_t i = 0; i < 2000; i++) {
		snprintf(texts[i], sizeof(texts[i]), "item %zu", i);
		items[i] = texts[i];
	}
	/* The NULL ends at the end of what is mapped; also with pointers that lie across two pages. */
	for (unsigned odd = 0; odd < 8; odd += 3) {
		static const size_t counts[] = {0, 1, 63, 64, 65, 511, 512, 513, 2000};

		for (size_t c = 0; c < sizeof(counts) / sizeof(counts[0]); c++) {
			unsigned char *start = end - (counts[c] + 1) * 8 - odd;

			put_vector(start, 8, items, counts[c]);
			CHECK(reads_back(start, 8, items, counts[c]));
		}
	}
	CHECK(reads_back(NULL, 8, items, 0));
	CHECK(reads_back(NULL, 4, items, 0));
	items[1] = text_before(end - 2 * PAGE, 100000);
	items[2] = "";
	items[3] = text_before(end, 300);
	items[4] = text_before(area + 10 * PAGE, 256);
	items[5] = text_before(area + 12 * PAGE, 0);
	put_vector(area + 200, 8, items, 6);
	CHECK(reads_back(area + 200, 8, items, 6));
	/* A short one, of which less can be read than is tried. */
	items[3] = text_before(end, 20);
	put_vector(area + 200, 8, items, 6);
	CHECK(reads_back(area + 200, 8, items, 6));
}

/* Pointers of four bytes, as a 32-bit program has them. */
static void narrow(void)
{
	const char *items[70];
	char *low = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	unsigned char *to = area + PAGE - 60;

	if (low == MAP_FAILED) {
		printf("# skipped: no memory below 4 GiB\n");
		return;
	}
	for (int i = 0; i < 70; i++) {
		items[i] = low + i * 8;
		snprintf(low + i * 8, 8, "n%d", i);
	}
	put_vector(to, 4, items, 70);
	CHECK(reads_back(to, 4, items, 70));
	munmap(low, PAGE);
}

/* A vector that points to nowhere, and one that is too much. */
static void hostile(void)
{
	cleanup_strv struct strv got = STRV_INIT;
	static const char *items[70];
	unsigned char *end = area + PAGES * PAGE;
	char *big = text_before(end, 64 * PAGE);
	int err;
	pid_t pid;

	for (int i = 0; i < 70; i++)
		items[i] = i == 66 ? (const char *)8 : "good";
	put_vector(area, 8, items, 70);
	pid = idle_child();
	CHECK_INT(mem_read_vector(pid, at(area), 8, &got), -EFAULT);
	CHECK_INT(got.n, 66);
	strv_release(&got);
	CHECK_INT(mem_read_vector(pid, 8, 8, &got), -EFAULT);
	CHECK_INT(got.n, 0);
	finish(pid);
	/* No NULL before the end of what is mapped. */
	items[66] = "good";
	put_vector(end - 70 * 8, 8, items, 69);
	memcpy(end - 8, &items[69], 8);
	pid = idle_child();
	CHECK_INT(mem_read_vector(pid, at(end - 70 * 8), 8, &got), -EFAULT);
	CHECK(got.n <= 70);
	finish(pid);
	strv_release(&got);
	for (int i = 0; i < 70; i++)
		items[i] = big;
	put_vector(area, 8, items, 70);
	text_before(end, 64 * PAGE);
	pid = idle_child();
	err = mem_read_vector(pid, at(area), 8, &got);
	CHECK_INT(err, -E2BIG);
	finish(pid);
}

int main(void)
{
	scratch_begin(60);
	map();
	reading();
	writing();
	strings();
	vectors();
	narrow();
	hostile();
	munmap(area, PAGES * PAGE);
	return TAP_DONE();
}
