/* SPDX-License-Identifier: GPL-2.0-or-later */
/* System calls about sockets and their addresses. */
#include "failures.h"
#include "files.h"
#include "opens.h"
#include "waits.h"
#include <errno.h>
#include <exectrace/target/syscalls/names.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#define ERRORS_MAX 134 /* errno(3) */

const char *addresses_name(struct history *h, const struct process_history *p, struct data_text text)
{
	struct data_text path = taken_word(text, "sun_path=\"", "\""), port;
	char name[160];

	if (path.n)
		return history_path(h, p, path.bytes, path.n);
	path = taken_word(text, "sun_path=@\"", "\"");
	port = taken_word(text, "_port=htons(", ")");
	if (path.n)
		snprintf(name, sizeof(name), "@%.*s", (int)(path.n < 128 ? path.n : 128), path.bytes);
	else if (port.n && port.n < 6 && !(port.n == 1 && *port.bytes == '0'))
		snprintf(name, sizeof(name), "port %.*s", (int)port.n, port.bytes);
	else
		return "";
	return history_text(h, name, strlen(name));
}

/* The address in an argument; 0: there is none that can be told. */
static uint32_t address_in(const struct taken *c, unsigned arg)
{
	const char *name = addresses_name(c->h, c->p, taken_text(c, arg));

	return *name ? taken_number(c, (struct data_text){name, strlen(name)}) : 0;
}

/* The server in an argument, as people write it: "10.0.0.1:53", "[::1]:53"; of AF_UNIX its path. NULL: none. */
static const char *server_in(const struct taken *c, unsigned arg)
{
	struct data_text text = taken_text(c, arg), host = taken_word(text, "inet_addr(\"", "\"");
	struct data_text port = taken_word(text, "_port=htons(", ")");
	const char *name;
	char server[160];

	if (!host.n)
		host = taken_word(text, "inet_pton(AF_INET6, \"", "\"");
	if (host.n && host.n < 128 && port.n && port.n < 6) {
		const bool colons = memchr(host.bytes, ':', host.n);

		snprintf(server, sizeof(server), colons ? "[%.*s]:%.*s" : "%.*s:%.*s", (int)host.n, host.bytes,
		         (int)port.n, port.bytes);
		return history_text(c->h, server, strlen(server));
	}
	name = addresses_name(c->h, c->p, text);
	return *name ? name : NULL;
}

/* A socket (0: none) has to do with the server in an argument. */
static void note_server(const struct taken *c, uint32_t socket, unsigned arg)
{
	const char *server = socket ? server_in(c, arg) : NULL;

	if (!server || c->h->err)
		return;
	objects_at(&c->h->objects, socket)->server = server;
	objects_at(&c->h->objects, socket)->asked = 0;
}

void files_on_socket(const struct taken *c)
{
	opens_result(c, 1);
}

/* Also getsockname: bind to port 0 leaves the choice to the kernel, and this tells what it has chosen. */
void files_on_bind(const struct taken *c)
{
	const bool binds = strcmp(c->name, "bind") == 0;
	uint32_t socket = taken_fails(c) ? 0 : taken_object(c, 0), address = socket ? address_in(c, 1) : 0;
	struct object *o = socket ? objects_at(&c->h->objects, socket) : NULL;

	/* What matters of a client's socket is to whom it talks, not which port the kernel has given it. */
	if (!address || o->peer || (o->server && !binds))
		return;
	o->address = address;
	objects_at(&c->h->objects, address)->wakes_count = true;
	if (binds || !objects_at(&c->h->objects, address)->maker)
		files_made(c, objects_at(&c->h->objects, address)->name);
	if (binds && !c->h->err)
		objects_at(&c->h->objects, address)->bound = server_in(c, 1);
	if (binds)
		files_accessed(c, objects_at(&c->h->objects, address)->name, ACCESS_BIND);
}

void files_on_connect(const struct taken *c)
{
	uint32_t socket = taken_object(c, 0), address = address_in(c, 1);
	struct wait *wait = waits_add(c, WAIT_CONNECT);
	struct history *h = c->h;

	waits_object(c, wait, address);
	note_server(c, socket, 1);
	note_server(c, address, 1);
	if (!socket || !address || h->err || (taken_fails(c) && c->call->result != -EINPROGRESS))
		return;
	objects_at(&h->objects, socket)->address = address;
	objects_at(&h->objects, address)->wakes_count = true;
	files_accessed(c, objects_at(&h->objects, address)->name, ACCESS_CONNECT);
	waits_wake(c, address, WAKE_GIVES);
	if (!h->err)
		h->err = objects_connect(&h->objects, address, socket, c->event->time - c->call->duration);
}

/* A socket that is not connected says with each message to whom. */
void files_on_send(const struct taken *c)
{
	const unsigned arg = strcmp(c->name, "sendto") == 0 ? 4 : 1;
	uint32_t socket = taken_fails(c) ? 0 : taken_object(c, 0), address = socket ? address_in(c, arg) : 0;

	if (address && !objects_at(&c->h->objects, socket)->address)
		objects_at(&c->h->objects, socket)->address = address;
	if (address) {
		note_server(c, socket, arg);
		objects_at(&c->h->objects, address)->wakes_count = true;
		waits_wake(c, address, WAKE_GIVES);
	}
	waits_on_write(c);
}

/* SO_ERROR: how a connect that went on in the background has ended. */
void files_on_getsockopt(const struct taken *c)
{
	uint32_t socket = taken_fails(c) ? 0 : taken_object(c, 0);
	uint32_t address = socket ? objects_at(&c->h->objects, socket)->address : 0;
	struct data_text told;

	if (!address || c->call->args[1] != SOL_SOCKET || c->call->args[2] != SO_ERROR)
		return;
	told = taken_text(c, 3);
	for (int error = 1; error < ERRORS_MAX; error++) {
		const char *name = errno_name(error), *at = name ? taken_behind(told, name) : NULL;

		if (!at || at == told.bytes + told.n || *at != ']')
			continue;
		failures_add_late(c->h, c->p, c->event->time, "connect", objects_at(&c->h->objects, address)->name,
		                  error);
		return;
	}
}

void files_on_accept(const struct taken *c)
{
	uint32_t listener = taken_object(c, 0), address = listener ? objects_at(&c->h->objects, listener)->address : 0;
	uint32_t server = taken_fails(c) ? 0 : taken_object(c, DATA_ARGS);

	waits_object(c, waits_add(c, WAIT_ACCEPT), address);
	if (!server || c->h->err)
		return;
	opens_result(c, strcmp(c->name, "accept4") == 0 ? 3 : DATA_ARGS);
	if (address)
		c->h->err = objects_accept(&c->h->objects, address, server, c->event->time);
}
