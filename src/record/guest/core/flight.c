/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "flight.h"

#include "record.h"
#include <errno.h>
#include <exectrace/base/fd.h>
#include <exectrace/base/file.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct flight {
	uint64_t size;              /* bytes of events */
	uint64_t start, next_start; /* bytes of names, of the file and of the second one */
	int next;                   /* the second one; -1: none */
	struct data_facts facts;
	char host[256];
	int dir; /* where both are; the plugin's */
	char name[NAME_MAX + 1], next_name[NAME_MAX + 8];
};

int drain_flight(struct drain *d, const struct output *to, const struct data_facts *facts, uint64_t size)
{
	struct flight *f = calloc(1, sizeof(*f));

	if (!f)
		return -ENOMEM;
	d->flight = f;
	f->size = size;
	f->next = -1;
	f->dir = to->dir;
	f->facts = *facts;
	if (facts->host.n)
		memcpy(f->host, facts->host.bytes, facts->host.n < sizeof(f->host) ? facts->host.n : sizeof(f->host));
	f->facts.host = (struct data_text){f->host, facts->host.n < sizeof(f->host) ? facts->host.n : sizeof(f->host)};
	if ((size_t)snprintf(f->name, sizeof(f->name), "%s", to->name) >= sizeof(f->name))
		return -ENAMETOOLONG;
	(void)snprintf(f->next_name, sizeof(f->next_name), "%s.next", f->name);
	return 0;
}

/* Begins the second file. */
static int begin_next(struct drain *d, struct flight *f)
{
	const struct data_writer_options options = {.open = true};
	struct data_writer *start = NULL;
	int rc;

	f->next = file_create(f->dir, f->next_name);
	if (f->next == -EEXIST && unlinkat(f->dir, f->next_name, 0) == 0) /* of a QEMU that was killed */
		f->next = file_create(f->dir, f->next_name);
	if (f->next < 0)
		return f->next;
	rc = data_writer_flush(d->writer);
	rc = rc ? rc : data_writer_open(&start, f->next, &f->facts, &options);
	if (!rc && (rc = record_all(d, start, d->cpus[0] ? d->cpus[0]->clock : 0))) {
		data_writer_abandon(start);
		start = NULL;
	}
	if (!rc && !(rc = data_writer_flush(start)))
		f->next_start = data_writer_size(start);
	else if (start)
		data_writer_abandon(start);
	return rc ? rc : data_writer_tee(d->writer, start);
}

/* The second file takes the place of the first. */
static int turn(struct drain *d, struct flight *f)
{
	if (!data_writer_turn(d->writer))
		return 0;
	if (renameat(f->dir, f->next_name, f->dir, f->name))
		return -errno;
	fd_close(&d->fd);
	d->fd = f->next;
	f->next = -1;
	f->start = f->next_start;
	return 0;
}

int flight_look(struct drain *d)
{
	struct flight *f = d->flight;
	uint64_t size = data_writer_size(d->writer) - f->start;
	int rc = 0;

	if (f->next >= 0 && size >= f->size)
		rc = turn(d, f);
	if (rc || f->next >= 0 || size < f->size / 2)
		return rc;
	return begin_next(d, f);
}

void flight_end(struct drain *d)
{
	struct flight *f = d->flight;

	(void)data_writer_tee(d->writer, NULL);
	if (f->next >= 0)
		(void)unlinkat(f->dir, f->next_name, 0);
	fd_close(&f->next);
}
