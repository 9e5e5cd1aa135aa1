/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "types.h"

#include <exectrace/base/cleanup.h>
#include <exectrace/symbol/btf.h>
#include <string.h>

#define BTF_BYTES_MAX (32u << 20)

static bool member(const struct btf *btf, const char *structure, const char *name, uint32_t *to)
{
	return btf_member(btf, structure, name, to) == 0;
}

static bool find_files(struct types *types, const struct btf *btf)
{
	return member(btf, "page", "mapping", &types->page_mapping) &&
	       member(btf, "page", "index", &types->page_index) &&
	       member(btf, "address_space", "host", &types->mapping_host) &&
	       member(btf, "address_space", "i_pages.xa_head", &types->mapping_root) &&
	       member(btf, "xa_node", "shift", &types->node_shift) &&
	       member(btf, "xa_node", "slots", &types->node_slots) &&
	       member(btf, "inode", "i_ino", &types->inode_number) &&
	       member(btf, "inode", "i_size", &types->inode_size) &&
	       member(btf, "inode", "i_dentry", &types->inode_names) &&
	       member(btf, "dentry", "d_u.d_alias", &types->dentry_alias) &&
	       member(btf, "dentry", "d_name.name", &types->dentry_name) &&
	       member(btf, "dentry", "d_parent", &types->dentry_parent);
}

void types_read(struct types *types, const struct kernel *k, const struct ram *ram)
{
	const struct kallsym *start = kallsyms_find(&k->table, "__start_BTF");
	const struct kallsym *stop = kallsyms_find(&k->table, "__stop_BTF");
	size_t n = start && stop && stop->address > start->address ? stop->address - start->address : 0;
	cleanup_free char *bytes = n && n <= BTF_BYTES_MAX ? malloc(n) : NULL;
	struct btf *btf = NULL;

	memset(types, 0, sizeof(*types));
	if (!bytes || !ram_read(ram, (uintptr_t)(start->address + (uint64_t)k->host), bytes, n) ||
	    btf_open(&btf, bytes, n))
		return;
	types->tasks = member(btf, "task_struct", "stack", &types->task_stack) &&
	               member(btf, "task_struct", "pid", &types->task_pid) &&
	               member(btf, "task_struct", "tgid", &types->task_tgid) &&
	               member(btf, "task_struct", "comm", &types->task_comm);
	types->modules = member(btf, "module", "name", &types->module_name) &&
	                 member(btf, "module", "kallsyms", &types->module_kallsyms) &&
	                 member(btf, "mod_kallsyms", "symtab", &types->kallsyms_symbols) &&
	                 member(btf, "mod_kallsyms", "num_symtab", &types->kallsyms_count) &&
	                 member(btf, "mod_kallsyms", "strtab", &types->kallsyms_names);
	types->files = find_files(types, btf);
	btf_close(btf);
}
