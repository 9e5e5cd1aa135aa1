/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/why/time/odd.h>

#include <exectrace/target/syscalls/names.h>
#include <string.h>

/* What they did, as "opened /etc/prog to read". */
static void print_access(const struct why *why, const struct access *access, bool did, struct buf *out)
{
	static const char *const past[] = {"opened", "wrote to", "made", "removed", "bound to", "connected to"};
	static const char *const plain[] = {"open", "write to", "make", "remove", "bind to", "connect to"};

	buf_puts(out, did ? past[access->kind] : plain[access->kind]);
	buf_putc(out, ' ');
	page_name(out, objects_at(&why->story.history.objects, access->object)->name, 2 * COMMAND_MAX);
}

static void print_failure(const struct failure *f, struct buf *out)
{
	buf_puts(out, f->call);
	buf_putc(out, '(');
	page_name(out, f->what, 2 * COMMAND_MAX);
	buf_printf(out, ") = %s", errno_name(f->error) ? errno_name(f->error) : "an error");
}

/* What it alone did, or did not. */
static void print_what(const struct why *why, const struct odd_process *odd, struct buf *out)
{
	switch (odd->kind) {
	case ODD_ACCESS:
		buf_puts(out, odd->lacks ? "did not " : "");
		print_access(why, odd->access, !odd->lacks, out);
		break;
	case ODD_FAILURE:
		buf_puts(out, odd->lacks ? "had no " : "");
		print_failure(odd->failure, out);
		break;
	default:
		page_end_of(out, odd->end);
	}
}

void page_odd(const struct why *why, struct buf *out)
{
	if (why->odd.n)
		buf_puts(out, "\nWhat differs from many others of the same command\n");
	for (size_t i = 0; i < why->odd.n; i++) {
		const struct odd_process *odd = &why->odd.items[i];

		buf_puts(out, "  ");
		page_process(out, odd->node, COMMAND_MAX);
		buf_puts(out, ": ");
		print_what(why, odd, out);
		buf_printf(out, odd->lacks ? ", as the other %zu did" : ", unlike the other %zu", odd->of - 1);
		if (odd->more)
			buf_printf(out, "; it differs in %zu more", odd->more);
		buf_putc(out, '\n');
	}
	if (why->odd.n)
		buf_printf(out, "  more: exectrace syscalls -p %u%s\n", why->odd.items[0].node->pid,
		           why->data.data ? why->data.data : "");
}

void page_odd_json(const struct why *why, struct jsonl *j)
{
	static const char *const kinds[] = {[ODD_ACCESS] = "access", [ODD_FAILURE] = "failure", [ODD_END] = "end"};
	struct buf items = BUF_INIT, text = BUF_INIT;
	struct jsonl one = {.out = &text};

	for (size_t i = 0; i < why->odd.n; i++) {
		const struct odd_process *odd = &why->odd.items[i];
		struct buf what = BUF_INIT;

		print_what(why, odd, &what);
		jsonl_begin(&one);
		jsonl_unsigned(&one, "pid", odd->node->pid);
		jsonl_string(&one, "command", program_command(odd->node));
		jsonl_unsigned(&one, "of", odd->of);
		jsonl_string(&one, "kind", kinds[odd->kind]);
		jsonl_bool(&one, "lacks", odd->lacks);
		jsonl_string(&one, "what", what.data ? what.data : "");
		jsonl_unsigned(&one, "more", odd->more);
		jsonl_end(&one);
		jsonl_object(&items, &one);
		buf_fail(&items, what.err);
		buf_release(&what);
	}
	jsonl_objects(j, "odd_processes", &items);
	buf_release(&text);
}
