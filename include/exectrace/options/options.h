/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Options of a command line. One table for each command is the only source of parsing, help, completion and the check
 * of the manual page. Nothing here knows what an option means: the caller asks for one option after the other, in the
 * order given.
 *
 * Understood: --name=value, --name value (which is never "--"), -x, -xvalue, -x value, several letters in one argument,
 * long names cut short as long as they stay unambiguous, and "--", which ends the options. The first word that is no
 * option ends them too, unless they may be mixed (options_mix).
 */
#ifndef EXECTRACE_OPTIONS_OPTIONS_H
#define EXECTRACE_OPTIONS_OPTIONS_H

#include <exectrace/base/buf.h>
#include <stdbool.h>
#include <sys/types.h>

#define OPTION_NAME_MAX 31 /* bytes in a long name */

enum option_flag {
	OPTION_OPTIONAL = 1 << 0, /* the argument may be left out; it is taken from --name=value and -xvalue, and from
	                             -x value if that is one of the choices */
	OPTION_LAST = 1 << 1,     /* what follows is not looked at, as behind --help */
	OPTION_ONLY = 1 << 2,     /* its `words` are the only values allowed */
	OPTION_BARE = 1 << 3,     /* with OPTION_OPTIONAL: the letter takes no argument, and others may follow it */
};

/* What completion offers for the argument. Files, directories and users are never the empty string. */
enum option_hint {
	OPTION_TEXT, /* nothing */
	OPTION_FILE,
	OPTION_DIR,
	OPTION_USER,
	OPTION_PROCESSES, /* pids with commas between them */
};

/* A row of a table. A row without a name ends the table. */
struct option_spec {
	const char *name; /* long name without dashes */
	char letter;      /* of the short form; 0 when there is none */
	const char *arg;  /* name of the argument in the help; NULL when it takes none */
	const char
		*alias;   /* the row that this older name stands for: it is neither shown nor cut short; NULL: itself */
	const char *help; /* what it does; help breaks it into lines */
	const char *group; /* heading in the help; NULL: that of the row before */
	unsigned flags;    /* of enum option_flag */
	enum option_hint hint;
	const char *const *choices;     /* the only values allowed, ended by NULL; NULL: any */
	const char *(*words)(size_t i); /* values that completion offers, from 0 on, NULL behind the last; others are
	                                   allowed too, without OPTION_ONLY. NULL: none */
	int id;                         /* the caller's */
};

/* One option as it was given. */
struct option_use {
	const struct option_spec *spec;
	const char *value; /* NULL when none was given; points into argv */
	int at;            /* number of the argument in which it begins */
	bool letter;       /* it was given by its letter */
};

/* Where the parser stands. */
struct options {
	const struct option_spec *table;
	char **argv;
	int at;             /* the next argument; in the end, the first one that is no option (or the NULL) */
	bool dashes;        /* "--" ended the options */
	bool unknown;       /* what options_next() refused is not in the table */
	bool last;          /* private: an option with OPTION_LAST was there */
	const char *bundle; /* private: what is left of an argument with several letters */
	bool mixed;         /* private: of options_mix() */
	int *words;         /* after options_mix(): numbers of the arguments that are no options, in their order */
	int n_words;        /* how many of these there are */
	size_t cap_words;   /* private */
};

/* Starts at argv[at]; argv ends with NULL and must stay. To go on with another table, start again at options.at. */
void options_init(struct options *o, const struct option_spec *table, char **argv, int at);

/* From now on words may stand before and between options: in the end options.words has them, and those behind. */
void options_mix(struct options *o);

/* Frees the words. */
void options_release(struct options *o);

/*
 * The next option: 1 and *use filled; 0 at the end of the options; -EINVAL with a line in err that names the offending
 * text and the number of the argument; -ENOMEM. After an error the state is undefined.
 */
int options_next(struct options *o, struct option_use *use, struct buf *err);

/* What to do with an option: 0 or -errno, which ends the reading, with a line in err. */
typedef int option_take(void *ctx, const struct option_use *use, struct buf *err);

/*
 * Gives each option, from the next one on, to take(ctx). There are to be no other words. 0; -EINVAL with a line in err
 * as of options_next(), or about a word that is no option; what take returned.
 */
int options_read(struct options *o, option_take *take, void *ctx, struct buf *err);

/*
 * The value of an option as a decimal number from min to max, digits only. 0 and *to set; -EINVAL with a line in err
 * that names the option and its value; -ENOMEM.
 */
int option_number(const struct option_use *use, unsigned long min, unsigned long max, unsigned long *to,
                  struct buf *err);

/*
 * Adds the process numbers of an option's argument to *pids, which has *n of them and is the caller's to free: with one
 * comma between two, or, with `blanks`, any commas and white space, as pidof(1) prints them. 0; -EINVAL with the
 * option, its value and the offset in err; -ENOMEM.
 */
int option_pids(const struct option_use *use, bool blanks, pid_t **pids, size_t *n, struct buf *err);

/* The row whose long name, or alias, is exactly this, or NULL. */
const struct option_spec *options_find(const struct option_spec *table, const char *name);

/* The long name that comes nearest to a mistyped one of n bytes, or NULL when none is near. */
const char *options_nearest(const struct option_spec *table, const char *name, size_t n);

/*
 * Is this value (NULL: none) one that the option takes? `shown` is what messages call the option ("--engine", "-o"). 0;
 * -EINVAL with the reason in err; -ENOMEM.
 */
int options_check_value(const struct option_spec *spec, const char *shown, const char *value, struct buf *err);

/* Looks for mistakes in a table, such as a name that is there twice. 0; -EINVAL with the first one in err; -ENOMEM. */
int options_check_table(const struct option_spec *table, struct buf *err);

#endif
