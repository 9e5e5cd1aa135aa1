/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Addresses of living programs, named; addr2line, nm and dladdr(3) are asked too. */
#include "oracle.h"
#include "tap.h"
#include <dlfcn.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/target/symbol/demangle.h>
#include <exectrace/target/symbol/symbolize.h>
#include <sys/auxv.h>

static const char source[] = "#include <stdio.h>\n#include <unistd.h>\n"
			     "int deep(int n) { return n ? deep(n - 1) + n : n; }\n"
			     "int main(void) { printf(\"%p\\n\", (void *)deep); fflush(stdout); pause(); return 0; }\n";

struct program {
	pid_t pid;
	unsigned long deep; /* where it says its function is */
	char proc[64];
	struct maps maps;
};

static bool read_maps(pid_t pid, struct maps *maps)
{
	char name[64];
	int fd, err;

	snprintf(name, sizeof(name), "/proc/%d/maps", (int)pid);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	err = maps_read(fd, maps);
	close(fd);
	return err == 0;
}

static struct program start(const char *name)
{
	struct program p = {.maps = MAPS_INIT};
	char text[64] = "";
	int out[2];

	if (pipe2(out, O_CLOEXEC))
		exit(1);
	p.pid = child();
	if (p.pid == 0) {
		dup2(out[1], 1);
		execl(place(name).path, name, (char *)NULL);
		_exit(127);
	}
	close(out[1]);
	CHECK(read(out[0], text, sizeof(text) - 1) > 2);
	close(out[0]);
	p.deep = strtoul(text, NULL, 16);
	snprintf(p.proc, sizeof(p.proc), "/proc/%d", (int)p.pid);
	CHECK(read_maps(p.pid, &p.maps));
	return p;
}

static void living(struct elf_cache *cache, const char *name, bool delete)
{
	struct program p = start(name);
	struct symbol_space space = {&p.maps, p.proc, NULL};
	struct symbolizer *s = NULL;
	struct symbol_place at;
	cleanup_buf struct buf text = BUF_INIT;
	char command[256], line[640];
	int err;

	if (delete) {
		unlink(place(name).path);
		maps_release(&p.maps);
		CHECK(read_maps(p.pid, &p.maps));
	}
	CHECK_INT(symbolizer_new(cache, "", &s), 0);
	err = symbolize(s, &space, p.deep + 3, &at);
	CHECK_INT(err, 0);
	CHECK_STR(at.name, "deep");
	CHECK_INT(at.offset, 3);
	CHECK_STR(at.file, place(name).path);
	CHECK_INT(symbol_place_print(&text, &at), 0);
	snprintf(line, sizeof(line), "%s(deep+0x3) [0x%llx]", place(name).path, (unsigned long long)at.file_offset);
	CHECK_STR(text.data, line);
	if (!delete) {
		snprintf(command, sizeof(command), "addr2line -f -e %s 0x%llx", name, (unsigned long long)at.vaddr);
		CHECK_STR(answer(command, line, sizeof(line)), "deep");
	}
	CHECK_INT(symbolize(s, &space, 8, &at), -ENOENT);
	symbolizer_free(s);
	maps_release(&p.maps);
	finish(p.pid);
}

/* Ourselves: what dladdr says of functions of the C library, and the vdso. */
static void own(struct elf_cache *cache)
{
	static const char *const asked[] = {"printf", "malloc", "qsort", "getppid", "fopen"};
	const void *image = (const void *)getauxval(AT_SYSINFO_EHDR);
	void *libc = dlopen("libc.so.6", RTLD_LAZY);
	struct maps maps = MAPS_INIT;
	struct symbol_space space = {&maps, NULL, NULL};
	struct symbolizer *s = NULL;
	struct symbol_place at;
	const struct map *vdso;

	CHECK(read_maps(getpid(), &maps));
	CHECK_INT(symbolizer_new(cache, NULL, &s), 0);
	for (size_t i = 0; i < sizeof(asked) / sizeof(asked[0]); i++) {
		const char *addr = dlsym(libc, asked[i]);
		Dl_info info;

		CHECK_INT(symbolize(s, &space, (uintptr_t)addr + 1, &at), 0);
		CHECK(at.name && at.offset == 1 && dlsym(libc, at.name) == (void *)addr);
		CHECK(dladdr(addr, &info) && at.vaddr == (uint64_t)(addr + 1 - (const char *)info.dli_fbase));
	}
	vdso = maps_named(&maps, "[vdso]");
	if (image && vdso && CHECK_INT(elf_open_image(image, vdso->end - vdso->start, &space.vdso), 0)) {
		const struct elf_symbol *symbols;
		size_t n = 0;

		symbols = elf_symbols(space.vdso, &n);
		CHECK(n > 3);
		for (size_t i = 0; i < n; i++) {
			CHECK_INT(symbolize(s, &space, vdso->start + symbols[i].start, &at), 0);
			CHECK(at.offset == 0 && at.name && strcmp(at.file, "[vdso]") == 0);
		}
		elf_unref(space.vdso);
		space.vdso = NULL;
		CHECK(symbolize(s, &space, vdso->start, &at) == 0 && !at.name);
	}
	CHECK(symbolize(s, &space, (uintptr_t)&maps, &at) == 0 && !at.name && strcmp(at.file, "[stack]") == 0);
	symbolizer_free(s);
	maps_release(&maps);
	dlclose(libc);
}

/* A full cache gives up what was used least, and notices a file that another has taken the place of. */
static void cache_bounds(void)
{
	struct elf_cache *cache = NULL;
	struct elf *a = NULL, *b = NULL, *c = NULL;
	struct map map = {.path = "/bin/sh"};
	const char *const files[] = {"/bin/sh", "/bin/cat", "/bin/ls"};
	struct stat st;

	CHECK_INT(elf_cache_new(2, &cache), 0);
	for (int i = 0; i < 3; i++) {
		struct elf *elf = NULL;

		stat(files[i], &st);
		map = (struct map){.path = files[i], .dev = st.st_dev, .inode = st.st_ino};
		CHECK_INT(elf_cache_get(cache, &map, NULL, &elf), 0);
		elf_unref(elf);
	}
	CHECK_INT(elf_cache_count(cache), 2);
	CHECK_INT(elf_cache_get(cache, &map, NULL, &a), 0);
	map.inode++;
	CHECK_INT(elf_cache_get(cache, &map, NULL, &b), -ENOENT);
	map.inode--;
	CHECK(elf_cache_get(cache, &map, NULL, &c) == 0 && c == a);
	elf_unref(c);
	elf_cache_free(cache);
	CHECK_INT(elf_word(a), sizeof(long));
	elf_unref(a);
}

static void readable(void)
{
	static const char *const pairs[][2] = {
		{"_ZN4some5thing4sizeEv", "some::thing::size"},
		{"_ZNSt6vectorIiSaIiEE9push_backEOi", "std::vector<int, std::allocator<int> >::push_back"},
		{"_ZN4core3fmt9Formatter3pad17h0123456789abcdefE", "core::fmt::Formatter::pad"},
		{"_RNvC6_123foo3bar", "123foo::bar"},
		{"_Z3foov@plt", "foo@plt"},
		{"main", "main"},
		{"_Zxyz", "_Zxyz"},
		{"_", "_"},
		{"", ""},
	};
	cleanup_buf struct buf longest = BUF_INIT;

	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		cleanup_buf struct buf out = BUF_INIT;

		CHECK_INT(demangle(&out, pairs[i][0]), 0);
		CHECK_STR(out.data ? out.data : "", pairs[i][1]);
	}
	{
		cleanup_buf struct buf whole = BUF_INIT;

		CHECK_INT(demangle_whole(&whole, "_ZNK4some5thing4sizeEic"), 0);
		CHECK_STR(whole.data, "some::thing::size(int, char) const");
	}
	buf_puts(&longest, "_Z");
	for (int i = 0; i < 100000; i++)
		buf_puts(&longest, "P");
	{
		cleanup_buf struct buf out = BUF_INIT;

		CHECK_INT(demangle(&out, longest.data), 0);
		CHECK(out.len == longest.len);
	}
}

int main(void)
{
	struct elf_cache *cache = NULL;

	scratch_begin(60);
	CHECK_INT(elf_cache_new(16, &cache), 0);
	if (!build("pie", source, "-fPIE -pie") || !build("fixed", source, "-no-pie"))
		return 1;
	living(cache, "pie", false);
	living(cache, "fixed", false);
	if (build("static", source, "-static"))
		living(cache, "static", false);
	if (build_to_run("narrow", source, "-m32"))
		living(cache, "narrow", false);
	if (build("gone", source, "-O0"))
		living(cache, "gone", true);
	own(cache);
	elf_cache_free(cache);
	cache_bounds();
	readable();
	return TAP_DONE();
}
