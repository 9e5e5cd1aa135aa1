/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/target/exec/usage.h>

#include <exectrace/base/clock.h>

void exec_usage_set_cpu(struct exec_usage *usage, uint64_t total, uint64_t user, uint64_t system)
{
	uint64_t ticks = user + system;

	usage->cpu = true;
	usage->user = user;
	usage->system = system;
	if (!total)
		return;
	usage->system = ticks ? (uint64_t)((unsigned __int128)total * system / ticks) : 0;
	usage->user = total - usage->system;
}

void exec_usage_complete(struct exec_usage *usage, const struct exec_usage *from)
{
	if (!usage->cpu && from->cpu) {
		usage->cpu = true;
		usage->user = from->user;
		usage->system = from->system;
	}
	if (!usage->peak)
		usage->peak = from->peak;
	if (!usage->io && from->io) {
		usage->io = true;
		usage->read = from->read;
		usage->written = from->written;
	}
}

bool exec_usage_known(const struct exec_usage *usage)
{
	return usage->cpu || usage->peak || usage->io;
}

int exec_usage_print_size(struct buf *out, uint64_t bytes)
{
	static const char units[] = "KMGTPE";
	unsigned unit = 0;
	uint64_t tenths;

	if (bytes < 1024)
		return buf_printf(out, "%u", (unsigned)bytes);
	/* The unit in which it rounds to less than 1024. */
	while ((bytes + 512) >> 10 >= 1024) {
		bytes >>= 10;
		unit++;
	}
	tenths = (bytes * 10 + 512) / 1024;
	if (tenths < 100)
		return buf_printf(out, "%u.%u%c", (unsigned)tenths / 10, (unsigned)tenths % 10, units[unit]);
	return buf_printf(out, "%u%c", (unsigned)((bytes + 512) / 1024), units[unit]);
}

int exec_usage_print(struct buf *out, const struct exec_usage *usage)
{
	int err = 0;

	if (usage->cpu) {
		err = buf_puts(out, ", cpu ");
		if (!err)
			err = clock_print(out, usage->user + usage->system);
	}
	if (!err && usage->peak) {
		err = buf_puts(out, ", ");
		if (!err)
			err = exec_usage_print_size(out, usage->peak);
	}
	return err;
}
