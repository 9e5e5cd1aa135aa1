/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls as text, out of a memory of ours: one page at BASE, nothing else. The expected lines are what strace(1) prints.
 */
#include "tap.h"
#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/target/decode/decode.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

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
	return fd == 7 ? -EBADF : buf_puts(out, fd == AT_FDCWD ? "/root" : "/etc/a\nb");
}

/* Descriptor 5 is a netlink socket of NETLINK_ROUTE, 6 one whose protocol is not known. */
static int fake_netlink(void *user, int fd)
{
	(void)user;
	if (fd == 5)
		return 0;
	return fd == 6 ? DECODE_NETLINK_ANY : -ENOTSOCK;
}

static struct decoder decoder = {.read = fake_read, .netlink = fake_netlink, .string_max = DECODE_STRING_MAX};

/* Puts n bytes at BASE + at; the address. */
static uint64_t poke(unsigned at, const void *bytes, size_t n)
{
	memcpy(memory + at, bytes, n);
	return BASE + at;
}

static uint64_t text(unsigned at, const char *string)
{
	return poke(at, string, strlen(string) + 1);
}

/* A call and its result, negative: an errno; freed by the caller. */
static char *line(const char *abi, const char *name, const uint64_t *args, int64_t ret)
{
	const struct arch *arch = arch_by_name(abi);
	struct syscall_call call = {.arch = arch, .nr = (uint32_t)syscall_nr(arch, name)};
	struct syscall_result result = {ret, ret < 0 && ret > -4096};
	struct decode_state state = {0};
	struct buf out = BUF_INIT;

	memcpy(call.args, args, sizeof(call.args));
	CHECK_INT(decode_enter(&decoder, &call, &state, &out), 0);
	CHECK_INT(decode_exit(&decoder, &call, &state, &result, &out), 0);
	CHECK_INT(state.column, (long long)out.len);
	return buf_steal(&out);
}

#define ARGS(...) ((uint64_t[SYSCALL_ARGS]){__VA_ARGS__})

static void want_on(const char *abi, const char *name, const uint64_t *args, int64_t ret, const char *expected)
{
	cleanup_free char *got = line(abi, name, args, ret);

	CHECK_STR(got, expected);
}

static void want(const char *name, const uint64_t *args, int64_t ret, const char *expected)
{
	want_on("x86_64", name, args, ret, expected);
}

static void results(void)
{
	want("close", ARGS(3), 0, "close(3)                                = 0");
	want("close", ARGS(3), -EBADF, "close(3)                                = -1 EBADF (Bad file descriptor)");
	want("brk", ARGS(0), 0x5000, "brk(NULL)                               = 0x5000");
	want("umask", ARGS(022), 077, "umask(022)                              = 077");
	want("pause", ARGS(0), -514,
	     "pause()                                 "
	     "= ? ERESTARTNOHAND (To be restarted if no handler)");
	want("getpid", ARGS(0), -4000, "getpid()                                = -1 (errno 4000)");
	want("fcntl", ARGS(1, 3), 0x8002,
	     "fcntl(1, F_GETFL)                       = 0x8002 (flags O_RDWR|O_LARGEFILE)");
	want("mseal", ARGS(0, 5, 0), 0, "mseal(NULL, 5, 0)                       = 0");
}

static void strings(void)
{
	uint64_t path = text(0, "/etc/\"x\"\n\1"
	                        "2\1"),
		 all = text(64, "0123456789012345678901234567890123456789");

	want("openat", ARGS((uint32_t)AT_FDCWD, path, O_RDONLY | O_CLOEXEC), 3,
	     "openat(AT_FDCWD, \"/etc/\\\"x\\\"\\n\\0012\\1\", O_RDONLY|O_CLOEXEC) = 3");
	want("openat", ARGS(5, path, O_WRONLY | O_CREAT, 0644), -ENOENT,
	     "openat(5, \"/etc/\\\"x\\\"\\n\\0012\\1\", O_WRONLY|O_CREAT, 0644) "
	     "= -1 ENOENT (No such file or directory)");
	want("write", ARGS(1, all, 40), 40, "write(1, \"01234567890123456789012345678901\"..., 40) = 40");
	want("write", ARGS(1, all, 32), 32, "write(1, \"01234567890123456789012345678901\", 32) = 32");
	want("read", ARGS(0, all, 100), 3, "read(0, \"012\", 100)                     = 3");
	want("read", ARGS(0, all, 100), -EINTR,
	     "read(0, 0x10040, 100)                   = -1 EINTR (Interrupted system call)");
	want("write",
	     ARGS(1,
	          poke(128,
	               "\0"
	               "9",
	               2),
	          2),
	     2, "write(1, \"\\09\", 2)                      = 2");
	want("chdir", ARGS(0), -EFAULT, "chdir(NULL)                             = -1 EFAULT (Bad address)");
	want("chdir", ARGS(0x1234), -EFAULT, "chdir(0x1234)                           = -1 EFAULT (Bad address)");
}

static void flags(void)
{
	want("open", ARGS(0, 0x40000000 | O_APPEND), 3, "open(NULL, O_RDONLY|O_APPEND|0x40000000) = 3");
	want("fcntl", ARGS(0, 500, 2), -EINVAL,
	     "fcntl(0, 0x1f4 /* F_??? */, 0x2)        = -1 EINVAL (Invalid argument)");
	want("mmap", ARGS(0, 8192, 3, 0x22, (uint32_t)-1, 0), 0x7f0000000000,
	     "mmap(NULL, 8192, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0) = 0x7f0000000000");
	want("mprotect", ARGS(0x1000, 1, 0), 0, "mprotect(0x1000, 1, PROT_NONE)          = 0");
	want("access", ARGS(0, 8), 0, "access(NULL, 0x8 /* ?_OK */)            = 0");
	want("kill", ARGS(1, 34), 0, "kill(1, SIGRT_2)                        = 0");
	want("mknod", ARGS(0, 020644, 0x103), 0, "mknod(NULL, S_IFCHR|0644, makedev(0x1, 0x3)) = 0");
	want("ustat", ARGS(UINT64_MAX, 0), 0, "ustat(makedev(0xfff, 0xfffff), NULL)    = 0");
	want("select", ARGS(0, 8, 0, 0, 0), 0, "select(0, 0x8, NULL, NULL, NULL)        = 0 (Timeout)");
	want("select", ARGS(UINT32_MAX, 8, 0, 0, 0), 0, "select(-1, 0x8, NULL, NULL, NULL)       = 0 (Timeout)");
	want("futex", ARGS(0x1000, 0x189, 1, 0, 5, 0xffffffff), 0,
	     "futex(0x1000, FUTEX_WAIT_BITSET_PRIVATE|FUTEX_CLOCK_REALTIME, 1, NULL, FUTEX_BITSET_MATCH_ANY) = 0");
	want("clone", ARGS(0x1200011, 0, 0, 0x7f00), 5,
	     "clone(child_stack=NULL, flags=CLONE_CHILD_CLEARTID|CLONE_CHILD_SETTID|SIGCHLD, child_tidptr=0x7f00) = 5");
}

static void structures(void)
{
	uint64_t st[18] = {[3] = 0100644, [6] = 44699}, ts[2] = {1, 5}, limit[2] = {8192 * 1024, UINT64_MAX};
	uint64_t mask = 1 << 1 | 1 << 14, most = ~UINT64_C(0x180000000);

	want("fstat", ARGS(3, poke(0, st, sizeof(st))), 0, "fstat(3, {st_mode=S_IFREG|0644, st_size=44699, ...}) = 0");
	want("fstat", ARGS(3, BASE), -EBADF,
	     "fstat(3, 0x10000)                       = -1 EBADF (Bad file descriptor)");
	want("nanosleep", ARGS(poke(256, ts, 16), 0x99), 0, "nanosleep({tv_sec=1, tv_nsec=5}, 0x99)  = 0");
	want("prlimit64", ARGS(0, 3, 0, poke(300, limit, 16)), 0,
	     "prlimit64(0, RLIMIT_STACK, NULL, {rlim_cur=8192*1024, rlim_max=RLIM64_INFINITY}) = 0");
	want("rt_sigprocmask", ARGS(0, poke(400, &mask, 8), 0, 8), 0,
	     "rt_sigprocmask(SIG_BLOCK, [INT TERM], NULL, 8) = 0");
	want("rt_sigprocmask", ARGS(2, poke(400, &most, 8), 0, 8), 0,
	     "rt_sigprocmask(SIG_SETMASK, ~[RTMIN RT_1], NULL, 8) = 0");
	want("bind", ARGS(3, poke(500, "\2\0\0\120\177\0\0\1\0\0\0\0\0\0\0\0", 16), 16), 0,
	     "bind(3, {sa_family=AF_INET, sin_port=htons(80), sin_addr=inet_addr(\"127.0.0.1\")}, 16) = 0");
	want("wait4", ARGS((uint32_t)-1, poke(600, "\0\3\0\0", 4), 0, 0), 9,
	     "wait4(-1, [{WIFEXITED(s) && WEXITSTATUS(s) == 3}], 0, NULL) = 9");
	want("pipe", ARGS(poke(700, "\3\0\0\0\4\0\0\0", 8)), 0, "pipe([3, 4])                            = 0");
	want("poll", ARGS(poke(800, "\3\0\0\0\1\0\1\0", 8), 1, (uint32_t)-1), 1,
	     "poll([{fd=3, events=POLLIN}], 1, -1)    = 1 ([{fd=3, revents=POLLIN}])");
	want("poll", ARGS(poke(820, "\3\0\0\0\4\0\14\1\377\377\377\377\1\0\0\0", 16), 2, 9), 1,
	     "poll([{fd=3, events=POLLOUT}, {fd=-1}], 2, 9) = 1 ([{fd=3, revents=POLLOUT|POLLERR|POLLWRNORM}])");
	want("poll", ARGS(0, 0, 5), 0, "poll(NULL, 0, 5)                        = 0 (Timeout)");
}

/* Fields that depend on others: strace 6.1 shows them so. */
static void dependent(void)
{
	uint64_t event[8] = {0, (uint64_t)SIGEV_NONE << 32}, action[4] = {1, 0xffffffff84000000, 0, 0},
		 mask[2] = {0, 5};
	uint64_t shm[14] = {(uint64_t)7 << 32, 0, 1, 0, 0, 0, 100};

	want("timer_create", ARGS(CLOCK_MONOTONIC, poke(900, event, sizeof(event)), 0), -EAGAIN,
	     "timer_create(CLOCK_MONOTONIC, {sigev_signo=0, sigev_notify=SIGEV_NONE}, NULL) = -1 EAGAIN (Resource "
	     "temporarily "
	     "unavailable)");
	event[0] = 7;
	event[1] = SIGUSR1 | (uint64_t)SIGEV_THREAD_ID << 32;
	event[2] = 55;
	want("mq_notify", ARGS(3, poke(900, event, sizeof(event))), 0,
	     "mq_notify(3, {sigev_value={sival_int=7, sival_ptr=0x7}, sigev_signo=SIGUSR1, "
	     "sigev_notify=SIGEV_THREAD_ID, "
	     "sigev_notify_thread_id=55}) = 0");
	want("rt_sigaction", ARGS(SIGUSR1, poke(1000, action, sizeof(action)), 0, 8), 0,
	     "rt_sigaction(SIGUSR1, {sa_handler=SIG_IGN, sa_mask=[], "
	     "sa_flags=SA_RESTORER|SA_RESETHAND|0xffffffff00000000, "
	     "sa_restorer=NULL}, NULL, 8) = 0");
	want("set_mempolicy", ARGS(2, poke(1100, mask, sizeof(mask)), 128), 0,
	     "set_mempolicy(MPOL_BIND, [0000000000000000, 0x00000000000005], 128) = 0");
	want("shmctl", ARGS(9, 2, poke(1200, shm, sizeof(shm))), 0,
	     "shmctl(9, IPC_STAT, {shm_perm={uid=7, gid=0, mode=000, key=0, cuid=0, cgid=1}, shm_segsz=100, "
	     "shm_cpid=0, "
	     "shm_lpid=0, shm_nattch=0, shm_atime=0, shm_dtime=0, shm_ctime=0}) = 0");
	want("shmctl", ARGS(9, 0, 0), 0, "shmctl(9, IPC_RMID, NULL)               = 0");
}

static void narrow(void)
{
	uint32_t ts[2] = {1, 5}, socket[3] = {1, 1, 0};

	want_on("i386", "nanosleep", ARGS(poke(0, ts, 8), 0), 0, "nanosleep({tv_sec=1, tv_nsec=5}, NULL)  = 0");
	want_on("i386", "pread64", ARGS(3, 0, 10, 5, 1), 0, "pread64(3, NULL, 10, 4294967301)        = 0");
	want_on("i386", "mmap2", ARGS(0, 1, 1, 2, 3, 1), (int32_t)0xf7000000,
	        "mmap2(NULL, 1, PROT_READ, MAP_PRIVATE, 3, 0x1000) = 0xf7000000");
	want_on("i386", "socketcall", ARGS(1, poke(0, socket, 12)), 3, "socket(AF_UNIX, SOCK_STREAM, 0)         = 3");
	want_on("i386", "close", ARGS(UINT64_C(0xffffffff00000003)), 0, "close(3)                                = 0");
}

static void vectors(void)
{
	uint64_t argv[3] = {text(64, "ls"), text(80, "-l"), 0}, iov[4] = {BASE + 64, 2, BASE + 80, 2};

	want("execve", ARGS(BASE + 64, poke(0, argv, 24), BASE), 0,
	     "execve(\"ls\", [\"ls\", \"-l\"], 0x10000 /* 2 vars */) = 0");
	want("writev", ARGS(1, poke(0, iov, 32), 2), 4,
	     "writev(1, [{iov_base=\"ls\", iov_len=2}, {iov_base=\"-l\", iov_len=2}], 2) = 4");
	want("writev", ARGS(1, BASE + SIZE - 16, 5), 4,
	     "writev(1, [{iov_base=NULL, iov_len=0}, ... /* 0x11000 */], 5) = 4");
	want("writev", ARGS(1, 0x10, 5), 4, "writev(1, 0x10, 5)                      = 4");
}

/* Counts that no memory can hold: bounded, and not slow. */
static void huge(void)
{
	static const char *const calls[] = {"writev",   "readv",      "poll",
	                                    "sendmmsg", "recvmmsg",   "getgroups",
	                                    "semop",    "getdents64", "sched_setaffinity",
	                                    "mbind",    "mincore",    "preadv",
	                                    "read",     "write"};

	memset(memory, 0x41, sizeof(memory));
	for (unsigned i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		cleanup_free char *one =
			line("x86_64", calls[i], ARGS(BASE, BASE, UINT64_MAX, BASE, UINT64_MAX, BASE), INT64_MAX);
		cleanup_free char *two = line("x86_64", calls[i], ARGS(BASE, UINT64_MAX, UINT64_MAX), INT64_MAX);

		CHECK(strlen(one) < 20000 && strlen(two) < 20000);
	}
	memset(memory, 0, sizeof(memory));
}

static void paths(void)
{
	decoder.fd_path = fake_path;
	want("openat", ARGS((uint32_t)AT_FDCWD, 0, 0), 3, "openat(AT_FDCWD</root>, NULL, O_RDONLY) = 3</etc/a\\nb>");
	want("close", ARGS(7), 0, "close(7)                                = 0");
	decoder.fd_path = NULL;
}

#define HEADER(len, type, flags) len, (type) | (flags) << 16, 7, 0

/* Messages of netlink: whole, cut, and with lengths that lie. */
static void netlink(void)
{
	uint32_t get[] = {HEADER(28, 22, 0x301), 2, 0, 0};
	uint32_t link[] = {HEADER(40, 18, 5), 0, 1, 0, 0, 8 | 29 << 16, 1};
	uint32_t lies[] = {HEADER(40, 18, 5), 0, 1, 0, 0, 3 | 29 << 16, 1};
	uint32_t two[] = {HEADER(16, 1, 0), HEADER(20, 3, 2), 0};
	uint32_t error[] = {HEADER(36, 2, 0), (uint32_t)-19, HEADER(32, 2, 0)};

	want("sendto", ARGS(5, poke(0, get, 28), 20, 0, 0, 0), 20,
	     "sendto(5, [{nlmsg_len=28, nlmsg_type=RTM_GETADDR, nlmsg_flags=NLM_F_REQUEST|NLM_F_DUMP, nlmsg_seq=7, "
	     "nlmsg_pid=0}, {ifa_family=AF_INET, ...}], 20, 0, NULL, 0) = 20");
	want("sendto", ARGS(5, poke(0, link, 40), 40, 0, 0, 0), 40,
	     "sendto(5, [{nlmsg_len=40, nlmsg_type=RTM_GETLINK, nlmsg_flags=NLM_F_REQUEST|NLM_F_ACK, nlmsg_seq=7, "
	     "nlmsg_pid=0}, {ifi_family=AF_UNSPEC, ifi_type=ARPHRD_NETROM, ifi_index=1, ifi_flags=0, ifi_change=0}, "
	     "[{nla_len=8, nla_type=IFLA_EXT_MASK}, RTEXT_FILTER_VF]], 40, 0, NULL, 0) = 40");
	want("sendto", ARGS(5, poke(0, lies, 40), 40, 0, 0, 0), 40,
	     "sendto(5, [{nlmsg_len=40, nlmsg_type=RTM_GETLINK, nlmsg_flags=NLM_F_REQUEST|NLM_F_ACK, nlmsg_seq=7, "
	     "nlmsg_pid=0}, {ifi_family=AF_UNSPEC, ifi_type=ARPHRD_NETROM, ifi_index=1, ifi_flags=0, ifi_change=0}, "
	     "{nla_len=3, nla_type=IFLA_EXT_MASK}], 40, 0, NULL, 0) = 40");
	want("recvfrom", ARGS(5, poke(0, two, 36), 99, 0, 0, 0), 36,
	     "recvfrom(5, [{nlmsg_len=16, nlmsg_type=NLMSG_NOOP, nlmsg_flags=0, nlmsg_seq=7, nlmsg_pid=0}, "
	     "[{nlmsg_len=20, nlmsg_type=NLMSG_DONE, nlmsg_flags=NLM_F_MULTI, nlmsg_seq=7, nlmsg_pid=0}, 0]], 99, 0, "
	     "NULL, NULL) = 36");
	want("recvfrom", ARGS(5, poke(0, error, 36), 99, 0, 0, 0), 36,
	     "recvfrom(5, [{nlmsg_len=36, nlmsg_type=NLMSG_ERROR, nlmsg_flags=0, nlmsg_seq=7, nlmsg_pid=0}, "
	     "{error=-ENODEV, msg={nlmsg_len=32, nlmsg_type=NLMSG_ERROR, nlmsg_flags=0, "
	     "nlmsg_seq=7, nlmsg_pid=0}}], 99, "
	     "0, NULL, NULL) = 36");
	want("sendto", ARGS(6, poke(0, link, 40), 16, 0, 0, 0), 16,
	     "sendto(6, {nlmsg_len=40, nlmsg_type=0x12 /* NLMSG_??? */, nlmsg_flags=NLM_F_REQUEST|NLM_F_ACK, "
	     "nlmsg_seq=7, nlmsg_pid=0}, 16, 0, NULL, 0) = 16");
	want("sendto", ARGS(5, poke(0, "0123", 4), 4, 0, 0, 0), 4,
	     "sendto(5, \"\\x30\\x31\\x32\\x33\", 4, 0, NULL, 0) = 4");
	want("sendto", ARGS(4, poke(0, link, 16), 16, 0, 0, 0), 16,
	     "sendto(4, \"(\\0\\0\\0\\22\\0\\5\\0\\7\\0\\0\\0\\0\\0\\0\\0\", 16, 0, NULL, 0) = 16");
}

/* The words of i386's ipc() are those of the call that it stands for; sigsuspend has its mask third. */
static void doors(void)
{
	uint32_t message[2] = {3, 0x6968}, at = 0xf7001000;

	want_on("i386", "ipc", ARGS(23, 0, 8192, 01600), 5, "shmget(IPC_PRIVATE, 8192, IPC_CREAT|0600) = 5");
	want_on("i386", "ipc", ARGS(11, 5, 2, 0, poke(0, message, 8)), 0,
	        "msgsnd(5, {mtype=3, mtext=\"hi\"}, 2, 0)  = 0");
	want_on("i386", "ipc", ARGS(21, 5, 0, poke(0, &at, 4), 0), 0,
	        "shmat(5, NULL, 0)                       = 0xf7001000");
	want_on("i386", "ipc", ARGS(99, 1, 2, 3, 4, 5), -ENOSYS,
	        "ipc(99, 0x1, 0x2, 0x3, 0x4, 0x5)        = -1 ENOSYS (Function not implemented)");
	want_on("i386", "sigsuspend", ARGS(1, 2, 4), -514,
	        "sigsuspend([QUIT])                      = ? ERESTARTNOHAND (To be restarted if no handler)");
	want_on("i386", "setuid", ARGS(0x10005), 0, "setuid(5)                               = 0");
	want_on("i386", "setuid32", ARGS(0x10005), 0, "setuid32(65541)                         = 0");
}

static void phases(void)
{
	struct syscall_call call = {.arch = arch_by_name("x86_64"), .nr = 0, .args = {3, BASE, 9}};
	struct decode_state state = {.column = 6};
	struct syscall_result result = {2, false};
	cleanup_buf struct buf out = BUF_INIT;

	text(0, "hi");
	CHECK_INT(decode_enter(&decoder, &call, &state, &out), 0);
	CHECK_STR(out.data, "read(3, ");
	CHECK_INT(state.column, 14);
	buf_reset(&out, SIZE);
	state.column = 22;
	CHECK_INT(decode_exit(&decoder, &call, &state, &result, &out), 0);
	CHECK_STR(out.data, "\"hi\", 9)          = 2");
	buf_reset(&out, SIZE);
	state.column = 0;
	call.nr = 219;
	decode_enter(&decoder, &call, &state, &out);
	CHECK_STR(out.data, "restart_syscall(<... resuming interrupted read ...>");
	call.nr = 5000;
	buf_reset(&out, SIZE);
	decode_enter(&decoder, &call, &state, &out);
	CHECK_STR(out.data, "syscall_0x1388(0x3, 0x10000, 0x9, 0, 0, 0");
}

static void gone(void)
{
	struct syscall_call call = {.arch = arch_by_name("x86_64"), .nr = 231, .args = {0}};
	struct decode_state state = {0};
	cleanup_buf struct buf out = BUF_INIT;

	decode_enter(&decoder, &call, &state, &out);
	CHECK_INT(decode_gone(&decoder, &call, &state, &out), 0);
	CHECK_STR(out.data, "exit_group(0)                           = ?");
	buf_reset(&out, SIZE);
	call.nr = 0;
	state.column = 0;
	decode_enter(&decoder, &call, &state, &out);
	decode_gone(&decoder, &call, &state, &out);
	CHECK_STR(out.data, "read(0,  <unfinished ...>)              = ?");
}

static void siginfo(void)
{
	int info[32] = {17, 0, 1, 0, 4711, 1000, 3};
	cleanup_buf struct buf out = BUF_INIT;

	CHECK_INT(decode_siginfo(NULL, arch_by_name("x86_64"), info, &out), 0);
	CHECK_STR(out.data, "{si_signo=SIGCHLD, si_code=CLD_EXITED, si_pid=4711, si_uid=1000, si_status=3, si_utime=0, "
	                    "si_stime=0}");
}

int main(void)
{
	results();
	strings();
	flags();
	structures();
	dependent();
	narrow();
	vectors();
	huge();
	paths();
	netlink();
	doors();
	phases();
	gone();
	siginfo();
	return TAP_DONE();
}
