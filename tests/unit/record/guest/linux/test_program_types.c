/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Types of programs' functions out of their debug information, as compilers, objcopy(1) and dwz(1) write it. */
#include "tap.h"
#include <elf.h>
#include <errno.h>
#include <exectrace/base/buf.h>
#include <exectrace/base/file.h>
#include <exectrace/record/guest/linux/arguments.h>
#include <exectrace/record/guest/linux/hostfile.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* For this program, and as a text for those that are compiled. */
#define DEFINITIONS                                       \
	enum color { RED = 1, BLUE = 2, ODD = -1 };       \
	enum wide_enum { SMALL, LARGE = 0x123456789abc }; \
	typedef struct inner {                            \
		int a;                                    \
		unsigned b : 3;                           \
		int c : 5;                                \
		const char *text;                         \
		struct inner *next;                       \
		double d;                                 \
		union {                                   \
			int x;                            \
			unsigned char y[4];               \
		};                                        \
		char name[8];                             \
		short grid[2][3];                         \
		enum color color;                         \
		struct {                                  \
			long deep;                        \
		} within;                                 \
	} inner_t;

DEFINITIONS

#define TEXT(...) #__VA_ARGS__
#define TEXT_OF(...) TEXT(__VA_ARGS__)
#define DEFINITIONS_TEXT TEXT_OF(DEFINITIONS)

#define PRELUDE                                 \
	"#define F __attribute__((noinline))\n" \
	"#define USE(value) __asm__ volatile(\"\" : : \"r\"(value))\n"

static const char source[] = PRELUDE DEFINITIONS_TEXT
	"\n"
	"struct wide { unsigned long x, y, z; };\n"
	"typedef struct { unsigned long val; } kuid_t;\n"
	"struct opaque;\n"
	"F int paint(int a, const char *name, unsigned long len, const inner_t *in, enum color c, _Bool on,\n"
	"int g) { USE(a); USE(name); USE(len); USE(in); USE(c); USE(on); USE(g); return a; }\n"
	"F void store(struct wide w, kuid_t id, char c) { USE(w.x); USE(id.val); USE(c); }\n"
	"F const char *make(void) { USE(0); return \"made\"; }\n"
	"F double half(double d, volatile int i, float f, ...) { USE(i); return d / 2 + f; }\n"
	"F struct wide *find(struct opaque *o, enum wide_enum e, char *s, const char **list, short n)\n"
	"{ USE(o); USE(e); USE(s); USE(list); USE(n); return (struct wide *)o; }\n"
	"F struct wide build(unsigned char u, void *p, int (*f)(int), const volatile unsigned *const v)\n"
	"{ struct wide w = {u}; USE(u); USE(p); USE(f); USE(v); return w; }\n"
	"F inner_t *node(inner_t *in) { USE(in); return in; }\n";

static const char source_cxx[] = PRELUDE
	"namespace shapes {\n"
	"enum class kind : unsigned char { none, round = 200 };\n"
	"struct base { int b; };\n"
	"struct owner { int *p; F owner(int *q) : p(q) { USE(q); } F ~owner() { USE(p); } };\n"
	"struct point : base {\n"
	"int x;\n"
	"static int all;\n"
	"F int move(int by, const base &from, kind k) { USE(by); USE(&from); USE((int)k); return x += by; }\n"
	"};\n"
	"F long take(owner o, long n, point &&p, const char *s) { USE(o.p); USE(n); USE(&p); USE(s); return n; }\n"
	"F owner give(int *p, int n) { USE(n); return owner(p); }\n"
	"F int many(decltype(nullptr) none, int point::*member,\n"
	"int (point::*function)(int, const base &, kind), int n) { USE(none); USE(n); return n; }\n"
	"}\n"
	"extern \"C\" F int plain(int a, shapes::base b) { USE(a); USE(b.b); return a; }\n"
	"F int use(shapes::point *p, int *q) {\n"
	"shapes::owner o(q);\n"
	"return p->move(1, *p, shapes::kind::round) +\n"
	"shapes::take(o, 1, static_cast<shapes::point &&>(*p), \"\");\n"
	"}\n";

static char dir[4096];

/* Runs a command in the directory. */
static bool run(const char *command)
{
	char line[16384];

	(void)snprintf(line, sizeof(line), "cd '%s' && %s", dir, command);
	return system(line) == 0;
}

static bool write_text(const char *name, const char *text)
{
	char path[5000];
	FILE *out;

	(void)snprintf(path, sizeof(path), "%s/%s", dir, name);
	out = fopen(path, "w");
	return out && fputs(text, out) >= 0 && fclose(out) == 0;
}

/* --- What is looked at -------------------------------------------------------------------------------------------- */

/* A file, below `dir` as the guest's root. */
struct library {
	struct elfimage image;
	struct debuginfo *debug;
};

static bool open_library(struct library *l, const char *path)
{
	char whole[5000];
	struct stat st;

	*l = (struct library){0};
	(void)snprintf(whole, sizeof(whole), "%s%s", dir, path);
	if (!CHECK(stat(whole, &st) == 0) ||
	    !CHECK(hostfile_program(&l->image, false, dir, path, (uint64_t)st.st_size)))
		return false;
	l->debug = hostfile_debuginfo(&l->image, dir, path, (uint64_t)st.st_size);
	return l->debug;
}

static void close_library(struct library *l)
{
	debuginfo_close(l->debug);
	symbols_release(&l->image.symbols);
}

static uint64_t address_of(const struct elfimage *image, const char *name)
{
	for (size_t i = 0; i < image->symbols.n; i++) {
		if (strcmp(image->symbols.items[i].name, name) == 0)
			return image->symbols.items[i].address;
	}
	return 0;
}

/* Released with its types. */
struct known {
	struct debug_function function;
	struct arguments *arguments;
};

static void forget(struct known *k)
{
	if (k->arguments)
		free(k->arguments->signature);
	free(k->arguments);
	btf_close(k->function.btf);
	free(k->function.bytes);
}

static bool look(struct known *k, const struct library *l, const char *name, unsigned depth)
{
	*k = (struct known){0};
	if (debuginfo_function(l->debug, address_of(&l->image, name), name, depth, &k->function))
		return false;
	k->arguments = arguments_of_program(&k->function);
	return k->arguments;
}

static void check_signature(const struct library *l, const char *name, const char *signature)
{
	struct known k;

	if (CHECK(look(&k, l, name, 0)))
		CHECK_STR(k.arguments->signature, signature);
	forget(&k);
}

/* The memory is this process's. */
static bool read_memory(void *user, uint64_t address, void *to, size_t n)
{
	(void)user;
	if (address < 4096)
		return false;
	memcpy(to, (const void *)(uintptr_t)address, n);
	return true;
}

static const struct guest_memory memory = {read_memory, NULL};

/* What is behind an argument. */
static void check_behind(const struct known *k, const uint64_t *registers, unsigned depth, unsigned arg,
                         const char *text)
{
	struct ring_values *v = arguments_read(k->arguments, registers, &memory, depth);
	char got[1024] = "none";

	for (unsigned i = 0; v && i < v->values.nextras; i++) {
		if (v->values.extras[i].arg == arg)
			snprintf(got, sizeof(got), "%.*s", (int)v->values.extras[i].text.n,
			         v->values.extras[i].text.bytes);
	}
	CHECK_STR(got, text);
	ring_values_drop(v);
}

/* --- C ------------------------------------------------------------------------------------------------------------ */

static void check_structures(const struct library *l)
{
	static char texts[2][200] = {"green", "other"};
	static inner_t other = {.a = 9, .text = texts[1]};
	static inner_t in = {.a = -5,
	                     .b = 5,
	                     .c = -3,
	                     .text = texts[0],
	                     .next = &other,
	                     .x = 7,
	                     .name = "abc",
	                     .color = BLUE,
	                     .within = {8}};
	uint64_t registers[16] = {[6] = (uintptr_t)texts[0], [2] = 3, [1] = (uintptr_t)&in};
	char text[1024];
	struct known k;

	(void)snprintf(
		text, sizeof(text),
		"{a=-5, b=5, c=-3, text=\"green\", next=%p, d=?, {x=7, y=[...]}, name=\"abc\", grid=[...], color=BLUE, "
		"within={...}}",
		(void *)&other);
	if (CHECK(look(&k, l, "paint", 1))) {
		check_behind(&k, registers, 0, 1, "gre"); /* as many bytes as len says */
		check_behind(&k, registers, 0, 3, "none");
		check_behind(&k, registers, 1, 3, text);
	}
	forget(&k);
	if (CHECK(look(&k, l, "paint", 2)))
		check_behind(
			&k, registers, 2, 3,
			"{a=-5, b=5, c=-3, text=\"green\", next={a=9, b=0, c=0, text=\"other\", next=NULL, d=?, {x=0, "
			"y=[...]}, name=\"\", grid=[...], color=0, within={...}}, d=?, {x=7, y=[...]}, name=\"abc\", "
			"grid=[...], color=BLUE, within={deep=8}}");
	forget(&k);
}

static void check_c(const struct library *l)
{
	check_signature(l, "paint", "a:s4,name:p,len:u8,in:p,c:e4{RED=1|BLUE=2|ODD=-1},on:b;s4");
	check_signature(l, "store", "w:?,id:u8,c:c;v");
	check_signature(l, "make", ";p");
	check_signature(l, "half", "d:?,i:s4,f:?;?");
	check_signature(l, "find", "o:p,e:e8{SMALL=0|LARGE=20015998343868},s:p,list:p,n:s2;p");
	check_signature(l, "node", "in:p;p");
	check_structures(l);
}

static void test_build(const char *command, const char *what)
{
	struct library l;
	struct known k;

	if (strncmp(command, "clang", 5) == 0 && !run("command -v clang >/dev/null")) {
		tap_skip(what, "clang is not installed");
		return;
	}
	if (!CHECK(run(command)))
		return;
	if (CHECK(open_library(&l, "/lib.so"))) {
		check_c(&l);
		/* Where the result is written takes the first register. When it optimises, clang does not say of each
		 * parameter where it is. */
		if (CHECK(look(&k, &l, "build", 0)) && strncmp(command, "clang -gdwarf-4 -O2", 19) != 0) {
			CHECK_STR(k.arguments->signature, "u:u1,p:p,f:p,v:p;?");
			CHECK(k.arguments->items[0].place == 6 && k.arguments->items[3].place == 8);
		}
		forget(&k);
		CHECK(look(&k, &l, "store", 0));
		CHECK(k.arguments && k.arguments->items[1].place == 7 && k.arguments->items[2].place == 6);
		forget(&k);
		CHECK(!look(&k, &l, "_init", 0)); /* of which there is no debug information */
	}
	close_library(&l);
}

/* --- C++ ---------------------------------------------------------------------------------------------------------- */

/* gcc, which has C++ in a package of its own, does not say how a value of a class is passed. */
static void test_cxx(const char *works, const char *command, const char *take)
{
	struct library l;
	struct known k;

	if (!run(works)) {
		printf("# not here: %s\n", command);
		return;
	}
	if (!CHECK(run(command)))
		return;
	if (CHECK(open_library(&l, "/lib.so"))) {
		check_signature(&l, "_ZN6shapes5point4moveEiRKNS_4baseENS_4kindE",
		                "this:p,by:s4,from:p,k:e1{none=0|round=-56};s4");
		check_signature(&l, "_ZN6shapes4takeENS_5ownerElONS_5pointEPKc", take);
		check_signature(&l, "plain", "a:s4,b:s4;s4");
		check_signature(&l, "_ZN6shapes4manyEDnMNS_5pointEiMS0_FiiRKNS_4baseENS_4kindEEi",
		                "none:p,member:u8,function:?,n:s4;s4");
		if (CHECK(look(&k, &l, "_ZN6shapes4giveEPii", 0)))
			CHECK(k.arguments->items[0].place == 6 && k.arguments->result.place == ARGUMENT_NOWHERE);
		forget(&k);
	}
	close_library(&l);
}

/* --- Files -------------------------------------------------------------------------------------------------------- */

#define TO_DEBUG                                                                                                     \
	"id=$(readelf -n lib.so 2>/dev/null | sed -n 's/.*Build ID: //p'); rest=${id#??}; "                          \
	"to=usr/lib/debug/.build-id/${id%$rest}; mkdir -p $to; objcopy --only-keep-debug lib.so $to/$rest.debug && " \
	"strip --strip-unneeded lib.so"

/* Stripped, and its debug information elsewhere. */
static void test_debug_file(void)
{
	struct library l;

	if (!CHECK(run("gcc -g -O2 -fPIC -w -shared -o lib.so source.c && cp lib.so whole.so && " TO_DEBUG)))
		return;
	if (CHECK(open_library(&l, "/lib.so")))
		check_c(&l);
	close_library(&l);
	/* A file that is not that of the guest: */
	if (CHECK(open_library(&l, "/whole.so"))) {
		l.image.id.bytes[3] ^= 1;
		CHECK(!hostfile_debuginfo(&l.image, dir, "/whole.so", 0));
		l.image.id.n = 0;
		CHECK(!hostfile_debuginfo(&l.image, dir, "/whole.so", 1));
		CHECK(!hostfile_debuginfo(&l.image, dir, "/../whole.so", 1));
	}
	close_library(&l);
	CHECK(run("rm -r usr whole.so"));
	CHECK(!open_library(&l, "/lib.so")); /* nothing is there any more */
	close_library(&l);
}

/* What files have in common is in another one. */
static void test_dwz(void)
{
	struct library l;

	if (!run("command -v dwz >/dev/null")) {
		tap_skip("types of several files in one", "dwz is not installed");
		return;
	}
	if (!CHECK(run("gcc -gdwarf-4 -fPIC -w -shared -o lib.so source.c && " TO_DEBUG)) ||
	    !CHECK(run("for f in usr/lib/debug/.build-id/*/*.debug; do cp $f other.debug; done && "
	               "dwz -m usr/lib/debug/common.debug -r $f other.debug")))
		return;
	if (CHECK(open_library(&l, "/lib.so"))) {
		CHECK(debuginfo_link(l.debug) != NULL);
		check_c(&l);
	}
	close_library(&l);
	CHECK(run("rm usr/lib/debug/common.debug"));
	/* Without it types are not known, and nothing is taken for another. */
	if (CHECK(open_library(&l, "/lib.so")))
		check_signature(&l, "make", ";?");
	close_library(&l);
	CHECK(run("rm -r usr"));
}

/* --- What is damaged ---------------------------------------------------------------------------------------------- */

struct bytes {
	char *p;
	size_t n;
};

static bool read_bytes(void *user, uint64_t offset, void *to, size_t n)
{
	const struct bytes *b = user;

	if (offset > b->n || n > b->n - offset)
		return false;
	memcpy(to, b->p + offset, n);
	return true;
}

/* Looks at all of it. */
static unsigned look_at_all(struct debuginfo *d, const struct elfimage *image)
{
	static const uint64_t registers[16];
	unsigned known = 0;

	for (size_t i = 0; i < image->symbols.n; i++) {
		const struct symbol *s = &image->symbols.items[i];
		struct known k = {0};

		if (debuginfo_function(d, s->address, s->name, 2, &k.function))
			continue;
		known++;
		k.arguments = arguments_of_program(&k.function);
		if (k.arguments)
			ring_values_drop(arguments_read(k.arguments, registers, &memory, 2));
		forget(&k);
	}
	return known;
}

static void damage(const struct bytes *good, const struct elfimage *image, size_t from)
{
	struct bytes bad = {malloc(good->n), good->n};
	unsigned opened = 0, known = 0;

	for (unsigned seed = 1; bad.p && seed <= 500; seed++) {
		const struct elf_source file = {read_bytes, &bad};
		struct debuginfo *d = NULL;

		srandom(seed);
		memcpy(bad.p, good->p, good->n);
		for (long n = 1 + random() % 8; n; n--)
			bad.p[from + (size_t)random() % (good->n - from)] =
				(char)(random() % 3 ? random() : -(random() % 2));
		if (seed % 50 == 0)
			bad.n = (size_t)random() % good->n;
		if (debuginfo_open(&d, &file) == 0) {
			opened++;
			known += look_at_all(d, image);
		}
		debuginfo_close(d);
		bad.n = good->n;
	}
	printf("# %u of 500 damaged files could be opened, %u functions in them\n", opened, known);
	CHECK(opened > 100 && known > 100);
	free(bad.p);
}

static void test_damage(const char *command)
{
	char path[5000];
	struct buf text = BUF_INIT;
	struct elfimage image = {0};
	struct elf_header header;
	struct elf_section section;
	struct bytes good;
	const struct elf_source file = {read_bytes, &good};
	struct debuginfo *d = NULL;
	size_t from = SIZE_MAX;
	int fd;

	if (!CHECK(run(command)))
		return;
	(void)snprintf(path, sizeof(path), "%s/lib.so", dir);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	CHECK(file_read_all(fd, 1u << 20, &text) == 0);
	good = (struct bytes){text.data, text.len};
	CHECK(elfimage_read(&image, &file) && elf_read_header(&file, &header) && debuginfo_open(&d, &file) == 0);
	CHECK(look_at_all(d, &image) >= 7);
	/* The debug sections are those that are loaded nowhere; the table of all is behind them. */
	for (size_t i = 1; elf_read_section(&file, &header, i, &section) && i < header.n_sections; i++) {
		if (!section.addr && section.type == SHT_PROGBITS && section.size > 100 && section.offset < from)
			from = section.offset;
	}
	if (CHECK(from < good.n))
		damage(&good, &image, from);
	debuginfo_close(d);
	symbols_release(&image.symbols);
	buf_release(&text);
	close(fd);
}

/* What says that it is larger than it can be. */
static void test_sizes(void)
{
	char path[5000];
	struct buf text = BUF_INIT;
	struct elf_header header;
	struct elf_section section;
	struct bytes good;
	const struct elf_source file = {read_bytes, &good};
	const uint64_t most = 1ull << 40;
	struct debuginfo *d = NULL;
	int fd;

	(void)snprintf(path, sizeof(path), "%s/lib.so", dir);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	CHECK(file_read_all(fd, 1u << 20, &text) == 0);
	good = (struct bytes){text.data, text.len};
	CHECK(elf_read_header(&file, &header));
	for (size_t i = 1; i < header.n_sections && elf_read_section(&file, &header, i, &section); i++) {
		if (section.flags & SHF_COMPRESSED)
			memcpy(text.data + section.offset + offsetof(Elf64_Chdr, ch_size), &most, sizeof(most));
	}
	CHECK_INT(debuginfo_open(&d, &file), -EFBIG);
	text.data[offsetof(Elf64_Ehdr, e_machine)] = EM_386;
	CHECK_INT(debuginfo_open(&d, &file), -ENOENT);
	good.n = 10;
	CHECK_INT(debuginfo_open(&d, &file), -ENOENT);
	buf_release(&text);
	close(fd);
}

#define WORKS " -x c++ -S -o /dev/null /dev/null 2>/dev/null"
#define CXX " -x c++ -w -shared -fPIC -nostdlib -o lib.so source.cc"
#define SHARED " -w -fPIC -shared -o lib.so source.c"

int main(void)
{
	char name[] = "types.XXXXXX";

	if (!CHECK(debuginfo_can() && mkdtemp(name) && realpath(name, dir)) || !CHECK(write_text("source.c", source)) ||
	    !CHECK(write_text("source.cc", source_cxx)))
		return TAP_DONE();
	test_build("gcc -g -O0" SHARED, "DWARF 5 by gcc");
	test_build("gcc -gdwarf-4 -O2" SHARED, "DWARF 4 by gcc");
	test_build("gcc -g3 -gdwarf-4 -fdebug-types-section -O2 -gz" SHARED, "compressed, types on their own");
	test_build("clang -g -O0" SHARED, "DWARF 5 by clang");
	test_build("clang -gdwarf-4 -O2" SHARED, "DWARF 4 by clang");
	test_cxx("gcc" WORKS, "gcc -g -O2" CXX, "o:?,n:s8,p:p,s:p;s8");
	test_cxx("clang" WORKS, "clang -g -O1" CXX, "o:p,n:s8,p:p,s:p;s8");
	test_debug_file();
	test_dwz();
	test_damage("gcc -g -O2" SHARED);
	test_damage("if command -v clang >/dev/null; then clang -g -O2" SHARED "; fi");
	test_damage("gcc -g -gz -O2" SHARED);
	test_sizes();
	CHECK(run("rm -r \"$PWD\""));
	return TAP_DONE();
}
