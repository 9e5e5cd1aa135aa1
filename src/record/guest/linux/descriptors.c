/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/record/guest/linux/descriptors.h>

#include <exectrace/base/cleanup.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define PATH_BYTES 4096
#define NAME_BYTES 256
#define STEPS_MAX 256 /* directories and mounts of a path */
#define WORD 8

static bool get(const struct guest_memory *memory, uint64_t address, uint64_t *to)
{
	return memory->read(memory->user, address, to, sizeof(*to));
}

/* Where something is among mounts and directories. */
struct place {
	uint64_t mount, dentry; /* struct vfsmount, struct dentry */
};

static uint64_t slot_of(uint64_t file)
{
	return (file * 0x9e3779b97f4a7c15ull) >> 32 & (DESCRIPTORS_KNOWN - 1);
}

/* The struct file of a descriptor; 0: there is none. */
static uint64_t find_file(const struct types *types, const struct guest_memory *memory, uint64_t task, uint32_t fd)
{
	uint64_t files = 0, table = 0, items = 0, file = 0;
	uint32_t n = 0;

	if (!task || !get(memory, task + types->task_files, &files) || !files ||
	    !get(memory, files + types->files_table, &table) ||
	    !memory->read(memory->user, table + types->table_size, &n, sizeof(n)) || fd >= n ||
	    !get(memory, table + types->table_files, &items) || !get(memory, items + (uint64_t)fd * WORD, &file))
		return 0;
	return file;
}

/* --- Names -------------------------------------------------------------------------------------------------------- */

/* A path that grows at its beginning. */
struct backwards {
	char bytes[PATH_BYTES];
	size_t at;
};

static bool prepend(struct backwards *path, const char *name, size_t n)
{
	if (n + 1 > path->at)
		return false;
	path->at -= n;
	memcpy(path->bytes + path->at, name, n);
	path->bytes[--path->at] = '/';
	return true;
}

static size_t read_name(const struct types *types, const struct guest_memory *memory, uint64_t dentry,
                        char name[NAME_BYTES])
{
	uint64_t at = 0;
	size_t have;

	if (!get(memory, dentry + types->dentry_name, &at))
		return 0;
	have = guest_memory_some(memory, at, name, NAME_BYTES);
	return strnlen(name, have);
}

/* From where a file system is mounted on to what is above; false: it is mounted nowhere. */
static bool leave_mount(const struct types *types, const struct guest_memory *memory, struct place *at)
{
	uint64_t mount = at->mount - types->mount_public, above = 0;

	if (!get(memory, mount + types->mount_parent, &above) || above == mount ||
	    !get(memory, mount + types->mount_point, &at->dentry))
		return false;
	at->mount = above + types->mount_public;
	return true;
}

/* The path of a place; false: it cannot be read. *alone: it is in no directory, as a pipe. */
static bool find_path(const struct types *types, const struct guest_memory *memory, struct place at,
                      struct backwards *path, bool *alone)
{
	char name[NAME_BYTES];

	*alone = false;
	for (unsigned i = 0; i < STEPS_MAX; i++) {
		uint64_t root = 0, parent = 0;
		size_t n;

		if (!get(memory, at.mount + types->mount_root, &root) ||
		    !get(memory, at.dentry + types->dentry_parent, &parent))
			return false;
		if (at.dentry == root) {
			if (leave_mount(types, memory, &at))
				continue;
			return path->at < sizeof(path->bytes) || prepend(path, "", 0);
		}
		if (parent == at.dentry) {
			*alone = path->at == sizeof(path->bytes);
			return true;
		}
		n = read_name(types, memory, at.dentry, name);
		if (!n || !prepend(path, name, n))
			return false;
		at.dentry = parent;
	}
	return false;
}

/* What is in no directory, by its kind. */
static bool print_alone(struct buf *out, const struct types *types, const struct guest_memory *memory, uint64_t dentry)
{
	uint64_t inode = 0, number = 0;
	char name[NAME_BYTES];
	uint16_t mode = 0;
	size_t n;

	if (!get(memory, dentry + types->dentry_inode, &inode) ||
	    !memory->read(memory->user, inode + types->inode_mode, &mode, sizeof(mode)) ||
	    !get(memory, inode + types->inode_number, &number))
		return false;
	if (S_ISSOCK(mode) || S_ISFIFO(mode))
		return buf_printf(out, "%s:[%" PRIu64 "]", S_ISSOCK(mode) ? "socket" : "pipe", number) == 0;
	n = read_name(types, memory, dentry, name);
	return buf_puts(out, mode & S_IFMT ? "/" : "anon_inode:") == 0 && buf_append(out, name, n) == 0;
}

static bool look_up(struct buf *out, const struct types *types, const struct guest_memory *memory, struct place at)
{
	cleanup_free struct backwards *path = malloc(sizeof(*path));
	bool alone = false;

	if (!path)
		return false;
	path->at = sizeof(path->bytes);
	if (!find_path(types, memory, at, path, &alone))
		return false;
	if (alone)
		return print_alone(out, types, memory, at.dentry);
	return buf_append(out, path->bytes + path->at, sizeof(path->bytes) - path->at) == 0;
}

void descriptors_release(struct descriptors *d)
{
	for (size_t i = 0; i < DESCRIPTORS_KNOWN; i++)
		free(d->known[i].text);
	*d = (struct descriptors){0};
}

/* What a name depends on; false: it cannot be read. The name's length and hash come before its address. */
static bool find_key(const struct types *types, const struct guest_memory *memory, uint64_t file,
                     struct descriptors_key *key)
{
	*key = (struct descriptors_key){.file = file};
	return get(memory, file + types->file_path + types->path_mount, &key->mount) &&
	       get(memory, file + types->file_path + types->path_dentry, &key->dentry) &&
	       get(memory, key->dentry + types->dentry_parent, &key->parent) &&
	       memory->read(memory->user, key->dentry + types->dentry_name - WORD, key->name, sizeof(key->name));
}

const char *descriptors_find(struct descriptors *d, const struct types *types, const struct guest_memory *memory,
                             uint64_t task, uint32_t fd)
{
	uint64_t file = types->descriptors ? find_file(types, memory, task, fd) : 0;
	struct descriptors_name *known = &d->known[slot_of(file)];
	struct descriptors_key now;
	struct buf text = BUF_INIT;

	if (!file || !find_key(types, memory, file, &now))
		return NULL;
	now.renamed = d->renamed;
	if (known->text && memcmp(&known->key, &now, sizeof(now)) == 0)
		return known->text;
	free(known->text);
	known->text = NULL;
	if (look_up(&text, types, memory, (struct place){now.mount, now.dentry}))
		known->text = buf_steal(&text);
	buf_release(&text);
	known->key = now;
	return known->text;
}
