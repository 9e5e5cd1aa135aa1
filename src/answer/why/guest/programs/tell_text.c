/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Commands and system calls of a guest's processes, for people and programs. */
#include <exectrace/answer/why/guest/programs/tell.h>

#include <exectrace/answer/why/guest/story/text.h>
#include <exectrace/base/clock.h>
#include <exectrace/target/exec/print.h>
#include <string.h>

#define COMMAND_MAX 60u /* bytes */
#define CALL_MAX 120u

void command_print(struct buf *out, const struct guest_command *command, const char *task)
{
	if (!command->command) {
		text_task(out, task, command->pid);
		return;
	}
	/* A shell's fork may run a command of its own: its name tells which. */
	if (command->forked && *task && !strstr(command->command, task)) {
		text_name(out, task);
		buf_puts(out, ", a fork of ");
		text_cut(out, command->command, COMMAND_MAX);
		buf_printf(out, ", [%u]", command->pid);
		return;
	}
	text_cut(out, command->command, COMMAND_MAX);
	buf_printf(out, "%s [%u]", command->forked ? " (fork)" : "", command->pid);
}

void calls_print_change(struct buf *out, const struct guest_calls *calls, const char *behind)
{
	if (!*calls->change)
		return;
	buf_printf(out, "%sthat file was %s ", behind, calls->change);
	clock_print(out, calls->before);
	buf_puts(out, " before by ");
	command_print(out, &calls->changer, "");
	buf_putc(out, '\n');
}

void calls_print(struct buf *out, const struct guest_calls *calls)
{
	if (calls->current && *calls->current) {
		buf_puts(out, "    in the system call ");
		text_cut(out, calls->current, CALL_MAX);
		buf_putc(out, '\n');
		return;
	}
	if (!calls->signal)
		return;
	buf_puts(out, "    ended by ");
	exec_print_signal(out, calls->signal);
	if (calls->faulted)
		buf_printf(out, " at address %#llx", (unsigned long long)calls->address);
	buf_puts(out, calls->n ? "; its last system calls:\n" : "\n");
	for (size_t i = 0; i < calls->n; i++) {
		buf_puts(out, "      ");
		text_cut(out, calls->last[i], CALL_MAX);
		buf_putc(out, '\n');
	}
	calls_print_change(out, calls, "    ");
}

/* --- JSON --------------------------------------------------------------------------------------------------------- */

void command_json(struct jsonl *j, const char *key, const char *pid_key, const struct guest_command *command)
{
	if (!command->command)
		return;
	jsonl_string(j, key, command->command);
	jsonl_unsigned(j, pid_key, command->pid);
}

void calls_json(struct jsonl *j, const struct guest_calls *calls)
{
	struct buf name = BUF_INIT;

	if (calls->current && *calls->current)
		jsonl_string(j, "call", calls->current);
	if (calls->signal) {
		exec_print_signal(&name, calls->signal);
		jsonl_string(j, "signal", name.data ? name.data : "");
	}
	if (calls->faulted)
		jsonl_unsigned(j, "fault_address", calls->address);
	if (calls->n) {
		jsonl_array(j, "calls_before");
		for (size_t i = 0; i < calls->n; i++)
			jsonl_item(j, (struct data_text){calls->last[i], strlen(calls->last[i])});
		jsonl_array_end(j);
	}
	if (calls->change && *calls->change) {
		jsonl_string(j, "file_was", calls->change);
		command_json(j, "changed_by", "changed_by_pid", &calls->changer);
		jsonl_unsigned(j, "changed_before", calls->before);
	}
	buf_release(&name);
}
