/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/record/guest/api/qemu.h>

#include "release.h"

#include <dlfcn.h>
#include <string.h>

#define VERSION_COPIES 3       /* from which on qemu_plugin_insn_data copies */
#define FIRST_WITHOUT_ID 1101u /* the release that has version QEMU_WITHOUT_ID */

/* Where in struct qemu the address of a function is put. */
struct qemu_row {
	const char *name;
	size_t offset;
};

#define ROW(name, member)                           \
	{                                           \
		name, offsetof(struct qemu, member) \
	}

static const struct qemu_row rows[] = {
	ROW("qemu_plugin_register_vcpu_init_cb", on_vcpu_init),
	ROW("qemu_plugin_register_vcpu_idle_cb", on_vcpu_idle),
	ROW("qemu_plugin_register_vcpu_resume_cb", on_vcpu_resume),
	ROW("qemu_plugin_register_vcpu_tb_trans_cb", on_translate),
	ROW("qemu_plugin_register_flush_cb", on_flush),
	ROW("qemu_plugin_register_atexit_cb", on_end),
	ROW("qemu_plugin_register_vcpu_tb_exec_cb", on_tb),
	ROW("qemu_plugin_register_vcpu_insn_exec_cb", on_insn),
	ROW("qemu_plugin_register_vcpu_mem_cb", on_memory),
	ROW("qemu_plugin_tb_n_insns", tb_size),
	ROW("qemu_plugin_tb_vaddr", tb_address),
	ROW("qemu_plugin_tb_get_insn", tb_insn),
	ROW("qemu_plugin_insn_size", insn_size),
	ROW("qemu_plugin_insn_vaddr", insn_address),
	ROW("qemu_plugin_insn_haddr", insn_host),
	ROW("qemu_plugin_mem_is_store", is_store),
	ROW("qemu_plugin_mem_size_shift", size_shift),
	ROW("qemu_plugin_insn_data", insn_data),
	ROW("qemu_plugin_register_vcpu_tb_exec_inline", tb_add),
	ROW("qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu", tb_add_each),
	ROW("qemu_plugin_scoreboard_new", scoreboard_new),
	ROW("qemu_plugin_scoreboard_find", scoreboard_find),
	ROW("qemu_plugin_translate_vaddr", translate),
	ROW("qemu_plugin_get_registers", registers),
	ROW("qemu_plugin_read_register", ask),
	ROW("qemu_plugin_read_memory_vaddr", ask_memory),
	ROW("g_byte_array_new", gbytes_new),
	ROW("g_byte_array_free", gbytes_free),
	ROW("g_array_get_element_size", garray_item_size),
	ROW("g_array_free", garray_free),
	ROW("qemu_get_cpu", get_cpu),
	ROW("x86_cpu_gdb_read_register", read_register),
	ROW("cpu_memory_rw_debug", read_memory),
	ROW("async_safe_run_on_cpu", run_safe),
	ROW("tb_flush", flush),
	ROW("cpu_get_phys_page_attrs_debug", physical_page),
};

int qemu_choose_version(void)
{
	unsigned release;

	/*
	 * QEMU 9.0 (version 2) refuses plugins of version 1, and older ones those of any later; 11.1 (version 7)
	 * refuses all before it, and has the functions that 11.0 (version 6) had.
	 */
	if (!dlsym(RTLD_DEFAULT, "qemu_plugin_scoreboard_new"))
		return 1;
	if (!dlsym(RTLD_DEFAULT, "qemu_plugin_set_pc"))
		return 2;
	release = release_of_program();
	return release && release < FIRST_WITHOUT_ID ? 2 : QEMU_WITHOUT_ID;
}

const char *qemu_resolve(struct qemu *q, int version)
{
	*q = (struct qemu){.version = version};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		void *address = dlsym(RTLD_DEFAULT, rows[i].name);

		if (!address && rows[i].offset < offsetof(struct qemu, optional))
			return rows[i].name;
		memcpy((char *)q + rows[i].offset, &address, sizeof(address));
	}
	return q->insn_data ? NULL : "qemu_plugin_insn_data";
}

bool qemu_has_internals(const struct qemu *q)
{
	return q->get_cpu && q->read_register && q->gbytes_new && q->gbytes_free;
}

void qemu_forget_internals(struct qemu *q)
{
	q->get_cpu = NULL;
	q->read_register = NULL;
	q->read_memory = NULL;
	q->run_safe = NULL;
	q->flush = NULL;
	q->physical_page = NULL;
}

void qemu_forget_registers(struct qemu *q)
{
	q->registers = NULL;
}

bool qemu_can_translate_again(const struct qemu *q)
{
	return q->get_cpu && q->run_safe && q->flush;
}

static void flush(void *cpu, uintptr_t q)
{
	((const struct qemu *)q)->flush(cpu);
}

void qemu_translate_again(const struct qemu *q)
{
	void *cpu = q->get_cpu(0);

	/* Not at once: a block is being translated. */
	if (cpu)
		q->run_safe(cpu, flush, (uintptr_t)q);
}

size_t qemu_insn_bytes(const struct qemu *q, const struct qemu_insn *insn, uint8_t *to, size_t n)
{
	size_t size = q->insn_size(insn);

	n = size < n ? size : n;
	if (q->version >= VERSION_COPIES) {
		size_t (*copy)(const struct qemu_insn *, void *, size_t);

		memcpy(&copy, &q->insn_data, sizeof(copy));
		return copy(insn, to, n);
	} else {
		const void *(*data)(const struct qemu_insn *);

		memcpy(&data, &q->insn_data, sizeof(data));
		memcpy(to, data(insn), n);
		return n;
	}
}
