/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/target/process/mem.h>

#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/target/process/procfs.h>
#include <fcntl.h>
#include <linux/kcmp.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define PAGE 4096u  /* the smallest page of any architecture: reads that stay within one never fault half way */
#define BATCH 64u   /* pointers taken at a time */
#define SHORT 256u  /* bytes of each string read along with the batch */
#define LONG 16384u /* bytes a read of the rest of a long string */

static size_t to_page_end(remote_addr_t addr, size_t most)
{
	size_t left = PAGE - (size_t)(addr % PAGE);

	return left < most ? left : most;
}

/* A sandbox around us, or the kernel's configuration, may deny the calls made for this, and leave us /proc. */
static bool is_denied(int err)
{
	return err == EPERM || err == ENOSYS;
}

/* Through /proc/TID/mem (proc(5)). -EACCES when that is not allowed either. */
static ssize_t by_file(pid_t tid, remote_addr_t addr, void *to, size_t n)
{
	cleanup_fd int fd = proc_open(tid, "mem", O_RDONLY);
	ssize_t got = 0;

	if (fd < 0)
		return fd;
	got = pread(fd, to, n, (off_t)addr);
	if (got < 0)
		return errno == EIO || errno == EINVAL ? -EFAULT : -errno;
	return got;
}

static ssize_t read_some(pid_t tid, remote_addr_t addr, void *to, size_t n)
{
	struct iovec local = {to, n};
	struct iovec remote = {(void *)(uintptr_t)addr, n};
	ssize_t got = process_vm_readv(tid, &local, 1, &remote, 1, 0);

	if (got < 0 && is_denied(errno))
		return by_file(tid, addr, to, n);
	return got < 0 ? -errno : got;
}

int mem_read(pid_t tid, remote_addr_t addr, void *to, size_t n)
{
	ssize_t got = read_some(tid, addr, to, n);

	if (got < 0)
		return (int)got;
	return (size_t)got == n ? 0 : -EFAULT;
}

/* BATCH of them at most. */
static int read_few(pid_t tid, const remote_addr_t *at, size_t n, size_t bytes, unsigned char *to)
{
	struct iovec remote[BATCH], local = {to, n * bytes};
	ssize_t got;
	int err = 0;

	for (size_t i = 0; i < n; i++)
		remote[i] = (struct iovec){(void *)(uintptr_t)at[i], bytes};
	got = process_vm_readv(tid, &local, 1, remote, n, 0);
	if (got >= 0)
		return (size_t)got == n * bytes ? 0 : -EFAULT;
	if (!is_denied(errno))
		return -errno;
	for (size_t i = 0; i < n && !err; i++)
		err = mem_read(tid, at[i], to + i * bytes, bytes);
	return err;
}

int mem_read_pages(pid_t tid, const remote_addr_t *at, size_t n, size_t bytes, unsigned char *to)
{
	int err = 0;

	for (size_t i = 0, few; i < n && !err; i += few) {
		few = n - i < BATCH ? n - i : BATCH;
		err = read_few(tid, at + i, few, bytes, to + i * bytes);
	}
	return err;
}

int mem_write(pid_t tid, remote_addr_t addr, const void *from, size_t n)
{
	struct iovec local = {(void *)from, n};
	struct iovec remote = {(void *)(uintptr_t)addr, n};
	ssize_t put = process_vm_writev(tid, &local, 1, &remote, 1, 0);

	if (put < 0 && is_denied(errno))
		return mem_poke(tid, addr, from, n);
	if (put < 0)
		return -errno;
	return (size_t)put == n ? 0 : -EFAULT;
}

int mem_open(pid_t tid)
{
	return proc_open(tid, "mem", O_RDWR);
}

int mem_put(int fd, remote_addr_t addr, const void *from, size_t n)
{
	ssize_t put = pwrite(fd, from, n, (off_t)addr);

	if (put < 0)
		return -errno;
	return (size_t)put == n ? 0 : -EIO;
}

int mem_poke(pid_t tid, remote_addr_t addr, const void *from, size_t n)
{
	cleanup_fd int fd = mem_open(tid);

	return fd < 0 ? fd : mem_put(fd, addr, from, n);
}

int mem_read_str(pid_t tid, remote_addr_t addr, size_t max, struct buf *out)
{
	size_t start = out->len;
	char chunk[LONG];

	for (;;) {
		size_t n = out->len == start ? to_page_end(addr, SHORT) : sizeof(chunk);
		ssize_t got = read_some(tid, addr, chunk, n);
		const char *end = got > 0 ? memchr(chunk, 0, (size_t)got) : NULL;
		size_t add = end ? (size_t)(end - chunk) : (size_t)(got > 0 ? got : 0);

		if (got <= 0)
			return got < 0 ? (int)got : -EFAULT;
		if (out->len - start + add > max)
			return -E2BIG;
		if (buf_append(out, chunk, add))
			return -ENOMEM;
		if (end)
			return 0;
		addr += (remote_addr_t)got;
	}
}

/* The state of one vector being read. */
struct vector {
	pid_t tid;
	unsigned word;
	struct strv *out;
	size_t total; /* bytes of strings so far */
	struct buf rest;
	char *text; /* room for BATCH beginnings */
};

static int push_string(struct vector *v, const char *head, size_t n, remote_addr_t addr)
{
	const char *end = memchr(head, 0, n);
	int err = 0;

	if (end) {
		v->total += (size_t)(end - head) + 1;
		return strv_pushn(v->out, head, (size_t)(end - head));
	}
	buf_reset(&v->rest, SHORT);
	err = buf_append(&v->rest, head, n);
	if (!err)
		err = mem_read_str(v->tid, addr + n, MEM_STRINGS_MAX, &v->rest);
	if (err)
		return err;
	v->total += v->rest.len + 1;
	return strv_pushn(v->out, v->rest.data, v->rest.len);
}

/* Where they cannot be read in one call. */
static int read_singly(struct vector *v, const remote_addr_t *ptrs, size_t n)
{
	int err = 0;

	for (size_t i = 0; i < n && !err; i++) {
		err = push_string(v, "", 0, ptrs[i]);
		if (!err && v->total > MEM_STRINGS_MAX)
			err = -E2BIG;
	}
	return err;
}

/* Reads the beginnings of n strings in one call, then whatever is longer. */
static int read_batch(struct vector *v, const remote_addr_t *ptrs, size_t n)
{
	struct iovec remote[BATCH];
	struct iovec local = {v->text, 0};
	size_t at = 0;
	ssize_t got = 0;

	for (size_t i = 0; i < n; i++) {
		remote[i].iov_base = (void *)(uintptr_t)ptrs[i];
		remote[i].iov_len = to_page_end(ptrs[i], SHORT);
		local.iov_len += remote[i].iov_len;
	}
	got = process_vm_readv(v->tid, &local, 1, remote, n, 0);
	if (got < 0)
		return is_denied(errno) ? read_singly(v, ptrs, n) : -errno;
	for (size_t i = 0; i < n; i++) {
		size_t len = remote[i].iov_len;
		int err = 0;

		if (at + len > (size_t)got)
			return -EFAULT;
		err = push_string(v, v->text + at, len, ptrs[i]);
		if (err)
			return err;
		if (v->total > MEM_STRINGS_MAX)
			return -E2BIG;
		at += len;
	}
	return 0;
}

/* Reads up to BATCH pointers that lie in one page. The count, which is less than asked for when NULL was met (*end), or
 * -errno. */
static int read_pointers(const struct vector *v, remote_addr_t addr, remote_addr_t *ptrs, int *end)
{
	unsigned char raw[BATCH * 8];
	size_t bytes = to_page_end(addr, BATCH * v->word) / v->word * v->word;
	size_t n = 0;
	int err = 0;

	if (bytes == 0) /* a pointer across a page boundary */
		bytes = v->word;
	err = mem_read(v->tid, addr, raw, bytes);
	if (err)
		return err;
	for (n = 0; n < bytes / v->word; n++) {
		uint64_t wide = 0;

		memcpy(&wide, raw + n * v->word, v->word); /* both are little-endian hosts' words */
		*end = wide == 0;
		if (*end)
			break;
		ptrs[n] = wide;
	}
	return (int)n;
}

int mem_read_vector(pid_t tid, remote_addr_t addr, unsigned word, struct strv *out)
{
	char text[BATCH * SHORT];
	struct vector v = {.tid = tid, .word = word, .out = out, .text = text};
	remote_addr_t ptrs[BATCH];
	int end = addr == 0;
	int err = 0;

	while (!end && !err) {
		int n = read_pointers(&v, addr, ptrs, &end);

		if (n < 0) {
			err = n;
			break;
		}
		if (n > 0)
			err = read_batch(&v, ptrs, (size_t)n);
		addr += (remote_addr_t)(unsigned)n * word;
		v.total += (size_t)n * word;
	}
	buf_release(&v.rest);
	return err;
}

int mem_shared(pid_t one, pid_t other)
{
	long order = syscall(SYS_kcmp, one, other, KCMP_VM, 0, 0);

	return order < 0 ? -errno : order == 0;
}
