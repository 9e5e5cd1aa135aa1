/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who has the lock that a thread of a guest waits for, and who waits for each other. */
#include <exectrace/answer/why/guest/stuck/owners.h>

#include <errno.h>
#include <exectrace/answer/calls/call.h>
#include <exectrace/answer/why/guest/story/text.h>
#include <linux/futex.h>
#include <string.h>

#define MUTEX_WAITED 2u   /* the word of a lock of glibc for which somebody waits */
#define MUTEX_KINDS 0x3ff /* all bits of its kinds (nptl/pthreadP.h) */
#define USERS_MAX 65536u
#define TOLD 3u /* deadlocks */

/* --- Locks of programs -------------------------------------------------------------------------------------------- */

/* The beginning of glibc's pthread_mutex_t on x86-64 (bits/struct_mutex.h). */
struct mutex {
	uint32_t lock, count, owner, users, kind;
};

/* What was recorded of the memory at the address of a futex: n words at least. */
static bool memory_of(const struct data_syscall *call, void *to, size_t n)
{
	for (unsigned i = 0; i < call->nextras; i++) {
		const struct data_text *text = &call->extras[i].text;
		uint64_t address;

		if (call->extras[i].kind != DATA_EXTRA_MEMORY || text->n < sizeof(address) + n)
			continue;
		memcpy(&address, text->bytes, sizeof(address));
		if (address != call->args[0])
			continue;
		memcpy(to, text->bytes + sizeof(address), n);
		return true;
	}
	return false;
}

/* The number of the thread that a call on a futex waits for; 0: it does not tell. *joins: for its end. */
static uint32_t awaited(const struct data_syscall *call, bool *joins)
{
	const uint32_t value = (uint32_t)call->args[2];
	struct mutex mutex;
	uint32_t word;

	*joins = false;
	switch (call->args[1] & FUTEX_CMD_MASK) {
	case FUTEX_LOCK_PI:
	case FUTEX_LOCK_PI2:
		return memory_of(call, &word, sizeof(word)) ? word & FUTEX_TID_MASK : 0;
	case FUTEX_WAIT:
	case FUTEX_WAIT_BITSET:
		break;
	default:
		return 0;
	}
	if (value & FUTEX_WAITERS)
		return value & FUTEX_TID_MASK;
	/* The kernel clears the number of a thread at its end, and wakes who waits there, as another process may. */
	if (value != MUTEX_WAITED) {
		*joins = !(call->args[1] & FUTEX_PRIVATE_FLAG);
		return *joins ? value : 0;
	}
	if (!memory_of(call, &mutex, sizeof(mutex)) || mutex.lock != MUTEX_WAITED || mutex.kind & ~MUTEX_KINDS ||
	    !mutex.users || mutex.users > USERS_MAX)
		return 0;
	return mutex.owner;
}

/* Somebody was woken there since: who has the lock now is another one, perhaps. */
static bool has_changed(const struct tell *t, const struct wait *wait)
{
	const struct history *h = &t->s->history;
	const struct wake *wake =
		wait->n ? objects_waker(&h->objects, h->waited[wait->first], UINT32_MAX, UINT64_MAX, WAKE_GIVES) : NULL;

	return wake && wake->exit > wait->from;
}

/*
 * The call that tells what a thread waits for. Where the kernel has seen that a lock that inherits priorities would
 * never be had, it says so, and glibc waits for nothing instead (nptl/pthread_mutex_lock.c).
 */
static const struct data_syscall *telling_call(const struct thread_history *waiter)
{
	const struct last_call *last = last_calls_at(waiter->last_calls, 0),
			       *before = last_calls_at(waiter->last_calls, 1);
	const uint64_t command = before ? before->call.args[1] & FUTEX_CMD_MASK : 0;
	char name[CALL_NAME_MAX];

	if (before && before->call.error && before->call.result == -EDEADLK &&
	    (command == FUTEX_LOCK_PI || command == FUTEX_LOCK_PI2) &&
	    strcmp(call_name(&before->call, name), "futex") == 0)
		return &before->call;
	return last ? &last->call : NULL;
}

void owner_tell(struct tell *t, struct guest_stuck *s, const struct thread_history *waiter, const struct wait *wait)
{
	const struct data_syscall *call = telling_call(waiter);
	bool joins = false;
	uint32_t tid = call ? awaited(call, &joins) : 0;
	const struct thread_history *owner = tell_thread(t, tid);

	/* A number that is there by chance is hardly that of a thread of the same process. */
	if (!owner || owner->thread->process != waiter->thread->process || owner->thread->start > wait->from)
		return;
	if (joins && (owner == waiter || owner->thread->ended))
		return;
	s->owner.pid = tid;
	s->owner.task = tell_text(t, owner->thread->comm, strlen(owner->thread->comm));
	if (joins)
		s->owner.how = GUEST_OWNER_JOINED;
	else if (owner == waiter)
		s->owner.how = GUEST_OWNER_ITSELF;
	else if (has_changed(t, wait))
		s->owner.how = GUEST_OWNER_THEN;
	else
		s->owner.how = owner->thread->ended ? GUEST_OWNER_ENDED : GUEST_OWNER_HAS;
}

/* --- Deadlocks ---------------------------------------------------------------------------------------------------- */

static struct guest_stuck *stuck_of(const struct guest_story *g, uint32_t pid)
{
	for (size_t i = 0; pid && i < g->n_stuck; i++)
		if (g->stuck[i].pid == pid)
			return &g->stuck[i];
	return NULL;
}

/* Who has to go on before this one can; NULL: it is not known, or does not wait. */
static struct guest_stuck *next_of(const struct guest_story *g, const struct guest_stuck *s)
{
	const bool sure = s->owner.how == GUEST_OWNER_HAS || s->owner.how == GUEST_OWNER_ITSELF ||
	                  s->owner.how == GUEST_OWNER_JOINED;

	return sure ? stuck_of(g, s->owner.pid) : NULL;
}

void owners_find_deadlocks(struct guest_story *g)
{
	g->n_deadlocks = 0;
	for (size_t i = 0; i < g->n_stuck; i++)
		g->stuck[i].deadlock = 0;
	for (size_t i = 0; i < g->n_stuck; i++) {
		struct guest_stuck *first = &g->stuck[i], *at = next_of(g, first);

		for (size_t n = 0; n < g->n_stuck && at && at != first; n++)
			at = next_of(g, at);
		if (at != first || first->deadlock)
			continue;
		g->n_deadlocks++;
		do {
			at->deadlock = (uint32_t)g->n_deadlocks;
			at = next_of(g, at);
		} while (at && at != first);
	}
}

/* --- For people and programs -------------------------------------------------------------------------------------- */

void owner_print(struct buf *out, const struct guest_stuck *s, const char *before)
{
	if (s->owner.how == GUEST_OWNER_UNKNOWN)
		return;
	buf_puts(out, before);
	if (s->owner.how == GUEST_OWNER_ITSELF) {
		buf_puts(out, "it has the lock itself");
		return;
	}
	buf_puts(out, s->owner.how == GUEST_OWNER_JOINED ? "it waits for the end of " : "");
	text_task(out, s->owner.task, s->owner.pid);
	if (s->owner.how == GUEST_OWNER_THEN)
		buf_puts(out, " had the lock when it began to wait");
	else if (s->owner.how == GUEST_OWNER_ENDED)
		buf_puts(out, " had the lock, and has ended");
	else if (s->owner.how == GUEST_OWNER_HAS)
		buf_puts(out, " has the lock");
}

void owner_print_of(struct buf *out, const struct guest_story *g, uint32_t pid)
{
	const struct guest_stuck *s = stuck_of(g, pid);

	if (!s || s->owner.how == GUEST_OWNER_UNKNOWN)
		return;
	owner_print(out, s, "    ");
	buf_putc(out, '\n');
}

static void print_deadlock(struct buf *out, const struct guest_story *g, const struct guest_stuck *first)
{
	const struct guest_stuck *at = next_of(g, first);

	buf_puts(out, "  deadlock: ");
	text_task(out, first->task, first->pid);
	if (at == first) {
		buf_puts(out, " waits for a lock that it has itself\n");
		return;
	}
	buf_puts(out, " waits for ");
	for (; at && at != first; at = next_of(g, at)) {
		text_task(out, at->task, at->pid);
		buf_puts(out, ", which waits for ");
	}
	text_task(out, first->task, first->pid);
	buf_putc(out, '\n');
}

void owners_print_deadlocks(struct buf *out, const struct guest_story *g)
{
	for (uint32_t number = 1; number <= g->n_deadlocks && number <= TOLD; number++)
		for (size_t i = 0; i < g->n_stuck; i++)
			if (g->stuck[i].deadlock == number) {
				print_deadlock(out, g, &g->stuck[i]);
				break;
			}
}

void owner_json(struct jsonl *j, const struct guest_stuck *s)
{
	static const char *const how[] = {
		[GUEST_OWNER_UNKNOWN] = "",    [GUEST_OWNER_HAS] = "has",       [GUEST_OWNER_THEN] = "had",
		[GUEST_OWNER_ENDED] = "ended", [GUEST_OWNER_ITSELF] = "itself", [GUEST_OWNER_JOINED] = "joined",
	};

	if (s->owner.how == GUEST_OWNER_UNKNOWN)
		return;
	jsonl_string(j, "owner", s->owner.task);
	jsonl_unsigned(j, "owner_pid", s->owner.pid);
	jsonl_string(j, "owner_is", how[s->owner.how]);
	if (s->deadlock)
		jsonl_unsigned(j, "deadlock", s->deadlock);
}
