/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * data [MILLIONS]: how many records a second of CPU time the recorded format takes and gives, compression included (20
 * million records of each kind, to a file in memory). Goals: writer 20 M/s, reader 50 M/s.
 */
#include <exectrace/format/data/reader.h>
#include <exectrace/format/data/writer.h>
#include <linux/audit.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static uint64_t seed = 1;

/* xorshift: bits that do not compress. */
static uint64_t noise(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

#define PREPARED 65536 /* records made before the clock runs */

static struct data_syscall calls[PREPARED];
static uint32_t steps[PREPARED];

/* Four threads, ten calls, times as they are: a few hundred ns, now and then much more. */
static void prepare_calls(unsigned nargs)
{
	static const uint32_t numbers[10] = {0, 1, 3, 5, 9, 202, 257, 262, 16, 232};

	for (int i = 0; i < PREPARED; i++) {
		uint64_t bits = noise();
		struct data_syscall *call = &calls[i];

		*call = (struct data_syscall){.tid = 4711 + (bits >> 60 & 3),
		                              .arch = AUDIT_ARCH_X86_64,
		                              .nr = numbers[bits % 10]};
		call->duration = 200 + (bits >> 8 & (bits >> 20 & 7 ? 0xff : 0xffff));
		call->error = (bits >> 24 & 15) == 0;
		call->result = call->error ? -2 : (int64_t)(bits >> 28 & (bits >> 32 & 3 ? 7 : 0xfff));
		call->nargs = (uint8_t)nargs;
		call->args[0] = bits >> 40 & 7;
		call->args[1] = 0x7ffc12340000 + (bits >> 44 & 0xf0);
		call->args[2] = bits >> 50 & 3 ? 4096 : bits >> 52 & 0xfff;
		steps[i] = 100 + (uint32_t)(bits >> 36 & 0x1ff);
	}
}

static int write_calls(struct data_writer *w, uint64_t n)
{
	uint64_t clock = 1000000000;
	int rc = 0;

	for (uint64_t i = 0; i < n && !rc; i++) {
		struct data_syscall *call = &calls[i % PREPARED];

		call->enter = clock += call->duration + steps[i % PREPARED];
		rc = data_writer_syscall(w, call);
	}
	return rc;
}

/* A walk up and down a stack, 2,000 functions, some much more often than others. */
static int write_guest(struct data_writer *w, uint64_t n)
{
	uint64_t clock = 0, depth = 0;
	int rc = 0;

	for (uint64_t i = 0; i < n && !rc; i++) {
		uint32_t step = steps[i % PREPARED];

		clock += 3 + (step & 63);
		if (depth && (step & 64 || depth > 50)) {
			depth--;
			rc = data_writer_return(w, clock);
		} else {
			depth++;
			rc = data_writer_call(w, clock, calls[i % PREPARED].result + (step & 128 ? 0 : depth * 32));
		}
	}
	return rc;
}

/* Adds up what is read, so that nothing of it can be left out. */
static uint64_t read_all(int fd, uint64_t *sum)
{
	struct buf why = BUF_INIT;
	struct data_event event;
	struct data_reader *r;
	uint64_t n = 0;
	char path[32];
	int rc;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (data_reader_open(&r, path, &why))
		return 0;
	while ((rc = data_reader_next(r, &event, &why)) == 1) {
		n++;
		*sum += event.clock;
		if (event.type == DATA_SYSCALL)
			*sum += event.syscall.nr + event.syscall.duration + (uint64_t)event.syscall.result +
			        event.syscall.tid;
		else if (event.type == DATA_CALL)
			*sum += event.call.function;
	}
	if (rc)
		fprintf(stderr, "%s\n", why.data);
	data_reader_close(r);
	buf_release(&why);
	return rc ? 0 : n;
}

/* CPU seconds of this process: others may be busy. */
static double used(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int run(const char *name, int (*make)(struct data_writer *, uint64_t), uint64_t n,
               struct data_writer_options options)
{
	static const struct data_facts facts = {.arch = AUDIT_ARCH_X86_64};
	int fd = memfd_create("records", MFD_CLOEXEC);
	struct data_writer *w;
	double start = used(), written, end;
	uint64_t sum = 0, size, got;

	if (fd < 0 || data_writer_open(&w, fd, &facts, &options) || make(w, n) || data_writer_flush(w))
		return 1;
	size = data_writer_size(w);
	if (data_writer_close(w))
		return 1;
	written = used();
	got = read_all(fd, &sum);
	end = used();
	close(fd);
	printf("%-28s write %6.1f M/s   read %6.1f M/s   %6.2f bytes a record   (sum %llx)\n", name,
	       (double)n / (written - start) / 1e6, (double)got / (end - written) / 1e6, (double)size / (double)n,
	       (unsigned long long)sum);
	return got != n;
}

int main(int argc, char **argv)
{
	static const struct data_writer_options usual, raw = {.raw = true}, open = {.open = true};
	uint64_t n = (argc > 1 ? strtoull(argv[1], NULL, 10) : 20) * 1000000;
	int failed = 0;

	prepare_calls(0);
	failed |= run("system calls", write_calls, n, usual);
	failed |= run("system calls, not packed", write_calls, n, raw);
	prepare_calls(3);
	failed |= run("system calls, 3 arguments", write_calls, n, usual);
	failed |= run("guest calls and returns", write_guest, n, usual);
	failed |= run("guest, not packed", write_guest, n, raw);
	failed |= run("guest, open calls followed", write_guest, n, open);
	return failed;
}
