/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the printers of single calls give to the walker beside the printers that kinds.inc names. */
#ifndef EXECTRACE_TARGET_DECODE_CALLS_CALLS_H
#define EXECTRACE_TARGET_DECODE_CALLS_CALLS_H

#include <exectrace/target/decode/structs/network.h>
#include <exectrace/target/decode/structs/structs.h>

/* Whether the argument of that call must wait for its end, because of the command or request it comes with. */
bool fcntl_is_late(const struct printer *p);
bool arch_prctl_is_late(const struct printer *p);
bool ptrace_is_late(const struct printer *p);
bool quota_is_late(const struct printer *p);
bool ioctl_is_late(const struct printer *p);

/* Likewise of the argument of keyctl that is next. */
bool keyctl_is_late(const struct printer *p);

/* Likewise of prctl: the argument that is next, a KIND_PRCTL or KIND_PRCTLREST. */
bool prctl_is_late(const struct printer *p, unsigned kind);

/* Whether the structure of shmctl, semctl or msgctl (by its kind) must wait for the end of the call. */
bool ipc_is_late(const struct printer *p, unsigned kind);

/* Whether what io_uring_register points to must wait for the end of the call: a probe that says nothing yet, which
 * uring_save notes. */
bool uring_is_late(const struct printer *p);
void uring_save(struct printer *p);

/* Whether the structure of bpf must wait for the end of the call, and whether its result is a descriptor. */
bool bpf_is_late(const struct printer *p);
bool bpf_gives_fd(const struct printer *p);

/* Keeps what the kernel may overwrite of what bpf or ptrace is given. */
void bpf_save(struct printer *p);
void ptrace_save(struct printer *p);

/* Keeps what the command of an ioctl is given and will be overwritten. */
void ioctl_save(struct printer *p);

/* Whether an ioctl is about a network interface; *late: what it points to must wait for the end of the call. */
bool ioctl_is_netdevice(uint32_t cmd, bool *late);

/* The structure that an ioctl of a network interface points to. */
void put_netdevice(struct printer *p, uint32_t cmd, uint64_t addr);

/* A socket address, `{sa_family=...}`, in n bytes at addr. */
void put_sockaddr(struct printer *p, uint64_t addr, uint64_t n);

/* The control messages in n bytes at addr. */
void put_control(struct printer *p, uint64_t addr, uint64_t n);

/* n bytes at addr that go through the socket that is the first argument: messages, if it is a netlink one. */
void put_message_bytes(struct printer *p, uint64_t addr, uint64_t n);

/* The netlink protocol of the socket that is the first argument; false: it is none, or that is not known. */
bool netlink_protocol(const struct printer *p, unsigned *protocol);

/* Notes what the call `name`, a poll or select, has found. */
void note_waited(struct printer *p, const char *name);

/* Notes what the number that fcntl, ... returned means. */
void note_control(struct printer *p, const char *name);

/* Likewise of prctl and arch_prctl; and whether it is shown as a hexadecimal number. */
void note_prctl(struct printer *p);
void note_arch_prctl(struct printer *p);

/*
 * The call behind socketcall(2) or ipc(2), with its arguments put into *call; NULL when there is no such call or its
 * arguments cannot be read.
 */
const struct syscall_desc *socketcall(const struct decoder *d, struct syscall_call *call);
const struct syscall_desc *ipc_inner(const struct decoder *d, struct syscall_call *call);

/* Puts what a call of ipc has left in memory in place of its result. */
void ipc_result(struct printer *p, const struct syscall_desc *desc);

/* Bytes of what the third argument of fcntl points to, of a 64-bit program; 0: to nothing. */
unsigned fcntl_bytes(const struct printer *p);

/* What an fcntl returns. */
enum syscall_ret fcntl_returns(const struct printer *p);

#endif
