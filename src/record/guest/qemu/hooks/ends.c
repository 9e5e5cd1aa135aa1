/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How a guest ends. */
#include "hooks.h"

#include <exectrace/base/fd.h>
#include <exectrace/base/file.h>
#include <fcntl.h>
#include <string.h>

void plugin_tell(struct plugin *p, enum guest_outcome outcome)
{
	int fd = -1;

	pthread_mutex_lock(&p->lock);
	if (outcome > p->outcome && p->panic.dir >= 0)
		fd = p->outcome ? openat(p->panic.dir, p->panic.name, O_WRONLY | O_TRUNC | O_NOFOLLOW | O_CLOEXEC)
		                : file_create(p->panic.dir, p->panic.name);
	if (outcome > p->outcome)
		p->outcome = outcome;
	if (fd >= 0)
		(void)fd_write_all(fd, guest_outcomes[outcome],
		                   strlen(guest_outcomes[outcome])); /* on a full disk it says less */
	pthread_mutex_unlock(&p->lock);
	fd_close(&fd);
}

void on_panic(struct plugin *p, struct vcpu *v, uint64_t clock)
{
	static const char note[] = "the guest's kernel panicked";
	uint64_t word = (uintptr_t)note;

	(void)p;
	ring_put_more(&v->ring, clock, RING_NOTE, &word);
}

/* What it copies lies elsewhere, then the other kernel begins. */
void on_kexec(struct plugin *p, struct vcpu *v, uint64_t clock)
{
	(void)v;
	(void)clock;
	pthread_mutex_lock(&p->lock);
	p->leaving = true;
	pthread_mutex_unlock(&p->lock);
}
