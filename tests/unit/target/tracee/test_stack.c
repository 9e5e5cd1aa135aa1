/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The beginning of real programs of all kinds, read and changed; what they then print is what they were given. */
#include "program.h"
#include "tap.h"
#include <elf.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/target/process/stack.h>
#include <exectrace/target/tracee/inject.h>
#include <sys/resource.h>
#include <sys/user.h>

/* Prints what it got, the auxiliary vector's strings too, and whether its stack was aligned at its first instruction.
 */
static const char print_source[] = "#include <stdio.h>\n#include <string.h>\n#include <sys/auxv.h>\n"
				   "extern char **environ;\n"
				   "int main(int argc, char **argv) {\n"
				   "	unsigned long sp = (unsigned long)(argv - 1);\n"
				   "	unsigned char *r = (unsigned char *)getauxval(AT_RANDOM);\n"
				   "	int sum = 0;\n"
				   "	printf(\"argc %d\\n\", argc);\n"
				   "	for (int i = 0; i < argc; i++) printf(\"arg %s\\n\", argv[i]);\n"
				   "	printf(\"null %d aligned %d\\n\", argv[argc] == 0, (int)(sp % 16 == 0));\n"
				   "	for (char **e = environ; *e; e++) printf(\"env %s\\n\", *e);\n"
				   "	for (int i = 0; i < 16; i++) sum += r[i];\n"
				   "	printf(\"file %s random %d \", (char *)getauxval(AT_EXECFN), sum > 0);\n"
				   "	printf(\"page %lu\\n\", getauxval(AT_PAGESZ));\n"
				   "	return 7; }\n";

static const struct {
	const char *name;
	const char *flags;
	unsigned word;
} kinds[] = {
	{"dynamic", "-no-pie", sizeof(void *)},
	{"pie", "-pie -fPIE", sizeof(void *)},
	{"static", "-static", sizeof(void *)},
	{"static-pie", "-static-pie", sizeof(void *)},
#ifdef __x86_64__
	{"narrow", "-m32", 4},
	{"narrow-static", "-m32 -static", 4},
#endif
};

#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

static bool built[KINDS];

static struct strv strings(const char *const *items)
{
	struct strv v = STRV_INIT;

	for (; items && *items; items++)
		strv_push(&v, *items);
	return v;
}

static void describe(struct buf *out, const char *file, const char *const *args, const char *const *env)
{
	int argc = 0;

	while (args[argc])
		argc++;
	buf_printf(out, "argc %d\n", argc);
	for (int i = 0; i < argc; i++)
		buf_printf(out, "arg %s\n", args[i]);
	buf_puts(out, "null 1 aligned 1\n");
	for (; *env; env++)
		buf_printf(out, "env %s\n", *env);
	buf_printf(out, "file %s random 1 page 4096\n", file);
}

/* Lets it run; what it prints has to be this, and its status 7. */
static void runs_as(struct stopped *s, const char *file, const char *const *args, const char *const *env)
{
	cleanup_buf struct buf want = BUF_INIT;
	char *got = calloc(1, 800000);

	describe(&want, file, args, env);
	ptrace(PTRACE_DETACH, s->pid, 0L, 0L);
	output_of(s->out, got, 800000);
	CHECK_STR(got, want.data);
	CHECK_INT(end_of(s->pid), 7 << 8);
	free(got);
	close(s->out);
}

/* The words read are those that /proc and the memory show. */
static void reads(const char *file, unsigned word)
{
	char *argv[] = {(char *)file, (char *)"one", (char *)"", NULL}, *envp[] = {(char *)"A=1", (char *)"B=2", NULL};
	struct stopped s = start_stopped(argv, envp);
	struct stack_image image;
	struct regs regs;
	unsigned char raw[4096];
	char text[8], name[64];
	size_t aux;
	int fd;

	CHECK_INT(tracee_regs(s.pid, &regs), 0);
	CHECK_INT(stack_read(&image, s.pid, &regs), 0);
	aux = stack_env(&image, 3);
	CHECK(image.tid == s.pid && image.word == word);
	CHECK_INT(image.argc, 3);
	CHECK_INT(image.envc, 2);
	CHECK_INT(image.words[0], 3);
	CHECK_INT(image.words[stack_arg(&image, 3)], 0);
	CHECK_INT(image.words[stack_env(&image, 2)], 0);
	CHECK(peek(s.pid, image.words[stack_arg(&image, 1)], text, 4) && strcmp(text, "one") == 0);
	CHECK(peek(s.pid, image.words[stack_env(&image, 1)], text, 4) && strcmp(text, "B=2") == 0);
	CHECK(peek(s.pid, image.sp, raw, image.n * word));
	for (size_t i = 0; i < image.n; i++)
		if (memcmp(raw + i * word, &image.words[i], word) != 0)
			CHECK(!"a word is another");
	snprintf(name, sizeof(name), "/proc/%d/auxv", (int)s.pid);
	fd = open(name, O_RDONLY);
	CHECK(image.n * word <= sizeof(raw) && image.words[image.n - 1] == 0 && image.words[image.n - 2] == AT_NULL);
	/* Of a 32-bit program the kernel shows more words than there are. */
	CHECK(read(fd, raw, sizeof(raw)) >= (ssize_t)((image.n - aux) * word));
	for (size_t i = aux; i < image.n; i++)
		if (memcmp(raw + (i - aux) * word, &image.words[i], word) != 0)
			CHECK(!"a word of the auxiliary vector is another");
	close(fd);
	stack_release(&image);
	CHECK(!image.words && !image.n);
	runs_as(&s, file, (const char *const[]){file, "one", "", NULL}, (const char *const[]){"A=1", "B=2", NULL});
}

/* Adds args and env to a program that has arguments and environment. */
static void extends(const char *file, const char *const *args, const char *const *env, const char *const *want_args,
                    const char *const *want_env)
{
	char *argv[] = {(char *)file, (char *)"old", NULL};
	char *envp[] = {(char *)"A=1", (char *)"BB=2", (char *)"B=3", (char *)"A=again", NULL};
	struct stopped s = start_stopped(argv, envp);
	struct strv more = strings(args), vars = strings(env);
	struct stack_image image;
	struct regs regs;
	uint64_t sp;

	CHECK_INT(tracee_regs(s.pid, &regs), 0);
	sp = arch_reg(regs.arch, regs.raw, REG_SP);
	CHECK_INT(stack_read(&image, s.pid, &regs), 0);
	CHECK_INT(stack_extend(&image, &regs, &more, &vars), 0);
	CHECK(arch_reg(regs.arch, regs.raw, REG_SP) < sp);
	CHECK_INT(tracee_set_regs(s.pid, &regs), 0);
	stack_release(&image);
	strv_release(&more);
	strv_release(&vars);
	runs_as(&s, file, want_args, want_env);
}

#define LIST(...) ((const char *const[]){__VA_ARGS__, NULL})
#define OLD_ENV "A=1", "BB=2", "B=3", "A=again"

static void extensions(const char *file)
{
	static char big[60001];

	memset(big, 'e', sizeof(big) - 1);
	memcpy(big, "LONG=", 5);
	extends(file, LIST("new"), NULL, LIST(file, "old", "new"), LIST(OLD_ENV));
	extends(file, LIST("", "two words", "-x\n"), NULL, LIST(file, "old", "", "two words", "-x\n"), LIST(OLD_ENV));
	extends(file, NULL, LIST("C=4"), LIST(file, "old"), LIST(OLD_ENV, "C=4"));
	extends(file, NULL, LIST("B=5"), LIST(file, "old"), LIST("A=1", "BB=2", "B=5", "A=again"));
	extends(file, NULL, LIST("BB="), LIST(file, "old"), LIST("A=1", "BB=", "B=3", "A=again"));
	extends(file, LIST("x"), LIST("A=first", "N=", "B=a=b"), LIST(file, "old", "x"),
	        LIST("A=first", "BB=2", "B=a=b", "A=again", "N="));
	extends(file, LIST("y"), LIST(big), LIST(file, "old", "y"), LIST(OLD_ENV, big));
	extends(file, NULL, NULL, LIST(file, "old"), LIST(OLD_ENV));
	/* Set twice: the second is meant, for a variable that was there and for one that was not. */
	extends(file, NULL, LIST("B=x", "B=y"), LIST(file, "old"), LIST("A=1", "BB=2", "B=y", "A=again"));
	extends(file, NULL, LIST("C=x", "C=y"), LIST(file, "old"), LIST(OLD_ENV, "C=y"));
}

/* Nothing there to begin with. */
static void bare(const char *file)
{
	char *argv[] = {(char *)file, NULL}, *envp[] = {NULL};
	struct stopped s = start_stopped(argv, envp);
	struct strv more = strings(LIST("x")), vars = strings(LIST("V=1"));
	struct stack_image image;
	struct regs regs;

	CHECK_INT(tracee_regs(s.pid, &regs), 0);
	CHECK_INT(stack_read(&image, s.pid, &regs), 0);
	CHECK(image.argc == 1 && image.envc == 0);
	CHECK_INT(stack_extend(&image, &regs, &more, &vars), 0);
	CHECK_INT(tracee_set_regs(s.pid, &regs), 0);
	stack_release(&image);
	strv_release(&more);
	strv_release(&vars);
	runs_as(&s, file, LIST(file, "x"), LIST("V=1"));
}

/* More than fits below the stack pointer is refused, and the program is as it was. */
static void too_much(const char *file)
{
	char *argv[] = {(char *)file, (char *)"old", NULL}, *envp[] = {NULL}, *huge = malloc(STACK_MORE_MAX + 2);
	struct stopped s = start_stopped(argv, envp);
	struct strv more = STRV_INIT, none = STRV_INIT;
	struct stack_image image;
	const struct rlimit narrow = {200u << 10, 200u << 10};
	struct stack_exec call;
	struct regs regs, before;

	memset(huge, 'h', STACK_MORE_MAX + 1);
	huge[STACK_MORE_MAX + 1] = '\0';
	strv_push(&more, huge);
	CHECK_INT(tracee_regs(s.pid, &regs), 0);
	before = regs;
	CHECK_INT(stack_read(&image, s.pid, &regs), 0);
	CHECK_INT(stack_extend(&image, &regs, &more, &none), -E2BIG);
	CHECK_INT(stack_extend(&image, &regs, &none, &more), -E2BIG);
	CHECK_INT(stack_prepare_exec(&image, &more, image.argc - 1, &call), -E2BIG);
	strv_release(&more);
	/* The stack may not grow so far. */
	CHECK_INT(prlimit(s.pid, RLIMIT_STACK, &narrow, NULL), 0);
	for (int i = 0; i < 40000; i++)
		strv_push(&more, "1234");
	CHECK_INT(stack_extend(&image, &regs, &more, &none), -E2BIG);
	CHECK_INT(stack_prepare_exec(&image, &more, image.argc - 1, &call), -E2BIG);
	CHECK(memcmp(&regs, &before, sizeof(regs)) == 0);
	strv_release(&more);
	stack_release(&image);
	free(huge);
	runs_as(&s, file, LIST(file, "old"), (const char *const[]){NULL});
}

/* More than there is room for on a new stack, in one piece and in many. */
static void much(const char *file)
{
	enum { BIG = 300000, MANY = 14000 };
	char *argv[] = {(char *)file, NULL}, *envp[] = {NULL}, *big = calloc(1, BIG);
	const char *want[MANY + 2] = {file};
	struct stopped s = start_stopped(argv, envp);
	struct strv more = STRV_INIT, none = STRV_INIT;
	struct stack_image image;
	struct regs regs;

	memset(big, 'm', BIG - 1);
	strv_push(&more, big);
	CHECK_INT(tracee_regs(s.pid, &regs), 0);
	CHECK_INT(stack_read(&image, s.pid, &regs), 0);
	CHECK_INT(stack_extend(&image, &regs, &more, &none), 0);
	CHECK_INT(tracee_set_regs(s.pid, &regs), 0);
	stack_release(&image);
	runs_as(&s, file, LIST(file, big), (const char *const[]){NULL});
	strv_release(&more);
	s = start_stopped(argv, envp);
	for (int i = 0; i < MANY; i++) {
		strv_push(&more, "many");
		want[i + 1] = "many";
	}
	CHECK_INT(tracee_regs(s.pid, &regs), 0);
	CHECK_INT(stack_read(&image, s.pid, &regs), 0);
	CHECK_INT(stack_extend(&image, &regs, &more, &none), 0);
	CHECK_INT(tracee_set_regs(s.pid, &regs), 0);
	stack_release(&image);
	strv_release(&more);
	runs_as(&s, file, want, (const char *const[]){NULL});
	free(big);
}

/*
 * Many old arguments. The kernel makes room for so many only as far as they reach, so that there may be next to none
 * below them: the stack has to grow.
 */
static void long_list(const char *file, const char *last)
{
	enum { MANY = 20000 };
	static char *argv[MANY + 1];
	static const char *want[MANY + 2];
	char *envp[] = {(char *)"E=1", NULL};
	struct strv more = strings(LIST(last)), vars = strings(LIST("F=2"));
	struct stack_image image;
	struct stopped s;
	struct regs regs;

	for (size_t i = 0; i < MANY; i++)
		want[i] = argv[i] = i ? (char *)"12345" : (char *)file;
	s = start_stopped(argv, envp);
	CHECK_INT(tracee_regs(s.pid, &regs), 0);
	CHECK_INT(stack_read(&image, s.pid, &regs), 0);
	CHECK_INT(image.argc, MANY);
	CHECK_INT(stack_extend(&image, &regs, &more, &vars), 0);
	CHECK_INT(tracee_set_regs(s.pid, &regs), 0);
	stack_release(&image);
	strv_release(&more);
	strv_release(&vars);
	want[MANY] = last;
	runs_as(&s, file, want, LIST("E=1", "F=2"));
}

/* A stack that holds anything: never more than -EINVAL. */
static void nonsense(const char *file)
{
	char *argv[] = {(char *)file, (char *)"arg", NULL}, *envp[] = {(char *)"E=1", NULL};
	struct stopped s = start_stopped(argv, envp);
	struct stack_image image;
	struct regs regs;
	uint64_t sp, garbage = 5;
	unsigned word;

	CHECK_INT(tracee_regs(s.pid, &regs), 0);
	word = regs.arch->word;
	sp = arch_reg(regs.arch, regs.raw, REG_SP);
	arch_set_reg(regs.arch, regs.raw, REG_SP, sp + word);
	CHECK_INT(stack_read(&image, s.pid, &regs), -EINVAL);
	CHECK(!image.words);
	arch_set_reg(regs.arch, regs.raw, REG_SP, 64);
	CHECK_INT(stack_read(&image, s.pid, &regs), -EINVAL);
	arch_set_reg(regs.arch, regs.raw, REG_SP, sp + 1);
	CHECK_INT(stack_read(&image, s.pid, &regs), -EINVAL);
	arch_set_reg(regs.arch, regs.raw, REG_SP, sp);
	ptrace(PTRACE_POKEDATA, s.pid, (long)sp, (long)garbage);
	CHECK_INT(stack_read(&image, s.pid, &regs), -EINVAL);
	finish(s.pid);
	CHECK(stack_read(&image, s.pid, &regs) < 0);
	close(s.out);
}

/* A new execve out of the stopped program: front, then the last `keep` old arguments; the environment as it is. */
static void re_executes(const char *file, const char *program, size_t keep, const char *const *want)
{
	char *argv[] = {(char *)file, (char *)"one", (char *)"", NULL}, *envp[] = {(char *)"A=1", (char *)"B", NULL};
	struct stopped s = start_stopped(argv, envp);
	struct strv front = strings(LIST(program, "-w", "", file));
	struct stack_image image;
	struct stack_exec call = {0};
	struct inject inject;
	struct regs regs;
	uint64_t args[3];

	CHECK_INT(tracee_regs(s.pid, &regs), 0);
	CHECK_INT(stack_read(&image, s.pid, &regs), 0);
	CHECK_INT(stack_prepare_exec(&image, &front, keep, &call), 0);
	args[0] = call.path;
	args[1] = call.argv;
	args[2] = call.envp;
	CHECK_INT(inject_begin(&inject, s.pid), 0);
	CHECK_INT(inject_call(&inject, regs.arch->nr_execve, args, 3), 0);
	ptrace(PTRACE_CONT, s.pid, 0L, 0L);
	if (!CHECK(wait_stop(s.pid, SIGTRAP | PTRACE_EVENT_EXEC << 8)))
		finish(s.pid);
	stack_release(&image);
	strv_release(&front);
	runs_as(&s, program, want, LIST("A=1", "B"));
}

static void of_kind(size_t k)
{
	struct place file = place(kinds[k].name), other = place(kinds[0].name);
	char big[20001] = "";

	printf("# %s\n", kinds[k].name);
	reads(file.path, kinds[k].word);
	extensions(file.path);
	bare(file.path);
	too_much(file.path);
	nonsense(file.path);
	much(file.path);
	long_list(file.path, "last");
	memset(big, 'b', sizeof(big) - 1);
	long_list(file.path, big);
	re_executes(file.path, other.path, 2, LIST(other.path, "-w", "", file.path, "one", ""));
	re_executes(other.path, file.path, 1, LIST(file.path, "-w", "", other.path, ""));
	re_executes(file.path, other.path, 0, LIST(other.path, "-w", "", file.path));
	re_executes(file.path, other.path, 3, LIST(other.path, "-w", "", file.path, file.path, "one", ""));
	re_executes(file.path, other.path, 1000, LIST(other.path, "-w", "", file.path, file.path, "one", ""));
}

int main(void)
{
	scratch_begin(120);
	for (size_t k = 0; k < KINDS; k++)
		built[k] = build_to_run(kinds[k].name, print_source, kinds[k].flags);
	for (size_t k = 0; k < KINDS && built[0]; k++)
		if (built[k])
			of_kind(k);
	CHECK(built[0]);
	return TAP_DONE();
}
