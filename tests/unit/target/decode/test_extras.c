/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is kept of calls beside their registers, out of a memory of ours: one page at BASE, nothing else. */
#include "tap.h"
#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/target/decode/extras.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#define BASE 0x10000u
#define SIZE 4096u

static unsigned char memory[SIZE];

static int fake_read(void *user, uint64_t addr, void *to, size_t n)
{
	(void)user;
	if (addr < BASE || addr - BASE > SIZE || n > SIZE - (addr - BASE))
		return -EFAULT;
	memcpy(to, memory + (addr - BASE), n);
	return 0;
}

static int fake_path(void *user, int fd, struct buf *out)
{
	(void)user;
	return fd < 0 && fd != AT_FDCWD ? -EBADF : buf_puts(out, fd == AT_FDCWD ? "/root" : "/etc/a");
}

static const struct decoder decoder = {.read = fake_read, .fd_path = fake_path, .string_max = 8};

static uint64_t poke(unsigned at, const void *bytes, size_t n)
{
	memcpy(memory + at, bytes, n);
	return BASE + at;
}

static uint64_t text(unsigned at, const char *string)
{
	return poke(at, string, strlen(string) + 1);
}

/* "0t3</etc/a> 1pname": argument or r for the result, kind, bytes. */
static void print(struct buf *out, const struct call_extras *extras)
{
	static const char kinds[] = {[EXTRA_BYTES] = 'b', [EXTRA_NAME] = 'p', [EXTRA_TEXT] = 't'};

	buf_puts(out, "");
	for (unsigned i = 0; i < extras->n; i++) {
		const struct call_extra *e = &extras->items[i];

		buf_printf(out, "%s%c%c", i ? " " : "", e->arg == EXTRA_RESULT ? 'r' : '0' + e->arg, kinds[e->kind]);
		buf_append(out, extras->bytes.data + e->at, e->n);
	}
}

/* A call and its result, negative: an errno. */
static void want_on(const char *abi, const char *name, const uint64_t *args, int64_t ret, const char *expected)
{
	const struct arch *arch = arch_by_name(abi);
	struct syscall_call call = {.arch = arch, .nr = (uint32_t)syscall_nr(arch, name)};
	struct syscall_result result = {ret, ret < 0 && ret > -4096};
	struct decode_state state = {0};
	struct call_extras extras = {0};
	cleanup_buf struct buf out = BUF_INIT;

	memcpy(call.args, args, sizeof(call.args));
	CHECK_INT(extras_enter(&decoder, &call, &state, &extras), 0);
	CHECK_INT(extras_exit(&decoder, &call, &state, &result, &extras), 0);
	print(&out, &extras);
	CHECK_STR(out.data, expected);
	extras_release(&extras);
}

#define ARGS(...) ((uint64_t[SYSCALL_ARGS]){__VA_ARGS__})

static void want(const char *name, const uint64_t *args, int64_t ret, const char *expected)
{
	want_on("x86_64", name, args, ret, expected);
}

static void plain(void)
{
	want("getpid", ARGS(0), 4711, "");
	want("mprotect", ARGS(BASE, 4096, 7), 0, "");
	want("lseek", ARGS((uint64_t)-1, 5, 0), -EBADF, "");
	want("kill", ARGS(1, 9), -EPERM, "");
	want("mmap", ARGS(0, 4096, 3, 0x22, (uint32_t)-1, 0), BASE, "");
}

static void names(void)
{
	uint64_t name = text(0, "a \"name\"\n"), wrong = 0x5000;

	want("openat", ARGS((uint32_t)AT_FDCWD, name, O_RDONLY), 3, "0tAT_FDCWD</root> 1pa \"name\"\n rt3</etc/a>");
	want("open", ARGS(name, O_RDONLY), -ENOENT, "0pa \"name\"\n");
	want("open", ARGS(wrong, O_RDONLY), -EFAULT, "");
	want("open", ARGS(0, O_RDONLY), -EFAULT, "");
	want("rename", ARGS(name, text(100, "")), 0, "0pa \"name\"\n 1p");
	want("symlink", ARGS(text(100, "to"), BASE + SIZE - 1), -EFAULT, "0pto 1p");
	want("mmap", ARGS(0, 4096, 1, 2, 3, 0), BASE, "4t3</etc/a>");
}

static void buffers(void)
{
	uint64_t bytes = text(200, "0123456789abcdef");

	want("write", ARGS(1, bytes, 5), 5, "0t1</etc/a> 1b01234");
	want("write", ARGS(1, bytes, 16), 3, "0t1</etc/a> 1b01234567");
	want("write", ARGS(1, bytes, 0), 0, "0t1</etc/a> 1b");
	want("write", ARGS(1, 0x5000, 5), -EFAULT, "0t1</etc/a>");
	want("read", ARGS(0, bytes, 100), 3, "0t0</etc/a> 1b012");
	want("read", ARGS(0, bytes, 100), -EINTR, "0t0</etc/a>");
	want("getrandom", ARGS(bytes, 2, 0), 2, "0t\"\\x30\\x31\"");
}

static void structures(void)
{
	struct pollfd fd = {.fd = 3, .events = POLLIN, .revents = POLLIN};
	uint64_t argv[3] = {text(300, "ls"), text(310, "-l"), 0};
	struct sockaddr_un addr = {.sun_family = AF_UNIX, .sun_path = "/s"};
	uint64_t set = poke(400, &fd, sizeof(fd)), words = poke(320, argv, sizeof(argv));
	uint64_t empty = poke(360, &argv[2], sizeof(argv[2]));

	want("poll", ARGS(set, 1, 0), 1, "0t[{fd=3</etc/a>, events=POLLIN}] rt1 ([{fd=3, revents=POLLIN}])");
	want("execve", ARGS(text(300, "ls"), words, empty), 0, "0pls 1t[\"ls\", \"-l\"] 2t0x10168 /* 0 vars */");
	want("connect", ARGS(3, poke(500, &addr, sizeof(addr)), sizeof(addr)), 0,
	     "0t3</etc/a> 1t{sa_family=AF_UNIX, sun_path=\"/s\"}");
	want("fcntl", ARGS(3, F_DUPFD, 10), 11, "0t3</etc/a> rt11</etc/a>");
	want("fcntl", ARGS(3, F_GETFL, 0), 2, "0t3</etc/a>");
}

/* What an argument adds behind itself at the end of the call belongs to it. */
static void joined(void)
{
	uint64_t args[8] = {CLONE_VM | CLONE_PARENT_SETTID, 0, 0, BASE + 900, 17, 0, 0, 0};
	int32_t tid = 77;

	poke(900, &tid, sizeof(tid));
	want("clone3", ARGS(poke(800, args, 64), 64), 77,
	     "0t{flags=CLONE_VM|CLONE_PARENT_SETTID, parent_tid=0x10384, exit_signal=SIGCHLD, stack=NULL, "
	     "stack_size=0} => {parent_tid=[77]}");
}

/* Numbers of two registers, and a call whose arguments are in memory. */
static void narrow(void)
{
	uint32_t words[3] = {3, BASE + 600, 4};

	want_on("i386", "pread64", ARGS(3, BASE + 200, 4, 1, 1), 2, "0t3</etc/a> 1b01");
	want_on("i386", "sync_file_range", ARGS(3, 1, 1, 2, 2, 7), 0, "0t3</etc/a>");
	text(600, "data");
	want_on("i386", "socketcall", ARGS(9, poke(700, words, sizeof(words)), 0), 4,
	        "1tsend(3</etc/a>, \"data\", 4, 0)");
	want_on("i386", "socketcall", ARGS(9, 0x5000), -EFAULT, "");
}

/* The second call of a thread does not have what the first one had. */
static void again(void)
{
	const struct arch *arch = arch_by_name("x86_64");
	struct syscall_call call = {.arch = arch, .nr = (uint32_t)syscall_nr(arch, "chdir"), .args = {text(0, "/")}};
	struct decode_state state = {0};
	struct call_extras extras = {0};

	for (int i = 0; i < 2; i++) {
		CHECK_INT(extras_enter(&decoder, &call, &state, &extras), 0);
		CHECK(extras.n == 1 && extras.items[0].at == 0 && extras.bytes.len == 1);
	}
	extras_release(&extras);
}

int main(void)
{
	plain();
	names();
	buffers();
	structures();
	joined();
	narrow();
	again();
	return TAP_DONE();
}
