/* SPDX-License-Identifier: GPL-2.0-or-later */
/* System V: shmctl, semctl, msgctl, and what their commands point to (linux/shm.h, sem.h, msg.h). */
#include "private.h"

#include <sys/ipc.h>

#define IPC_64 0x100u

static unsigned command_of(const struct printer *p, unsigned reg)
{
	return (unsigned)call_arg(p, reg) & ~IPC_64;
}

bool ipc_is_late(const struct printer *p, unsigned kind)
{
	return command_of(p, kind == KIND_SEMBUF ? 2 : 1) == IPC_STAT;
}

/* i386 has layouts of its own, which are not looked at. */
static void put_ipcbuf(struct printer *p, uint64_t value, unsigned command, unsigned stat, unsigned change)
{
	if (p->word == 8 && command == IPC_STAT && call_succeeded(p))
		put_struct(p, value, stat);
	else if (p->word == 8 && command == IPC_SET)
		put_struct(p, value, change);
	else
		put_addr(p, value);
}

void print_shmbuf(struct printer *p, uint64_t value, unsigned aux)
{
	(void)aux;
	put_ipcbuf(p, value, command_of(p, 1), STRUCT_shmid, STRUCT_shmidset);
}

void print_sembuf(struct printer *p, uint64_t value, unsigned aux)
{
	(void)aux;
	put_ipcbuf(p, value, command_of(p, 2), STRUCT_semid, STRUCT_semidset);
}

void print_msgbuf(struct printer *p, uint64_t value, unsigned aux)
{
	(void)aux;
	put_ipcbuf(p, value, command_of(p, 1), STRUCT_msqid, STRUCT_msqidset);
}
