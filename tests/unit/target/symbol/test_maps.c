/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines as proc_pid_maps(5) shows them, and our own maps, compared with what we know of ourselves. */
#include "program.h"
#include "tap.h"
#include <dlfcn.h>
#include <exectrace/target/symbol/maps.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/sysmacros.h>

static const char sample[] = "00400000-00452000 r-xp 00001000 08:02 173521      /usr/bin/dbus daemon\n"
			     "00e03000-00e24000 rw-p 00000000 00:00 0           [heap]\n"
			     "35b1800000-35b1820000 r-xs 00000000 fe:1f 135522  /tmp/a\\012b.so (deleted)\n"
			     "7f0000000000-7f0000001000 ---p 00000000 00:00 0 \n"
			     "7fffb2c0d000-7fffb2c2e000 rwxp 00000000 00:00 0   [stack]\n"
			     "ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0                  [vsyscall]";

static void parsing(void)
{
	struct maps m = MAPS_INIT;

	CHECK_INT(maps_parse(sample, sizeof(sample) - 1, &m), 0);
	CHECK_INT(m.n, 6);
	if (m.n != 6)
		return;
	CHECK(m.items[0].start == 0x400000 && m.items[0].end == 0x452000 && m.items[0].offset == 0x1000);
	CHECK(m.items[0].dev == makedev(8, 2) && m.items[0].inode == 173521);
	CHECK_STR(m.items[0].path, "/usr/bin/dbus daemon");
	CHECK(m.items[0].prot == (PROT_READ | PROT_EXEC) && !m.items[0].shared && !m.items[0].deleted);
	CHECK_STR(m.items[1].path, "[heap]");
	CHECK_STR(m.items[2].path, "/tmp/a\\012b.so");
	CHECK(m.items[2].deleted && m.items[2].shared && m.items[2].dev == makedev(0xfe, 0x1f));
	CHECK_STR(m.items[3].path, "");
	CHECK(m.items[3].prot == 0);
	CHECK_STR(m.items[5].path, "[vsyscall]");
	CHECK(maps_find(&m, 0x400000) == &m.items[0] && maps_find(&m, 0x451fff) == &m.items[0]);
	CHECK(!maps_find(&m, 0x3fffff) && !maps_find(&m, 0x452000) && !maps_find(&m, 0) && !maps_find(&m, UINT64_MAX));
	CHECK(maps_find(&m, 0xffffffffff600fff) == &m.items[5]);
	CHECK(maps_named(&m, "[stack]") == &m.items[4] && !maps_named(&m, "[vdso]"));
	maps_release(&m);
	CHECK(!maps_find(&m, 0x400000));
}

static void malformed(void)
{
	static const char *const bad[] = {
		"x",
		"400000-452000\n",
		"400000-452000 r-xp 0 08:02",
		"400000-400000 r-xp 0 08:02 1 a\n",
		"452000-400000 r-xp 0 08:02 1 a\n",
		"10000000000000000-20000000000000000 r-xp 0 08:02 1 a\n",
		"400000-452000 r-x 0 08:02 1 a\n",
		"400000-452000 r-xp 0 08:02 1x a\n",
		"400000-452000 r-xp 0 08:02 1 a\n300000-301000 r-xp 0 08:02 1 a\n",
		"400000-452000 r-xp 0 08:02 1 a\n451000-453000 r-xp 0 08:02 1 a\n",
		"400000-452000 r-xp 0 08:02 1 a\n\n",
	};
	struct maps m = MAPS_INIT;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		CHECK_INT(maps_parse(bad[i], strlen(bad[i]), &m), -EBADMSG);
	CHECK_INT(maps_parse("1-2 r-xp 0 08:02 1 a\0b\n", 23, &m), -EBADMSG);
	CHECK_INT(m.n, 0);
	CHECK_INT(maps_parse("", 0, &m), 0);
	CHECK_INT(m.n, 0);
	maps_release(&m);
	for (size_t n = 0; n < sizeof(sample); n++) {
		if (maps_parse(sample, n, &m) == 0)
			maps_release(&m);
	}
}

static int phdr_seen(struct dl_phdr_info *info, size_t size, void *data)
{
	const struct maps *m = data;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uint64_t addr = info->dlpi_addr + p->p_vaddr;

		if (p->p_type == PT_LOAD && (p->p_flags & PF_X)) {
			const struct map *map = maps_find(m, addr);

			CHECK(map && (map->prot & PROT_EXEC));
			CHECK(map && (map->path[0] == '[' || map->offset == (p->p_offset & ~4095ull)));
		}
	}
	return 0;
}

static int read_own(struct maps *m)
{
	int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	int err = maps_read(fd, m);

	close(fd);
	return err;
}

static void own(void)
{
	struct maps a = MAPS_INIT, b = MAPS_INIT, c = MAPS_INIT;
	const struct map *map;
	struct stat st;
	void *more;
	pid_t pid;
	int fd;
	char name[64];

	CHECK_INT(read_own(&a), 0);
	dl_iterate_phdr(phdr_seen, &a);
	map = maps_find(&a, (uint64_t)(uintptr_t)own);
	CHECK(map && stat(map->path, &st) == 0 && st.st_ino == map->inode);
	CHECK((map = maps_find(&a, (uint64_t)(uintptr_t)&a)) && strcmp(map->path, "[stack]") == 0);
	more = mmap(NULL, 1 << 20, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK_INT(read_own(&b), 0);
	CHECK(maps_same_code(&a, &b) && !maps_equal(&a, &b) && maps_equal(&b, &b));
	mprotect(more, 4096, PROT_READ | PROT_EXEC);
	CHECK_INT(read_own(&c), 0);
	CHECK(!maps_same_code(&b, &c) && !maps_same_code(&c, &b));
	maps_release(&a);
	maps_release(&b);
	maps_release(&c);
	pid = idle_child();
	snprintf(name, sizeof(name), "/proc/%d/maps", (int)pid);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	finish(pid);
	CHECK_INT(maps_read(fd, &a), -ESRCH);
	close(fd);
	CHECK_INT(maps_read(-1, &a), -EBADF);
}

int main(void)
{
	scratch_begin(60);
	parsing();
	malformed();
	own();
	return TAP_DONE();
}
