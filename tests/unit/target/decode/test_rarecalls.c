/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls of newer kernels as text, out of a memory of ours: one page at BASE. The expected lines are what strace 6.13
 * prints. */
#include "tap.h"
#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/target/decode/decode.h>
#include <fcntl.h>
#include <string.h>

#define BASE 0x10000u
#define SIZE 4096u

static unsigned char memory[SIZE], after[SIZE]; /* at the entry of a call, and at its end */
static bool ended;

static int fake_read(void *user, uint64_t addr, void *to, size_t n)
{
	size_t at = (size_t)(addr - BASE);

	(void)user;
	if (addr < BASE || at > SIZE || n > SIZE - at)
		return -EFAULT;
	memcpy(to, ended ? after + at : memory + at, n);
	return 0;
}

static struct decoder decoder = {.read = fake_read, .string_max = DECODE_STRING_MAX, .column = 1};

/* Puts numbers of `size` bytes at BASE + at, for both moments; the address. */
static uint64_t put(unsigned at, unsigned size, const uint64_t *numbers, size_t n)
{
	for (size_t i = 0; i < n; i++)
		memcpy(memory + at + i * size, &numbers[i], size);
	memcpy(after, memory, sizeof(after));
	return BASE + at;
}

#define PUT(at, size, ...) \
	put(at, size, (uint64_t[]){__VA_ARGS__}, sizeof((uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))

static uint64_t text(unsigned at, const char *string)
{
	memcpy(memory + at, string, strlen(string) + 1);
	memcpy(after, memory, sizeof(after));
	return BASE + at;
}

static void clear(void)
{
	memset(memory, 0, sizeof(memory));
	memset(after, 0, sizeof(after));
}

#define ARGS(...) ((uint64_t[SYSCALL_ARGS]){__VA_ARGS__})

/* A call and its result, negative: an errno. */
static void decode(const char *name, const uint64_t *args, int64_t ret, struct buf *out)
{
	const struct arch *arch = arch_by_name("x86_64");
	struct syscall_call call = {.arch = arch, .nr = (uint32_t)syscall_nr(arch, name)};
	struct syscall_result result = {ret, ret < 0};
	struct decode_state state = {0};

	memcpy(call.args, args, sizeof(call.args));
	ended = false;
	CHECK_INT(decode_enter(&decoder, &call, &state, out), 0);
	ended = true;
	CHECK_INT(decode_exit(&decoder, &call, &state, &result, out), 0);
}

static void want(const char *name, const uint64_t *args, int64_t ret, const char *expected)
{
	cleanup_buf struct buf out = BUF_INIT;

	decode(name, args, ret, &out);
	CHECK_STR(out.data, expected);
}

/* Likewise, of a long line the end. */
static void want_end(const char *name, const uint64_t *args, int64_t ret, const char *expected)
{
	cleanup_buf struct buf out = BUF_INIT;
	size_t n = strlen(expected);

	decode(name, args, ret, &out);
	CHECK_STR(out.len > n ? out.data + out.len - n : out.data, expected);
}

static void futexes(void)
{
	clear();
	want("futex_wake", ARGS(0x1000, 0xffffffff, 1, 0x82), 0,
	     "futex_wake(0x1000, FUTEX_BITSET_MATCH_ANY, 1, FUTEX2_SIZE_U32|FUTEX2_PRIVATE) = 0");
	want("futex_wake", ARGS(0, 5, 1, 0x80), -EINVAL,
	     "futex_wake(NULL, 0x5, 1, FUTEX2_SIZE_U8|FUTEX2_PRIVATE) = -1 EINVAL (Invalid argument)");
	want("futex_wake", ARGS(0, 5, 1, 0xffff0003), 0, "futex_wake(NULL, 0x5, 1, FUTEX2_SIZE_U64|0xffff0000) = 0");
	PUT(0, 8, 0, 1000000);
	want("futex_wait", ARGS(0x1000, 7, 1, 2, BASE, 1), -ETIMEDOUT,
	     "futex_wait(0x1000, 7, 0x1, FUTEX2_SIZE_U32, {tv_sec=0, tv_nsec=1000000}, CLOCK_MONOTONIC) = -1 ETIMEDOUT "
	     "(Connection timed out)");
	PUT(0, 8, 3, 0x1000, 0x82, 4, 0x2000, 1);
	want("futex_requeue", ARGS(BASE, 0, 1, 2), 1,
	     "futex_requeue([{val=0x3, uaddr=0x1000, flags=FUTEX2_SIZE_U32|FUTEX2_PRIVATE}, {val=0x4, uaddr=0x2000, "
	     "flags=FUTEX2_SIZE_U16}], 0, 1, 2) = 1");
	decoder.names = DECODE_NAMES_RAW;
	want("futex_wake", ARGS(0x1000, 5, 1, 0x82), 0, "futex_wake(0x1000, 0x5, 1, 0x82) = 0");
	decoder.names = DECODE_NAMES_VERBOSE;
	want("futex_wake", ARGS(0x1000, 5, 1, 0x82), 0,
	     "futex_wake(0x1000, 0x5, 1, 0x82 /* FUTEX2_SIZE_U32|FUTEX2_PRIVATE */) = 0");
	want("futex", ARGS(0x1000, 0x81, 1), 0, "futex(0x1000, 0x81 /* FUTEX_WAKE_PRIVATE */, 1) = 0");
	decoder.names = DECODE_NAMES_ABBREV;
}

static void attributes(void)
{
	clear();
	text(100, "f");
	text(110, "user.x");
	text(120, "val");
	PUT(0, 8, BASE + 120, UINT64_C(1) << 32 | 4);
	want("setxattrat", ARGS((uint64_t)AT_FDCWD, BASE + 100, 0x1100, BASE + 110, BASE, 16), 0,
	     "setxattrat(AT_FDCWD, \"f\", AT_SYMLINK_NOFOLLOW|AT_EMPTY_PATH, \"user.x\", {value=\"val\", size=4, "
	     "flags=XATTR_CREATE}, 16) = 0");
	want("setxattrat", ARGS((uint64_t)AT_FDCWD, BASE + 100, 0, BASE + 110, BASE, 8), -EINVAL,
	     "setxattrat(AT_FDCWD, \"f\", 0, \"user.x\", 0x10000, 8) = -1 EINVAL (Invalid argument)");
	PUT(0, 8, BASE + 120, 64);
	want("getxattrat", ARGS((uint64_t)AT_FDCWD, BASE + 100, 0, BASE + 110, BASE, 16), 3,
	     "getxattrat(AT_FDCWD, \"f\", 0, \"user.x\", {value=\"val\", size=64, flags=0}, 16) = 3");
	want("getxattrat", ARGS((uint64_t)AT_FDCWD, BASE + 100, 0, BASE + 110, BASE, 16), -ENODATA,
	     "getxattrat(AT_FDCWD, \"f\", 0, \"user.x\", {value=0x10078, size=64, flags=0}, 16) = -1 ENODATA (No data "
	     "available)");
	want("listxattrat", ARGS((uint64_t)AT_FDCWD, BASE + 100, 0, BASE + 110, 64), 7,
	     "listxattrat(AT_FDCWD, \"f\", 0, \"user.x\\0\", 64) = 7");
	want("fchmodat2", ARGS((uint64_t)AT_FDCWD, BASE + 100, 04755, 0x1000), 0,
	     "fchmodat2(AT_FDCWD, \"f\", 04755, AT_EMPTY_PATH) = 0");
}

static void modules(void)
{
	clear();
	PUT(0, 8, 100, 110, 7);
	PUT(100, 4, 4096);
	after[100] = 24;
	after[101] = 0;
	want("lsm_list_modules", ARGS(BASE, BASE + 100, 0), 3,
	     "lsm_list_modules([LSM_ID_CAPABILITY, LSM_ID_LANDLOCK, 0x7 /* LSM_ID_??? */], [4096 => 24], 0) = 3");
	PUT(0, 8, 101, 0, 34, 2, 0x6261);
	PUT(100, 4, 34);
	want("lsm_get_self_attr", ARGS(100, BASE, BASE + 100, 1), 1,
	     "lsm_get_self_attr(LSM_ATTR_CURRENT, {id=LSM_ID_SELINUX} => "
	     "[{id=LSM_ID_SELINUX, flags=0, len=34, ctx_len=2, "
	     "ctx=\"\\x61\\x62\"}], [34], LSM_FLAG_SINGLE) = 1");
	want("lsm_set_self_attr", ARGS(101, BASE, 34, 0), 0,
	     "lsm_set_self_attr(LSM_ATTR_EXEC, {id=LSM_ID_SELINUX, flags=0, len=34, "
	     "ctx_len=2, ctx=\"\\x61\\x62\"}, 34, 0) "
	     "= 0");
	want("lsm_get_self_attr", ARGS(0, 0, 0, 8), -EINVAL,
	     "lsm_get_self_attr(LSM_ATTR_UNDEF, NULL, NULL, 0x8 /* LSM_FLAG_??? */) = -1 EINVAL (Invalid argument)");
}

static void mounts(void)
{
	clear();
	PUT(0, 8, 24, UINT64_MAX, 0);
	PUT(100, 8, 0x80000017, 0x80000018);
	want("listmount", ARGS(BASE, BASE + 100, 5, 1), 2,
	     "listmount({size=24, mnt_id=LSMT_ROOT, param=0}, [0x80000017, 0x80000018], 5, LISTMOUNT_REVERSE) = 2");
	PUT(0, 4, 3);
	want("listmount", ARGS(BASE, BASE + 100, 5, 0), -EINVAL,
	     "listmount({size=3}, 0x10064, 5, 0) = -1 EINVAL (Invalid argument)");
	PUT(0, 8, 24, 0x17, 0x20);
	PUT(200, 8, 517, 0x20);
	text(200 + 512, "proc");
	want("statmount", ARGS(BASE, BASE + 200, 1024, 0), 0,
	     "statmount({size=24, mnt_id=0x17, param=STATMOUNT_FS_TYPE}, {size=517, "
	     "mask=STATMOUNT_FS_TYPE, fs_type=\"proc\"}, "
	     "1024, 0) = 0");
	want("statmount", ARGS(BASE, BASE + 200, 1024, 0), -ENOENT,
	     "statmount({size=24, mnt_id=0x17, param=STATMOUNT_FS_TYPE}, 0x100c8, "
	     "1024, 0) = -1 ENOENT (No such file or "
	     "directory)");
}

static void counters(void)
{
	clear();
	PUT(0, 4, 3, 64, 0x010203, 1);
	want("perf_event_open", ARGS(BASE, 0, 0, (uint64_t)-1, 8), 3,
	     "perf_event_open({type=PERF_TYPE_HW_CACHE, size=PERF_ATTR_SIZE_VER0, config=0x1<<32|"
	     "PERF_COUNT_HW_CACHE_RESULT_MISS<<16|PERF_COUNT_HW_CACHE_OP_PREFETCH<<8|PERF_COUNT_HW_CACHE_DTLB, "
	     "sample_period=0, sample_type=0, read_format=0, precise_ip=0 /* arbitrary skid */, ...}, 0, 0, -1, "
	     "PERF_FLAG_FD_CLOEXEC) = 3");
	PUT(0, 4, 2, 200, 70000, 0);
	memcpy(after + 4, "\x88", 1);
	want("perf_event_open", ARGS(BASE, 0, 0, (uint64_t)-1, 0), -E2BIG,
	     "perf_event_open({type=PERF_TYPE_TRACEPOINT, size=0xc8 /* PERF_ATTR_SIZE_??? */ => PERF_ATTR_SIZE_VER8, "
	     "config=70000, sample_period=0, sample_type=0, read_format=0, "
	     "precise_ip=0 /* arbitrary skid */, ...}, 0, 0, "
	     "-1, 0) = -1 E2BIG (Argument list too long)");
}

/* Of struct perf_event_attr no more than an older version is there: the page ends behind it. */
static void short_counters(void)
{
	clear();
	PUT(SIZE - 64, 4, 4, 136, 7, 0, 11, 0);
	want("ioctl", ARGS(3, 0x4008240b, BASE + SIZE - 64), 0,
	     "ioctl(3, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, {type=PERF_TYPE_RAW, size=PERF_ATTR_SIZE_VER8, config=0x7, "
	     "sample_period=11, sample_type=0, read_format=0, precise_ip=0 /* arbitrary skid */, ...}) = 0");
	want("ioctl", ARGS(3, 0x4008240b, BASE + SIZE - 40), -EFAULT,
	     "ioctl(3, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, 0x10fd8) = -1 EFAULT (Bad address)");
	decoder.verbose = true;
	want_end("ioctl", ARGS(3, 0x4008240b, BASE + SIZE - 64), -EINVAL,
	         ", wakeup_events=0, config1=0, ...}) = -1 EINVAL (Invalid argument)");
	PUT(SIZE - 72, 4, 4, 136, 7, 0);
	want_end("perf_event_open", ARGS(BASE + SIZE - 72, 0, 0, (uint64_t)-1, 0), -EFAULT,
	         ", wakeup_events=0, config1=0, config2=0, ...}, 0, 0, -1, 0) = -1 EFAULT (Bad address)");
	want_end("perf_event_open", ARGS(BASE + SIZE - 56, 0, 0, (uint64_t)-1, 0), -EFAULT,
	         "perf_event_open(0x10fc8, 0, 0, -1, 0) = -1 EFAULT (Bad address)");
	decoder.verbose = false;
}

static void probes(void)
{
	clear();
	after[0] = 1;
	after[1] = 2;
	after[16 + 2] = after[24 + 2] = 1;
	after[24] = 1;
	want("io_uring_register", ARGS(3, 8, BASE, 1), 0,
	     "io_uring_register(3, IORING_REGISTER_PROBE, {last_op=IORING_OP_READV, ops_len=2, ops=[{op=IORING_OP_NOP, "
	     "flags=IO_URING_OP_SUPPORTED}, ...]}, 1) = 0");
	memcpy(memory, after, sizeof(memory));
	memory[1] = after[1] = 1;
	want("io_uring_register", ARGS(3, 8, BASE, 0), -EINVAL,
	     "io_uring_register(3, IORING_REGISTER_PROBE, {last_op=IORING_OP_READV, "
	     "ops_len=1, ops=[]}, 0) = -1 EINVAL (Invalid "
	     "argument)");
}

static void shallow(void)
{
	clear();
	text(100, "f");
	decoder.shallow = true;
	want("stat", ARGS(BASE + 100, BASE), 0, "stat(\"f\", 0x10000) = 0");
	decoder.shallow = false;
}

int main(void)
{
	futexes();
	attributes();
	modules();
	mounts();
	counters();
	short_counters();
	probes();
	shallow();
	return TAP_DONE();
}
