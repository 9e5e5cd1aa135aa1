/* SPDX-License-Identifier: GPL-2.0-or-later */
/* clone and clone3, whose arguments depend on their flags. */
#include <exectrace/target/decode/calls/calls.h>

#include <sched.h>

#define CLONE_PIDFD_ 0x1000u /* glibc's headers have it from 2.31 on, the kernel's do not go with them */
#define CLONE_ARGS_KNOWN 88  /* bytes of those that are known */
#define CLONE_ARGS_MIN 64    /* bytes of the first version of struct clone_args */

static uint32_t clone_flags(const struct printer *p)
{
	return (uint32_t)call_arg(p, 0);
}

/* Register 1: the stack is shown first. */
void print_clone_stack(struct printer *p, uint64_t value, unsigned aux)
{
	(void)value;
	(void)aux;
	put_text(p, "child_stack=");
	put_addr(p, call_arg(p, 1));
}

void print_clone_flags(struct printer *p, uint64_t value, unsigned aux)
{
	uint64_t all = call_arg(p, 0), flags = all & ~UINT64_C(0xff);

	(void)value;
	(void)aux;
	put_text(p, "flags=");
	if (flags)
		put_flags(p, flags, SET_clone);
	if (all & 0xff) {
		put_text(p, flags ? "|" : "");
		put_signal(p, all & 0xff);
	} else if (!flags) {
		put_text(p, "0");
	}
}

void print_clone_ptid(struct printer *p, uint64_t value, unsigned aux)
{
	uint64_t tid;

	(void)value;
	(void)aux;
	if (!(clone_flags(p) & (CLONE_PARENT_SETTID | CLONE_PIDFD_)))
		return;
	put_text(p, "parent_tid=");
	if (call_succeeded(p) && peek_number(p, call_arg(p, 2), 4, &tid)) {
		put_text(p, "[");
		if (clone_flags(p) & CLONE_PIDFD_)
			print_fd(p, tid, 0);
		else
			put_process(p, DECODE_TID, tid);
		put_text(p, "]");
	} else
		put_addr(p, call_arg(p, 2));
}

void print_clone_tls(struct printer *p, uint64_t value, unsigned aux)
{
	(void)value;
	if (clone_flags(p) & CLONE_SETTLS) {
		put_text(p, "tls=");
		put_addr(p, call_arg(p, aux));
	}
}

void print_clone_ctid(struct printer *p, uint64_t value, unsigned aux)
{
	(void)value;
	if (clone_flags(p) & (CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID)) {
		put_text(p, "child_tidptr=");
		put_addr(p, call_arg(p, aux));
	}
}

/* --- clone3 --- */

enum { C3_FLAGS, C3_PIDFD, C3_CHILD_TID, C3_PARENT_TID, C3_SIGNAL, C3_STACK, C3_STACK_SIZE, C3_TLS, C3_WORDS };

#define IDS_MAX 32 /* MAX_PID_NS_LEVEL */
#define CLONE_INTO_CGROUP_ 0x200000000u

static void print_id_at(struct printer *p, uint64_t addr, unsigned aux)
{
	uint64_t id;

	(void)aux;
	if (peek_number(p, addr, 4, &id))
		print_int(p, id, 0);
}

static bool read_clone_args(struct printer *p, uint64_t addr, uint64_t *words)
{
	return call_arg(p, 1) >= CLONE_ARGS_MIN && peek_bytes(p, addr, words, C3_WORDS * sizeof(*words));
}

static void put_pointer(struct printer *p, const char *name, uint64_t value, bool shown)
{
	if (!shown)
		return;
	put_format(p, ", %s=", name);
	put_addr(p, value);
}

/* The ids of the new process in its namespaces. */
static void put_ids(struct printer *p, uint64_t addr, uint64_t n)
{
	struct array array = {.addr = addr, .n = n, .size = 4, .print = print_id_at};

	put_text(p, ", set_tid=");
	if (!n || n > IDS_MAX)
		put_addr(p, addr);
	else
		put_array(p, &array);
	put_format(p, ", set_tid_size=%llu", (unsigned long long)n);
}

/* What came later: set_tid and set_tid_size with Linux 5.5, cgroup with 5.7. */
static void put_later_members(struct printer *p, uint64_t addr)
{
	uint64_t size = call_arg(p, 1), ids = 0, n = 0, cgroup = 0, flags = 0;

	if (size >= 80 && peek_number(p, addr + 64, 8, &ids) && peek_number(p, addr + 72, 8, &n) && (ids || n))
		put_ids(p, ids, n);
	if (size >= 88 && peek_number(p, addr + 80, 8, &cgroup) && peek_number(p, addr, 8, &flags) &&
	    (cgroup || flags & CLONE_INTO_CGROUP_)) {
		put_text(p, ", cgroup=");
		if (cgroup > INT32_MAX)
			put_unsigned(p, cgroup);
		else
			print_fd(p, cgroup, 0);
	}
	put_beyond(p, addr, CLONE_ARGS_KNOWN, size);
}

void print_clone3(struct printer *p, uint64_t value, unsigned aux)
{
	uint64_t words[C3_WORDS], flags;

	(void)aux;
	if (!read_clone_args(p, value, words)) {
		put_addr(p, value);
		return;
	}
	flags = words[C3_FLAGS];
	put_text(p, "{flags=");
	put_flags(p, flags, SET_clone3);
	put_pointer(p, "pidfd", words[C3_PIDFD], flags & CLONE_PIDFD_);
	put_pointer(p, "child_tid", words[C3_CHILD_TID], flags & (CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID));
	put_pointer(p, "parent_tid", words[C3_PARENT_TID], flags & CLONE_PARENT_SETTID);
	put_text(p, ", exit_signal=");
	if (words[C3_SIGNAL] > INT32_MAX)
		put_unsigned(p, words[C3_SIGNAL]);
	else
		put_signal(p, words[C3_SIGNAL]);
	put_text(p, ", stack=");
	put_addr(p, words[C3_STACK]);
	put_format(p, ", stack_size=%#llx", (unsigned long long)words[C3_STACK_SIZE]);
	put_pointer(p, "tls", words[C3_TLS], flags & CLONE_SETTLS);
	put_later_members(p, value);
	put_text(p, "}");
}

static void print_thread(struct printer *p, uint64_t value, unsigned aux)
{
	(void)aux;
	put_process(p, DECODE_TID, value);
}

/* The number that the kernel has stored at addr. */
static void put_stored(struct printer *p, const char *name, uint64_t addr, print_fn *print)
{
	uint64_t number;

	put_format(p, "%s=", name);
	if (!peek_number(p, addr, 4, &number)) {
		put_addr(p, addr);
		return;
	}
	put_text(p, "[");
	print(p, number, 0);
	put_text(p, "]");
}

/* What the kernel has stored, behind the structure: ` => {parent_tid=[4711]}`. */
void print_clone3_out(struct printer *p, uint64_t value, unsigned aux)
{
	uint64_t words[C3_WORDS];
	size_t start = p->out->len;

	(void)aux;
	if (!call_succeeded(p) || !read_clone_args(p, value, words))
		return;
	put_text(p, " => {");
	if (words[C3_FLAGS] & CLONE_PIDFD_)
		put_stored(p, "pidfd", words[C3_PIDFD], print_fd);
	if (words[C3_FLAGS] & CLONE_PARENT_SETTID)
		put_stored(p, words[C3_FLAGS] & CLONE_PIDFD_ ? ", parent_tid" : "parent_tid", words[C3_PARENT_TID],
		           print_thread);
	put_beyond(p, value, CLONE_ARGS_KNOWN, call_arg(p, 1));
	if (p->out->len == start + strlen(" => {"))
		buf_cut(p->out, start);
	else
		put_text(p, "}");
}
