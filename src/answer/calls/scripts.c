/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/calls/scripts.h>

#include <exectrace/answer/calls/call.h>
#include <exectrace/base/grow.h>
#include <exectrace/base/path.h>
#include <fcntl.h>
#include <string.h>

#define OPEN 8             /* files of a shell that it may read scripts from */
#define SCRIPT_FD 10       /* shells keep their scripts at this number or above, out of the way of redirections */
#define DUPFD_CLOEXEC 1030 /* F_DUPFD_CLOEXEC */

struct script_state {
	bool known;       /* something was seen of the process */
	bool shell;       /* it reads other scripts by `.` */
	bool interpreter; /* its command line has a script */
	const char *main; /* the script; NULL: none (yet) */
	/* Files that were opened, the last one behind the others. */
	struct {
		int fd;
		const char *name;
	} open[OPEN];
	size_t n;
};

/* Beginnings of names of programs; those in front are shells. */
static const char *const interpreters[] = {"sh",     "dash", "bash", "ksh",  "mksh", "zsh",   "ash", "rbash", NULL,
                                           "python", "perl", "ruby", "node", "lua",  "tclsh", "php", NULL};

/* Whether a program is one, as in "python3.11"; shells have just their name. */
static bool is_interpreter(const char *name, bool *shell)
{
	const char *const *at = interpreters;

	for (; *at; at++)
		if (strcmp(name, *at) == 0)
			return *shell = true;
	for (at++; *at; at++)
		if (strncmp(name, *at, strlen(*at)) == 0 &&
		    strspn(name + strlen(*at), "0123456789.") == strlen(name + strlen(*at)))
			return true;
	return false;
}

/* The word that names the script: the first that is no option. NULL: the program is in the command line, or none. */
static const char *script_word(const struct strv *argv, bool shell)
{
	/* Letters that bring the program along, or take it from standard input. */
	const char *given = shell ? "cs" : "cem";

	for (size_t i = 1; i < argv->n; i++) {
		const char *word = argv->items[i];

		if (*word != '-' && *word != '+')
			return word;
		if (!word[1] || (word[1] != '-' && strpbrk(word, given)))
			return NULL;
		if (strcmp(word + 1, "o") == 0 || strcmp(word + 1, "O") == 0 || strcmp(word + 1, "W") == 0)
			i++;
	}
	return NULL;
}

static struct script_state *state_of(struct scripts *scripts, const struct recorded_process *p)
{
	while (scripts->n <= p->number) {
		if (grow_array((void **)&scripts->states, scripts->n, &scripts->cap, sizeof(*scripts->states)))
			return NULL;
		scripts->states[scripts->n++] = (struct script_state){0};
	}
	return &scripts->states[p->number];
}

/* A child goes on with what its parent was reading, but has files of its own. */
static int on_begin(struct scripts *scripts, const struct recorded_process *p)
{
	struct script_state *state = state_of(scripts, p);

	if (!state)
		return -ENOMEM;
	if (state->known || p->execs || !p->parent || p->parent->number >= scripts->n)
		return 0;
	state->known = true;
	state->shell = scripts->states[p->parent->number].shell;
	state->main = scripts_find(scripts, p->parent);
	return 0;
}

static int on_exec(struct scripts *scripts, const struct recorded_process *p)
{
	struct script_state *state = state_of(scripts, p);

	if (!state)
		return -ENOMEM;
	*state = (struct script_state){.known = true};
	state->interpreter = is_interpreter(path_name(p->path), &state->shell);
	return 0;
}

/* Whether the file that is opened, by this name, is the one that a word means: python completes it. */
static bool is_word(const char *word, struct data_text name)
{
	size_t n;

	if (!word)
		return false;
	while (word[0] == '.' && word[1] == '/')
		word += 2;
	n = strlen(word);
	return n && name.n >= n && memcmp(name.bytes + name.n - n, word, n) == 0 &&
	       (name.n == n || name.bytes[name.n - n - 1] == '/');
}

/* The end of the name in a text such as "3</tmp/x>"; false when it is no file. */
static bool file_name(struct data_text text, struct data_text *name)
{
	const char *open = text.n ? memchr(text.bytes, '<', text.n) : NULL;
	const char *slash = open ? memrchr(open, '/', (size_t)(text.bytes + text.n - open)) : NULL;

	if (!slash || open[1] != '/' || text.bytes[text.n - 1] != '>')
		return false;
	*name = (struct data_text){slash + 1, (size_t)(text.bytes + text.n - 1 - (slash + 1))};
	return name->n > 0;
}

static int on_open(struct scripts *scripts, struct script_state *state, const struct recorded_process *p,
                   const struct data_syscall *call, uint64_t flags)
{
	struct data_text path, name;
	const char *kept;

	if (flags & (O_WRONLY | O_RDWR | O_DIRECTORY) || !call->nextras || !call_path(call, &path) ||
	    !file_name(call->extras[call->nextras - 1].text, &name))
		return 0;
	if (pool_text(&scripts->names, name.bytes, name.n, &kept, NULL))
		return -ENOMEM;
	/* A file that the kernel found an interpreter for has given the program its name. */
	if (!state->main &&
	    ((state->interpreter && is_word(script_word(&p->argv, state->shell), path)) || is_word(p->path, path))) {
		state->shell |= !state->interpreter;
		state->main = kept;
	} else if (state->shell && state->n < OPEN) {
		state->open[state->n].fd = (int)call->result;
		state->open[state->n++].name = kept;
	}
	return 0;
}

static void forget(struct script_state *state, int fd)
{
	size_t to = 0;

	for (size_t i = 0; i < state->n; i++)
		if (state->open[i].fd != fd)
			state->open[to++] = state->open[i];
	state->n = to;
}

/* A shell moves a script that it reads to a higher number. */
static void on_move(struct script_state *state, int from, int to)
{
	const char *name = NULL;

	for (size_t i = 0; i < state->n; i++)
		if (state->open[i].fd == from)
			name = state->open[i].name;
	if (from == to)
		return;
	forget(state, to);
	if (!name || to < SCRIPT_FD || state->n == OPEN)
		return;
	state->open[state->n].fd = to;
	state->open[state->n++].name = name;
}

static int on_call(struct scripts *scripts, const struct recorded_process *p, const struct data_syscall *call)
{
	struct script_state *state = p->number < scripts->n ? &scripts->states[p->number] : NULL;
	char buf[CALL_NAME_MAX];
	const char *name;

	if (!state || call->error || (!state->interpreter && !state->shell && state->main))
		return 0;
	name = call_name(call, buf);
	if (strcmp(name, "openat") == 0)
		return on_open(scripts, state, p, call, call->args[2]);
	if (strcmp(name, "open") == 0)
		return on_open(scripts, state, p, call, call->args[1]);
	if (strcmp(name, "close") == 0)
		forget(state, (int)call->args[0]);
	else if (strcmp(name, "dup2") == 0 ||
	         (strncmp(name, "fcntl", 5) == 0 && (call->args[1] == F_DUPFD || call->args[1] == DUPFD_CLOEXEC)))
		on_move(state, (int)call->args[0], (int)call->result);
	return 0;
}

int scripts_take(struct scripts *scripts, const struct recorded_event *event)
{
	if (!event->thread)
		return 0;
	if (event->record->type == DATA_THREAD)
		return on_begin(scripts, event->thread->process);
	if (event->record->type == DATA_EXEC)
		return on_exec(scripts, event->thread->process);
	return event->record->type == DATA_SYSCALL ? on_call(scripts, event->thread->process, &event->record->syscall)
	                                           : 0;
}

const char *scripts_find(const struct scripts *scripts, const struct recorded_process *process)
{
	const struct script_state *state = process->number < scripts->n ? &scripts->states[process->number] : NULL;

	if (!state)
		return NULL;
	/* Of those that were moved, not those that are just open. */
	for (size_t i = state->n; i-- > 0;)
		if (state->open[i].fd >= SCRIPT_FD)
			return state->open[i].name;
	return state->main;
}

void scripts_release(struct scripts *scripts)
{
	free(scripts->states);
	pool_release(&scripts->names);
	*scripts = (struct scripts){0};
}
