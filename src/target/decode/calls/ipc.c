/* SPDX-License-Identifier: GPL-2.0-or-later */
/* System V: messages, what shmctl, semctl and msgctl point to (linux/shm.h, sem.h, msg.h), and i386's door to them. */
#include <exectrace/target/decode/calls/calls.h>

#include <exectrace/target/syscalls/names.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>

#define IPC_64 0x100u
#define NONE UINT16_MAX

/* --- Messages --- */

/* A struct msgbuf with n bytes of text. */
static void put_msgbuf(struct printer *p, uint64_t addr, uint64_t n)
{
	uint64_t type;

	if (!peek_number(p, addr, p->word, &type)) {
		put_addr(p, addr);
		return;
	}
	put_format(p, "{mtype=%lld, mtext=", (long long)as_signed(p, type));
	put_bytes(p, addr + p->word, n);
	put_text(p, "}");
}

/* aux: the register with the length. */
void print_msgtext(struct printer *p, uint64_t value, unsigned aux)
{
	put_msgbuf(p, value, call_arg(p, aux));
}

void print_omsgtext(struct printer *p, uint64_t value, unsigned aux)
{
	(void)aux;
	put_msgbuf(p, value, returned_bytes(p));
}

/* --- What the commands point to --- */

static const struct command {
	uint16_t kind;
	uint8_t command;
	uint16_t structure;
} commands[] = {
	{KIND_SHMBUF, IPC_STAT, STRUCT_shmid},    {KIND_SHMBUF, SHM_STAT, STRUCT_shmid},
	{KIND_SHMBUF, 15, STRUCT_shmid},          {KIND_SHMBUF, IPC_INFO, STRUCT_shminfo},
	{KIND_SHMBUF, SHM_INFO, STRUCT_shmusage}, {KIND_SEMBUF, IPC_STAT, STRUCT_semid},
	{KIND_SEMBUF, SEM_STAT, STRUCT_semid},    {KIND_SEMBUF, 20, STRUCT_semid},
	{KIND_SEMBUF, IPC_INFO, STRUCT_seminfo},  {KIND_SEMBUF, SEM_INFO, STRUCT_seminfo},
	{KIND_MSGBUF, IPC_STAT, STRUCT_msqid},    {KIND_MSGBUF, MSG_STAT, STRUCT_msqid},
	{KIND_MSGBUF, 13, STRUCT_msqid},          {KIND_MSGBUF, IPC_INFO, STRUCT_msginfo},
	{KIND_MSGBUF, MSG_INFO, STRUCT_msginfo},
};

static unsigned command_of(const struct printer *p, unsigned kind)
{
	return (unsigned)call_arg(p, kind == KIND_SEMBUF ? 2 : 1);
}

/* What the kernel fills in; NONE: nothing. */
static uint16_t filled_by(unsigned kind, unsigned command)
{
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		if (commands[i].kind == kind && commands[i].command == command)
			return commands[i].structure;
	}
	return NONE;
}

bool ipc_is_late(const struct printer *p, unsigned kind)
{
	return filled_by(kind, command_of(p, kind) & ~IPC_64) != NONE;
}

static bool is_door(const struct printer *p)
{
	const struct syscall_desc *outer = syscall_by_nr(p->call->arch, p->call->nr);

	return outer && strcmp(outer->name, "ipc") == 0;
}

/* The layouts of before IPC_64, which only i386's ipc() has, are not looked at. */
static void put_ipcbuf(struct printer *p, uint64_t value, unsigned kind, unsigned change)
{
	unsigned command = command_of(p, kind);
	uint16_t filled = filled_by(kind, command & ~IPC_64);

	if (is_door(p) && !(command & IPC_64))
		put_addr(p, value);
	else if (filled != NONE && call_succeeded(p))
		put_struct(p, value, filled);
	else if ((command & ~IPC_64) == IPC_SET)
		put_struct(p, value, change);
	else
		put_addr(p, value);
}

void print_shmbuf(struct printer *p, uint64_t value, unsigned aux)
{
	(void)aux;
	put_ipcbuf(p, value, KIND_SHMBUF, STRUCT_shmidset);
}

/* Through the door the fourth argument of semctl lies in memory. */
void print_sembuf(struct printer *p, uint64_t value, unsigned aux)
{
	bool known = ipc_is_late(p, KIND_SEMBUF) || (command_of(p, KIND_SEMBUF) & ~IPC_64) == IPC_SET;

	(void)aux;
	if (!is_door(p)) {
		put_ipcbuf(p, value, KIND_SEMBUF, STRUCT_semidset);
		return;
	}
	if (!peek_number(p, value, p->word, &value)) {
		put_addr(p, value);
		return;
	}
	put_text(p, known ? "" : "[");
	put_ipcbuf(p, value, KIND_SEMBUF, STRUCT_semidset);
	put_text(p, known ? "" : "]");
}

void print_msgbuf(struct printer *p, uint64_t value, unsigned aux)
{
	(void)aux;
	put_ipcbuf(p, value, KIND_MSGBUF, STRUCT_msqidset);
}

/* --- i386's one door to all of them --- */

/* ipc(call, first, second, third, ptr, fifth): in which of these each argument of the calls is (ipc/syscall.c). */
static const struct {
	uint8_t call;
	const char *name;
	uint8_t from[5];
} doors[] = {
	{1, "semop", {1, 4, 2}},      {2, "semget", {1, 2, 3}},
	{3, "semctl", {1, 2, 3, 4}},  {4, "semtimedop", {1, 4, 2, 5}},
	{11, "msgsnd", {1, 4, 2, 3}}, {12, "msgrcv", {1, 4, 2, 5, 3}},
	{13, "msgget", {1, 2}},       {14, "msgctl", {1, 2, 4}},
	{21, "shmat", {1, 4, 2, 3}},  {22, "shmdt", {4}},
	{23, "shmget", {1, 2, 3}},    {24, "shmctl", {1, 2, 4}},
};

/* The first version of msgrcv has the buffer and the type in memory. */
static bool find_message(const struct decoder *d, struct syscall_call *call)
{
	uint32_t words[2];
	uint64_t addr = (uint32_t)call->args[1];

	if (!d->read || !addr || d->read(d->user, addr, words, sizeof(words)))
		return false;
	call->args[1] = words[0];
	call->args[3] = words[1];
	return true;
}

const struct syscall_desc *ipc_inner(const struct decoder *d, struct syscall_call *call)
{
	uint32_t which = (uint32_t)call->args[0];
	uint64_t outer[SYSCALL_ARGS];

	memcpy(outer, call->args, sizeof(outer));
	for (size_t i = 0; i < sizeof(doors) / sizeof(doors[0]); i++) {
		if (doors[i].call != (which & 0xffff))
			continue;
		for (unsigned k = 0; k < sizeof(doors[i].from) && doors[i].from[k]; k++)
			call->args[k] = outer[doors[i].from[k]];
		if (doors[i].call == 12 && !(which >> 16) && !find_message(d, call)) {
			memcpy(call->args, outer, sizeof(outer));
			return NULL;
		}
		return syscall_by_name(doors[i].name);
	}
	return NULL;
}

/* There shmat returns 0 and leaves the address where its third word points to. */
void ipc_result(struct printer *p, const struct syscall_desc *desc)
{
	uint64_t addr;

	if (call_succeeded(p) && strcmp(desc->name, "shmat") == 0 && is_door(p) &&
	    peek_number(p, call_arg(p, 3), p->word, &addr))
		p->result.value = (int64_t)addr;
}
