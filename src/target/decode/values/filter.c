/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Programs of the classic packet filter: of sockets and of seccomp(2), as the macros of linux/filter.h. */
#include <exectrace/target/decode/values/printer.h>

#include <linux/filter.h>
#include <linux/seccomp.h>

#define ALU_SOURCE 0x08u
#define ALU_OPERATION 0xf0u
#define RETURNED 0x18u
#define MISC_OPERATION 0xf8u
#define CODE_MAX 0xffu

/* Behind others: the name of some of the code's bits. */
static void put_part(struct printer *p, uint64_t bits, unsigned set)
{
	put_text(p, "|");
	put_enum(p, bits, set);
}

/* Behind others: bits that mean nothing there. */
static void put_rest(struct printer *p, uint64_t bits)
{
	if (bits)
		put_format(p, "|%#llx /* BPF_??? */", (unsigned long long)bits);
}

static void put_code(struct printer *p, unsigned code)
{
	unsigned class = BPF_CLASS(code);

	put_enum(p, class, SET_bpfclass);
	switch (class) {
	case BPF_LD:
	case BPF_LDX:
		put_part(p, BPF_SIZE(code), SET_bpfsize);
		put_part(p, BPF_MODE(code), SET_bpfmode);
		put_rest(p, code & ~CODE_MAX);
		break;
	case BPF_ALU:
	case BPF_JMP:
		put_part(p, code & ALU_SOURCE, SET_bpfsource);
		put_part(p, code & ALU_OPERATION, class == BPF_ALU ? SET_bpfalu : SET_bpfjump);
		put_rest(p, code & ~CODE_MAX);
		break;
	case BPF_RET:
		put_part(p, code & RETURNED, SET_bpfreturn);
		put_rest(p, code & ~(RETURNED | class));
		break;
	case BPF_MISC:
		put_part(p, code & MISC_OPERATION, SET_bpfmisc);
		put_rest(p, code & ~CODE_MAX);
		break;
	default:
		put_rest(p, code & ~class);
		break;
	}
}

/* What a filter of a socket loads: a byte of the packet, or what the kernel knows of it. False: neither. */
static bool put_loaded(struct printer *p, unsigned code, uint32_t k)
{
	uint32_t base = k >= (uint32_t)SKF_AD_OFF    ? (uint32_t)SKF_AD_OFF
	                : k >= (uint32_t)SKF_NET_OFF ? (uint32_t)SKF_NET_OFF
	                                             : (uint32_t)SKF_LL_OFF;

	if (BPF_CLASS(code) != BPF_LD || BPF_MODE(code) != BPF_ABS || k < base)
		return false;
	put_enum(p, base, SET_skfoffset);
	put_text(p, "+");
	if (base == (uint32_t)SKF_AD_OFF)
		put_enum(p, k - base, SET_u_skf_ad);
	else
		put_unsigned(p, k - base);
	return true;
}

/* What a filter of seccomp returns: what is to be done, and with which number. */
static void put_action(struct printer *p, uint32_t k)
{
	put_enum(p, k & SECCOMP_RET_ACTION_FULL, SET_seccompaction);
	if (k & SECCOMP_RET_DATA)
		put_format(p, "|%#x", k & SECCOMP_RET_DATA);
}

/* of_socket: it is a filter of a socket. */
static void put_instruction(struct printer *p, uint64_t addr, unsigned of_socket)
{
	struct sock_filter is;

	if (!peek_bytes(p, addr, &is, sizeof(is)))
		return;
	put_text(p, is.jt || is.jf ? "BPF_JUMP(" : "BPF_STMT(");
	put_code(p, is.code);
	put_text(p, ", ");
	if (!of_socket && is.code == (BPF_RET | BPF_K))
		put_action(p, is.k);
	else if (!of_socket || !put_loaded(p, is.code, is.k))
		put_hex(p, is.k);
	if (is.jt || is.jf) {
		put_text(p, ", ");
		put_hex(p, is.jt);
		put_text(p, ", ");
		put_hex(p, is.jf);
	}
	put_text(p, ")");
}

void put_filter(struct printer *p, uint64_t addr, uint64_t n, bool of_socket)
{
	struct array array = {.addr = addr,
	                      .n = n,
	                      .size = sizeof(struct sock_filter),
	                      .max = BPF_MAXINSNS,
	                      .print = put_instruction,
	                      .aux = of_socket};

	if (p->d->verbose)
		put_array(p, &array);
	else
		put_addr(p, addr);
}

void put_filter_program(struct printer *p, uint64_t addr, bool of_socket)
{
	uint64_t n, filter;

	if (!peek_number(p, addr, 2, &n) || !peek_number(p, addr + p->word, p->word, &filter)) {
		put_addr(p, addr);
		return;
	}
	put_format(p, "{len=%u, filter=", (unsigned)n);
	put_filter(p, filter, n, of_socket);
	put_text(p, "}");
}
