/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A system call, its result, and where the text of its arguments comes from. */
#ifndef EXECTRACE_TARGET_DECODE_VALUES_DECODER_H
#define EXECTRACE_TARGET_DECODE_VALUES_DECODER_H

#include <exectrace/base/buf.h>
#include <exectrace/target/arch/arch.h>
#include <exectrace/target/syscalls/table.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define DECODE_STRING_MAX 32   /* what strace -s has when it is not given */
#define DECODE_NETLINK_ANY 255 /* a protocol of netlink that is not known */
#define DECODE_COLUMN 40       /* where the result starts at the earliest, counted from 0 */

/* A call as PTRACE_GET_SYSCALL_INFO reports it. */
struct syscall_call {
	const struct arch *arch;
	uint32_t nr; /* with nr_bit */
	uint64_t args[SYSCALL_ARGS];
	uint64_t sp; /* stack pointer, for what sigreturn shows; 0 when not known */
	pid_t tid;
};

/* How an argument is known without a look at the memory of the process. */
enum decode_known_kind {
	DECODE_KNOWN_BYTES, /* what was in its buffer, or the beginning of it */
	DECODE_KNOWN_PATH,  /* the file name that it points to */
	DECODE_KNOWN_TEXT,  /* as it is to be shown */
};

struct decode_known {
	uint8_t reg; /* the register of the argument, from 0; SYSCALL_ARGS: the result */
	enum decode_known_kind kind;
	const char *bytes;
	size_t n;
};

/* Where in the text the arguments stand that are shown, and the result behind "= " (from there to the end). */
struct decode_marks {
	struct {
		const char *name; /* of the argument, as in the manual page */
		size_t begin, end;
	} args[SYSCALL_ARGS];
	unsigned n; /* of them; counted on from what the caller sets */
	size_t result;
};

/* Which bytes of strings are shown as hexadecimal numbers; those that are no text are octal ones else. */
enum decode_hex {
	DECODE_HEX_NONE,
	DECODE_HEX_STRINGS, /* all of a string that has one that is no text */
	DECODE_HEX_ALL,
	DECODE_HEX_BYTES, /* those that are no text */
};

/* How constants are shown: open(2)'s flags as O_RDONLY|O_CLOEXEC, as 0x80000, or as 0x80000 with the names in a
 * comment. */
enum decode_names { DECODE_NAMES_ABBREV, DECODE_NAMES_RAW, DECODE_NAMES_VERBOSE };

/* What the number of a process means. */
enum decode_id { DECODE_TID, DECODE_TGID, DECODE_PGID, DECODE_SID };

/* What is said behind such a number. */
struct decode_process {
	char comm[16]; /* the name of the process, as the kernel has it; "": none */
	pid_t ours;    /* its number where the tracer runs; 0: none */
};

/* What is said of a descriptor beside its path. Zeroes: nothing. */
struct decode_fd {
	bool bare;       /* the path is left out */
	bool deleted;    /* ... or loses " (deleted)", which then stands behind the bracket */
	struct buf text; /* behind the path, as it is to be shown */
	struct buf name; /* behind that, in quotes; a first byte of 0 is an abstract name */
	const char *end; /* behind that; NULL: nothing */
};

/* Where the decoder gets its knowledge from, and how much it says. */
struct decoder {
	struct decode_marks *marks; /* filled in; NULL: not asked for */
	/* What is known of a call that was recorded: the other arguments are shown from their values. */
	const struct decode_known *known;
	size_t n_known;
	/* Reads exactly n bytes of the memory of the traced process. 0 or -errno. */
	int (*read)(void *user, uint64_t addr, void *to, size_t n);
	/* Appends the path behind a descriptor (or AT_FDCWD), bytes as they are. 0 or -errno; NULL: no paths are shown.
	 */
	int (*fd_path)(void *user, int fd, struct buf *out);
	/* Likewise of a process with that number where the tracer runs. NULL: not known. */
	int (*fd_path_of)(void *user, pid_t pid, int fd, struct buf *out);
	/* What else is known of a descriptor, of the process pid (0: the traced one), that has this path; asked for
	 * with about_fds, or when the path ends in " (deleted)". The caller frees what is in *about. NULL: nothing.
	 */
	void (*fd_about)(void *user, pid_t pid, int fd, const char *path, struct decode_fd *about);
	/* The process behind a pidfd, by its number where the tracer runs; 0: not known. NULL: of none. */
	pid_t (*pidfd)(void *user, int fd);
	/* The same of the number of a process in the traced one's namespace; 0: not known. NULL: of none. */
	pid_t (*find_process)(void *user, enum decode_id type, int id);
	/* What is said behind the number of a process: *about, which is empty. NULL: nothing. */
	void (*process)(void *user, enum decode_id type, int id, struct decode_process *about);
	/* Whether it is known how many directory entries there are at addr: *n. NULL: it is not. */
	bool (*entries)(void *user, uint64_t addr, unsigned *n);
	/* The protocol (NETLINK_*, or DECODE_NETLINK_ANY) of the netlink socket behind a descriptor. -errno: it is
	 * none; NULL: not known of any.
	 */
	int (*netlink)(void *user, int fd);
	/*
	 * The name of a network interface, into a buffer of IF_NAMESIZE bytes: 0, or -errno when the traced process
	 * has no such one. NULL: names are not known.
	 */
	int (*interface)(void *user, unsigned index, char *name);
	/* Appends the security context of the file behind a descriptor of a process (0: the traced one), or with `path`
	 * of the one that the traced process means by it, from the descriptor or AT_FDCWD on, as it is to be shown. 0
	 * or -errno: it has none. NULL: none is shown. */
	int (*context)(void *user, pid_t pid, int fd, const char *path, struct buf *out);
	void *user;          /* handed to all of them */
	unsigned column;     /* where the result starts at the earliest; 0: DECODE_COLUMN */
	unsigned string_max; /* bytes of a string, items of an array */
	unsigned names;      /* enum decode_names */
	bool verbose;        /* structures and environments in full */
	bool shallow;        /* of memory only strings are shown, of what else is pointed to the address */
	bool about_fds;      /* more than paths is asked for */
	unsigned hex;        /* enum decode_hex */
	bool raw;            /* arguments and results as the registers have them */
};

#define DECODE_GIVEN 512u /* bytes that ioctl was given and that are kept */
#define DECODE_NAMES 32u  /* messages of one call whose msg_namelen is kept */

/* What decode_enter leaves for decode_exit. Zeroed before the first call of a thread; kept from call to call. */
struct decode_state {
	unsigned column; /* of the line that `out` goes to: set by the caller when it begins a line (0, or the width of
	                    what it put in front), counted on by the decoder */
	uint8_t next;    /* the argument to go on with */
	uint8_t reg;     /* the register it is in */
	bool separated;  /* ", " stands before it already */
	uint64_t saved[2];                 /* what the call may overwrite */
	bool has_saved;                    /* recvmmsg: that is its timeout */
	uint32_t names[DECODE_NAMES];      /* ..., and msg_namelen of its messages; the others count as unknown */
	unsigned char given[DECODE_GIVEN]; /* what the kernel may have overwritten of what ioctl was given */
	uint16_t n_given;
	bool after;                        /* what the kernel makes of a structure is still to be shown */
	const struct syscall_desc *call;   /* what the call is */
	const struct syscall_desc *before; /* the call before this one: restart_syscall names it */
};

/* The result of a call. */
struct syscall_result {
	int64_t value; /* rval of PTRACE_GET_SYSCALL_INFO: negative errno when it failed */
	bool error;    /* its is_error */
};

#endif
