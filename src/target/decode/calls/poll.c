/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Waiting: poll, select, epoll, and what is left of the time. */
#include <exectrace/target/decode/calls/calls.h>

#include <errno.h>
#include <exectrace/base/kerrno.h>
#include <string.h>
#include <time.h>

static void item_struct(struct printer *p, uint64_t addr, unsigned structure)
{
	put_struct(p, addr, structure);
}

/* Of an entry without a descriptor nothing else is looked at. */
void print_poll_events(struct printer *p, uint64_t value, unsigned aux)
{
	if ((int)load_number(p->raw - 4, 4) >= 0)
		put_flags(p, value, aux);
}

/* aux: the register with the count. */
void print_poll(struct printer *p, uint64_t value, unsigned aux)
{
	struct array array = {.addr = value,
	                      .n = (uint32_t)call_arg(p, aux),
	                      .size = 8,
	                      .print = item_struct,
	                      .aux = STRUCT_pollfd};

	put_array(p, &array);
}

/* poll's and select's timeout as it was left by the kernel, in the note. */
static void note_left(struct printer *p, uint64_t addr, unsigned structure)
{
	if (!addr || !p->result.value || p->d->shallow)
		return;
	put_note(p, "%sleft ", p->note.len ? ", " : "");
	note_print(p, print_struct, addr, structure);
}

void print_ppoll_time(struct printer *p, uint64_t value, unsigned aux)
{
	put_struct(p, value, aux);
}

/* The bits of up to n descriptors, `[3 4]`; false when there are none, or they cannot be read. */
static bool put_fds(struct printer *p, uint64_t addr, int n, print_fn *print)
{
	unsigned char bits[POLLS_MAX / 8];
	const char *separator = "";
	size_t bytes;

	if (n <= 0)
		return false;
	if (n > POLLS_MAX)
		n = POLLS_MAX;
	bytes = ((size_t)n + 8 * p->word - 1) / (8 * p->word) * p->word;
	if (!peek_bytes(p, addr, bits, bytes))
		return false;
	put_text(p, "[");
	for (int fd = 0; fd < n; fd++) {
		if (!(bits[fd / 8] & 1u << fd % 8))
			continue;
		put_text(p, separator);
		print(p, (uint64_t)fd, 0);
		separator = " ";
	}
	put_text(p, "]");
	return true;
}

void print_fdset(struct printer *p, uint64_t value, unsigned aux)
{
	if (!value || !put_fds(p, value, (int)call_arg(p, aux), print_fd))
		put_addr(p, value);
}

void print_select_time(struct printer *p, uint64_t value, unsigned aux)
{
	(void)aux;
	put_struct(p, value, STRUCT_timeval);
}

void print_pselect_time(struct printer *p, uint64_t value, unsigned aux)
{
	put_struct(p, value, aux);
}

void print_pselect_sig(struct printer *p, uint64_t value, unsigned aux)
{
	uint64_t set, size, bits;

	(void)aux;
	if (!peek_number(p, value, p->word, &set) || !peek_number(p, value + p->word, p->word, &size)) {
		put_addr(p, value);
		return;
	}
	put_text(p, "{sigmask=");
	if (size && size <= 8 && peek_number(p, set, (unsigned)size, &bits))
		put_sigset(p, bits);
	else
		put_addr(p, set);
	put_format(p, ", sigsetsize=%llu}", (unsigned long long)size);
}

static void item_epoll(struct printer *p, uint64_t addr, unsigned aux)
{
	(void)aux;
	put_struct(p, addr, STRUCT_epollevent);
}

void print_events(struct printer *p, uint64_t value, unsigned aux)
{
	struct array array = {.addr = value, .n = (uint64_t)p->result.value, .size = 12, .print = item_epoll};

	(void)aux;
	if (p->result.value >= 0)
		put_array(p, &array);
}

/* The event of epoll_ctl is not looked at by EPOLL_CTL_DEL. */
void print_epoll_event(struct printer *p, uint64_t value, unsigned aux)
{
	(void)aux;
	if (call_arg(p, 1) == 2)
		put_addr(p, value);
	else
		put_struct(p, value, STRUCT_epollevent);
}

static void put_remaining(struct printer *p, uint64_t value, unsigned structure)
{
	bool interrupted = p->result.error && (p->result.value == -EINTR || p->result.value == -ERESTART_RESTARTBLOCK);
	bool until = p->reg == 3 && call_arg(p, 1) & TIMER_ABSTIME; /* clock_nanosleep: nothing is stored */

	if (interrupted && !until)
		put_struct(p, value, structure);
	else
		put_addr(p, value);
}

void print_rem(struct printer *p, uint64_t value, unsigned aux)
{
	(void)aux;
	put_remaining(p, value, STRUCT_timespec);
}

void print_rem64(struct printer *p, uint64_t value, unsigned aux)
{
	(void)aux;
	put_remaining(p, value, STRUCT_timespec64);
}

/* --- What was found, behind the result --- */

static void note_poll(struct printer *p)
{
	uint64_t addr = call_arg(p, 0), n = (uint32_t)call_arg(p, 1), found = 0, revents;

	for (uint64_t i = 0; i < n && i < POLLS_MAX; i++, addr += 8) {
		if (!peek_number(p, addr + 6, 2, &revents))
			break;
		if (!revents)
			continue;
		put_note(p, "%s", found++ ? ", " : "[");
		if (found > items_max(p)) {
			put_note(p, "...");
			break;
		}
		note_print(p, print_struct, addr, STRUCT_pollrevents);
	}
	if (found)
		put_note(p, "]");
}

static void print_fds(struct printer *p, uint64_t value, unsigned n)
{
	if (!put_fds(p, value, (int)n, print_int))
		put_addr(p, value);
}

static void note_select(struct printer *p)
{
	static const char *const names[] = {"in", "out", "except"};
	int found = 0;

	p->noted = true;
	for (unsigned i = 0; i < 3; i++) {
		size_t mark = p->note.len;
		size_t fds;

		if (!call_arg(p, 1 + i))
			continue;
		put_note(p, "%s%s ", found ? ", " : "", names[i]);
		fds = p->note.len;
		note_print(p, print_fds, call_arg(p, 1 + i), (unsigned)call_arg(p, 0));
		if (p->note.len == fds + 2) /* [] */
			buf_cut(&p->note, mark);
		else
			found++;
	}
}

/* What poll, select or recvmmsg (by name) found, and the time that was left. */
void note_waited(struct printer *p, const char *name)
{
	bool wide = strstr(name, "64") != NULL;

	if (!call_succeeded(p))
		return;
	if (strncmp(name, "recvmmsg", 8) == 0) {
		note_left(p, call_arg(p, 4), wide ? STRUCT_timespec64 : STRUCT_timespec);
		return;
	}
	if (!p->result.value) {
		put_note(p, "Timeout");
		return;
	}
	if (strstr(name, "poll")) {
		note_poll(p);
		if (strncmp(name, "ppoll", 5) == 0)
			note_left(p, call_arg(p, 2), wide ? STRUCT_timespec64 : STRUCT_timespec);
		return;
	}
	note_select(p);
	if (strstr(name, "pselect"))
		note_left(p, call_arg(p, 4), wide ? STRUCT_timespec64 : STRUCT_timespec);
	else
		note_left(p, call_arg(p, 4), STRUCT_timeval);
}
