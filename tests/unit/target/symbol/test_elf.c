/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ELF files of several kinds, compared with what nm, readelf and objdump say of them. */
#include "oracle.h"
#include "tap.h"
#include <elf.h>
#include <exectrace/target/symbol/debugfile.h>
#include <exectrace/target/symbol/elf.h>

static const char source[] =
	"#include <stdio.h>\n#include <string.h>\n"
	"static __attribute__((noinline)) int quiet(int n) { return puts(n > 1 ? \"x\" : \"y\"); }\n"
	"__attribute__((weak)) int soft(int n) { return quiet(n) + 1; }\n"
	"int loud(int n) __attribute__((alias(\"soft\")));\n"
	"__asm__(\".globl bare\\nbare: nop\\nnop\\nret\\n\");\n"
	"int main(int argc, char **argv) { return soft(argc) + (int)strlen(argv[0]); }\n";

static struct elf *opened(const char *name)
{
	struct elf *elf = NULL;
	int err = elf_open(name[0] == '/' ? name : place(name).path, &elf);

	CHECK_INT(err, 0);
	if (err)
		exit(TAP_DONE());
	return elf;
}

static void build_id(const char *name)
{
	struct elf *elf = opened(name);
	const unsigned char *id = NULL;
	size_t n = elf_build_id(elf, &id);
	char command[640], want[256], got[2 * ELF_BUILD_ID_MAX + 1] = "";

	for (size_t i = 0; i < n; i++)
		sprintf(got + 2 * i, "%02x", id[i]);
	snprintf(command, sizeof(command), "readelf -n %s | sed -n 's/.*Build ID: //p'", name);
	CHECK_STR(got, answer(command, want, sizeof(want)));
	elf_unref(elf);
}

/* Every function that nm shows is found at its address, and one of its names there is the one taken. */
static void names(const char *name, const char *options)
{
	struct elf *elf = opened(name);
	char command[640], line[4096];
	size_t seen = 0, missed = 0, misnamed = 0, all = 0;
	uint64_t at = 0, last = 0;
	bool named = true;
	FILE *in;

	snprintf(command, sizeof(command), "nm -n --defined-only %s %s | grep -i ' [twi] ' | grep -v ' data_start'",
	         options, name);
	in = ask(command);
	while (in && fgets(line, sizeof(line), in)) {
		char type = 0, text[4000] = "";
		const struct elf_symbol *found;

		if (sscanf(line, "%lx %c %3999s", (unsigned long *)&at, &type, text) != 3)
			continue;
		text[strcspn(text, "@")] = '\0';
		if (at != last) {
			misnamed += !named;
			named = false;
			seen++;
		}
		last = at;
		found = elf_lookup(elf, at);
		missed += !found || found->start != at;
		named = named || (found && strncmp(found->name, text, strcspn(found->name, "@")) == 0);
	}
	if (in)
		pclose(in);
	misnamed += !named;
	elf_symbols(elf, &all);
	printf("# %s: %zu addresses, %zu symbols\n", name, seen, all);
	CHECK(seen > 3 && all >= seen);
	CHECK_INT(missed, 0);
	CHECK_INT(misnamed, 0);
	elf_unref(elf);
}

/* The PLT as objdump names it. */
static void plt(const char *name)
{
	struct elf *elf = opened(name);
	char command[640], line[512];
	size_t seen = 0, wrong = 0;
	FILE *in;

	snprintf(command, sizeof(command), "objdump -d %s | grep '@plt>:'", name);
	in = ask(command);
	while (in && fgets(line, sizeof(line), in)) {
		unsigned long at = 0;
		char text[256] = "";
		const struct elf_symbol *found;

		if (sscanf(line, "%lx <%255[^>]>", &at, text) != 2)
			continue;
		seen++;
		found = elf_lookup(elf, at + 4);
		if (!found || strcmp(found->name, text) != 0 || found->start != at) {
			printf("# %s is %s\n", text, found ? found->name : "unknown");
			wrong++;
		}
	}
	if (in)
		pclose(in);
	printf("# %s: %zu PLT entries\n", name, seen);
	CHECK(seen > 1);
	CHECK_INT(wrong, 0);
	elf_unref(elf);
}

static const char *name_at(struct elf *elf, uint64_t vaddr)
{
	const struct elf_symbol *s = elf_lookup(elf, vaddr);

	return s ? s->name : NULL;
}

static uint64_t nm(const char *name, const char *symbol)
{
	char command[640], text[64];

	snprintf(command, sizeof(command), "nm %s | sed -n 's/ [a-zA-Z] %s$//p'", name, symbol);
	return strtoull(answer(command, text, sizeof(text)), NULL, 16);
}

static void choice(void)
{
	struct elf *elf = opened("pie");
	const struct elf_symbol *s;
	struct elf_symbol gap;

	CHECK_STR(name_at(elf, nm("pie", "soft")), "loud");
	CHECK_STR(name_at(elf, nm("pie", "quiet") + 1), "quiet");
	CHECK_STR(name_at(elf, nm("pie", "bare") + 2), "bare");
	s = elf_lookup(elf, nm("pie", "main"));
	CHECK(s && s->sized && s->end > s->start);
	gap = s ? *s : (struct elf_symbol){0};
	CHECK_STR(name_at(elf, gap.end - 1), "main");
	s = elf_lookup(elf, gap.end);
	CHECK(!s || s->start == gap.end);
	CHECK(!elf_lookup(elf, 0) && !elf_lookup(elf, UINT64_MAX));
	elf_unref(elf);
}

/* A stripped file, with its symbols elsewhere in each of the ways there are. */
static void debug(void)
{
	uint64_t quiet = nm("pie", "quiet");
	const unsigned char *id = NULL;
	struct elf *elf, *found;
	char command[640];
	size_t n;

	CHECK(shell("mkdir -p d/.debug usr$PWD/d && strip -o d/bare pie && objcopy --only-keep-debug pie d/sym &&"
	            "objcopy --add-gnu-debuglink=d/sym d/bare d/linked"));
	elf = opened("d/bare");
	CHECK(!elf_has_symtab(elf));
	CHECK(!name_at(elf, quiet));
	CHECK(!debugfile_find(elf, place("d/bare").path, place("usr").path));
	n = elf_build_id(elf, &id);
	snprintf(command, sizeof(command),
	         "mkdir -p usr/.build-id/%02x && i=$(readelf -n pie | sed -n 's/.*ID: ..//p') && "
	         "cp d/sym usr/.build-id/%02x/$i.debug",
	         n ? id[0] : 0, n ? id[0] : 0);
	CHECK(shell(command));
	elf_unref(elf);
	elf = opened("d/bare");
	found = debugfile_find(elf, NULL, place("usr").path);
	CHECK(found && elf_has_symtab(found));
	elf_set_debug(elf, found);
	CHECK_STR(name_at(elf, quiet), "quiet");
	elf_unref(elf);
	shell("rm -r usr/.build-id");
	for (int i = 0; i < 3; i++) {
		static const char *const moves[] = {"true", "mv d/sym d/.debug/sym", "mv d/.debug/sym usr$PWD/d/sym"};

		CHECK(shell(moves[i]));
		elf = opened("d/linked");
		found = debugfile_find(elf, place("d/linked").path, place("usr").path);
		CHECK(found);
		elf_unref(found);
		elf_unref(elf);
	}
	CHECK(shell("strip -o d/other -R .note.gnu.build-id d/linked && echo >>usr$PWD/d/sym"));
	elf = opened("d/other");
	CHECK(!debugfile_find(elf, place("d/other").path, place("usr").path));
	elf_unref(elf);
}

/* As Fedora builds its packages. */
static void mini(void)
{
	struct elf *elf;

	if (!shell("objcopy -S --keep-symbol=quiet pie m && xz -kf m && strip -o small pie && "
	           "objcopy --add-section .gnu_debugdata=m.xz small")) {
		SKIP("a compressed table inside", "xz is not installed");
		return;
	}
	elf = opened("small");
	CHECK_STR(name_at(elf, nm("pie", "quiet")), "quiet");
	elf_unref(elf);
}

/* The table made from .eh_frame says of each function what the linker's table says. */
static bool same_index(struct elf *elf, const struct elf_unwind_table *table)
{
	uint64_t base = 0;
	size_t n = 0, left = 0;
	const struct elf_pair *made = elf_unwind_index(elf, &base, &n);
	const unsigned char *theirs = elf_at(elf, table->table, &left);
	int64_t apart = (int64_t)(table->header - base);

	if (n != table->count || left < n * sizeof(*made))
		return false;
	for (size_t i = 0; i < n; i++) {
		struct elf_pair pair;

		memcpy(&pair, theirs + i * sizeof(pair), sizeof(pair));
		if (made[i].function != pair.function + apart || made[i].fde != pair.fde + apart)
			return false;
	}
	return true;
}

static void layout(const char *name)
{
	struct elf *elf = opened(name);
	size_t n = 0, left = 0;
	const struct elf_segment *s = elf_segments(elf, &n);
	struct elf_unwind_table table;
	char command[640], text[64];
	uint64_t bias = 0;

	CHECK(n > 1);
	for (size_t i = 0; i < n; i++) {
		uint64_t page = s[i].offset & ~4095ull;

		if (!s[i].file)
			continue;
		CHECK(elf_at(elf, s[i].vaddr, &left) && left == s[i].file);
		CHECK(elf_at(elf, s[i].vaddr + s[i].file - 1, &left) && left == 1);
		CHECK(elf_bias(elf, 0x10000000 + (s[i].vaddr & ~4095ull), page, s[i].flags & PF_X, &bias) &&
		      (bias == 0x10000000 || !(s[i].flags & PF_X)));
	}
	CHECK(!elf_bias(elf, 0x10000000, 1ull << 40, true, &bias));
	CHECK(!elf_at(elf, 1ull << 60, &left));
	CHECK_INT(elf_unwind_table(elf, NULL, 0, &table), 0);
	snprintf(command, sizeof(command),
	         "readelf -SW %s | sed -n 's/.*\\.eh_frame_hdr *PROGBITS *\\([0-9a-f]*\\).*/\\1/p'", name);
	CHECK_INT(table.header, strtoull(answer(command, text, sizeof(text)), NULL, 16));
	snprintf(command, sizeof(command), "readelf --debug-dump=frames %s | grep -c FDE", name);
	printf("# %s: %s FDEs\n", name, answer(command, text, sizeof(text)));
	CHECK_INT(table.count, strtoull(text, NULL, 10));
	CHECK(same_index(elf, &table));
	elf_unref(elf);
}

static void refused(void)
{
	static const unsigned char zero[256];
	struct elf *elf = NULL;

	CHECK_INT(elf_open("/nonexistent", &elf), -ENOENT);
	CHECK_INT(elf_open("/dev/null", &elf), -ENOEXEC);
	CHECK_INT(elf_open(scratch_dir, &elf), -ENOEXEC);
	CHECK_INT(elf_open(place("pie.c").path, &elf), -ENOEXEC);
	CHECK_INT(elf_open_image(zero, 0, &elf), -ENOEXEC);
	CHECK_INT(elf_open_image(zero, sizeof(zero), &elf), -ENOEXEC);
	CHECK(!elf);
}

/* Opens a changed copy, and does what can be done. */
static void exercise(const unsigned char *bytes, size_t n)
{
	struct elf_unwind_table table;
	struct elf *elf = NULL;
	uint32_t crc = 0;
	size_t left = 0;

	if (elf_open_image(bytes, n, &elf))
		return;
	elf_lookup(elf, 0x1234);
	elf_unwind_table(elf, NULL, 0, &table);
	elf_debuglink(elf, &crc);
	elf_at(elf, 0x1000, &left);
	elf_unref(elf);
}

/* Cut anywhere, and with any byte of the headers changed. */
static void damaged(const char *name)
{
	static unsigned char bytes[65536];
	int fd = open(place(name).path, O_RDONLY | O_CLOEXEC);
	ssize_t n = read(fd, bytes, sizeof(bytes));

	close(fd);
	for (ssize_t i = 0; i < n; i += 37)
		exercise(bytes, (size_t)i);
	for (ssize_t i = 0; i < n; i += i < 1024 ? 1 : 13) {
		unsigned char old = bytes[i];

		bytes[i] = (unsigned char)(old ^ (0xff >> (i % 3)));
		exercise(bytes, (size_t)n);
		bytes[i] = old;
	}
	CHECK(n > 0);
}

static void replaced(void)
{
	struct elf *elf;

	CHECK(shell("cp pie copy"));
	elf = opened("copy");
	CHECK(elf_is_current(elf));
	CHECK(shell("mv copy copy2"));
	CHECK(elf_is_current(elf));
	CHECK(shell("echo >>copy2"));
	CHECK(!elf_is_current(elf));
	elf_unref(elf);
}

int main(void)
{
	scratch_begin(120);
	if (!build("pie", source, "-fPIE -pie") || !build("fixed", source, "-no-pie -fcf-protection=none -Wl,-z,lazy"))
		return 1;
	build_id("pie");
	build_id("/bin/sh");
	names("pie", "");
	names("fixed", "");
	if (build("static", source, "-static"))
		names("static", "");
	if (build("narrow", source, "-m32")) {
		build_id("narrow");
		names("narrow", "");
		plt("narrow");
		layout("narrow");
		damaged("narrow");
	}
	if (build("narrowfixed", source, "-m32 -no-pie -Wl,-z,lazy"))
		plt("narrowfixed");
	names("/lib/x86_64-linux-gnu/libc.so.6", "-D");
	plt("pie");
	plt("fixed");
	plt("/bin/sh");
	choice();
	debug();
	mini();
	layout("pie");
	layout("fixed");
	refused();
	damaged("pie");
	replaced();
	return TAP_DONE();
}
