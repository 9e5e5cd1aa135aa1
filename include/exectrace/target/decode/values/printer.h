/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The printer of one call: what it reads memory with, where its text goes, and the printers of values. */
#ifndef EXECTRACE_TARGET_DECODE_VALUES_PRINTER_H
#define EXECTRACE_TARGET_DECODE_VALUES_PRINTER_H

#include <exectrace/target/decode/values/bounds.h>
#include <exectrace/target/decode/values/decoder.h>
#include <exectrace/target/syscalls/schema.h>
#include <string.h>

/* --- The printer ------------------------------------------------------------------------------------------------- */

struct kind_row;

struct printer {
	const struct decoder *d;
	const struct kind_row *kinds; /* by enum kind */
	const struct syscall_call *call;
	struct decode_state *state;
	struct buf *out;
	struct buf note; /* what stands in brackets behind the result */
	size_t began;    /* what `out` had when this began */
	int rc;          /* -ENOMEM when something could not be appended */
	unsigned word;   /* bytes of a long and of a pointer of the process */
	unsigned size;   /* bytes of the value that is being printed */
	unsigned pieces; /* messages and attributes of netlink that were shown */
	struct syscall_result result;
	const unsigned char *raw;    /* the bytes of the field that is being printed; NULL for an argument */
	uint64_t items;              /* how many the next field has, when it is counted */
	unsigned ends;               /* bytes of the structure that are there; 0: all */
	const unsigned char *start;  /* the structure that is as long as its program says, while it is printed: */
	const unsigned char *before; /* what it was before the call; NULL: not known */
	uint64_t length;             /* its bytes; 0: of no other length than ours */
	uint64_t known;              /* where the last field that was printed ends */
	uint32_t mode;               /* st_mode of the stat that is being printed */
	uint16_t family;             /* of the message of netlink that is being printed */
	int dirfd;                   /* that paths begin at, AT_FDCWD before one was printed */
	uint8_t reg;                 /* register of the argument that is being printed */
	bool at_exit;                /* the call has ended: result is valid */
	bool counted;
	unsigned most;   /* of them are shown; 0: as of any array */
	bool noted;      /* the note is shown even if it says nothing */
	bool inner;      /* names are shown of a number that is shown already */
	bool giving;     /* what the structure holds is what the kernel is given */
	bool made;       /* it is what the kernel has made of that */
	bool unread;     /* what a member points to cannot be read as a whole */
	uint64_t base;   /* where the structure is */
	unsigned at;     /* where in it the field is */
	bool hex_result; /* the result is shown as a hexadecimal number */
};

/* Prints a value; `aux` as in struct syscall_arg. A printer that appends nothing drops its argument. */
typedef void print_fn(struct printer *p, uint64_t value, unsigned aux);

/* When an argument can be shown. */
enum when {
	AT_ENTRY,
	AT_EXIT,      /* filled in by the kernel: when the call fails, the address is all there is */
	AT_EXIT_TOO,  /* the same, but its printer knows what to do when the call failed */
	AT_EXIT_JOIN, /* belongs to the argument before it: no comma, no register of its own */
	DEPENDS,      /* on the other arguments: see argument_is_late */
};

/*
 * What is needed to show an argument beside its value: used to keep calls that are shown later (extras.c), and to
 * copy the memory behind it (snapshot.c).
 */
enum source {
	SOURCE_PLAIN,   /* nothing */
	SOURCE_NAME,    /* the string that it points to */
	SOURCE_BYTES,   /* the bytes that it points to, as many as another argument or the result says */
	SOURCE_MESSAGE, /* the same, or what its printer makes of them when the socket is a netlink one */
	/* What its printer makes of the memory that it points to, and of the paths of descriptors: */
	SOURCE_PATHS,         /* of paths only */
	SOURCE_STRING,        /* a string, of which string_max bytes are shown */
	SOURCE_FILLED_NAME,   /* one that the call has filled in, as long as a name */
	SOURCE_FILLED,        /* bytes that it has filled in, as many as its result says */
	SOURCE_INT,           /* 4 bytes */
	SOURCE_LONG,          /* 8 bytes, or a long */
	SOURCE_SIGSET,        /* a set of signals of as many bytes as register `aux` says */
	SOURCE_STRUCT,        /* a structure: `aux`, or that of its kind */
	SOURCE_STRUCTS,       /* two structures `aux` */
	SOURCE_SIZED,         /* as many bytes as register `aux` says, of an address of a socket */
	SOURCE_ENTRIES,       /* entries of a directory, as many bytes as the result says */
	SOURCE_IOVS,          /* as many iovecs as register `aux` says, and the bytes that they point to */
	SOURCE_POLLS,         /* as many pollfds as register `aux` says, at the entry and at the end */
	SOURCE_EVENTS,        /* as many epoll_events as the result says */
	SOURCE_COMMAND,       /* what the command of fcntl points to */
	SOURCE_FRAME,         /* the frame of a signal, at the stack pointer */
	SOURCE_FILLED_SIZED,  /* as many bytes as the int that register `aux` points to says, of an address of a socket
	                       */
	SOURCE_OPTION,        /* as many bytes as register `aux` says, of an option of a socket */
	SOURCE_FILLED_OPTION, /* the same, as the int that it points to says */
	SOURCE_MSGHDR,        /* a msghdr and what it points to */
	SOURCE_BITS,  /* a bit for each of as many descriptors as register `aux` says, at the entry and the end */
	SOURCE_MASK,  /* the address of a set of signals, and how many bytes it has */
	SOURCE_LOOKS, /* of what it finds there it looks further */
};

/* True when what its printer says of it has to be kept. */
static inline bool source_looks(enum source source)
{
	return source >= SOURCE_PATHS;
}

struct kind_row {
	print_fn *print;
	enum when when;
	enum source source;
	bool narrow; /* an argument has 32 bits: the upper half of its register is anything */
};

/* The row of a kind. */
static inline const struct kind_row *kind_row(const struct printer *p, unsigned kind)
{
	return &p->kinds[kind < KIND_COUNT ? kind : KIND_HEX];
}

/* The n-th register of the call, as wide as the process has it. */
uint64_t call_arg(const struct printer *p, unsigned n);

/* Sign-extends the value from p->size bytes. */
int64_t as_signed(const struct printer *p, uint64_t value);

/* True when the call has ended without an error. */
bool call_succeeded(const struct printer *p);

/* The result as a count of what the kernel has filled in: bytes, or items; 0 when it failed. */
uint64_t returned_bytes(const struct printer *p);

/* The same of what was received into as many bytes as register aux says: MSG_TRUNC returns more (recv(2)). */
uint64_t received_bytes(const struct printer *p, unsigned aux);

/* Prints a value of a kind, in the style of constants that is asked for. */
void print_kind(struct printer *p, unsigned kind, uint64_t value, unsigned aux);

enum number_form { NUMBER_HEX, NUMBER_INT, NUMBER_UNSIGNED, NUMBER_OCTAL };

/*
 * Around the names of a number. begin_names shows the number itself where that is asked for, as a decimal or a
 * hexadecimal one; false: no names are to be shown, nor is end_names to be called. inner: what p->inner was before.
 */
bool begin_names(struct printer *p, uint64_t value, enum number_form form);
void end_names(struct printer *p, bool inner);

/* --- Text -------------------------------------------------------------------------------------------------------- */

/* n bytes as they are; the first n of the 8 in `word`; a string. */
void put_span(struct printer *p, const char *text, size_t n);
void put_few(struct printer *p, uint64_t word, size_t n);

static inline void put_text(struct printer *p, const char *text)
{
	size_t n = strlen(text);
	uint64_t word = 0;

	/* Commas and brackets are most of what is put: copying them takes longer than storing a number. */
	if (__builtin_constant_p(n) && n <= sizeof(word)) {
		memcpy(&word, text, n);
		put_few(p, word, n);
	} else {
		put_span(p, text, n);
	}
}

void put_format(struct printer *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* A decimal number, and one that may be negative. */
void put_unsigned(struct printer *p, uint64_t value);
void put_signed(struct printer *p, int64_t value);

/* Adds to the note that follows the result. */
void put_note(struct printer *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Prints into the note what print would print into the text. */
void note_print(struct printer *p, print_fn *print, uint64_t value, unsigned aux);

/* 0 or 0x... */
void put_hex(struct printer *p, uint64_t value);

/* NULL or 0x... */
void put_addr(struct printer *p, uint64_t addr);

/* The names of the bits that are set, joined by |; what is left as 0x... */
void put_flags(struct printer *p, uint64_t value, unsigned set);

/* Likewise for a set that an argument begins with: nothing when no bit is set. */
void put_more_flags(struct printer *p, uint64_t value, unsigned set);

/* `[name]=` in front of the i-th item of an array whose items have names: those of their places, or of so many more. */
void put_index(struct printer *p, uint64_t i, unsigned set, unsigned less);
/* Behind other names: `|` and the number, in the style of constants that is asked for; nothing for 0. */
void put_flags_behind(struct printer *p, uint64_t value, unsigned set);

/* The number with what print, put_flags or put_enum, names of it as a comment, where names are shown at all. */
void put_commented(struct printer *p, print_fn *print, uint64_t value, unsigned set);

/* Whether one of the bits, or several together, have a name in the set; of 0: whether that has one. */
bool has_name(uint64_t value, unsigned set);

/* Notes what print names of the result, which is shown already; nothing where no names are shown. */
void note_names(struct printer *p, print_fn *print, uint64_t value, unsigned set);

/* The name of a number, or `0x7 / * X_??? * /`. */
void put_enum(struct printer *p, uint64_t value, unsigned set);

/* A character, as 'a' or '\x01'; space: white space as '\n'. */
void put_char(struct printer *p, unsigned char c, bool space);

/* Bytes between quotes as strace has them; `cut` adds "..." behind. */
void put_quoted(struct printer *p, const char *bytes, size_t n, bool cut);

/* The string without quotes. */
void put_escaped(struct printer *p, const char *bytes, size_t n);

/* What was appended to p->out from `start` on, as put_escaped would have put it, and < and > in octal, too. */
void escape_from(struct printer *p, size_t start);

/* --- Memory of the process ------------------------------------------------------------------------------------------
 */

bool peek_bytes(struct printer *p, uint64_t addr, void *to, size_t n);

/* Likewise of strings and of bytes that are shown as such, which decoder.shallow does not mean. */
bool peek_text(struct printer *p, uint64_t addr, void *to, size_t n);

/* A number of 1, 2, 4 or 8 bytes out of bytes that were read. */
uint64_t load_number(const void *bytes, unsigned size);

/* The directory entries in n bytes; length_at: where in an entry its length is. */
unsigned count_entries(const void *bytes, uint64_t n, unsigned length_at);

/* Reads a number of `size` bytes. */
bool peek_number(struct printer *p, uint64_t addr, unsigned size, uint64_t *value);

/*
 * Appends up to `max` bytes of the string at addr to out, a page at a time. 1 when its end was found, 0 when not, -1 on
 * a failed read.
 */
int peek_string(struct printer *p, uint64_t addr, size_t max, struct buf *out);

/* The string at addr, of at most max bytes, quoted; the address when it cannot be read. */
void put_string(struct printer *p, uint64_t addr, size_t max);

/* A string that is looked at only so far: what has no end there is shown as one that goes on. */
void put_short_name(struct printer *p, uint64_t addr, size_t max);

/* n bytes at addr, quoted, of which at most string_max are shown; the address when these and one more cannot be read.
 */
void put_bytes(struct printer *p, uint64_t addr, uint64_t n);

/* Likewise, all in hexadecimal. */
void put_hexadecimal(struct printer *p, uint64_t addr, uint64_t n);

/* Likewise the value of an extended attribute: one that ends with a NUL is taken for a string, which is shown without.
 */
void put_xattr_value(struct printer *p, uint64_t addr, uint64_t n);

/* An array of things of `size` bytes: [a, b, ...]. print is handed the address of each. */
struct array {
	uint64_t addr;
	uint64_t n;
	unsigned size;
	unsigned max;    /* items that are shown; 0: items_max() */
	bool capped;     /* there are no more than max: those behind are not looked at */
	print_fn *print; /* given the address of an item, which can be read */
	unsigned aux;
};

void put_array(struct printer *p, const struct array *array);

/* How many items of an array are shown. */
uint64_t items_max(const struct printer *p);

/*
 * What stands before item i at addr of an array of which max are shown. False: the item is not to be shown, nor are
 * those behind it, and the array is closed: it cannot be read, or there are enough. That of the first that is not shown
 * is asked, too.
 */
bool put_item_begin(struct printer *p, uint64_t addr, uint64_t i, uint64_t max, bool readable);

/* --- Parts of values ---------------------------------------------------------------------------------------------- */

/* `[context]` of the file behind a descriptor of a process (0: the traced one), or of that a path means; where they are
 * shown, and it has one. */
void put_context(struct printer *p, pid_t of, int fd, const char *path);

/* n instructions of a classic packet filter at addr, with `verbose`; of_socket: it is not one of seccomp(2). */
void put_filter(struct printer *p, uint64_t addr, uint64_t n, bool of_socket);

/* The struct sock_fprog at addr: such a filter and its length; the address when it cannot be read. */
void put_filter_program(struct printer *p, uint64_t addr, bool of_socket);

/* Where in its frame a signal's handler will find the mask that rt_sigreturn sets; 0: not known. */
uint64_t sigreturn_mask(const struct printer *p);

/* The set of signals in up to 8 bytes. */
void put_sigset(struct printer *p, uint64_t bits);

/* A siginfo of 128 bytes. */
void put_siginfo(struct printer *p, const unsigned char *raw);

/* A time as a date, as a comment. fraction: of a second, in units of 10^-digits (6 or 9). */
void put_date(struct printer *p, int64_t sec, uint64_t fraction, unsigned digits);

/* The priority of input and output in a number: its class and its level (ioprio_set(2)). */
void put_ioprio(struct printer *p, uint64_t value, unsigned aux);

/* The name of a signal. */
void put_signal(struct printer *p, uint64_t sig);

/* A descriptor of a process, given by its number where the tracer runs; 0: it is not known. */
void put_fd_of(struct printer *p, pid_t of, uint64_t value);

/* The number of a process, thread, ..., and what is known of it. */
void put_process(struct printer *p, enum decode_id type, uint64_t value);

/* Notes which date a result in seconds is. */
void note_time(struct printer *p);

/* All printers of kinds.inc. */
#define KIND(id, when, source, print) print_fn print;
#include <exectrace/target/syscalls/kinds.inc>
#undef KIND

#endif
