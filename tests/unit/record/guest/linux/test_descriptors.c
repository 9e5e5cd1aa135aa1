/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files of a task in a memory made by hand: /mnt/dir/file, of a file system that is mounted, a pipe, and an event. */
#include "tap.h"
#include <exectrace/record/guest/linux/descriptors.h>
#include <sys/stat.h>

#define BASE 0xffff888000000000ull
#define WORDS 512

/* Offsets in words of the made structures. */
enum { FILES = 1, TABLE = 2, PATH_MOUNT = 3, PATH_DENTRY = 4, ROOT = 2, PUBLIC = 4, PARENT = 1, POINT = 2 };
enum { D_PARENT = 1, D_HASH = 2, D_NAME = 3, D_INODE = 4 };

static uint64_t there[WORDS];

static bool read_memory(void *user, uint64_t address, void *to, size_t n)
{
	(void)user;
	if (address < BASE || address - BASE > sizeof(there) || n > sizeof(there) - (address - BASE))
		return false;
	memcpy(to, (const char *)there + (address - BASE), n);
	return true;
}

static const struct guest_memory memory = {read_memory, NULL};

static const struct types types = {
	.descriptors = true,
	.task_files = FILES * 8,
	.files_table = TABLE * 8,
	.table_files = 8,
	.table_size = 0,
	.file_path = PATH_MOUNT * 8,
	.path_mount = 0,
	.path_dentry = 8,
	.mount_root = ROOT * 8,
	.mount_public = PUBLIC * 8,
	.mount_parent = PARENT * 8,
	.mount_point = POINT * 8,
	.dentry_parent = D_PARENT * 8,
	.dentry_name = D_NAME * 8,
	.dentry_inode = D_INODE * 8,
	.inode_number = 8,
	.inode_mode = 0,
};

static uint64_t at(unsigned word)
{
	return BASE + word * 8ull;
}

static void name(unsigned dentry, unsigned parent, unsigned where, const char *text)
{
	there[dentry + D_PARENT] = at(parent);
	there[dentry + D_HASH] = strlen(text) << 32 | (unsigned char)*text;
	there[dentry + D_NAME] = at(where);
	memcpy(&there[where], text, strlen(text) + 1);
}

static void file(unsigned fd, unsigned where, unsigned mount, unsigned dentry)
{
	there[40 + fd] = at(where);
	there[where + PATH_MOUNT] = at(mount + PUBLIC);
	there[where + PATH_DENTRY] = at(dentry);
}

static void mount(unsigned where, unsigned root, unsigned parent, unsigned point)
{
	there[where + PUBLIC + ROOT] = at(root);
	there[where + PARENT] = at(parent);
	there[where + POINT] = at(point);
}

static void make(void)
{
	memset(there, 0, sizeof(there));
	there[FILES] = at(10); /* the task is at word 0 */
	there[10 + TABLE] = at(30);
	there[30] = 6;
	there[31] = at(40);
	name(100, 100, 105, "/"); /* the root, and in it mnt, where the other's root is */
	name(110, 100, 115, "mnt");
	name(120, 120, 125, "/");
	name(130, 120, 135, "dir");
	name(140, 130, 145, "file");
	mount(200, 100, 200, 100);
	mount(220, 120, 200, 110);
	file(0, 300, 220, 140);
	file(1, 310, 200, 100);
	name(150, 150, 155, ""); /* a pipe: in no directory of its mount */
	there[150 + D_INODE] = at(160);
	there[160] = S_IFIFO | 0600;
	there[161] = 4711;
	name(170, 170, 175, "[eventfd]");
	there[170 + D_INODE] = at(180);
	mount(240, 100, 240, 100);
	file(2, 320, 240, 150);
	file(3, 330, 240, 170);
}

static const char *find(struct descriptors *d, uint32_t fd)
{
	const char *text = descriptors_find(d, &types, &memory, BASE, fd);

	return text ? text : "none";
}

static void test_names(void)
{
	struct descriptors d = {0};

	make();
	CHECK_STR(find(&d, 0), "/mnt/dir/file");
	CHECK_STR(find(&d, 1), "/");
	CHECK_STR(find(&d, 2), "pipe:[4711]");
	CHECK_STR(find(&d, 3), "anon_inode:[eventfd]");
	CHECK_STR(find(&d, 4), "none");
	CHECK_STR(find(&d, 6), "none");
	CHECK_STR(find(&d, UINT32_MAX), "none");
	there[160] = S_IFSOCK | 0600;
	CHECK_STR(find(&d, 2), "pipe:[4711]"); /* it is what it was */
	descriptors_release(&d);
	CHECK_STR(find(&d, 2), "socket:[4711]");
	descriptors_release(&d);
}

/* The same memory has another file, or a directory another name, which somebody tells. */
static void test_changes(void)
{
	struct descriptors d = {0};

	make();
	CHECK_STR(find(&d, 0), "/mnt/dir/file");
	name(140, 130, 145, "else");
	CHECK_STR(find(&d, 0), "/mnt/dir/else");
	name(130, 120, 135, "now");
	CHECK_STR(find(&d, 0), "/mnt/dir/else");
	d.renamed++;
	CHECK_STR(find(&d, 0), "/mnt/now/else");
	there[30] = 0;
	CHECK_STR(find(&d, 0), "none");
	descriptors_release(&d);
}

/* Directories and mounts in circles, and what is not there. */
static void test_damage(void)
{
	struct descriptors d = {0};

	make();
	name(130, 140, 135, "dir");
	CHECK_STR(find(&d, 0), "none");
	make();
	mount(200, 110, 220, 120);
	mount(220, 120, 200, 110);
	CHECK_STR(find(&d, 0), "none");
	for (unsigned i = 0; i < WORDS; i++) {
		make();
		there[i] = BASE - 8;
		d.renamed++;
		for (uint32_t fd = 0; fd < 5; fd++)
			(void)find(&d, fd);
	}
	make();
	d.renamed++;
	CHECK_STR(find(&d, 0), "/mnt/dir/file");
	descriptors_release(&d);
}

int main(void)
{
	test_names();
	test_changes();
	test_damage();
	return TAP_DONE();
}
