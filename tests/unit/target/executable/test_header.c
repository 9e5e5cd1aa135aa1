/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The first bytes of a file. For #! lines the kernel is asked: an interpreter that prints what it was given. */
#include "program.h"
#include "src/target/executable/header.h"
#include "tap.h"
#include <elf.h>

static struct header parse(const void *bytes, size_t n)
{
	struct header header;

	memset(&header, 0xee, sizeof(header));
	header_parse(bytes, n, -1, &header);
	return header;
}

static void unknown(void)
{
	static const char *const texts[] = {"",   "#",    "!",        "hello", "# !/bin/sh", " #!/bin/sh\n",
	                                    "#!", "#!\n", "#! \t \n", "\177EL"};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		CHECK_INT(parse(texts[i], strlen(texts[i])).kind, HEADER_UNKNOWN);
	CHECK_INT(parse("\177ELF", 4).kind, HEADER_UNKNOWN);
	CHECK_INT(parse("#!/bin/sh", 9).kind, HEADER_SCRIPT);
}

/* Lines, and what the kernel makes of them is asked below. %s is the interpreter. */
static const char *const lines[] = {
	"#!%s\n",
	"#!%s",
	"#! \t%s\n",
	"#!%s \t\n",
	"#!%s -x\n",
	"#!%s \t one  two\tthree \t \n",
	"#!%s -a\nrest -b\n",
	"#!%s\r\n",
	"#!%s \r\n",
	"#!%s -x",
	"#!%s 'a b'\n",
	"#!%s #\n",
	"#!%s ",
};

/* What the interpreter printed: its argv between < and >, without its own name and the script's. */
static void ask_kernel(const char *script, char *text, size_t n)
{
	int out[2];
	pid_t pid;

	if (pipe2(out, O_CLOEXEC))
		return;
	pid = child();
	if (pid == 0) {
		dup2(out[1], 1);
		execl(script, "lost", "caller's", (char *)NULL);
		printf("error %d", errno);
		fflush(stdout);
		_exit(1);
	}
	close(out[1]);
	output_of(out[0], text, n);
	close(out[0]);
	end_of(pid);
}

/* The same text, made of the header. */
static void tell(const struct header *header, const char *script, char *text, size_t n)
{
	if (header->kind != HEADER_SCRIPT)
		snprintf(text, n, "error %d", ENOEXEC);
	else if (access(header->interp, F_OK))
		snprintf(text, n, "error %d", errno);
	else if (header->has_arg)
		snprintf(text, n, "<%s><%s><%s><caller's>", header->interp, header->arg, script);
	else
		snprintf(text, n, "<%s><%s><caller's>", header->interp, script);
}

/* Writes runs of one character as that and their length, so that a failure can be read. */
static void squeeze(char *text)
{
	char *to = text;

	while (*text) {
		char c = *text;
		size_t n = 0;

		while (text[n] == c)
			n++;
		text += n;
		*to++ = c;
		for (size_t i = 1; i < n && n < 10; i++)
			*to++ = c;
		if (n >= 10)
			to += sprintf(to, "{%zu}", n);
	}
	*to = '\0';
}

static void compare(const char *text, size_t n)
{
	struct place script = place("script");
	char want[2048] = "", got[2048];
	struct header header = parse(text, n);

	write_file(script.path, text, n, 0700);
	ask_kernel(script.path, want, sizeof(want));
	tell(&header, script.path, got, sizeof(got));
	squeeze(got);
	squeeze(want);
	CHECK_STR(got, want);
}

static void scripts(void)
{
	char text[1024], path[512];

	strcpy(path, place("print").path);
	if (!build("print",
	           "#include <stdio.h>\n"
	           "int main(int c, char **v) { for (int i = 0; i < c; i++) printf(\"<%s>\", v[i]); return 0; }",
	           ""))
		return;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		int n = snprintf(text, sizeof(text), "%s", lines[i]);
		char *percent = strstr(text, "%s");

		n = snprintf(text, sizeof(text), "%.*s%s%s", (int)(percent - text), lines[i], path,
		             lines[i] + (percent - text) + 2);
		compare(text, (size_t)n);
	}
	/* NUL bytes end the line. */
	snprintf(text, sizeof(text), "#!%s -x", path);
	compare(text, strlen(text) + 1);
	memcpy(text + strlen(text) + 1, "more\n", 5);
	compare(text, strlen(text) + 6);
}

/* Around the 256 bytes that the kernel reads. */
static void long_lines(void)
{
	struct place print = place("print");
	char text[1024];

	for (size_t total = 250; total < 262; total++) {
		size_t n = (size_t)snprintf(text, sizeof(text), "#!%s ", print.path);

		memset(text + n, 'y', sizeof(text) - n);
		text[total - 1] = '\n';
		compare(text, total + 20);
		memset(text + 2, '/', total);
		memcpy(text + total - strlen(print.path), print.path, strlen(print.path));
		text[total] = '\n';
		compare(text, total + 1);
	}
	memset(text, ' ', sizeof(text));
	memcpy(text, "#!", 2);
	CHECK_INT(parse(text, 600).kind, HEADER_UNKNOWN);
}

/* The loader as readelf(1) prints it, "" for none; false when there is no readelf. */
static bool readelf(const char *file, char *loader, size_t n)
{
	char text[16384];
	const char *at;
	int out[2];
	pid_t pid;

	if (pipe2(out, O_CLOEXEC))
		return false;
	pid = child();
	if (pid == 0) {
		dup2(out[1], 1);
		setenv("LC_ALL", "C", 1);
		execlp("readelf", "readelf", "-lW", file, (char *)NULL);
		_exit(127);
	}
	close(out[1]);
	output_of(out[0], text, sizeof(text));
	close(out[0]);
	at = strstr(text, "program interpreter: ");
	at = at ? at + 21 : "]";
	snprintf(loader, n, "%.*s", (int)strcspn(at, "]"), at);
	return end_of(pid) == 0;
}

static void elf(const char *name, const char *flags)
{
	struct place file = place(name);
	unsigned char bytes[512];
	struct header header;
	char want[512];
	int fd;

	if (!build(name, "int main(void) { return 0; }", flags))
		return;
	fd = open(file.path, O_RDONLY | O_CLOEXEC);
	if (!CHECK_INT(pread(fd, bytes, sizeof(bytes), 0), sizeof(bytes)))
		return;
	header_parse(bytes, sizeof(bytes), fd, &header);
	CHECK_INT(header.kind, HEADER_ELF);
	CHECK_STR(header.arg, "");
	if (readelf(file.path, want, sizeof(want)))
		CHECK_STR(header.interp, want);
	else
		printf("# skipped: no readelf to compare with\n");
	/* Cut short at any byte, it is still not read beyond. */
	for (size_t n = 0; n < sizeof(bytes); n++) {
		unsigned char *exact = malloc(n ? n : 1);

		memcpy(exact, bytes, n);
		header_parse(exact, n, fd, &header);
		free(exact);
	}
	header_parse(bytes, sizeof(bytes), -1, &header);
	CHECK(header.kind == HEADER_ELF && !*header.interp);
	close(fd);
}

/* Program headers that lie. */
static void hostile(void)
{
	unsigned char bytes[512] = {0};
	Elf64_Ehdr *ehdr = (Elf64_Ehdr *)(void *)bytes;
	Elf64_Phdr phdr = {.p_type = PT_INTERP, .p_offset = UINT64_MAX, .p_filesz = 10};
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct header header;

	memcpy(bytes, ELFMAG, SELFMAG);
	bytes[EI_CLASS] = ELFCLASS64;
	ehdr->e_phentsize = sizeof(phdr);
	ehdr->e_phnum = 0xffff;
	ehdr->e_phoff = UINT64_MAX - 10;
	header_parse(bytes, sizeof(bytes), fd, &header);
	CHECK(header.kind == HEADER_ELF && !*header.interp);
	ehdr->e_phoff = sizeof(*ehdr);
	memcpy(bytes + sizeof(*ehdr), &phdr, sizeof(phdr));
	header_parse(bytes, sizeof(bytes), fd, &header);
	CHECK(header.kind == HEADER_ELF && !*header.interp);
	phdr.p_offset = 0;
	phdr.p_filesz = UINT64_MAX;
	memcpy(bytes + sizeof(*ehdr), &phdr, sizeof(phdr));
	header_parse(bytes, sizeof(bytes), fd, &header);
	CHECK(!*header.interp);
	phdr.p_filesz = HEADER_INTERP_MAX;
	memcpy(bytes + sizeof(*ehdr), &phdr, sizeof(phdr));
	header_parse(bytes, sizeof(bytes), fd, &header);
	CHECK(strnlen(header.interp, sizeof(header.interp)) < sizeof(header.interp));
	close(fd);
}

static enum header_kind look(struct target_cache *cache, const char *path, struct header *header)
{
	int fd = open(path, O_PATH | O_CLOEXEC);
	struct stat st;

	CHECK(fd >= 0 && fstat(fd, &st) == 0);
	header_look(cache, fd, &st, header);
	close(fd);
	return header->kind;
}

/* A file that changes is read again; one that cannot be opened is not known. */
static void cached(void)
{
	struct target_cache *cache = target_cache_new();
	struct place file = place("changing");
	struct header header;

	write_text(file.path, "#!/bin/one\n", 0600);
	CHECK_INT(look(cache, file.path, &header), HEADER_SCRIPT);
	CHECK_STR(header.interp, "/bin/one");
	CHECK_INT(look(cache, file.path, &header), HEADER_SCRIPT);
	CHECK_STR(header.interp, "/bin/one");
	nap(20);
	write_text(file.path, "#!/bin/two\n", 0600);
	CHECK_INT(look(cache, file.path, &header), HEADER_SCRIPT);
	CHECK_STR(header.interp, "/bin/two");
	nap(20);
	write_text(file.path, "nothing", 0600);
	CHECK_INT(look(cache, file.path, &header), HEADER_UNKNOWN);
	/* Many files, more than the cache has room for. */
	for (int i = 0; i < 600; i++) {
		char name[32], text[32];

		snprintf(name, sizeof(name), "many%d", i % 300);
		snprintf(text, sizeof(text), "#!/bin/%d\n", i % 300);
		if (i < 300)
			write_text(place(name).path, text, 0600);
		text[strlen(text) - 1] = '\0';
		if (look(cache, place(name).path, &header) != HEADER_SCRIPT || strcmp(header.interp, text + 2) != 0)
			CHECK(!"the header of another file");
	}
	target_cache_free(cache);
	target_cache_free(NULL);
}

int main(void)
{
	scratch_begin(60);
	unknown();
	scripts();
	long_lines();
	elf("dynamic", "-no-pie");
	elf("pie", "-pie -fPIE");
	elf("static", "-static");
	elf("odd", "-Wl,--dynamic-linker=/no/such/loader");
#ifdef __x86_64__
	elf("narrow", "-m32");
#endif
	hostile();
	cached();
	return TAP_DONE();
}
