/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * optcalls
 * Calls of which an argument says what the others are, or whose numbers are made of several: prctl, arch_prctl, keyctl,
 * quotactl, filters of sockets and of seccomp. Most are refused; what was given is shown all the same.
 */
#include "victim.h"

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/keyctl.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/quota.h>
#include <sys/socket.h>
#include <sys/syscall.h>

static char *page_end; /* nothing can be read from there on */

static void make_page(void)
{
	page_end = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	page_end += 4096;
	munmap(page_end, 4096);
	memset(page_end - 4096, 'n', 4096);
}

/* Calls prctl with all of its arguments. */
static void option(unsigned long number, unsigned long a, unsigned long b, unsigned long c, const void *d)
{
	syscall(SYS_prctl, number, a, b, c, d);
}

static void options(void)
{
	static const unsigned long numbers[] = {0, 1, 2, 5, 8, 0x10000, 0x2ea57, 0x40000, 0xfacefeed, 0x57ae57f4};
	uint64_t cookie = 0;

	for (unsigned i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		option(50, numbers[i], 0, 0, NULL);      /* PR_SVE_SET_VL */
		option(55, numbers[i], 1, 2, (void *)3); /* PR_SET_TAGGED_ADDR_CTRL */
		option(45, numbers[i], 0, 0, NULL);      /* PR_SET_FP_MODE */
		option(52, i % 3, 0, 0, NULL);           /* PR_GET_SPECULATION_CTRL */
		option(60, numbers[i], 1, 0, NULL);      /* PR_PAC_SET_ENABLED_KEYS */
		option(62, numbers[i], 77, i, &cookie);  /* PR_SCHED_CORE */
	}
	option(51, 0, 0, 0, NULL);
	option(56, 0, 0, 0, NULL);
	option(61, 0, 0, 0, NULL);
	option(46, 0, 0, 0, NULL);
	option(53, 0, 16, 0, NULL); /* PR_SET_SPECULATION_CTRL */
	option(53, 7, 16, 0, NULL);
	option(PR_GET_SECUREBITS, 0, 0, 0, NULL);
	option(0x59616d61, -1UL, 0, 0, NULL); /* PR_SET_PTRACER */
	option(0x59616d61, 0, 0, 0, NULL);
	option(PR_SET_NAME, (unsigned long)"fifteen bytes!!", 0, 0, NULL);
	option(PR_SET_NAME, (unsigned long)page_end - 15, 0, 0, NULL);
	option(PR_SET_NAME, (unsigned long)page_end - 3, 0, 0, NULL);
	option(0x53564d41, 0, 0, 4096, "the name of a mapping, longer than what is shown");
}

static void features(void)
{
	uint64_t mask = 0;

	syscall(SYS_arch_prctl, 0x1021, page_end - 4);
	syscall(SYS_arch_prctl, 0x1021, &mask);
	syscall(SYS_arch_prctl, 0x1023, 18);
	syscall(SYS_arch_prctl, 0x1023, 77);
}

static void keys(void)
{
	static const struct keyctl_dh_params exchange = {.prime = 11, .base = 12};
	static char info[] = "other\001information";
	static struct keyctl_kdf_params derived = {.hashname = "sha256", .otherinfo = info, .otherinfolen = 9};
	static struct keyctl_pkey_params sizes = {.key_id = -2, .in_len = 5, .in2_len = 3};
	static const struct iovec vectors[] = {{"one", 3}, {(void *)77, 5}};
	static char room[16];

	derived.__spare[3] = 0x4711;
	syscall(SYS_keyctl, KEYCTL_UPDATE, 0x7ffffffe, "payload", 4);
	syscall(SYS_keyctl, KEYCTL_CHOWN, 0x7ffffffe, -1, 0xf0000000);
	syscall(SYS_keyctl, KEYCTL_SETPERM, 0x7ffffffe, 0x3f010020);
	syscall(SYS_keyctl, KEYCTL_SEARCH, 0x7ffffffe, "type", "description", -1);
	syscall(SYS_keyctl, KEYCTL_READ, 0x7ffffffe, room, sizeof(room));
	syscall(SYS_keyctl, KEYCTL_INSTANTIATE_IOV, 0x7ffffffe, vectors, 2, -6);
	syscall(SYS_keyctl, KEYCTL_REJECT, 0x7ffffffe, 7, 19, -5);
	syscall(SYS_keyctl, KEYCTL_SET_REQKEY_KEYRING, 99);
	syscall(SYS_keyctl, KEYCTL_DH_COMPUTE, &exchange, room, sizeof(room), &derived);
	syscall(SYS_keyctl, KEYCTL_PKEY_VERIFY, &sizes, "enc=x", "12345678", "abcdefgh");
	syscall(SYS_keyctl, KEYCTL_PKEY_SIGN, &sizes, "enc=x", "12345678", room);
	syscall(SYS_keyctl, KEYCTL_MOVE, 0x7ffffffe, -1, -2, 3);
	syscall(SYS_keyctl, 99, 1, 2, 3, 4);
}

static void numbers(void)
{
	static const struct dqblk limits = {.dqb_bhardlimit = 3, .dqb_valid = 0x3f};

	syscall(SYS_personality, 0x0040000 | 6);
	syscall(SYS_personality, 0x00010000);
	syscall(SYS_personality, 0);
	mount("source", "/nowhere/to/be/found", "type", 0xc0ed0000 | MS_RDONLY | MS_NOEXEC, "data");
	mount("source", "/nowhere/to/be/found", "type", 0x200, "data");
	syscall(SYS_ioprio_set, 1, -77, 0x4007);
	syscall(SYS_ioprio_set, 1, -77, 0xe0000001);
	syscall(SYS_quotactl, QCMD(Q_SETQUOTA, USRQUOTA), "/dev/nowhere", 77, &limits);
	syscall(SYS_memfd_create, page_end - 5, 1);
}

static void filters(void)
{
	static struct sock_filter packets[] = {
		BPF_STMT(BPF_LD | BPF_B | BPF_ABS, SKF_NET_OFF + 8),
		BPF_STMT(BPF_LD | BPF_H | BPF_ABS, SKF_AD_OFF + SKF_AD_PKTTYPE),
		BPF_JUMP(BPF_JMP | BPF_K | BPF_JEQ, 17, 0, 1),
		BPF_STMT(BPF_ALU | BPF_X | BPF_XOR, 0),
		BPF_STMT(BPF_MISC | BPF_TXA, 0),
		BPF_STMT(BPF_LDX | BPF_W | BPF_IMM, 5),
		BPF_STMT(BPF_RET | BPF_A, 0),
	};
	static struct sock_filter calls[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
		BPF_JUMP(BPF_JMP | BPF_K | BPF_JEQ, 0xffff, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 13),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog of_packets = {7, packets}, of_calls = {4, calls}, none = {3, (void *)(page_end - 8)};
	int s = socket(AF_INET, SOCK_DGRAM, 17);

	setsockopt(s, SOL_SOCKET, SO_ATTACH_FILTER, &of_packets, sizeof(of_packets));
	setsockopt(s, SOL_SOCKET, SO_ATTACH_FILTER, &of_packets, 3);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &none);
	syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &of_calls);
	prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &of_calls);
}

int main(void)
{
	make_page();
	syscall(SYS_adjtimex, NULL); /* where a test begins to look */
	options();
	features();
	keys();
	numbers();
	filters();
	return 0;
}
