/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Every row of call frame information of some files, compared with readelf's. */
#include "oracle.h"
#include "tap.h"
#include <exectrace/target/symbol/cfi.h>

static const char *const wide[] = {"rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp", "r8",
                                   "r9",  "r10", "r11", "r12", "r13", "r14", "r15", "ra"};
static const char *const narrow[] = {"eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi", "ra"};

/* A rule as readelf writes it. cfa: that of the CFA. */
static void write_rule(const struct cfi_rule *rule, const char *const *names, bool cfa, char *text, size_t n)
{
	switch (rule->how) {
	case CFI_SAVED:
		snprintf(text, n, "c%+d", (int)rule->value);
		break;
	case CFI_CFA:
		snprintf(text, n, "v%+d", (int)rule->value);
		break;
	case CFI_REGISTER:
		snprintf(text, n, "(%s)", names[rule->reg]);
		if (cfa)
			snprintf(text, n, "%s%+d", names[rule->reg], (int)rule->value);
		break;
	case CFI_SAVED_EXPRESSION:
		snprintf(text, n, "exp");
		break;
	case CFI_EXPRESSION:
		snprintf(text, n, cfa ? "exp" : "vexp");
		break;
	default:
		snprintf(text, n, "u");
	}
}

/* The columns of a block of rows. */
struct columns {
	int registers[24];
	int n;
};

static int number_of(const char *name, const char *const *names, int n)
{
	for (int i = 0; i < n; i++)
		if (strcmp(names[i], name) == 0)
			return i;
	return -1;
}

/* Turns "r5 (rdi)" into "(rdi)". */
static void drop_numbers(char *cells)
{
	char *bracket;

	for (bracket = strstr(cells, " ("); bracket; bracket = strstr(bracket + 1, " ("))
		for (char *c = bracket - 1; c > cells && *c != ' '; c--)
			*c = ' ';
}

static bool same_row(const struct cfi_row *row, char *cells, const struct columns *c, const char *const *names)
{
	char *cell, text[64];
	bool same;

	drop_numbers(cells);
	cell = strtok(cells, " \n");
	write_rule(&row->cfa, names, true, text, sizeof(text));
	same = cell && strcmp(cell, text) == 0;
	for (int i = 0; i < c->n && same; i++) {
		cell = strtok(NULL, " \n");
		if (!cell)
			return false;
		if (c->registers[i] < 0)
			continue;
		write_rule(&row->registers[c->registers[i]], names, false, text, sizeof(text));
		same = strcmp(cell, text) == 0 || (strcmp(cell, "s") == 0 && strcmp(text, "u") == 0);
	}
	return same;
}

static void head(char *line, struct columns *c, const char *const *names, int n)
{
	char *cell = strtok(line, " \n"); /* LOC */

	c->n = 0;
	for (strtok(NULL, " \n"); (cell = strtok(NULL, " \n")) && c->n < 24;)
		c->registers[c->n++] = number_of(cell, names, n);
}

static void compare(const char *name)
{
	struct columns c = {.n = 0};
	const char *const *names = wide;
	struct elf *elf = NULL;
	char command[640], line[512], whole[512];
	int rows = 0, wrong = 0, n = 17;
	unsigned long end = 0; /* of the function; a row there is of no use */
	bool fde = false;
	FILE *in;

	if (!CHECK_INT(elf_open(name[0] == '/' ? name : place(name).path, &elf), 0))
		return;
	if (elf_word(elf) == 4) {
		names = narrow;
		n = 9;
	}
	snprintf(command, sizeof(command), "readelf --debug-dump=frames-interp %s", name);
	in = ask(command);
	while (in && fgets(line, sizeof(line), in)) {
		unsigned long at = 0;
		struct cfi_row row;
		int used = 0;

		strcpy(whole, line);
		if (strstr(line, " FDE ") || strstr(line, " CIE ")) {
			fde = strstr(line, " FDE ") && strstr(line, "..") &&
			      sscanf(strstr(line, "..") + 2, "%lx", &end) == 1;
			c.n = 0;
		} else if (strncmp(line, "   LOC", 6) == 0) {
			head(line, &c, names, n);
		} else if (fde && !strstr(line, "ZERO") && sscanf(line, "%lx %n", &at, &used) == 1 && used >= 9 &&
		           at < end) {
			rows++;
			if (cfi_find(elf, at, &row) || !same_row(&row, line + used, &c, names)) {
				if (wrong++ < 5)
					printf("# %s", whole);
			}
		}
	}
	if (in)
		pclose(in);
	printf("# %s: %d rows\n", name, rows);
	CHECK(rows > 5);
	CHECK_INT(wrong, 0);
	elf_unref(elf);
}

/* Before, between and behind functions there is nothing. */
static void outside(const char *name)
{
	uint64_t base = 0;
	size_t n = 0;
	struct elf *elf = NULL;
	struct cfi_row row;

	elf_open(place(name).path, &elf);
	CHECK(elf_unwind_index(elf, &base, &n) && n > 2);
	CHECK_INT(cfi_find(elf, 0, &row), -ENOENT);
	CHECK_INT(cfi_find(elf, UINT64_MAX, &row), -ENOENT);
	elf_unref(elf);
}

/* Memory in which each word is its address and one, up to 0x1000. */
static bool next_address(void *user, uint64_t address, uint64_t *value)
{
	(void)user;
	*value = address + 1;
	return address < 0x1000;
}

#define NOTHING 0xbadu

/* What an expression gives with 4-byte and with 8-byte words; register 7 is 0x20. NOTHING: it gives nothing. */
static const struct {
	const char *name;
	unsigned char code[8];
	uint8_t n;
	uint64_t narrow, wide;
} expressions[] = {
	{"breg7 -8", {0x77, 0x78}, 2, 0x18, 0x18},
	{"breg7 -8, deref", {0x77, 0x78, 0x06}, 3, 0x19, 0x19},
	{"breg7 -33 is cut to a word", {0x77, 0x5f}, 2, 0xffffffff, UINT64_MAX},
	{"-1 >= 0 is of signed numbers", {0x11, 0x7f, 0x30, 0x2a}, 4, 0, 0},
	{"0 >= -1", {0x30, 0x11, 0x7f, 0x2a}, 4, 1, 1},
	{"2 << 31", {0x32, 0x4f, 0x24}, 3, 0, 1ull << 32},
	{"1 << 200", {0x31, 0x08, 200, 0x24}, 4, 0, 0},
	{"1 - 2", {0x31, 0x32, 0x1c}, 3, 0xffffffff, UINT64_MAX},
	{"12 & 10, 2 +", {0x3c, 0x3a, 0x1a, 0x32, 0x22}, 5, 10, 10},
	{"breg9", {0x79, 0x00}, 2, NOTHING, 0},
	{"memory that is not there", {0x11, 0x80, 0xc0, 0x00, 0x06}, 5, NOTHING, NOTHING},
	{"nothing", {0}, 0, NOTHING, NOTHING},
	{"plus of one", {0x31, 0x22}, 2, NOTHING, NOTHING},
	{"a number that is cut", {0x77, 0x80}, 2, NOTHING, NOTHING},
	{"a jump", {0x2f, 0x00, 0x00}, 3, NOTHING, NOTHING},
};

static void expressions_give(void)
{
	for (size_t i = 0; i < sizeof(expressions) / sizeof(*expressions); i++) {
		const struct cfi_rule rule = {.how = CFI_EXPRESSION,
		                              .expression = expressions[i].code,
		                              .n = expressions[i].n};

		for (unsigned word = 4; word <= 8; word += 4) {
			struct cfi_frame f = {.word = word, .n = word == 4 ? 9 : 17, .read = next_address};
			uint64_t want = word == 4 ? expressions[i].narrow : expressions[i].wide, got = 0;

			f.registers[7] = 0x20;
			if (!cfi_value(&rule, &f, 0, &got))
				got = NOTHING;
			if (!CHECK(got == want))
				printf("# %s, %u bytes: %#jx\n", expressions[i].name, word, (uintmax_t)got);
		}
	}
}

int main(void)
{
	static const char source[] = "#include <stdio.h>\n#include <string.h>\n#include <alloca.h>\n"
				     "int f(int n) { char *p = alloca(n); memset(p, n, n); return puts(p) + n; }\n"
				     "int main(int c, char **v) { return c > 2 ? f(c) : f(c + 1) + f(c * c); }\n";

	scratch_begin(120);
	expressions_give();
	if (!build("plain", source, "-O2"))
		return 1;
	compare("plain");
	outside("plain");
	if (build("narrow", source, "-O2 -m32"))
		compare("narrow");
	if (build("static", source, "-O2 -static"))
		compare("static");
	if (build("narrowstatic", source, "-O2 -m32 -static"))
		compare("narrowstatic");
	compare("/bin/sh");
	compare("/lib/x86_64-linux-gnu/libc.so.6");
	return TAP_DONE();
}
