/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Places of parameters, against compilers: functions with parameters of all kinds, compiled in several ways, are called
 * with known values while the six registers are kept as they are when each begins (-mfentry). What is told to be in a
 * register has to be the value; what the ABI passes in a register and the function needs has to be told, but of
 * functions that only their own file knows: compilers may leave out parameters of those. An argument: the seed.
 */
#include "tap.h"
#include <dlfcn.h>
#include <exectrace/format/data/signature.h>
#include <exectrace/record/guest/linux/arguments.h>
#include <exectrace/record/guest/linux/hostfile.h>
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <unistd.h>

#define FUNCTIONS 60
#define PARAMETERS 9
#define TYPES (sizeof(types) / sizeof(types[0]))

/* A type, a value of it, how many general registers that needs (0: none), and what is in the register when it is one.
 */
static const struct type {
	const char *name, *value;
	unsigned general, floats;
	uint64_t bits;
	unsigned bytes; /* of them that count */
} types[] = {
	{"int", "-5", 1, 0, (uint64_t)-5, 4},
	{"signed char", "-3", 1, 0, (uint64_t)-3, 1},
	{"unsigned char", "200", 1, 0, 200, 1},
	{"short", "-300", 1, 0, (uint64_t)-300, 2},
	{"unsigned", "4000000000u", 1, 0, 4000000000, 4},
	{"long", "-5000000000", 1, 0, (uint64_t)-5000000000, 8},
	{"unsigned long", "12345678901234", 1, 0, 12345678901234, 8},
	{"_Bool", "1", 1, 0, 1, 1},
	{"enum color", "BLUE", 1, 0, 77, 4},
	{"callback", "(callback)4096", 1, 0, 4096, 8},
	{"struct node *", "(struct node *)8192", 1, 0, 8192, 8},
	{"struct one", "((struct one){-9})", 1, 0, (uint64_t)-9, 8},
	{"struct ints", "((struct ints){7, 8})", 1, 0, 7 | 8ull << 32, 8},
	{"struct mixed", "((struct mixed){1.0f, 9})", 1, 0, 0x3f800000 | 9ull << 32, 8},
	{"union either", "((union either){.a = 99})", 1, 0, 99, 8},
	{"struct longs", "((struct longs){1, 2})", 2, 0, 0, 0},
	{"struct half", "((struct half){1, 2.0})", 1, 1, 0, 0},
	{"__int128", "5", 2, 0, 0, 0},
	{"double", "1.5", 0, 1, 0, 0},
	{"float", "2.5f", 0, 1, 0, 0},
	{"struct single", "((struct single){2.0})", 0, 1, 0, 0},
	{"struct large", "((struct large){{1, 2, 3}})", 0, 0, 0, 0},
	{"struct squeezed", "((struct squeezed){1, 2})", 0, 0, 0, 0},
	{"struct empty", "((struct empty){})", 0, 0, 0, 0},
	{"long double", "1.5L", 0, 0, 0, 0},
	{"struct longest", "((struct longest){1.5L})", 0, 0, 0, 0},
	{"_Complex double", "1.5", 0, 2, 0, 0},
	{"vector", "((vector){1.0, 2.0})", 0, 1, 0, 0},
};

/* What functions give back; the first general register is taken when it is written where the caller says. */
static const struct {
	const char *name, *value;
	bool hidden, shown;
} results[] = {
	{"int", "-7", false, true},
	{"void", "", false, false},
	{"double", "1.0", false, false},
	{"struct large", "((struct large){{0}})", true, false},
	{"struct squeezed", "((struct squeezed){0})", true, false},
	{"struct longs", "((struct longs){0})", false, false},
	{"long double", "1.0L", false, false},
	{"struct ints", "((struct ints){0})", false, true},
};

static const char prelude[] =
	"enum color { RED, BLUE = 77 };\n"
	"typedef int (*callback)(int);\n"
	"struct node;\n"
	"typedef double vector __attribute__((vector_size(16)));\n"
	"struct one { long a; };\nstruct ints { int a, b; };\nstruct mixed { float a; int b; };\n"
	"union either { long a; double b; };\nstruct longs { long a, b; };\nstruct half { long a; double b; };\n"
	"struct single { double a; };\nstruct large { long a[3]; };\nstruct empty {};\n"
	"struct squeezed { char a; int b; } __attribute__((packed));\nstruct longest { long double a; };\n"
	"__attribute__((visibility(\"default\"))) volatile long seen[7];\nvolatile long used;\n"
	"__asm__(\".text\\n.globl __fentry__\\n.type __fentry__, @function\\n__fentry__:\\n\"\n"
	"\"mov seen@GOTPCREL(%rip), %r11\\nmov %rdi, (%r11)\\nmov %rsi, 8(%r11)\\nmov %rdx, 16(%r11)\\n\"\n"
	"\"mov %rcx, 24(%r11)\\nmov %r8, 32(%r11)\\nmov %r9, 40(%r11)\\npush (%rsp)\\npop 48(%r11)\\nret\\n\");\n";

struct made {
	unsigned n, result;
	bool inner; /* static */
	bool used[PARAMETERS];
	unsigned types[PARAMETERS];
};

static struct made functions[FUNCTIONS];
static char dir[] = "places.XXXXXX";
static const struct guest_memory memory;

/* --- Making them -------------------------------------------------------------------------------------------------- */

#define USE "used += sizeof(p%u) ? *p : 0; } "

static void put_body(FILE *out, struct made *f)
{
	fprintf(out, "{ %s; used++; ", f->inner ? "" : "__asm__ volatile(\"\")");
	/* Some are left alone. */
	for (unsigned i = 0; i < f->n; i++) {
		f->used[i] = random() % 3;
		if (f->used[i])
			fprintf(out, "{ const volatile char *p = (const volatile char *)&p%u; " USE, i, i);
		else if (random() % 2)
			fprintf(out, "__asm__ volatile(\"\" :: \"r\"(sizeof(p%u)));", i);
	}
	fprintf(out, "return %s; }\n", results[f->result].value);
}

static void put_function(FILE *out, unsigned number, struct made *f)
{
	fprintf(out, "__attribute__((noinline%s)) %s%s f%u(", f->inner ? "" : ", visibility(\"default\")",
	        f->inner ? "static " : "", results[f->result].name, number);
	for (unsigned i = 0; i < f->n; i++)
		fprintf(out, "%s%s p%u", i ? ", " : "", types[f->types[i]].name, i);
	fprintf(out, "%s) ", f->n ? "" : "void");
	put_body(out, f);
	/* The values are not known to the compiler but for some. */
	fprintf(out, "__attribute__((visibility(\"default\"))) void run%u(void) {\n", number);
	for (unsigned i = 0; i < f->n; i++)
		fprintf(out, "%s %s p%u = %s;\n", random() % 4 ? "volatile" : "const", types[f->types[i]].name, i,
		        types[f->types[i]].value);
	fprintf(out, "f%u(", number);
	for (unsigned i = 0; i < f->n; i++)
		fprintf(out, "%sp%u", i ? ", " : "", i);
	fputs("); }\n", out);
}

static bool make(const char *path)
{
	FILE *out = fopen(path, "w");

	if (!CHECK(out != NULL))
		return false;
	fputs(prelude, out);
	for (unsigned i = 0; i < FUNCTIONS; i++) {
		struct made *f = &functions[i];

		f->n = (unsigned)random() % (PARAMETERS + 1);
		f->inner = random() % 3 == 0;
		f->result = (unsigned)random() % (sizeof(results) / sizeof(results[0]));
		for (unsigned j = 0; j < f->n; j++)
			f->types[j] = (unsigned)random() % TYPES;
		put_function(out, i, f);
	}
	return CHECK(fclose(out) == 0);
}

/* --- Looking at them ---------------------------------------------------------------------------------------------- */

/* True when the ABI passes parameter i in one general register. */
static bool is_passed(const struct made *f, unsigned i)
{
	unsigned general = results[f->result].hidden, floats = 0;

	for (unsigned j = 0; j <= i; j++) {
		const struct type *type = &types[f->types[j]];
		bool fits = general + type->general <= 6 && floats + (type->general ? type->floats : 0) <= 8;

		if (j == i)
			return type->bytes && fits;
		/* Compilers do not agree on the rest. */
		if (strcmp(type->name, "__int128") == 0 && !fits && general < 6)
			return false;
		general += fits ? type->general : 0;
		floats += fits ? type->floats : 0;
	}
	return false;
}

static unsigned wrong, missing, told, inner;

static void check_values(const char *name, const struct made *f, const struct arguments *a, const uint64_t *registers)
{
	struct ring_values *v = arguments_read(a, registers, &memory, 0);

	for (unsigned i = 0; v && i < f->n && i < DATA_ARGS; i++) {
		const struct type *type = &types[f->types[i]];
		uint64_t unused = 64 - 8 * (uint64_t)type->bytes, got = v->values.args[i];

		if (i >= a->n || a->items[i].place == ARGUMENT_NOWHERE) {
			if (f->inner || !f->used[i] || !is_passed(f, i))
				continue;
			missing++;
			printf("# %s: parameter %u, %s, is not told (%s)\n", name, i, type->name, a->signature);
			continue;
		}
		told++;
		inner += f->inner;
		if (type->bytes && (got << unused) == (type->bits << unused))
			continue;
		wrong++;
		printf("# %s %s: parameter %u, %s, is %#lx in register %u (%s)\n", f->inner ? "static" : "extern", name,
		       i, type->name, (long)got, a->items[i].place, a->signature);
	}
	ring_values_drop(v);
}

/* The symbol that an address of the file is in. */
static const struct symbol *symbol_of(const struct elfimage *image, uint64_t address)
{
	const struct symbol *best = NULL;

	for (size_t i = 0; i < image->symbols.n; i++) {
		const struct symbol *s = &image->symbols.items[i];

		if (s->address <= address && address - s->address < s->size)
			best = s;
	}
	return best;
}

static void check_call(struct debuginfo *d, const struct elfimage *image, unsigned number, const uint64_t *seen)
{
	static const uint8_t places[6] = {7, 6, 2, 1, 8, 9};
	const struct symbol *symbol = symbol_of(image, seen[6]);
	uint64_t registers[16] = {0};
	struct debug_function f;
	struct arguments *a = NULL;
	char name[32];

	snprintf(name, sizeof(name), "f%u", number);
	/* It may be part of its caller, or another one by now. */
	if (!symbol || strcmp(symbol->name, name) != 0) {
		missing += !functions[number].inner;
		return;
	}
	if (debuginfo_function(d, symbol->address, name, 0, &f) || !(a = arguments_of_program(&f))) {
		missing++;
		printf("# %s: nothing is known of it\n", name);
		return;
	}
	for (unsigned i = 0; i < 6; i++)
		registers[places[i]] = seen[i];
	check_values(name, &functions[number], a, registers);
	if (functions[number].inner
	            ? a->result.place != ARGUMENT_NOWHERE && !results[functions[number].result].shown
	            : (a->result.place != ARGUMENT_NOWHERE) != results[functions[number].result].shown) {
		wrong++;
		printf("# %s: the result, %s\n", name, a->signature);
	}
	free(a->signature);
	free(a);
	btf_close(f.btf);
	free(f.bytes);
}

static bool read_fd(void *user, uint64_t offset, void *to, size_t n)
{
	return pread(*(int *)user, to, n, (off_t)offset) == (ssize_t)n;
}

static void check_library(const char *path, bool complete)
{
	char whole[4096];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	const struct elf_source file = {read_fd, &fd};
	struct elfimage image = {0};
	struct debuginfo *d = NULL;
	void *library = dlopen(realpath(path, whole), RTLD_NOW | RTLD_LOCAL);
	struct link_map *map = NULL;

	if (!CHECK(library && dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 && elfimage_read(&image, &file) &&
	           debuginfo_open(&d, &file) == 0))
		return;
	wrong = missing = told = inner = 0;
	for (unsigned i = 0; i < FUNCTIONS; i++) {
		volatile uint64_t *seen = dlsym(library, "seen");
		char name[32];
		void (*run)(void);
		uint64_t now[7];

		snprintf(name, sizeof(name), "run%u", i);
		*(void **)&run = dlsym(library, name);
		if (!CHECK(run && seen))
			break;
		run();
		for (int j = 0; j < 7; j++)
			now[j] = seen[j];
		now[6] -= map->l_addr;
		check_call(d, &image, i, now);
	}
	printf("# %s: %u parameters told, %u of static functions\n", path, told, inner);
	CHECK(told > (complete ? FUNCTIONS : 0));
	CHECK_INT(wrong, 0);
	/* When it optimises, clang does not say of each parameter where it is. */
	if (complete)
		CHECK_INT(missing, 0);
	symbols_release(&image.symbols);
	debuginfo_close(d);
	close(fd);
	dlclose(library);
}

static void check(const char *compiler, const char *flags)
{
	char line[1024], path[128];

	snprintf(line, sizeof(line), "command -v %s >/dev/null", compiler);
	if (system(line) != 0) {
		tap_skip(flags, "clang is not installed");
		return;
	}
	snprintf(path, sizeof(path), "%s/%s%s.so", dir, compiler, flags);
	for (char *p = path; *p; p++)
		*p = *p == ' ' ? '_' : *p;
	snprintf(line, sizeof(line),
	         "%s %s -w -pg -mfentry -fPIC -fvisibility=hidden -shared -Wl,-Bsymbolic -o '%s' %s/functions.c",
	         compiler, flags, path, dir);
	if (CHECK_INT(system(line), 0))
		check_library(path, strcmp(compiler, "clang") != 0 || strstr(flags, "-O0"));
}

int main(int argc, char **argv)
{
	char path[64], line[64];

	if (!CHECK(mkdtemp(dir) && debuginfo_can()))
		return TAP_DONE();
	srandom(argc > 1 ? (unsigned)atoi(argv[1]) : 1);
	snprintf(path, sizeof(path), "%s/functions.c", dir);
	if (make(path)) {
		check("gcc", "-O0 -g");
		check("gcc", "-O2 -gdwarf-4");
		check("gcc", "-O2 -g -gz");
		check("clang", "-O0 -gdwarf-4");
		check("clang", "-O2 -g");
	}
	snprintf(line, sizeof(line), "rm -r %s", dir);
	CHECK_INT(system(line), 0);
	return TAP_DONE();
}
