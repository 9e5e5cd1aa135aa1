/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * QEMU's interface for TCG plugins (docs/devel/tcg-plugins.rst, qemu-plugin.h), as far as it is used: Debian packages
 * no header, and every version has other functions. They are looked up when the plugin is loaded, so that one plugin
 * serves all versions of the interface from 1 (QEMU 4.2 to 8.2) on.
 */
#ifndef EXECTRACE_RECORD_GUEST_API_QEMU_H
#define EXECTRACE_RECORD_GUEST_API_QEMU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define QEMU_EXPORT __attribute__((visibility("default")))

typedef uint64_t qemu_id_t;
typedef uint32_t qemu_access_t; /* what a memory callback is told about the access */

/* What qemu_plugin_install gets. */
struct qemu_info {
	const char *target_name;
	struct {
		int min, cur;
	} version;
	bool system_emulation;
	struct {
		int smp_vcpus, max_vcpus;
	} system;
};

struct qemu_tb;
struct qemu_insn;
struct qemu_scoreboard;

/* A number for each vCPU (version 2). */
struct qemu_u64 {
	struct qemu_scoreboard *score;
	size_t offset;
};

#define QEMU_WITHOUT_ID 7 /* the version, see qemu_event_fn */

enum qemu_registers { QEMU_NO_REGISTERS = 0, QEMU_READ_REGISTERS = 1 };
enum qemu_memory { QEMU_MEMORY_RW = 3 };
enum qemu_op { QEMU_ADD_U64 = 0 };

/*
 * What is told of events has another type in each version. Before QEMU_WITHOUT_ID the first argument is the plugin's
 * number, and only the one for the end has `user`; from then on there is no number, and `user` is the last of all.
 */
typedef void (*qemu_event_fn)(void);
typedef void (*qemu_exec_fn)(unsigned vcpu, void *user);
typedef void (*qemu_memory_fn)(unsigned vcpu, qemu_access_t access, uint64_t address, void *user);

struct gbytes {
	uint8_t *data;
	unsigned len;
};

/* A register (version 2). 11.1 has more behind it. */
struct qemu_register {
	void *handle;
	const char *name;
	const char *feature;
};

struct garray {
	char *items;
	unsigned n;
};

/* The functions; those behind `optional` are NULL where this QEMU has none. */
struct qemu {
	void (*on_vcpu_init)(qemu_id_t, qemu_event_fn, void *user); /* void: (vCPU) */
	void (*on_vcpu_idle)(qemu_id_t, qemu_event_fn, void *user);
	void (*on_vcpu_resume)(qemu_id_t, qemu_event_fn, void *user);
	void (*on_translate)(qemu_id_t, qemu_event_fn, void *user); /* (block) */
	void (*on_flush)(qemu_id_t, qemu_event_fn, void *user);     /* () */
	void (*on_end)(qemu_id_t, qemu_event_fn, void *user);       /* () */
	void (*on_tb)(struct qemu_tb *, qemu_exec_fn, int registers, void *user);
	void (*on_insn)(struct qemu_insn *, qemu_exec_fn, int registers, void *user);
	void (*on_memory)(struct qemu_insn *, qemu_memory_fn, int registers, int rw, void *user);
	size_t (*tb_size)(const struct qemu_tb *); /* instructions */
	uint64_t (*tb_address)(const struct qemu_tb *);
	struct qemu_insn *(*tb_insn)(const struct qemu_tb *, size_t);
	size_t (*insn_size)(const struct qemu_insn *);
	uint64_t (*insn_address)(const struct qemu_insn *);
	void *(*insn_host)(const struct qemu_insn *); /* where its first byte is in this process */
	bool (*is_store)(qemu_access_t);
	unsigned (*size_shift)(qemu_access_t); /* 3: 8 bytes */

	void *optional;
	void (*tb_add)(struct qemu_tb *, int op, void *counter, uint64_t n); /* version 1 */
	void (*tb_add_each)(struct qemu_tb *, int op, struct qemu_u64 entry, uint64_t n);
	struct qemu_scoreboard *(*scoreboard_new)(size_t);
	void *(*scoreboard_find)(struct qemu_scoreboard *, unsigned vcpu);
	void *insn_data;                                         /* see qemu_insn_bytes */
	bool (*translate)(uint64_t address, uint64_t *physical); /* of the vCPU that calls back (version 5) */

	struct garray *(*registers)(void); /* of the vCPU that begins (version 2) */
	int (*ask)(void *handle, struct gbytes *to);
	bool (*ask_memory)(uint64_t address, struct gbytes *to, size_t n); /* version 4 */

	/* GLib's, which QEMU has. */
	struct gbytes *(*gbytes_new)(void);
	uint8_t *(*gbytes_free)(struct gbytes *, int free_data);
	unsigned (*garray_item_size)(struct garray *);
	char *(*garray_free)(struct garray *, int free_data);

	/* Not of the interface, but exported by builds with modules, such as Debian's. */
	void *(*get_cpu)(int index);
	int (*read_register)(void *cpu, struct gbytes *to, int n);
	int (*read_memory)(void *cpu, uint64_t address, void *to, size_t n, bool write);
	void (*run_safe)(void *cpu, void (*work)(void *cpu, uintptr_t data), uintptr_t data); /* where no vCPU runs */
	void (*flush)(void *cpu);                                                             /* all translations */
	uint64_t (*physical_page)(void *cpu, uint64_t address, void *attributes); /* all bits: none; to 11.0 */

	int version; /* of the interface */
};

/* The version to ask for, one that this QEMU takes. */
int qemu_choose_version(void);

/* Looks the functions up. NULL, or the name of one that is missing. */
const char *qemu_resolve(struct qemu *q, int version);

/* True when it has what is not of the interface: registers can be had. */
bool qemu_has_internals(const struct qemu *q);

/* From now on as if it had not. */
void qemu_forget_internals(struct qemu *q);

/* From now on as if its interface had no registers either. */
void qemu_forget_registers(struct qemu *q);

/* Has all blocks translated again, once no vCPU runs any (from the callback for a translation, too). True: it can. */
bool qemu_can_translate_again(const struct qemu *q);
void qemu_translate_again(const struct qemu *q);

/* Copies up to n bytes of an instruction; how many. */
size_t qemu_insn_bytes(const struct qemu *q, const struct qemu_insn *insn, uint8_t *to, size_t n);

#endif
