/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Completion scripts: that shells accept them, and what bash answers when the function is called as readline calls it.
 */
#include "tap.h"

#include <exectrace/base/cleanup.h>
#include <exectrace/options/complete.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const modes[] = {"auto", "fast", NULL};

static const char *actions(size_t i)
{
	static const char *const names[] = {"strace", "stop", "log", NULL};

	return names[i];
}

static const struct option_spec run_table[] = {
	{.name = "run", .arg = "ACTION", .help = "an 'action': [x]", .group = "G", .words = actions},
	{.name = "cmd", .arg = "REGEX", .help = "h"},
	{.name = "cwd", .arg = "DIR", .help = "h", .hint = OPTION_DIR},
	{.name = "rules", .arg = "FILE", .help = "h", .hint = OPTION_FILE},
	{.name = "user", .arg = "USER", .help = "h", .hint = OPTION_USER},
	{.name = "mode", .arg = "MODE", .help = "h", .choices = modes},
	{.name = "color", .arg = "WHEN", .help = "h", .choices = modes, .flags = OPTION_OPTIONAL},
	{.name = "output", .letter = 'o', .arg = "DIR", .help = "h", .hint = OPTION_DIR},
	{.name = "quiet", .letter = 'q', .help = "h"},
	{0},
};

static const struct option_spec help_table[] = {{.name = "help", .help = "h", .group = "G"}, {0}};

static const struct command run = {.name = "run", .summary = "run it: [x]", .options = run_table, .runs_program = true};
static const struct command help = {.name = "prog-help",
                                    .summary = "it's help",
                                    .options = help_table,
                                    .words = actions};
static const struct command look = {.name = "look", .summary = "look", .options = help_table, .takes_file = true};
static const struct command *const commands[] = {&run, &help, &look, NULL};

static char dir[] = "/tmp/test_complete.XXXXXX";

/* Writes a file into the directory of this test. */
static void put(const char *name, const struct buf *text)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	CHECK(fd >= 0 && !fd_write_all(fd, text->data, text->len));
	fd_close(&fd);
}

/* The first line that a shell command prints; "" when there is none. */
static char *output_of(const char *command)
{
	cleanup_buf struct buf line = BUF_INIT;
	char part[256];
	FILE *pipe = popen(command, "r");

	while (pipe && fgets(part, sizeof(part), pipe))
		buf_puts(&line, part);
	if (pipe)
		pclose(pipe);
	buf_puts(&line, "");
	line.data[strcspn(line.data, "\n")] = '\0';
	return strdup(line.data);
}

/* What bash answers with the cursor in the last of these words. They are split as readline does, at = too. */
static char *ask(const char *words)
{
	cleanup_buf struct buf command = BUF_INIT;

	buf_printf(&command,
	           "cd %s/files && bash --norc -c '. ../prog.bash; COMP_WORDS=(prog %s); "
	           "COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _prog; echo \"${COMPREPLY[*]}\"' 2>&1",
	           dir, words);
	return output_of(command.data);
}

#define ANSWERS(words, want)            \
	do {                            \
		char *got = ask(words); \
		CHECK_STR(got, want);   \
		free(got);              \
	} while (0)

static void test_options(void)
{
	ANSWERS("--c", "--cmd= --cwd= --color");
	ANSWERS("--mo", "--mode=");
	ANSWERS("-q --cmd = x --ru", "--run= --rules=");
	ANSWERS("--cmd = a : b = c --mo", "--mode=");
	ANSWERS("--cmd x --mo", "--mode=");
	ANSWERS("--cmd --mo", "");
	ANSWERS("--color --mo", "--mode=");
	ANSWERS("--nothing", "");
	ANSWERS("prog-help --", "--help");
	ANSWERS("run --mo", "--mode=");
}

static void test_values(void)
{
	ANSWERS("--mode =", "auto fast");
	ANSWERS("--mode = f", "fast");
	ANSWERS("--mode f", "fast");
	ANSWERS("--mode=f", "--mode=fast");
	ANSWERS("--color = a", "auto");
	ANSWERS("--run = st", "strace stop");
	ANSWERS("--run = \\\"st", "strace stop");
	ANSWERS("--cmd = st", "");
	ANSWERS("--cwd = ''", "sub");
	ANSWERS("--cwd = s", "sub");
	ANSWERS("--rules = so", "some");
	ANSWERS("-o s", "sub");
	ANSWERS("-qo s", "sub");
	ANSWERS("--user = roo", "root");
}

static void test_words(void)
{
	ANSWERS("prog-help s", "strace stop");
	ANSWERS("prog-help strace s", "");
	ANSWERS("prog-h", "prog-help");
	ANSWERS("look so", "some");
	ANSWERS("look --help so", "some");
	ANSWERS("look some so", "");
	ANSWERS("look --", "--help");
	ANSWERS("make so", "some");
	ANSWERS("run make so", "some");
	ANSWERS("--mode = fast -- make so", "some");
	ANSWERS("-osub make so", "some");
	ANSWERS("make --mo", "");
}

static void test_scripts(void)
{
	cleanup_buf struct buf bash = BUF_INIT;
	cleanup_buf struct buf zsh = BUF_INIT;

	CHECK_INT(complete_bash(&bash, "prog", commands), 0);
	CHECK_INT(complete_zsh(&zsh, "prog", commands), 0);
	CHECK(strstr(bash.data, "complete -F _prog prog\n"));
	CHECK(!strncmp(zsh.data, "#compdef prog\n", 14));
	CHECK(strstr(zsh.data, "'*--run=[an '\\''action'\\''\\: \\[x\\]]:ACTION:(strace stop log)'\n"));
	CHECK(strstr(zsh.data, "'*-o+[h]:DIR:_files -/'\n"));
	CHECK(strstr(zsh.data, "'*--color=-[h]::WHEN:(auto fast)'\n"));
	CHECK(strstr(zsh.data, "'prog-help:it'\\''s help'\n"));
	put("prog.bash", &bash);
	put("_prog", &zsh);
}

/* A shell that is there must accept its script. */
static void test_syntax(const char *shell, const char *script)
{
	cleanup_buf struct buf command = BUF_INIT;
	char *got;

	buf_printf(&command, "command -v %s >/dev/null || { echo none; exit; }; %s -n %s/%s 2>&1", shell, shell, dir,
	           script);
	got = output_of(command.data);
	if (strcmp(got, "none") == 0)
		SKIP(shell, "it is not installed");
	else
		CHECK_STR(got, "");
	free(got);
}

int main(void)
{
	char command[128];

	CHECK(mkdtemp(dir));
	snprintf(command, sizeof(command), "mkdir -p %s/files/sub && : >%s/files/some", dir, dir);
	CHECK_INT(system(command), 0);
	test_scripts();
	test_syntax("bash", "prog.bash");
	test_syntax("zsh", "_prog");
	test_options();
	test_values();
	test_words();
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	CHECK_INT(system(command), 0);
	return TAP_DONE();
}
