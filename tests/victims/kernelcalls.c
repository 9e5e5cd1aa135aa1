/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernelcalls
 * Calls whose arguments are of another kind for each command: bpf, ptrace, io_uring, aio, kexec_load, mount_setattr,
 * fsconfig.
 * All are refused; what was given is shown all the same.
 */
#include "victim.h"

#include <fcntl.h>
#include <linux/aio_abi.h>
#include <linux/bpf.h>
#include <linux/io_uring.h>
#include <linux/kexec.h>
#include <linux/mount.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>

#define BAD (-1)

static uint64_t address(const void *to)
{
	return (uintptr_t)to;
}

static void bpf(int command, const void *attr, unsigned size)
{
	syscall(SYS_bpf, command, attr, size);
}

static void programs(void)
{
	static const struct bpf_insn code[] = {
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = 1},
		{.code = BPF_JMP32 | BPF_JEQ | BPF_X, .dst_reg = BPF_REG_1, .src_reg = 11, .off = -3},
		{.code = BPF_LDX | BPF_DW | BPF_MEM, .dst_reg = BPF_REG_2},
	};
	static union bpf_attr attr, last = {.pathname = 1};
	static unsigned char wide[512];

	attr.map_type = BPF_MAP_TYPE_ARRAY;
	attr.key_size = attr.value_size = 4;
	attr.map_flags = BPF_F_NUMA_NODE | BPF_F_RDONLY;
	attr.numa_node = 3;
	attr.inner_map_fd = (unsigned)BAD;
	memcpy(attr.map_name, "0123456789abcdef", 16);
	bpf(BPF_MAP_CREATE, &attr, 4);
	bpf(BPF_MAP_CREATE, &attr, 24);
	bpf(BPF_MAP_CREATE, &attr, 36);
	bpf(BPF_MAP_CREATE, &attr, 72);
	bpf(BPF_MAP_CREATE, NULL, 72);
	memset(&attr, 0, sizeof(attr));
	attr.prog_type = BPF_PROG_TYPE_XDP;
	attr.insns = address(code);
	attr.insn_cnt = 3;
	attr.license = address("GPL");
	attr.kern_version = 0x40203;
	attr.prog_flags = BPF_F_STRICT_ALIGNMENT;
	attr.log_buf = address("log of it");
	attr.log_size = 3;
	bpf(BPF_PROG_LOAD, &attr, 48);
	memcpy(wide, &last, sizeof(last));
	wide[300] = 7;
	bpf(BPF_OBJ_GET, &last, 16);
	bpf(BPF_OBJ_GET, wide, sizeof(wide));
	memset(&attr, 0, sizeof(attr));
	attr.link_create.attach_type = BPF_CGROUP_INET_INGRESS;
	attr.link_create.target_btf_id = 17;
	bpf(BPF_LINK_CREATE, &attr, 24);
	attr.link_create.attach_type = BPF_CGROUP_INET_EGRESS;
	bpf(BPF_LINK_CREATE, &attr, 24);
	attr.link_update.flags = BPF_F_REPLACE;
	bpf(BPF_LINK_UPDATE, &attr, 16);
	attr.query.prog_cnt = 5;
	bpf(BPF_PROG_QUERY, &attr, 28);
}

/* Nobody has this number: whoever traces this program could not be looked at. */
static void tracing(void)
{
	static unsigned char bytes[1024];
	static struct iovec set = {.iov_base = bytes, .iov_len = 16}, odd = {.iov_base = bytes, .iov_len = 3};
	static siginfo_t info = {.si_signo = SIGBUS, .si_code = 4};
	static uint64_t mask = 0x201, first[] = {7, 1 | UINT64_C(5) << 32};
	const long nobody = 0x3fffffff;

	syscall(SYS_ptrace, PTRACE_SETSIGINFO, nobody, 0, &info);
	info.si_signo = SIGIO;
	info.si_code = 1;
	syscall(SYS_ptrace, PTRACE_SETSIGINFO, nobody, 0, &info);
	syscall(SYS_ptrace, PTRACE_SETSIGMASK, nobody, 8, &mask);
	syscall(SYS_ptrace, PTRACE_GETSIGMASK, nobody, 8, &mask);
	syscall(SYS_ptrace, PTRACE_PEEKSIGINFO, nobody, first, &info);
	syscall(SYS_ptrace, PTRACE_GETEVENTMSG, nobody, 0, &mask);
	syscall(SYS_ptrace, PTRACE_SETREGSET, nobody, 1, &set);
	syscall(SYS_ptrace, PTRACE_SETREGSET, nobody, 1, &odd);
	syscall(SYS_ptrace, PTRACE_GETREGSET, nobody, 2, &set);
	syscall(SYS_ptrace, PTRACE_SETREGS, nobody, 0, bytes);
	syscall(SYS_ptrace, PTRACE_SETFPREGS, nobody, 0, bytes);
	syscall(SYS_ptrace, PTRACE_SYSEMU, nobody, 0, SIGUSR1);
	syscall(SYS_ptrace, 0x420e, nobody, 24, bytes); /* PTRACE_GET_SYSCALL_INFO */
}

static void rings(void)
{
	static int fds[] = {0, BAD, -2};
	static uint64_t tags[] = {1, 0, 0xabc};
	static struct iovec buffers[] = {{(void *)0x10, 5}, {NULL, 7}};
	static struct io_uring_params params = {.flags = 1u << 31, .sq_thread_idle = 4};
	struct io_uring_files_update files = {.offset = 3, .fds = address(fds)};
	uint64_t update[5] = {9, address(buffers), address(tags), 2, 5};
	static uint32_t restrictions[][4] = {{1 | 2 << 16}, {0 | 4 << 16}, {2 | 3 << 16}};
	static uint32_t workers[] = {4, 5};

	syscall(SYS_io_uring_setup, 0, &params);
	syscall(SYS_io_uring_register, BAD, 0, buffers, 2);
	syscall(SYS_io_uring_register, BAD, 2, fds, 3);
	syscall(SYS_io_uring_register, BAD, 6, &files, 3);
	syscall(SYS_io_uring_register, BAD, 11, restrictions, 3);
	syscall(SYS_io_uring_register, BAD, 16, update, 32);
	syscall(SYS_io_uring_register, BAD, 16, update, 40);
	syscall(SYS_io_uring_register, BAD, 16, update, 8);
	syscall(SYS_io_uring_register, BAD, 17, "\x05\x01", 2);
	syscall(SYS_io_uring_register, BAD, 20, tags, 1);
	syscall(SYS_io_uring_register, BAD, 5, tags, 1);
	syscall(SYS_io_uring_register, BAD, 19, workers, 0);
}

static void settings(void)
{
	static const char key[300] = "abc";
	char whole[300];

	memset(whole, 'k', sizeof(whole));
	for (int command = -1; command < 8; command++)
		syscall(SYS_fsconfig, BAD, command, key, "value", 3);
	syscall(SYS_fsconfig, BAD, FSCONFIG_SET_FLAG, whole, NULL, 0);
	syscall(SYS_fsconfig, BAD, FSCONFIG_SET_BINARY, key, key, 40);
	syscall(SYS_fsconfig, BAD, FSCONFIG_SET_BINARY, key, NULL, 0);
	syscall(SYS_fsconfig, BAD, FSCONFIG_SET_BINARY, key, key, -1);
	syscall(SYS_fsconfig, BAD, FSCONFIG_SET_PATH, NULL, "/dev/null", AT_FDCWD);
}

static void others(void)
{
	static struct iovec parts[] = {{"abc", 3}, {"defg", 4}};
	static struct iocb blocks[] = {
		{.aio_lio_opcode = 1, .aio_buf = 0, .aio_fildes = (unsigned)BAD, .aio_nbytes = 3, .aio_offset = -7},
		{.aio_lio_opcode = 8,
	         .aio_nbytes = 2,
	         .aio_flags = 3,
	         .aio_resfd = (unsigned)BAD,
	         .aio_reqprio = 0x2003},
		{.aio_lio_opcode = 77, .aio_key = 5, .aio_reqprio = -1},
		{.aio_lio_opcode = 5, .aio_buf = 1},
	};
	struct iocb *all[] = {&blocks[0], &blocks[1], &blocks[2], NULL, &blocks[3]};
	static struct kexec_segment segments[] = {{"x", 1, (void *)0x1000, 4096}, {NULL, 0, NULL, 0}};
	static uint64_t attr[] = {0x100001, 2, MS_SLAVE, 0, 0};

	blocks[0].aio_buf = address("xyz");
	blocks[1].aio_buf = address(parts);
	syscall(SYS_io_submit, 0x1000, 5, all);
	syscall(SYS_io_submit, 0x1000, -1L, all);
	syscall(SYS_io_cancel, 0x1000, &blocks[1], NULL);
	syscall(SYS_kexec_load, 0x1000, 2, segments, KEXEC_ARCH_386 | 1);
	syscall(SYS_kexec_load, 0x1000, 17, segments, 0);
	syscall(SYS_mount_setattr, BAD, "", 0, attr, 32);
	syscall(SYS_mount_setattr, BAD, "", 0, attr + 1, 32);
	attr[4] = 3;
	syscall(SYS_mount_setattr, BAD, "", 0, attr, 40);
	syscall(SYS_mount_setattr, BAD, "", 0, attr, 8);
}

int main(void)
{
	syscall(SYS_adjtimex, NULL); /* the tests look at what comes behind it */
	programs();
	tracing();
	rings();
	settings();
	others();
	return 0;
}
