/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/why/failure/cause.h>

#include "found.h"
#include "limits.h"
#include <errno.h>
#include <exectrace/answer/why/failure/calls.h>
#include <exectrace/answer/why/failure/elsewhere.h>
#include <exectrace/answer/why/page/locks.h>
#include <exectrace/answer/why/page/who.h>
#include <exectrace/base/clock.h>
#include <exectrace/target/syscalls/names.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#define AFTER_NS (20 * NS_PER_MS)
#define CLOSED_AGAIN_MIN 2u
#define NULL_POINTER_MAX 0x10000u /* below that nothing is mapped: vm.mmap_min_addr, proc(5) */
#define DEEP_MIN 48u              /* frames: nearly all that are recorded of a stack (record/trace/options.c) */
#define LONG_NS (50 * NS_PER_MS)  /* of a wait that ended in vain */

/* --- Signals ------------------------------------------------------------------------------------------------------ */

/* A signal was sent at that time to a number that no recorded process has: one of another pid namespace, perhaps. */
static bool sent_from_elsewhere(const struct why *why, const struct tree_node *node, int number, struct buf *out)
{
	const struct history *h = &why->story.history;
	uint64_t end = story_event(&why->story, story_end(&why->story, node));

	for (size_t i = h->n_kills; i-- > 0;) {
		const struct kill_sent *kill = &h->kills[i];
		const struct tree_node *other = why->top;

		if (kill->number != number || kill->target <= 1 || kill->time > end || end - kill->time > AFTER_NS)
			continue;
		while (other && other->pid != (uint32_t)kill->target)
			other = process_tree_next(other);
		if (other)
			continue;
		buf_puts(out, "was sent, as it seems, by ");
		page_foreign(out, kill->sender, COMMAND_MAX);
		buf_printf(out, " [%u] at ", kill->pid);
		page_at(why, kill->time, out);
		buf_printf(out, ", as process %d of another pid namespace\n", kill->target);
		return true;
	}
	return false;
}

/* What the kernel found wrong; NULL: nothing more than the signal says. sigaction(2), "The si_code field". */
static const char *fault_of(const struct signal_place *hit)
{
	static const struct {
		int number, code;
		const char *what;
	} faults[] = {
		{SIGSEGV, SEGV_MAPERR, "where nothing is mapped"},
		{SIGSEGV, SEGV_ACCERR, "which is mapped, but not for that"},
		{SIGBUS, BUS_ADRALN, "which is not aligned"},
		{SIGBUS, BUS_ADRERR, "which is mapped, but behind the end of its file"},
		{SIGFPE, FPE_INTDIV, "a division by zero"},
		{SIGFPE, FPE_INTOVF, "an overflow"},
		{SIGILL, ILL_ILLOPN, "no valid instruction"},
	};

	for (size_t i = 0; i < sizeof(faults) / sizeof(*faults); i++)
		if (faults[i].number == hit->number && faults[i].code == hit->code)
			return faults[i].what;
	return NULL;
}

/* ": it wanted address 0x8, a null pointer" */
static void fault(const struct signal_place *hit, struct buf *out)
{
	const char *what = fault_of(hit);
	bool wanted = hit->number == SIGSEGV || hit->number == SIGBUS;

	if (hit->number == SIGSEGV && hit->frames >= DEEP_MIN && hit->same >= hit->frames / 3) {
		buf_printf(out, ": its stack is full, at least %u calls deep, %u of them of one function", hit->frames,
		           hit->same);
		return;
	}
	if (wanted && hit->code == SI_KERNEL) {
		buf_puts(out, ": it wanted an address that cannot be");
		return;
	}
	if (wanted)
		buf_printf(out, ": it wanted address %#llx", (unsigned long long)hit->address);
	if (wanted && hit->address < NULL_POINTER_MAX)
		buf_puts(out, ", a null pointer");
	else if (what)
		buf_printf(out, "%s%s", wanted ? ", " : ": ", what);
}

static bool is_fault(int number)
{
	return number == SIGSEGV || number == SIGBUS || number == SIGFPE || number == SIGILL || number == SIGTRAP;
}

/* alarm(2), setitimer(2) */
static bool is_timer(int number)
{
	return number == SIGALRM || number == SIGVTALRM || number == SIGPROF;
}

/* It wrote to a pipe or a socket that has no other end: signal(7), write(2), "EPIPE". */
static bool broken_pipe(const struct process_history *p)
{
	for (size_t i = p ? p->n_failures : 0; i-- > 0;)
		if (p->failures[i].error == EPIPE)
			return true;
	return false;
}

void page_killed(const struct why *why, const struct tree_node *node, struct buf *out)
{
	int number = WTERMSIG(node->end.wait_status);
	const struct kill_sent *kill = story_kill_of(&why->story, node);
	const struct process_history *p = story_history(&why->story, node);
	const struct signal_place *hit = p && p->hit.number == number ? &p->hit : NULL;
	char name[SIGNAL_NAME_MAX];

	buf_printf(out, "  %s ", signal_name(number, name));
	if (kill) {
		buf_puts(out, "was sent by ");
		if (kill->pid == node->pid) {
			buf_puts(out, "itself");
		} else {
			page_foreign(out, kill->sender, COMMAND_MAX);
			buf_printf(out, " [%u]", kill->pid);
		}
		buf_puts(out, " at ");
		page_at(why, kill->time, out);
		buf_putc(out, '\n');
	} else if (is_fault(number) && !(hit && hit->code <= 0)) {
		buf_puts(out, "came from an instruction of its own");
		if (hit)
			fault(hit, out);
		buf_putc(out, '\n');
	} else if (number == SIGSYS) {
		buf_puts(out, "came from a system call that a seccomp filter forbids it");
		if (p && p->left)
			buf_printf(out, ": %s", p->left);
		buf_putc(out, '\n');
	} else if (number == SIGPIPE && broken_pipe(p)) {
		buf_puts(out, "came from its writing to what nobody reads any more\n");
	} else if (is_timer(number) && hit && hit->code == SI_KERNEL) {
		buf_puts(out, "came from a timer of its own\n");
	} else if (!sent_from_elsewhere(why, node, number, out)) {
		buf_puts(out, "was not sent by a recorded process\n");
	}
	if (hit && hit->stack) {
		buf_puts(out, "         in ");
		page_foreign(out, hit->stack, 2 * COMMAND_MAX);
		buf_putc(out, '\n');
	}
	if (number == SIGXFSZ)
		page_limit(why, node, "RLIMIT_FSIZE", UINT64_MAX, out);
	if (number == SIGXCPU)
		page_limit(why, node, "RLIMIT_CPU", UINT64_MAX, out);
}

/* What a child was doing when its parent ended. */
static void meanwhile(const struct why *why, const struct tree_node *child, uint64_t end, struct buf *out)
{
	const struct wait *wait = thread_last_wait(story_main_thread(&why->story, child), end, true);

	if (!wait || wait->kind == WAIT_CALL)
		return;
	buf_puts(out, ", which was ");
	page_wait(why, wait, out);
	page_who_gave(why, child, wait, out);
	page_who_holds(why, child, wait, out);
	page_who_reads(why, child, wait, out);
}

/* The child that it waited for, else the first one that had not ended when its parent did. */
static void living_child(const struct why *why, const struct tree_node *node, const struct wait *wait, struct buf *out)
{
	uint64_t end = story_end(&why->story, node);

	for (const struct tree_node *c = node->child; c; c = c->sibling) {
		/* What ended the parent may have ended its group, in any order. */
		if ((c->end.when && story_end(&why->story, c) + AFTER_NS < end) ||
		    (wait->child && c->pid != wait->child))
			continue;
		buf_puts(out, ": ");
		page_process(out, c, COMMAND_MAX);
		meanwhile(why, c, story_event(&why->story, end), out);
		return;
	}
}

/* How many other threads waited for another one, too. */
static void other_threads(const struct process_history *p, const struct thread_history *main, uint64_t end, bool killed,
                          struct buf *out)
{
	size_t n = 0, all = 0;

	for (const struct thread_history *t = p->threads; t; t = t->sibling) {
		const struct wait *wait = t == main ? NULL : thread_last_wait(t, end, killed);

		all += t != main;
		n += wait && wait->kind == WAIT_FUTEX;
	}
	if (n)
		buf_printf(out, "; so did %zu of its %zu other threads, for each other", n, all);
}

/* What may have ended in vain, and the process with it. */
static bool may_end_it(const struct wait *wait)
{
	return (wait->timed_out || wait->interrupted) && wait->to - wait->from >= LONG_NS &&
	       (wait->kind == WAIT_LOCK || wait->kind == WAIT_DATA || wait->kind == WAIT_POLL ||
	        wait->kind == WAIT_CONNECT || wait->kind == WAIT_ACCEPT || wait->kind == WAIT_FUTEX);
}

void page_last_wait(const struct why *why, const struct tree_node *node, struct buf *out)
{
	const struct thread_history *t = story_main_thread(&why->story, node);
	uint64_t end = story_event(&why->story, story_end(&why->story, node));
	bool killed = WIFSIGNALED(node->end.wait_status);
	const struct wait *wait = thread_last_wait(t, end, killed);

	if (!wait || (!killed && !may_end_it(wait)) || (killed && WTERMSIG(node->end.wait_status) == SIGSYS))
		return;
	buf_puts(out, "  for ");
	clock_print(out, wait->to - wait->from);
	buf_puts(out, killed ? " until then it was " : " shortly before its end it was ");
	page_wait(why, wait, out);
	if (wait->kind == WAIT_CHILD)
		living_child(why, node, wait, out);
	if (!page_locks(why, node, wait, out) && wait->kind == WAIT_FUTEX)
		other_threads(story_history(&why->story, node), t, end, killed, out);
	page_who_locked(why, wait, out);
	page_who_gave(why, node, wait, out);
	page_who_holds(why, node, wait, out);
	page_who_reads(why, node, wait, out);
	buf_putc(out, '\n');
}

static void closed_again(const struct why *why, const struct process_history *p, struct buf *out)
{
	const struct closes *closes = &p->closes;

	if (closes->again < CLOSED_AGAIN_MIN)
		return;
	buf_printf(out, "  it closed what it had closed before %llu times, last descriptor %d at ",
	           (unsigned long long)closes->again, closes->fd);
	page_at(why, closes->last, out);
	buf_puts(out, ": another file may have that number meanwhile\n");
}

void page_cause(const struct why *why, const struct tree_node *node, struct buf *out)
{
	const struct process_history *p = story_history(&why->story, node);
	const struct failure *first;
	const char *resource;
	bool told = false;

	if (WIFSIGNALED(node->end.wait_status))
		page_killed(why, node, out);
	page_last_wait(why, node, out);
	if (!p)
		return;
	first = page_calls(why, p, &told, out);
	resource = first ? page_resource_behind(first) : NULL;
	if (resource)
		page_limit(why, node, resource, first->last, out);
	else if (!told)
		page_lowered_limits(why, node, out);
	if (first && first->error == EMFILE)
		page_descriptors(why, p, out);
	closed_again(why, p, out);
	page_found(why, node, out);
	page_elsewhere(why, node, out);
	if (p->calls)
		buf_printf(out, "  more: exectrace syscalls %s--pid=%u%s\n", first ? "--failed " : "", node->pid,
		           why->data.data ? why->data.data : "");
}
