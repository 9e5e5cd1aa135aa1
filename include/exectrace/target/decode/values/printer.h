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
	int rc;          /* -ENOMEM when something could not be appended */
	unsigned word;   /* bytes of a long and of a pointer of the process */
	unsigned size;   /* bytes of the value that is being printed */
	unsigned pieces; /* messages and attributes of netlink that were shown */
	struct syscall_result result;
	const unsigned char *raw; /* the bytes of the field that is being printed; NULL for an argument */
	uint64_t items;           /* how many the next field has, when it is counted */
	unsigned ends;            /* bytes of the structure that are there; 0: all */
	uint32_t mode;            /* st_mode of the stat that is being printed */
	uint8_t reg;              /* register of the argument that is being printed */
	bool at_exit;             /* the call has ended: result is valid */
	bool counted;
	bool inner;  /* names are shown of a number that is shown already */
	bool giving; /* what the structure holds is what the kernel is given */
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

/* n bytes as they are; a string. */
void put_span(struct printer *p, const char *text, size_t n);

static inline void put_text(struct printer *p, const char *text)
{
	put_span(p, text, strlen(text));
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

/* The name of a number, or `0x7 / * X_??? * /`. */
void put_enum(struct printer *p, uint64_t value, unsigned set);

/* Bytes between quotes as strace has them; `cut` adds "..." behind. */
void put_quoted(struct printer *p, const char *bytes, size_t n, bool cut);

/* The string without quotes. */
void put_escaped(struct printer *p, const char *bytes, size_t n);

/* What was appended to p->out from `start` on, as put_escaped would have put it, and < and > in octal, too. */
void escape_from(struct printer *p, size_t start);

/* --- Memory of the process ------------------------------------------------------------------------------------------
 */

bool peek_bytes(struct printer *p, uint64_t addr, void *to, size_t n);

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

/* n bytes at addr, quoted, of which at most string_max are shown. */
void put_bytes(struct printer *p, uint64_t addr, uint64_t n);

/* An array of things of `size` bytes: [a, b, ...]. print is handed the address of each. */
struct array {
	uint64_t addr;
	uint64_t n;
	unsigned size;
	unsigned max;    /* items that are shown; 0: string_max */
	print_fn *print; /* given the address of an item, which can be read */
	unsigned aux;
	bool beyond; /* the first item that is not shown is looked at, too: whether it can be read */
};

void put_array(struct printer *p, const struct array *array);

/* --- Structures ----------------------------------------------------------------------------------------------------
 */

/* A structure of structs.inc at addr; the address when it cannot be read. */
void put_struct(struct printer *p, uint64_t addr, unsigned structure);

/* Likewise, as a print_fn. */
void print_struct(struct printer *p, uint64_t addr, unsigned structure);

/*
 * Of a structure of `size` bytes what is behind the bytes that are known: the bytes, with a comment that says which,
 * when there is something, `, ???` when it cannot be read.
 */
void put_beyond(struct printer *p, uint64_t addr, uint64_t known, uint64_t size);

/* Likewise of one that ends after n bytes: the fields that are there. */
void put_struct_of(struct printer *p, uint64_t addr, uint64_t n, unsigned structure);

/*
 * "{sa_family=AF_INET, ...}": a structure of which no more than its first field is there; unreadable: from there on it
 * cannot be read, which is shown instead of the dots.
 */
void put_first_field(struct printer *p, uint64_t value, unsigned structure, uint64_t unreadable);

/* Of the structure in `bytes` those fields that differ from what was given: both hold all of it. */
void put_changes(struct printer *p, const unsigned char *bytes, const unsigned char *given, unsigned structure);

/* Where in its frame a signal's handler will find the mask that rt_sigreturn sets; 0: not known. */
uint64_t sigreturn_mask(const struct printer *p);

/* Bytes of a structure in the process. */
unsigned struct_size(const struct printer *p, unsigned structure);

/* The set of signals in up to 8 bytes. */
void put_sigset(struct printer *p, uint64_t bits);

/* A siginfo of 128 bytes. */
void put_siginfo(struct printer *p, const unsigned char *raw);

/* Shows n bytes at addr. */
typedef void put_bytes_fn(struct printer *p, uint64_t addr, uint64_t n);

/* n iovecs at addr, of which `total` bytes are shown, those of each by `put`. */
void put_iovs(struct printer *p, uint64_t addr, uint64_t n, uint64_t total, put_bytes_fn *put);

/* A time as a date, as a comment. fraction: of a second, in units of 10^-digits (6 or 9). */
void put_date(struct printer *p, int64_t sec, uint64_t fraction, unsigned digits);

/* The name of a signal. */
void put_signal(struct printer *p, uint64_t sig);

/* Notes which date a result in seconds is. */
void note_time(struct printer *p);

/* All printers of kinds.inc. */
#define KIND(id, when, source, print) print_fn print;
#include <exectrace/target/syscalls/kinds.inc>
#undef KIND

#endif
