/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/options/complete.h>

#include <stdbool.h>
#include <string.h>

/*
 * Each script is fixed text around functions made from the tables. In all text @ stands for the name of the program.
 * Only memory can go wrong: results are collected with `|`, which leaves 0 and -ENOMEM what they are.
 */

static const char *const bash_start[] = {
	"# bash completion for @, made by \"@ completion bash\".",
	"",
	"# Sets kind to what the option $2 of the command $1 takes; with a ? in front when only behind a =.",
	"_@_kind()",
	"{",
	"	case $1:$2 in",
	NULL,
};

static const char *const bash_options[] = {
	"	*) kind=none ;;",
	"	esac",
	"}",
	"",
	"# Prints the long options of the command $1.",
	"_@_options()",
	"{",
	"	case $1 in",
	NULL,
};

static const char *const bash_words[] = {
	"	esac",
	"}",
	"",
	"# Prints what the first argument of the command $1 may be; fails when that is a program.",
	"_@_words()",
	"{",
	"	case $1 in",
	NULL,
};

static const char *const bash_files[] = {
	"	esac",       "}",  "", "# True when the first argument of the command $1 is a file.", "_@_files()", "{",
	"	case $1 in", NULL,
};

static const char *const bash_functions[] = {
	"	*) return 1 ;;",
	"	esac",
	"}",
	"",
	"# Sets kind to what the letters $2, options of the command $1, take from the next word.",
	"_@_letters()",
	"{",
	"	local letters=${2#-}",
	"",
	"	kind=none",
	"	while [[ $letters && $kind == none ]]; do",
	"		_@_kind \"$1\" \"-${letters:0:1}\"",
	"		letters=${letters:1}",
	"	done",
	"	[[ ! $letters ]] || kind=none",
	"}",
	"",
	"# Completes $cur as $kind, each answer with $prefix in front.",
	"_@_value()",
	"{",
	"	local word=${cur#[\\\"\\']} pids",
	"",
	"	case ${kind#\\?} in",
	"	files) mapfile -t COMPREPLY < <(compgen -P \"$prefix\" -f -- \"$word\") ;;",
	"	dirs) mapfile -t COMPREPLY < <(compgen -P \"$prefix\" -d -- \"$word\") ;;",
	"	processes)",
	"		[[ $word != *,* ]] || prefix+=${word%,*},",
	"		pids=$(cd /proc && echo [0-9]*)",
	"		mapfile -t COMPREPLY < <(compgen -P \"$prefix\" -W \"$pids\" -- \"${word##*,}\")",
	"		;;",
	"	users) mapfile -t COMPREPLY < <(compgen -P \"$prefix\" -u -- \"$word\") ;;",
	"	words\\ *) mapfile -t COMPREPLY < <(compgen -P \"$prefix\" -W \"${kind#*words }\" -- \"$word\") ;;",
	"	esac",
	"	[[ $kind != files && $kind != dirs ]] || compopt -o filenames 2>/dev/null",
	"}",
	"",
	"# Steps over the option at $i and its value, which readline has split at = and :. When the cursor is in",
	"# that value, completes it and fails.",
	"_@_option()",
	"{",
	"	local word=${COMP_WORDS[i]}",
	"",
	"	case $word in",
	"	--*=*) return 0 ;;",
	"	--*) _@_kind \"$command\" \"$word\" ;;",
	"	*) _@_letters \"$command\" \"$word\" ;;",
	"	esac",
	"	if [[ $word == --* && ${COMP_WORDS[i + 1]} == = ]]; then",
	"		((++i < COMP_CWORD)) || cur=",
	"	elif [[ $kind == none || $kind == \\?* ]]; then",
	"		return 0",
	"	fi",
	"	if ((++i >= COMP_CWORD)); then",
	"		_@_value",
	"		return 1",
	"	fi",
	"	while [[ ${COMP_WORDS[i + 1]} == [=:]* ]]; do",
	"		((i += 2))",
	"	done",
	"	((i < COMP_CWORD))",
	"}",
	"",
	"# Completes the command line of a program that begins at word $1.",
	"_@_program()",
	"{",
	"	if declare -F _comp_command_offset >/dev/null; then",
	"		_comp_command_offset \"$1\"",
	"	elif declare -F _command_offset >/dev/null; then",
	"		_command_offset \"$1\"",
	"	elif [[ $1 == \"$COMP_CWORD\" && $cur != */* ]]; then",
	"		mapfile -t COMPREPLY < <(compgen -c -- \"$cur\")",
	"	else",
	"		mapfile -t COMPREPLY < <(compgen -f -- \"$cur\")",
	"		compopt -o filenames 2>/dev/null",
	"	fi",
	"}",
	"",
	"# Completes the word at the cursor, when all before it are options or the name of a command.",
	"_@_word()",
	"{",
	"	local answers matching",
	"",
	"	case $cur in",
	"	--*=*)",
	"		_@_kind \"$command\" \"${cur%%=*}\"",
	"		prefix=${cur%%=*}= cur=${cur#*=}",
	"		_@_value",
	"		return",
	"		;;",
	"	-*) answers=$(_@_options \"$command\") ;;",
	"	*)",
	"		if _@_files \"$command\"; then",
	"			mapfile -t COMPREPLY < <(compgen -f -- \"$cur\")",
	"			compopt -o filenames 2>/dev/null",
	"			return",
	"		fi",
	"		answers=$(_@_words \"$command\") || _@_program \"$COMP_CWORD\"",
	"		[[ ! $first ]] || answers=$commands",
	"		;;",
	"	esac",
	"	mapfile -t matching < <(compgen -W \"$answers\" -- \"$cur\")",
	"	COMPREPLY+=(\"${matching[@]}\")",
	"	[[ ${#COMPREPLY[@]} != 1 || $cur != -* || ${COMPREPLY[0]} != *= ]] || compopt -o nospace 2>/dev/null",
	"}",
	"",
	"_@()",
	"{",
	NULL,
};

static const char *const bash_end[] = {
	"",
	"	COMPREPLY=()",
	"	for ((i = 1; i < COMP_CWORD; i++)); do",
	"		case ${COMP_WORDS[i]} in",
	"		--)",
	"			_@_words \"$command\" >/dev/null || _@_program \"$((i + 1))\"",
	"			return",
	"			;;",
	"		-?*) _@_option || return ;;",
	"		*)",
	"			if [[ $first && \" $commands \" == *\" ${COMP_WORDS[i]} \"* ]]; then",
	"				command=${COMP_WORDS[i]} first=",
	"				continue",
	"			fi",
	"			_@_words \"$command\" >/dev/null || _@_program \"$i\"",
	"			return",
	"			;;",
	"		esac",
	"	done",
	"	_@_word",
	"}",
	"",
	"complete -F _@ @",
	NULL,
};

static const char *const zsh_start[] = {
	"#compdef @",
	"# zsh completion for @, made by \"@ completion zsh\".",
	"",
	"# Sets specs to the options of the command $1, as _arguments takes them.",
	"_@_specs()",
	"{",
	"	case $1 in",
	NULL,
};

static const char *const zsh_commands[] = {
	"	esac",
	"}",
	"",
	"# Completes the name of a command.",
	"_@_commands()",
	"{",
	"	local -a commands",
	"",
	"	commands=(",
	NULL,
};

static const char *const zsh_command[] = {
	"	)",
	"	_describe -t commands '@ command' commands",
	"}",
	"",
	"# Completes the command line of a program; zsh leaves a -- in front of it when no option precedes that.",
	"_@_program()",
	"{",
	"	if [[ $words[1] == -- ]]; then",
	"		shift words",
	"		((CURRENT--))",
	"	fi",
	"	_normal",
	"}",
	"",
	"# Completes what follows $words[1], the name of a command or a program.",
	"_@_command()",
	"{",
	"	local -a specs",
	"",
	"	_@_specs $words[1]",
	"	case $words[1] in",
	NULL,
};

static const char *const zsh_main[] = {
	"	*) _@_program ;;",
	"	esac",
	"}",
	"",
	"_@()",
	"{",
	"	local curcontext=$curcontext context state state_descr line",
	"	local -A opt_args",
	"	local -a specs",
	"",
	NULL,
};

static const char *const zsh_end[] = {
	"	_arguments -C -s -S -A '-*' : $specs '(-): :->first' '*:: :->rest' && return",
	"	case $state in",
	"	first) _alternative 'commands:command:_@_commands' 'programs:program:_command_names -e' ;;",
	"	rest) _@_command ;;",
	"	esac",
	"}",
	"",
	"if [[ $funcstack[1] == _@ ]]; then",
	"	_@ \"$@\"",
	"else",
	"	compdef _@ @",
	"fi",
	NULL,
};

/* Adds lines with the program's name for each @; "$@" stays. */
static int fixed(struct buf *out, const char *const *lines, const char *program)
{
	const char *at, *line;
	int r = 0;

	for (; *lines; lines++) {
		for (line = *lines; (at = strchr(line, '@')); line = at + 1) {
			r |= buf_append(out, line, (size_t)(at - line));
			if (at > *lines && (at[-1] == '$' || at[-1] == '['))
				r |= buf_putc(out, '@');
			else
				r |= buf_puts(out, program);
		}
		r |= buf_printf(out, "%s\n", line);
	}
	return r;
}

/* Adds words with blanks between. */
static int list(struct buf *out, const char *(*words)(size_t i))
{
	int r = 0;

	for (size_t i = 0; words(i); i++)
		r |= buf_printf(out, "%s%s", i ? " " : "", words(i));
	return r;
}

static bool has_values(const struct option_spec *spec)
{
	return spec->choices || spec->words;
}

static int values(struct buf *out, const struct option_spec *spec)
{
	int r = 0;

	for (size_t i = 0; spec->choices && spec->choices[i]; i++)
		r |= buf_printf(out, "%s%s", i ? " " : "", spec->choices[i]);
	return spec->choices || !spec->words ? r : list(out, spec->words);
}

static int bash_kind(struct buf *out, const struct command *command, const struct option_spec *spec)
{
	static const char *const kinds[] = {
		[OPTION_TEXT] = "text",  [OPTION_FILE] = "files",          [OPTION_DIR] = "dirs",
		[OPTION_USER] = "users", [OPTION_PROCESSES] = "processes",
	};
	const char *name = command->name;
	int r;

	if (!spec->arg || spec->alias)
		return 0;
	r = buf_puts(out, "\t");
	if (spec->letter && !(spec->flags & OPTION_BARE))
		r |= buf_printf(out, "%s:-%c | ", name, spec->letter);
	r |= buf_printf(out, "%s:--%s) kind='%s", name, spec->name, spec->flags & OPTION_OPTIONAL ? "?" : "");
	r |= buf_puts(out, has_values(spec) ? "words " : kinds[spec->hint]);
	r |= values(out, spec);
	return r | buf_puts(out, "' ;;\n");
}

static int bash_options_of(struct buf *out, const struct command *command)
{
	int r = buf_printf(out, "\t%s) echo '", command->name);

	for (const struct option_spec *spec = command->options; spec->name; spec++)
		if (!spec->alias)
			r |= buf_printf(out, "%s--%s%s", spec == command->options ? "" : " ", spec->name,
			                spec->arg && !(spec->flags & OPTION_OPTIONAL) ? "=" : "");
	return r | buf_puts(out, "' ;;\n");
}

static int bash_words_of(struct buf *out, const struct command *command)
{
	int r;

	if (command->runs_program)
		return buf_printf(out, "\t%s) return 1 ;;\n", command->name);
	if (!command->words)
		return 0;
	r = buf_printf(out, "\t%s) echo ", command->name);
	r |= list(out, command->words);
	return r | buf_puts(out, " ;;\n");
}

int complete_bash(struct buf *out, const char *program, const struct command *const *commands)
{
	const struct command *const *command;
	int r = fixed(out, bash_start, program);

	for (command = commands; *command; command++)
		for (const struct option_spec *spec = (*command)->options; spec->name; spec++)
			r |= bash_kind(out, *command, spec);
	r |= fixed(out, bash_options, program);
	for (command = commands; *command; command++)
		r |= bash_options_of(out, *command);
	r |= fixed(out, bash_words, program);
	for (command = commands; *command; command++)
		r |= bash_words_of(out, *command);
	r |= fixed(out, bash_files, program);
	for (command = commands; *command; command++)
		r |= (*command)->takes_file ? buf_printf(out, "\t%s) ;;\n", (*command)->name) : 0;
	r |= fixed(out, bash_functions, program);
	r |= buf_printf(out, "\tlocal cur=${COMP_WORDS[COMP_CWORD]} command=%s first=yes commands='",
	                commands[0]->name);
	for (command = commands; *command; command++)
		r |= buf_printf(out, "%s%s", command == commands ? "" : " ", (*command)->name);
	r |= buf_puts(out, "' kind prefix='' i\n");
	return r | fixed(out, bash_end, program);
}

/* Adds text that stands in '...' of zsh, and in [...] or in front of a colon there. */
static int zsh_text(struct buf *out, const char *text)
{
	int r = 0;

	for (; *text; text++) {
		if (*text == '\'')
			r |= buf_puts(out, "'\\'");
		else if (strchr("[]:\\", *text))
			r |= buf_putc(out, '\\');
		r |= buf_putc(out, *text);
	}
	return r;
}

/* Adds one of the two names of an option. */
static int zsh_spec(struct buf *out, const struct option_spec *spec, bool letter)
{
	static const char *const actions[] = {
		[OPTION_TEXT] = " ",
		[OPTION_FILE] = "_files",
		[OPTION_DIR] = "_files -/",
		[OPTION_USER] = "_users",
		[OPTION_PROCESSES] = "_sequence _pids",
	};
	bool optional = spec->flags & OPTION_OPTIONAL;
	bool valued = spec->arg && !(letter && spec->flags & OPTION_BARE);
	const char *sign = "";
	int r = buf_puts(out, "\t\t\t'*-");

	if (valued)
		sign = letter ? (optional ? "-" : "+") : (optional ? "=-" : "=");
	r |= letter ? buf_putc(out, spec->letter) : buf_printf(out, "-%s", spec->name);
	r |= buf_printf(out, "%s[", sign);
	r |= zsh_text(out, spec->help);
	r |= buf_putc(out, ']');
	if (valued) {
		r |= buf_puts(out, optional ? "::" : ":");
		r |= zsh_text(out, spec->arg);
		r |= buf_printf(out, ":%s", has_values(spec) ? "(" : actions[spec->hint]);
		r |= values(out, spec);
		r |= buf_puts(out, has_values(spec) ? ")" : "");
	}
	return r | buf_puts(out, "'\n");
}

static int zsh_specs_of(struct buf *out, const struct command *command)
{
	int r = buf_printf(out, "\t%s)\n\t\tspecs=(\n", command->name);

	for (const struct option_spec *spec = command->options; spec->name; spec++) {
		if (spec->letter)
			r |= zsh_spec(out, spec, true);
		if (!spec->alias)
			r |= zsh_spec(out, spec, false);
	}
	return r | buf_puts(out, "\t\t)\n\t\t;;\n");
}

static int zsh_arguments_of(struct buf *out, const char *program, const struct command *command)
{
	int r = buf_printf(out, "\t%s) _arguments -s -S -A '-*' : $specs ", command->name);

	if (command->runs_program) {
		r |= buf_printf(out, "'(-):program:_command_names -e' '*::argument:_%s_program'", program);
	} else if (command->words) {
		r |= buf_puts(out, "'1:word:(");
		r |= list(out, command->words);
		r |= buf_puts(out, ")'");
	} else if (command->takes_file) {
		r |= buf_puts(out, "'1:file:_files'");
	}
	return r | buf_puts(out, " ;;\n");
}

int complete_zsh(struct buf *out, const char *program, const struct command *const *commands)
{
	const struct command *const *command;
	int r = fixed(out, zsh_start, program);

	for (command = commands; *command; command++)
		r |= zsh_specs_of(out, *command);
	r |= fixed(out, zsh_commands, program);
	for (command = commands; *command; command++) {
		r |= buf_printf(out, "\t\t'%s:", (*command)->name);
		r |= zsh_text(out, (*command)->summary);
		r |= buf_puts(out, "'\n");
	}
	r |= fixed(out, zsh_command, program);
	for (command = commands; *command; command++)
		r |= zsh_arguments_of(out, program, *command);
	r |= fixed(out, zsh_main, program);
	r |= buf_printf(out, "\t_%s_specs %s\n", program, commands[0]->name);
	return r | fixed(out, zsh_end, program);
}
