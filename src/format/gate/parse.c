/* SPDX-License-Identifier: GPL-2.0-or-later */
/* KFI's language. */
#include "private.h"

#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define WORD_MAX 512
#define SHOWN_MAX 60        /* bytes of a line that an error shows */
#define MARK "\xef\xbb\xbf" /* what some editors begin UTF-8 with */

struct parser {
	struct control_config *config;
	const char *at, *end;
	const char *here; /* the beginning of the line at hand */
	unsigned now;     /* its number, from 1 */
	const char *line; /* the same of the last word */
	unsigned number;
	const char *rule; /* and of the rule at hand, which is what errors are about: what it lacks is not on the next
	                     line */
	unsigned rule_number;
	char word[WORD_MAX];
	bool has; /* word is the next one, and not taken yet */
	bool long_word;
	bool start, stop; /* the trigger was there already */
	struct buf *err;
};

/* --- Words -------------------------------------------------------------------------------------------------------- */

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f' || c == ',' || c == '\0';
}

static void skip(struct parser *p)
{
	bool comment = false;

	for (; p->at < p->end; p->at++) {
		if (*p->at == '\n') {
			p->now++;
			p->here = p->at + 1;
			comment = false;
		} else if (*p->at == '#') {
			comment = true;
		} else if (!comment && !is_blank(*p->at)) {
			return;
		}
	}
}

/* The next word, which is not taken yet; NULL at the end. */
static const char *peek(struct parser *p)
{
	size_t n = 0;

	if (p->has)
		return p->word;
	skip(p);
	if (p->at == p->end)
		return NULL;
	p->line = p->here;
	p->number = p->now;
	for (; p->at < p->end && !is_blank(*p->at) && *p->at != '\n' && *p->at != '#'; p->at++) {
		if (n < WORD_MAX - 1)
			p->word[n++] = *p->at;
		else
			p->long_word = true;
	}
	p->word[n] = '\0';
	p->has = true;
	return p->word;
}

static const char *take(struct parser *p)
{
	const char *word = peek(p);

	p->has = false;
	return word;
}

static bool take_if(struct parser *p, const char *word)
{
	const char *next = peek(p);

	if (!next || strcmp(next, word) != 0)
		return false;
	p->has = false;
	return true;
}

/* A rule begins with the next word. */
static const char *begin_rule(struct parser *p)
{
	const char *word = peek(p);

	if (word) {
		p->rule = p->line;
		p->rule_number = p->number;
	}
	return word;
}

/* "line N: 'text': what". Returns -EINVAL, or -ENOMEM. */
static int wrong(struct parser *p, const char *what)
{
	const char *line = p->rule, *stop = line;

	while (line < p->end && is_blank(*line))
		line++;
	for (stop = line; stop < p->end && *stop != '\n' && *stop != '#' && stop - line < SHOWN_MAX;)
		stop++;
	while (stop > line && is_blank(stop[-1]))
		stop--;
	return buf_printf(p->err, "line %u: '%.*s': %s", p->rule_number, (int)(stop - line), line, what) ? -ENOMEM
	                                                                                                 : -EINVAL;
}

/* --- Rules -------------------------------------------------------------------------------------------------------- */

/* Words that end a list whose fend is missing, and a rule that is not whole. */
static bool is_keyword(const char *word)
{
	static const char *const words[] = {"trigger", "filter",     "watch", "logentries",
	                                    "logsize", "autorepeat", "begin", "end"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strcmp(words[i], word) == 0)
			return true;
	}
	return false;
}

/* The word that a rule needs; NULL when the next one begins another rule, on another line. */
static const char *take_value(struct parser *p)
{
	unsigned before = p->number;
	const char *word = peek(p);

	return word && p->number != before && is_keyword(word) ? NULL : take(p);
}

static int read_time(struct parser *p, uint64_t *ns)
{
	const char *word = take_value(p);

	return word && control_read_time(word, ns) ? 0 : wrong(p, "a time is needed: 500, 500us, 20ms, 3s");
}

static int read_when(struct parser *p, struct control_trigger *trigger)
{
	enum control_when when = CONTROL_ENTRY;
	const char *word, *why = NULL;
	uint64_t ns;
	int e;

	if (take_if(p, "time")) {
		e = read_time(p, &ns);
		if (!e)
			control_set_time(trigger, ns);
		return e;
	}
	if (take_if(p, "exit"))
		when = CONTROL_EXIT;
	else if (!take_if(p, "entry"))
		return wrong(p, "a trigger is at an entry, an exit or a time");
	word = take_value(p);
	if (!word)
		return wrong(p, "the function is missing");
	e = control_set_function(trigger, when, word, &why);
	return why ? wrong(p, why) : e;
}

static int read_trigger(struct parser *p)
{
	bool start = take_if(p, "start"), *seen = start ? &p->start : &p->stop;

	if (!start && !take_if(p, "stop"))
		return wrong(p, "a trigger is a start or a stop");
	if (*seen)
		return wrong(p, "there is such a trigger already");
	*seen = true;
	return read_when(p, start ? &p->config->start : &p->config->stop);
}

static int read_list(struct parser *p, struct strv *to)
{
	const char *word;
	size_t before = to->n;
	int e = 0;

	while (!e && (word = peek(p)) && strcmp(word, "fend") != 0 && !is_keyword(word)) {
		if (to->n == CONTROL_LIST_MAX)
			return wrong(p, "the list is too long");
		e = strv_push(to, take(p));
	}
	(void)take_if(p, "fend");
	return e || to->n > before ? e : wrong(p, "no function is named");
}

static int read_filter(struct parser *p)
{
	struct control_config *c = p->config;

	if (take_if(p, "mintime"))
		return read_time(p, &c->min_time);
	if (take_if(p, "maxtime"))
		return read_time(p, &c->max_time);
	if (take_if(p, "funclist"))
		return read_list(p, &c->functions);
	if (take_if(p, "noints"))
		c->irq = CONTROL_IRQ_NO;
	else if (take_if(p, "onlyints"))
		c->irq = CONTROL_IRQ_ONLY;
	else
		return wrong(p, "a filter is mintime, maxtime, noints, onlyints or funclist");
	return 0;
}

static int read_entries(struct parser *p)
{
	const char *word = take_value(p);

	return word && control_read_number(word, UINT64_MAX, &p->config->entries) ? 0 : wrong(p, "a number is needed");
}

static int read_rule(struct parser *p)
{
	if (take_if(p, "trigger"))
		return read_trigger(p);
	if (take_if(p, "filter"))
		return read_filter(p);
	if (take_if(p, "logentries") || take_if(p, "logsize"))
		return read_entries(p);
	if (take_if(p, "watch"))
		return wrong(p, "stacks are not watched");
	if (!take_if(p, "autorepeat"))
		return wrong(p, "not understood");
	p->config->autorepeat = true;
	return 0;
}

/* --- All ---------------------------------------------------------------------------------------------------------- */

/* Of all, and of a file: a rule that contradicts another. */
static int check(struct parser *p)
{
	const struct control_config *c = p->config;

	if (p->long_word)
		return buf_puts(p->err, "a word is too long") ? -ENOMEM : -EINVAL;
	if (c->max_time && c->max_time < c->min_time)
		return buf_puts(p->err, "mintime is more than maxtime") ? -ENOMEM : -EINVAL;
	return 0;
}

int control_parse(struct control_config *config, const char *text, size_t n, struct buf *err)
{
	struct parser p = {.config = config,
	                   .at = text,
	                   .end = text + n,
	                   .here = text,
	                   .now = 1,
	                   .line = text,
	                   .number = 1,
	                   .rule = text,
	                   .rule_number = 1,
	                   .err = err};
	bool begun = false, ended = false;
	int e = 0;

	if (n >= sizeof(MARK) - 1 && memcmp(text, MARK, sizeof(MARK) - 1) == 0)
		p.at = p.here = p.line = p.rule = text + sizeof(MARK) - 1;
	(void)take_if(&p, "new");
	begun = take_if(&p, "begin");
	while (!e && !ended && begin_rule(&p)) {
		ended = take_if(&p, "end");
		if (ended && !begun)
			return wrong(&p, "there was no begin");
		if (!ended)
			e = read_rule(&p);
	}
	if (!e && ended && begin_rule(&p))
		e = wrong(&p, "nothing may follow the end");
	if (!e && begun && !ended)
		e = wrong(&p, "the end is missing");
	return e ? e : check(&p);
}

int control_read(struct control_config *config, const char *path, struct buf *err)
{
	cleanup_fd int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	cleanup_buf struct buf text = BUF_INIT;
	size_t named = 0;
	long n;
	int e = fd < 0 ? -errno : buf_reserve(&text, CONTROL_FILE_MAX + 1);

	if (!e && (n = fd_read_all(fd, text.data, CONTROL_FILE_MAX + 1)) < 0)
		e = (int)n;
	else if (!e && n > (long)CONTROL_FILE_MAX)
		e = -EFBIG;
	if (e) {
		(void)buf_printf(err, "%s: %s", path, strerror(-e));
		return e;
	}
	named = err->len;
	e = buf_printf(err, "%s: ", path);
	e = e ? e : control_parse(config, text.data, (size_t)n, err);
	if (!e) {
		err->len = named;
		if (err->data)
			err->data[named] = '\0';
	}
	return e;
}
