/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Programs stopped in a system call at a depth that is known: their frames are named by nm, and compared with what the
 * source says; those of interpreters with what strace -k shows.
 */
#include "oracle.h"
#include "tap.h"
#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/target/process/mem.h>
#include <exectrace/target/process/procfs.h>
#include <exectrace/target/unwind/unwind.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/user.h>

#define FRAMES 16384

/* `leaf` makes a call that nothing else makes: it is where the test looks. */
#ifdef __x86_64__
#define INLINE "static inline __attribute__((always_inline)) "
#define CALL64 "__asm__ volatile(\"syscall\" : \"+a\"(r) :: \"rcx\", \"r11\", \"memory\");"
#define CALL32 "__asm__ volatile(\"int $0x80\" : \"+a\"(r));"
#define CALL                                                                                                  \
	"#ifdef __x86_64__\n" INLINE "long call(void) { long r = 110; " CALL64 " return r; }\n#else\n" INLINE \
	"long call(void) { long r = 64; " CALL32 " return r; }\n#endif\n"
#else
#define CALL "#include <unistd.h>\nstatic inline long call(void) { return getppid(); }\n"
#endif
#define FAR "__attribute__((noinline, noclone)) "
#define AFTER "__asm__ volatile(\"\" ::: \"memory\");"

static const char common[] = CALL FAR "int leaf(void) { int r = (int)call(); " AFTER " return r; }\n" FAR
				      "int rec(int n) { volatile char room[24]; int r; room[n % 24] = 1; "
				      "r = n ? rec(n - 1) : leaf(); " AFTER " return r + room[n % 24]; }\n";

static const char recursion[] =
	"#include <stdlib.h>\n" FAR "int b(int n) { int r = rec(n); " AFTER " return r + 1; }\n" FAR
	"int a(int n) { volatile long wide[300]; int r; wide[n % 300] = 1; r = b(n); " AFTER " return r + wide[3]; }\n"
	"int main(int argc, char **argv) { int n = atoi(argv[1]); return a(n) + a(n); }\n";

static const char signals[] = "#include <signal.h>\n#include <stdlib.h>\n#include <unistd.h>\n"
			      "void handler(int sig) { leaf(); " AFTER " }\n" FAR "int hit(int *p) { int r = 1; " AFTER
			      " *p = 3; " AFTER " return r; }\n"
			      "void fault(int sig) { leaf(); _exit(0); }\n"
			      "int main(int argc, char **argv) {\n"
			      "	struct sigaction act = {.sa_handler = fault, .sa_flags = SA_ONSTACK};\n"
			      "	stack_t stack = {.ss_sp = malloc(65536), .ss_size = 65536};\n"
			      "	if (argc > 1) sigaltstack(&stack, 0);\n"
			      "	sigaction(SIGSEGV, &act, 0);\n"
			      "	return hit(0); }\n";

static const char loader[] = "#include <dlfcn.h>\n"
			     "int main(int argc, char **argv) { for (int i = 1; i < argc; i++) {\n"
			     "	void *h = dlopen(argv[i], RTLD_NOW); int (*f)(int (*)(void));\n"
			     "	if (!h) return 9; f = dlsym(h, \"plug\"); f(leaf); dlclose(h); } return 0; }\n";

static const char library[] =
	FAR "int inner(int (*f)(void)) { volatile char room[SIZE]; int r; room[3] = 1; r = f(); " AFTER
	    " return r + room[3]; }\n"
	    "int plug(int (*f)(void)) { int r = inner(f); " AFTER " return r + 1; }\n";

static const char thread[] = "#include <pthread.h>\n#include <stdlib.h>\n"
			     "void *begin(void *n) { rec(*(int *)n); " AFTER " return n; }\n"
			     "int main(void) { pthread_t t; int n = 3; pthread_create(&t, 0, begin, &n);\n"
			     "	return pthread_join(t, 0); }\n";

static struct unwind_frame frames[FRAMES];

/* Functions of a file, as nm -n prints them. */
struct listing {
	struct {
		unsigned long at;
		char name[48];
	} items[4096];
	int n;
};

static void list(const char *file, struct listing *l)
{
	char command[640], line[512];
	FILE *in;

	snprintf(command, sizeof(command), "nm -n --defined-only '%s' | grep -i ' [tw] '", file);
	in = ask(command);
	l->n = 0;
	while (in && l->n < 4096 && fgets(line, sizeof(line), in)) {
		char type;

		if (sscanf(line, "%lx %c %47s", &l->items[l->n].at, &type, l->items[l->n].name) == 3)
			l->n++;
	}
	if (in)
		pclose(in);
}

static const char *listed(const struct listing *l, unsigned long at)
{
	const char *name = "?";

	for (int i = 0; i < l->n && l->items[i].at <= at; i++)
		name = l->items[i].name;
	return name;
}

/* The first address of the file in memory. */
static uint64_t first_of(const struct maps *maps, const char *path)
{
	for (size_t i = 0; i < maps->n; i++)
		if (strcmp(maps->items[i].path, path) == 0)
			return maps->items[i].start;
	return 0;
}

/* The names of frames in files below the scratch directory, with "" between; others are "-". named: the file that is
 * listed instead of the mapped one, for one without symbols. */
static void name_frames(struct unwind_space *space, int n, const char *named, char *text, size_t max)
{
	static struct listing l;
	char last[512] = "";

	*text = '\0';
	for (int i = 0; i < n; i++) {
		const struct maps *maps = unwind_maps(space);
		uint64_t pc = frames[i].pc - !(frames[i].flags & UNWIND_EXACT);
		const struct map *map = maps_find(maps, pc);
		const char *name = "-";

		if (map && strncmp(map->path, scratch_dir, strlen(scratch_dir)) == 0) {
			uint64_t base = first_of(maps, map->path);

			if (strcmp(last, map->path) != 0) {
				snprintf(last, sizeof(last), "%s", map->path);
				list(named ? place(named).path : last, &l);
			}
			name = listed(&l, l.n && l.items[0].at >= base ? pc : pc - base);
		}
		if (frames[i].flags & UNWIND_SIGNAL)
			name = "SIGNAL";
		if (strlen(text) + strlen(name) + 2 > max)
			break;
		strcat(strcat(text, *text ? " " : ""), name);
	}
}

/* Lets a thread run to the entry of leaf's system call. */
static bool to_leaf(pid_t tid)
{
	struct regs regs;
	int status = 0;

	for (int i = 0; i < 100000; i++) {
		long sig = 0;

		if (i && WIFSTOPPED(status) && WSTOPSIG(status) == SIGSEGV)
			sig = SIGSEGV;
		if (ptrace(PTRACE_SYSCALL, tid, 0L, sig) || waitpid(tid, &status, __WALL) != tid || !WIFSTOPPED(status))
			return false;
		if (status >> 8 != (SIGTRAP | 0x80) || tracee_regs(tid, &regs))
			continue;
		if (arch_reg(regs.arch, regs.raw, REG_ORIG_NR) == (regs.arch->word == 4 ? 64 : SYS_getppid) ||
		    (ARCH_NO_REG == regs.arch->slot[REG_ORIG_NR] &&
		     arch_reg(regs.arch, regs.raw, REG_NR) == SYS_getppid))
			return true;
	}
	return false;
}

static struct stopped begin(const char *name, const char *one, const char *two)
{
	char *argv[] = {strdup(name[0] == '/' ? name : place(name).path), (char *)one, (char *)two, NULL};
	char *envp[] = {(char *)"LC_ALL=C", NULL};
	struct stopped s = start_at_exec(argv, envp);

	free(argv[0]);
	return s;
}

static void end(struct stopped *s)
{
	finish(s->pid);
	close(s->out);
}

/* The executable mappings of a process. */
static struct maps code_of(pid_t pid)
{
	int fd = proc_open(pid, "maps", O_RDONLY);
	struct maps maps = MAPS_INIT;
	size_t n = 0;

	CHECK(fd >= 0 && maps_read(fd, &maps) == 0);
	close(fd);
	for (size_t i = 0; i < maps.n; i++)
		if (maps.items[i].prot & PROT_EXEC)
			maps.items[n++] = maps.items[i];
	maps.n = n;
	return maps;
}

/* A program at its leaf: its frames begin with `want`. named: as name_frames. */
static void begins_with(const char *name, const char *argument, const char *named, const char *want)
{
	static char text[65536];
	struct elf_cache *cache = NULL;
	struct unwind_space *space = NULL;
	struct stopped s = begin(name, argument, NULL);
	int n;

	elf_cache_new(16, &cache);
	CHECK_INT(unwind_space_new(cache, &space), 0);
	for (int round = 0; round < 2; round++) { /* the second time from what was learnt */
		CHECK(s.pid && to_leaf(s.pid));
		n = unwind_stack(space, s.pid, frames, FRAMES);
		CHECK(n > 0 && frames[0].flags == UNWIND_EXACT);
		name_frames(space, n, named, text, sizeof(text));
		printf("# %s: %.200s\n", name, text);
		if (strlen(text) > strlen(want))
			text[strlen(want)] = '\0';
		CHECK_STR(text, want);
	}
	CHECK_INT(unwind_stack(space, s.pid, frames, 3), 3);
	end(&s);
	CHECK_INT(unwind_stack(space, s.pid, frames, 3), -ESRCH);
	unwind_space_free(space);
	elf_cache_free(cache);
}

static unsigned char copied_bytes[1 << 20]; /* of a stack */

/* With a part of a copy the rest is read of the process, as long as it is there. */
static void partly_copied(struct unwind_space *space, pid_t pid, const struct stack_copy *all,
                          const struct unwind_frame *want, int n)
{
	const size_t parts[] = {8, 200, all->n};
	struct stack_copy part = *all;

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		part.n = parts[i] < all->n ? parts[i] : all->n;
		CHECK_INT(unwind_copied(space, pid, &part, frames, FRAMES), n);
		CHECK(memcmp(frames, want, (size_t)n * sizeof(*want)) == 0);
		CHECK(unwind_stack_end(space) - arch_reg(part.regs.arch, part.regs.raw, REG_SP) < sizeof(copied_bytes));
	}
}

/* The same stack from a copy of `bytes` of it and of the executable mappings: as many frames as the copy has. */
static void copied(const char *name, size_t bytes)
{
	static struct unwind_frame want[FRAMES];
	struct elf_cache *cache = NULL;
	struct unwind_space *space = NULL, *told = NULL;
	struct stopped s = begin(name, "5", NULL);
	struct maps maps = MAPS_INIT;
	struct stack_copy copy = {.bytes = copied_bytes};
	int n, got;

	elf_cache_new(16, &cache);
	CHECK(unwind_space_new(cache, &space) == 0 && unwind_space_new(cache, &told) == 0);
	CHECK(s.pid && to_leaf(s.pid) && tracee_regs(s.pid, &copy.regs) == 0);
	n = unwind_stack(space, s.pid, want, FRAMES);
	while (bytes && mem_read(s.pid, arch_reg(copy.regs.arch, copy.regs.raw, REG_SP), copied_bytes, bytes))
		bytes -= 8; /* to the end of the stack */
	copy.n = bytes;
	partly_copied(space, s.pid, &copy, want, n);
	maps = code_of(s.pid);
	CHECK_INT(unwind_space_told(told, s.pid, &maps), 0);
	end(&s);
	got = unwind_copied(told, 0, &copy, frames, FRAMES);
	printf("# %s: %d of %d frames in %zu bytes\n", name, got, n, bytes);
	CHECK(got > 1 && got <= n);
	CHECK((got < n) == ((frames[got - 1].flags & UNWIND_CUT) != 0));
	frames[got - 1].flags &= ~(uint32_t)UNWIND_CUT;
	CHECK(memcmp(frames, want, (size_t)got * sizeof(*want)) == 0);
	CHECK(bytes < 4096 || got == n);
	CHECK_INT(unwind_regs(told, 1, &copy.regs, frames, 1), -EINVAL);
	CHECK_INT(unwind_refresh(told, 1), -EINVAL);
	CHECK_INT(unwind_copied(space, s.pid, &copy, frames, 0), -EINVAL);
	unwind_space_free(space);
	unwind_space_free(told);
	elf_cache_free(cache);
}

static void copies(void)
{
	static const char *const names[] = {"plain",  "nofp",      "fp",     "fixed",
	                                    "static", "staticpie", "narrow", "narrowfp"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (access(place(names[i]).path, X_OK) || !runs_here(names[i]))
			continue;
		copied(names[i], 1 << 20);
		copied(names[i], 200);
	}
}

static bool build_with(const char *name, const char *source, const char *flags)
{
	char *text = NULL;
	bool ok;

	if (asprintf(&text, "%s%s", common, source) < 0)
		return false;
	ok = build_to_run(name, text, flags);
	free(text);
	return ok;
}

static void depths(void)
{
	static const struct {
		const char *name, *flags;
	} ways[] = {
		{"plain", "-O2"},
		{"nofp", "-O2 -fomit-frame-pointer"},
		{"fp", "-O0 -fno-omit-frame-pointer"},
		{"fixed", "-no-pie"},
		{"static", "-static"},
		{"staticpie", "-static-pie"},
		{"clf", "-fcf-protection=none -Wl,-z,norelro -Wl,-z,noseparate-code"},
	};
	const char *want = "leaf rec rec rec rec rec rec b a main";

	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
		if (build_with(ways[i].name, recursion, ways[i].flags))
			begins_with(ways[i].name, "5", NULL, want);
	CHECK(shell("strip -o stripped plain && strip -o bare static"));
	begins_with("stripped", "5", "plain", want);
	begins_with("bare", "5", "static", want);
	if (build_with("narrow", recursion, "-m32 -O2")) {
		begins_with("narrow", "5", NULL, want);
		CHECK(shell("strip -o narrowstripped narrow"));
		begins_with("narrowstripped", "5", "narrow", want);
	}
	if (build_with("narrowfp", recursion, "-m32 -O0"))
		begins_with("narrowfp", "5", NULL, want);
	if (build_with("narrowstatic", recursion, "-m32 -static"))
		begins_with("narrowstatic", "5", NULL, want);
}

/* Far more frames than the first read of the stack has. */
static void deep(void)
{
	struct elf_cache *cache = NULL;
	struct unwind_space *space = NULL;
	struct stopped s = begin("plain", "10000", NULL);
	int shallow;

	elf_cache_new(16, &cache);
	unwind_space_new(cache, &space);
	CHECK(to_leaf(s.pid));
	CHECK_INT(unwind_stack(space, s.pid, frames, FRAMES), 10000 + 1 + 1 + 3 + 3);
	end(&s);
	s = begin("plain", "0", NULL);
	unwind_space_changed(space);
	CHECK(to_leaf(s.pid));
	shallow = unwind_stack(space, s.pid, frames, FRAMES);
	CHECK_INT(shallow, 1 + 1 + 3 + 3);
	end(&s);
	unwind_space_free(space);
	elf_cache_free(cache);
}

static void interrupted(void)
{
	if (!build_with("signal", signals, "-O1"))
		return;
	begins_with("signal", NULL, NULL, "leaf fault SIGNAL hit main");
	begins_with("signal", "alternate", NULL, "leaf fault SIGNAL hit main");
	if (build_with("signalnarrow", signals, "-O1 -m32")) {
		begins_with("signalnarrow", NULL, NULL, "leaf fault SIGNAL hit main");
		begins_with("signalnarrow", "alternate", NULL, "leaf fault SIGNAL hit main");
	}
	if (build_with("signalstatic", signals, "-O1 -static"))
		begins_with("signalstatic", NULL, NULL, "leaf fault SIGNAL hit main");
}

/* Two libraries of the same size one after the other: mostly at the same address. */
static void loaded(void)
{
	static char text[4096];
	struct elf_cache *cache = NULL;
	struct unwind_space *space = NULL;
	struct stopped s;
	uint64_t before = 0;
	char one[640], two[640];

	if (!build_with("loader", loader, "-O1 -ldl") || !build("one.so", library, "-shared -fPIC -DSIZE=40") ||
	    !build("two.so", library, "-shared -fPIC -DSIZE=400"))
		return;
	snprintf(one, sizeof(one), "%s", place("one.so").path);
	snprintf(two, sizeof(two), "%s", place("two.so").path);
	s = begin("loader", one, two);
	elf_cache_new(16, &cache);
	unwind_space_new(cache, &space);
	CHECK(unwind_stack(space, s.pid, frames, FRAMES) > 0); /* before any library is there */
	for (int round = 0; round < 3; round++) {
		int n;

		CHECK(to_leaf(s.pid)); /* entry, exit, and entry in the second */
		if (round == 2)
			unwind_space_changed(space);
		n = unwind_stack(space, s.pid, frames, FRAMES);
		name_frames(space, n, NULL, text, sizeof(text));
		CHECK(strncmp(text, "leaf inner plug main", 20) == 0);
		printf("# %s at %llx\n", text, (unsigned long long)frames[1].pc);
		CHECK((unwind_generation(space) != before) == (round != 1));
		before = unwind_generation(space);
	}
	end(&s);
	unwind_space_free(space);
	elf_cache_free(cache);
}

/* The stack of a thread, which began after the maps were read. */
static void threads(void)
{
	static char text[4096];
	struct elf_cache *cache = NULL;
	struct unwind_space *space = NULL;
	struct stopped s;
	pid_t tid;
	int n, status = 0;

	if (!build_with("thread", thread, "-O1 -pthread"))
		return;
	s = begin("thread", NULL, NULL);
	elf_cache_new(16, &cache);
	unwind_space_new(cache, &space);
	CHECK(unwind_stack(space, s.pid, frames, FRAMES) > 0);
	ptrace(PTRACE_SETOPTIONS, s.pid, 0L, (long)(PTRACE_O_TRACECLONE | PTRACE_O_TRACESYSGOOD));
	ptrace(PTRACE_CONT, s.pid, 0L, 0L);
	tid = waitpid(-1, &status, __WALL);
	if (tid == s.pid) {
		ptrace(PTRACE_CONT, s.pid, 0L, 0L);
		tid = waitpid(-1, &status, __WALL);
	}
	CHECK(tid > 0 && tid != s.pid && to_leaf(tid));
	n = unwind_stack(space, tid, frames, FRAMES);
	name_frames(space, n, NULL, text, sizeof(text));
	printf("# thread: %s\n", text);
	CHECK(strncmp(text, "leaf rec rec rec rec begin - ", 29) == 0);
	kill(s.pid, SIGKILL);
	end_of(tid);
	end(&s);
	unwind_space_free(space);
	elf_cache_free(cache);
}

/* A file that is no more, as another user: nothing can be opened but the program itself. */
static void vanished(void)
{
	char one[640], byte;
	int go[2];
	pid_t pid;

	if (!shell("test -e one.so && test -e loader"))
		return;
	snprintf(one, sizeof(one), "%s", place("one.so").path);
	if (chmod(scratch_dir, 0755) || pipe2(go, O_CLOEXEC))
		return;
	pid = child();
	if (pid == 0) {
		static char text[4096];
		struct elf_cache *cache = NULL;
		struct unwind_space *space = NULL;
		struct stopped s;
		bool good;

		if (getuid() == 0 && (setgid(65534) || setuid(65534)))
			_exit(2);
		prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
		s = begin("loader", one, NULL);
		elf_cache_new(16, &cache);
		unwind_space_new(cache, &space);
		good = to_leaf(s.pid);
		good = good && write(go[1], "", 1) == 1;
		while (good && access(one, F_OK) == 0)
			nap(2);
		good = good && unwind_stack(space, s.pid, frames, FRAMES) > 6;
		for (int i = 0; i < 7; i++)
			sprintf(text + strlen(text), "%llx ", (unsigned long long)frames[i].pc);
		printf("# without its file: %s\n", text);
		end(&s);
		fflush(stdout);
		_exit(good ? 0 : 1);
	}
	close(go[1]);
	CHECK(read(go[0], &byte, 1) == 1 && unlink(one) == 0);
	close(go[0]);
	CHECK_INT(end_of(pid), 0);
}

/* Overwrites some of the bytes of a section, always the same for one seed. */
static bool spoil(const char *name, unsigned char *bytes, size_t n, const char *section, unsigned seed)
{
	char command[256], text[128];
	unsigned long offset = 0, size = 0;

	snprintf(command, sizeof(command), "readelf -SW %s | sed -n 's/.*\\%s  *PROGBITS  *[0-9a-f]* //p'", name,
	         section);
	if (sscanf(answer(command, text, sizeof(text)), "%lx %lx", &offset, &size) != 2 || !size || offset + size > n)
		return false;
	for (unsigned i = 0; i < 1 + seed % 40; i++) {
		seed = seed * 1103515245 + 12345;
		bytes[offset + (seed >> 8) % size] = (unsigned char)(seed >> 3);
	}
	return true;
}

/* Unwind tables that are not as they should be: some frames, in little time. */
static void hostile(const char *name)
{
	static unsigned char bytes[65536], good[65536];
	static const char *const sections[] = {".eh_frame_hdr", ".eh_frame"};
	struct elf_cache *cache = NULL;
	int fd = open(place(name).path, O_RDONLY | O_CLOEXEC);
	size_t n = (size_t)read(fd, good, sizeof(good));
	int bad = 0;
	time_t start = time(NULL);

	close(fd);
	elf_cache_new(2, &cache);
	for (unsigned i = 0; i < 100; i++) {
		struct unwind_space *space = NULL;
		struct stopped s;

		memcpy(bytes, good, n);
		bad += !spoil(name, bytes, n, sections[i % 2], i * 7919 + 1);
		write_file(place("spoilt").path, (char *)bytes, n, 0700);
		s = begin("spoilt", "30", NULL);
		unwind_space_new(cache, &space);
		bad += !to_leaf(s.pid) || unwind_stack(space, s.pid, frames, FRAMES) < 1;
		unwind_space_free(space);
		end(&s);
	}
	elf_cache_free(cache);
	CHECK_INT(bad, 0);
	CHECK(time(NULL) - start < 30);
}

/* What strace -k says of the program's getppid calls: "file offset" a line. */
static bool strace_frames(const char *command, char *text, size_t max)
{
	char line[1024], full[900];
	bool some = false;
	FILE *in;

	snprintf(full, sizeof(full),
	         "LC_ALL=C strace -k -e trace=getppid -o trace %s >/dev/null; "
	         "awk '/^getppid/ { n++ } n == 1' trace | grep '^ > '",
	         command);
	*text = '\0';
	in = ask(full);
	while (in && fgets(line, sizeof(line), in)) {
		char *file = line + 3, *offset = strrchr(line, '[');
		size_t path = strcspn(file, "(");

		if (!offset || strncmp(file, "unexpected", 10) == 0)
			continue;
		offset[strcspn(offset, "]")] = '\0';
		some = true;
		snprintf(text + strlen(text), max - strlen(text), "%.*s %s\n", (int)path, file, offset + 1);
	}
	if (in)
		pclose(in);
	return some;
}

/* The same as strace -k, for programs that nobody built for us. */
static void as_strace(const char *program, const char *one, const char *two, const char *command)
{
	static char want[65536], got[65536];
	struct elf_cache *cache = NULL;
	struct unwind_space *space = NULL;
	struct stopped s;
	int n;

	if (access(program, X_OK) || !strace_frames(command, want, sizeof(want))) {
		printf("# skipped: no strace -k of %s here\n", program);
		return;
	}
	s = begin(program, one, two);
	elf_cache_new(16, &cache);
	unwind_space_new(cache, &space);
	CHECK(s.pid && to_leaf(s.pid));
	n = unwind_stack(space, s.pid, frames, FRAMES);
	*got = '\0';
	for (int i = 0; i < n; i++) {
		const struct map *map = maps_find(unwind_maps(space), frames[i].pc);

		snprintf(got + strlen(got), sizeof(got) - strlen(got), "%s 0x%llx\n", map ? map->path : "",
		         map ? (unsigned long long)(frames[i].pc - map->start + map->offset) : 0);
	}
	printf("# %s: %d frames\n", program, n);
	/* It needs .eh_frame_hdr, and so sees no more than one frame of a static program. */
	if (strchr(want, '\n')[1] == '\0')
		got[strlen(want)] = '\0';
	CHECK_STR(got, want);
	end(&s);
	unwind_space_free(space);
	elf_cache_free(cache);
}

int main(void)
{
	char command[640];

	scratch_begin(120);
	depths();
	copies();
	deep();
	interrupted();
	loaded();
	threads();
	as_strace("/usr/bin/perl", "-e", "sub f { return $_[0] ? f($_[0] - 1) : getppid() } f(3)",
	          "/usr/bin/perl -e 'sub f { return $_[0] ? f($_[0] - 1) : getppid() } f(3)'");
	as_strace("/usr/bin/python3", "-c", "import os; f = lambda n: f(n - 1) if n else os.getppid(); f(3)",
	          "/usr/bin/python3 -c 'import os; f = lambda n: f(n - 1) if n else os.getppid(); f(3)'");
	snprintf(command, sizeof(command), "%s 20", place("stripped").path);
	as_strace(place("stripped").path, "20", NULL, command);
	snprintf(command, sizeof(command), "%s 20", place("bare").path);
	as_strace(place("bare").path, "20", NULL, command);
	snprintf(command, sizeof(command), "%s", place("signal").path);
	as_strace(place("signal").path, NULL, NULL, command);
	vanished();
	hostile("plain");
	if (shell("test -e narrow") && runs_here("narrow"))
		hostile("narrow");
	return TAP_DONE();
}
