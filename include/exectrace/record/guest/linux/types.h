/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where in the kernel's structures the members are that are looked at. */
#ifndef EXECTRACE_RECORD_GUEST_LINUX_TYPES_H
#define EXECTRACE_RECORD_GUEST_LINUX_TYPES_H

#include <exectrace/record/guest/linux/kernel.h>

struct btf;

struct types {
	struct btf *btf; /* all there are; NULL: they are not kept */
	char *bytes;     /* of them */
	bool tasks;      /* the members of struct task_struct are known */
	uint32_t task_stack, task_pid, task_tgid, task_comm, task_mm, task_tasks;
	bool locks; /* and where struct mutex and struct rw_semaphore have who holds them is */
	uint32_t mutex_owner, semaphore_owner;
	bool execs; /* those of struct linux_binprm are */
	uint32_t exec_path, exec_stack;
	bool descriptors; /* those that lead from a task to its open files, and to the names of these, are */
	uint32_t task_files, files_table, table_files, table_size, file_path, path_mount, path_dentry;
	uint32_t mount_root, mount_public, mount_parent, mount_point; /* of struct vfsmount; of struct mount */
	uint32_t dentry_inode, inode_mode;
	bool messages; /* those of what the kernel logged are (messages.h) */
	uint32_t entry_ring, entry_id, ring_count_bits, ring_descriptors, ring_infos, ring_size_bits, ring_data;
	uint32_t descriptor_size, descriptor_begin, descriptor_next, block_data;
	uint32_t info_size, info_stamp, info_length, info_facility, info_caller;
	bool modules; /* those of struct module are */
	uint32_t module_name, module_kallsyms, module_list;
	bool module_types; /* and where a module's own types are */
	uint32_t module_btf, module_btf_size, module_btf_base, module_btf_base_size; /* base: UINT32_MAX: not there */
	uint32_t kallsyms_symbols, kallsyms_count, kallsyms_names;
	bool files; /* those that lead from a page to its file are */
	uint32_t page_size, page_mapping, page_index;
	uint32_t mapping_host, mapping_root; /* the root of the tree of its pages */
	uint32_t node_shift, node_slots;
	uint32_t inode_number, inode_size, inode_names;
	uint32_t dentry_alias, dentry_name, dentry_parent;
};

/* Reads them out of the kernel's image; what it does not tell stays unknown. keep: all of them are needed later. */
void types_read(struct types *types, const struct kernel *k, const struct ram *ram, bool keep);

/* Frees what was kept. */
void types_release(struct types *types);

#endif
