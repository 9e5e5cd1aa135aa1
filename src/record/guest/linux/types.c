/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/record/guest/linux/types.h>

#include <exectrace/base/cleanup.h>
#include <exectrace/record/guest/core/say.h>
#include <exectrace/target/symbol/btf.h>
#include <string.h>

#define BTF_BYTES_MAX (32u << 20)
#define CHUNK (1u << 20)      /* that is searched at a time */
#define SEARCHED (96u << 20)  /* bytes of an image at most */
#define TYPES_MIN (64u << 10) /* bytes of types; fewer are no kernel's */

static bool member(const struct btf *btf, const char *structure, const char *name, uint32_t *to)
{
	return btf_member(btf, structure, name, to) == 0;
}

static bool find_files(struct types *types, const struct btf *btf)
{
	types->page_size = btf_size(btf, "page");
	return types->page_size && member(btf, "page", "mapping", &types->page_mapping) &&
	       (member(btf, "page", "index", &types->page_index) ||
	        member(btf, "page", "__folio_index", &types->page_index)) && /* its name from Linux 6.16 on */
	       member(btf, "address_space", "host", &types->mapping_host) &&
	       member(btf, "address_space", "i_pages.xa_head", &types->mapping_root) &&
	       member(btf, "xa_node", "shift", &types->node_shift) &&
	       member(btf, "xa_node", "slots", &types->node_slots) &&
	       member(btf, "inode", "i_ino", &types->inode_number) &&
	       member(btf, "inode", "i_size", &types->inode_size) &&
	       member(btf, "inode", "i_dentry", &types->inode_names) &&
	       (member(btf, "dentry", "d_u.d_alias", &types->dentry_alias) ||
	        member(btf, "dentry", "d_alias", &types->dentry_alias)) && /* in Linux 7 */
	       member(btf, "dentry", "d_name.name", &types->dentry_name) &&
	       member(btf, "dentry", "d_parent", &types->dentry_parent);
}

static bool find_descriptors(struct types *types, const struct btf *btf)
{
	return types->files && member(btf, "task_struct", "files", &types->task_files) &&
	       member(btf, "files_struct", "fdt", &types->files_table) &&
	       member(btf, "fdtable", "fd", &types->table_files) &&
	       member(btf, "fdtable", "max_fds", &types->table_size) &&
	       member(btf, "file", "f_path", &types->file_path) && member(btf, "path", "mnt", &types->path_mount) &&
	       member(btf, "path", "dentry", &types->path_dentry) &&
	       member(btf, "vfsmount", "mnt_root", &types->mount_root) &&
	       member(btf, "mount", "mnt", &types->mount_public) &&
	       member(btf, "mount", "mnt_parent", &types->mount_parent) &&
	       member(btf, "mount", "mnt_mountpoint", &types->mount_point) &&
	       member(btf, "dentry", "d_inode", &types->dentry_inode) &&
	       member(btf, "inode", "i_mode", &types->inode_mode);
}

/* Of struct printk_info the bits of flags and level have a byte, behind the facility. */
static bool find_messages(struct types *types, const struct btf *btf)
{
	types->descriptor_size = btf_size(btf, "prb_desc");
	types->info_size = btf_size(btf, "printk_info");
	return types->descriptor_size && types->info_size &&
	       member(btf, "prb_reserved_entry", "rb", &types->entry_ring) &&
	       member(btf, "prb_reserved_entry", "id", &types->entry_id) &&
	       member(btf, "printk_ringbuffer", "desc_ring.count_bits", &types->ring_count_bits) &&
	       member(btf, "printk_ringbuffer", "desc_ring.descs", &types->ring_descriptors) &&
	       member(btf, "printk_ringbuffer", "desc_ring.infos", &types->ring_infos) &&
	       member(btf, "printk_ringbuffer", "text_data_ring.size_bits", &types->ring_size_bits) &&
	       member(btf, "printk_ringbuffer", "text_data_ring.data", &types->ring_data) &&
	       member(btf, "prb_desc", "text_blk_lpos.begin", &types->descriptor_begin) &&
	       member(btf, "prb_desc", "text_blk_lpos.next", &types->descriptor_next) &&
	       member(btf, "prb_data_block", "data", &types->block_data) &&
	       member(btf, "printk_info", "ts_nsec", &types->info_stamp) &&
	       member(btf, "printk_info", "text_len", &types->info_length) &&
	       member(btf, "printk_info", "facility", &types->info_facility) &&
	       member(btf, "printk_info", "caller_id", &types->info_caller) &&
	       types->info_caller == types->info_facility + 2;
}

/* --- Where they are ----------------------------------------------------------------------------------------------- */

/* struct btf_header (include/uapi/linux/btf.h) as far as it is needed. */
struct types_head {
	uint16_t magic;
	uint8_t version, flags;
	uint32_t size;
	uint32_t types, types_size, texts, texts_size; /* offsets count from behind the header */
};

static const struct types_head head = {0xeb9f, 1, 0, 24, 0, 0, 0, 0};
#define HEAD_FIXED offsetof(struct types_head, types_size) /* bytes that are the same in all */

/* How many bytes there are behind a header; 0: it is none. */
static size_t size_of(const struct types_head *h)
{
	uint64_t n = (uint64_t)h->size + h->texts + h->texts_size;

	return memcmp(h, &head, HEAD_FIXED) == 0 && n <= BTF_BYTES_MAX ? (size_t)n : 0;
}

/* Searches the kernel's image; the address in this process, 0: not there. */
static uintptr_t search(const struct kernel *k, const struct ram *ram)
{
	cleanup_free char *chunk = malloc(CHUNK);
	uintptr_t from = (uintptr_t)(k->start + (uint64_t)k->host), end = from + SEARCHED;

	for (uintptr_t at = from; chunk && at < end && ram_holds(ram, at, CHUNK); at += CHUNK - sizeof(head)) {
		const char *found = chunk;

		if (!ram_read(ram, at, chunk, CHUNK))
			return 0;
		while ((found = memmem(found, CHUNK - (size_t)(found - chunk), &head, HEAD_FIXED))) {
			struct types_head h;

			if (CHUNK - (size_t)(found - chunk) < sizeof(h))
				break;
			memcpy(&h, found, sizeof(h));
			if (h.types_size > TYPES_MIN && h.texts == h.types_size && size_of(&h))
				return at + (size_t)(found - chunk);
			found++;
		}
	}
	return 0;
}

/* Copies the kernel's types, *n bytes; NULL: it has none. */
static char *copy_types(const struct kernel *k, const struct ram *ram, size_t *n)
{
	const struct kallsym *start = kallsyms_find(&k->table, "__start_BTF");
	uintptr_t host = start ? (uintptr_t)(start->address + (uint64_t)k->host) : search(k, ram);
	struct types_head h;
	char *bytes;

	if (!host || !ram_read(ram, host, &h, sizeof(h)) || !(*n = size_of(&h)))
		return NULL;
	bytes = malloc(*n);
	if (bytes && ram_read(ram, host, bytes, *n))
		return bytes;
	free(bytes);
	return NULL;
}

/* --- What they say ------------------------------------------------------------------------------------------------ */

static void find_module_types(struct types *types, const struct btf *btf)
{
	types->module_types = member(btf, "module", "btf_data", &types->module_btf) &&
	                      member(btf, "module", "btf_data_size", &types->module_btf_size);
	if (!member(btf, "module", "btf_base_data", &types->module_btf_base) ||
	    !member(btf, "module", "btf_base_data_size", &types->module_btf_base_size))
		types->module_btf_base = UINT32_MAX; /* before Linux 6.11 */
}

void types_release(struct types *types)
{
	btf_close(types->btf);
	free(types->bytes);
	types->btf = NULL;
	types->bytes = NULL;
}

void types_read(struct types *types, const struct kernel *k, const struct ram *ram, bool keep)
{
	size_t n = 0;
	char *bytes = copy_types(k, ram, &n);
	struct btf *btf = NULL;

	memset(types, 0, sizeof(*types));
	if (!bytes || btf_open(&btf, bytes, n)) {
		free(bytes);
		plugin_say("the guest's kernel has no types in its memory (CONFIG_DEBUG_INFO_BTF): tasks, modules and "
		           "files of programs are not known");
		return;
	}
	types->tasks = member(btf, "task_struct", "stack", &types->task_stack) &&
	               member(btf, "task_struct", "pid", &types->task_pid) &&
	               member(btf, "task_struct", "tgid", &types->task_tgid) &&
	               member(btf, "task_struct", "comm", &types->task_comm) &&
	               member(btf, "task_struct", "mm", &types->task_mm) &&
	               member(btf, "task_struct", "tasks", &types->task_tasks);
	/* In a real-time kernel there is nothing of the sort. */
	types->locks = types->tasks && member(btf, "mutex", "owner", &types->mutex_owner) &&
	               member(btf, "rw_semaphore", "owner", &types->semaphore_owner);
	types->execs = member(btf, "linux_binprm", "filename", &types->exec_path) &&
	               member(btf, "linux_binprm", "p", &types->exec_stack);
	types->modules = member(btf, "module", "name", &types->module_name) &&
	                 member(btf, "module", "list", &types->module_list) &&
	                 member(btf, "module", "kallsyms", &types->module_kallsyms) &&
	                 member(btf, "mod_kallsyms", "symtab", &types->kallsyms_symbols) &&
	                 member(btf, "mod_kallsyms", "num_symtab", &types->kallsyms_count) &&
	                 member(btf, "mod_kallsyms", "strtab", &types->kallsyms_names);
	if (!types->modules && member(btf, "module", "list", &types->module_list))
		plugin_say("the guest's kernel has no names of functions in its modules (CONFIG_KALLSYMS): these are "
		           "not told");
	find_module_types(types, btf);
	types->files = find_files(types, btf);
	types->descriptors = find_descriptors(types, btf);
	types->messages = find_messages(types, btf);
	types->btf = btf;
	types->bytes = bytes;
	if (!keep)
		types_release(types);
}
