/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/record/common/machine.h>

#include <errno.h>
#include <exectrace/base/clock.h>
#include <exectrace/target/arch/arch.h>
#include <string.h>
#include <unistd.h>

int machine_describe(struct machine *machine, pid_t pid, uint64_t now, uint64_t wall)
{
	static const char producer[] = "exectrace " EXECTRACE_VERSION;
	int err = 0;

	*machine = (struct machine){
		.facts =
			{
				.arch = arch_native() ? arch_native()->audit : 0,
				.page_size = (uint32_t)sysconf(_SC_PAGESIZE),
				.cpus = (uint32_t)sysconf(_SC_NPROCESSORS_ONLN),
				.pid = (uint32_t)pid,
				.clocks = {{DATA_CLOCK_MONOTONIC, NS_PER_S, now, wall}},
				.producer = {producer, sizeof(producer) - 1},
			},
	};
	err = uname(&machine->name)
	              ? -errno
	              : buf_printf(&machine->system, "%s %s", machine->name.sysname, machine->name.release);
	if (err)
		return err;
	machine->facts.host = (struct data_text){machine->name.nodename, strlen(machine->name.nodename)};
	machine->facts.system = (struct data_text){machine->system.data, machine->system.len};
	return 0;
}

void machine_release(struct machine *machine)
{
	buf_release(&machine->system);
}
