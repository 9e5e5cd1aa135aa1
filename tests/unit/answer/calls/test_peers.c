/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/calls/peers.h>

#include "recording_sample.h"
#include "tap.h"

#include <errno.h>
#include <sys/socket.h>

#define LOCAL "{sa_family=AF_UNIX, sun_path=\"/run/dir/s.sock\"}"
#define ABSTRACT "{sa_family=AF_UNIX, sun_path=@\"x\"}"
#define INET "{sa_family=AF_INET, sin_port=htons(8080), sin_addr=inet_addr(\"127.0.0.1\")}"
#define NO_PORT "{sa_family=AF_INET, sin_port=htons(0), sin_addr=inet_addr(\"127.0.0.1\")}"
#define INET6                                                                \
	"{sa_family=AF_INET6, sin6_port=htons(53), sin6_flowinfo=htonl(0), " \
	"inet_pton(AF_INET6, \"::1\", &sin6_addr), sin6_scope_id=0}"

static struct data_text text(const char *of)
{
	return (struct data_text){of, of ? strlen(of) : 0};
}

/* Of a call: a descriptor, an address and a result, NULL where it has none; how it failed. */
struct words {
	const char *fd, *address, *result;
	int error;
};

static void take(struct peers *peers, uint32_t nr, struct words w)
{
	const struct data_extra extras[] = {{0, DATA_EXTRA_TEXT, text(w.fd)},
	                                    {1, DATA_EXTRA_TEXT, text(w.address)},
	                                    {DATA_ARGS, DATA_EXTRA_TEXT, text(w.result)}};
	const struct data_syscall record = {.arch = AUDIT_ARCH_X86_64,
	                                    .nr = nr,
	                                    .args = {AF_INET, nr == 41 ? SOCK_STREAM | SOCK_CLOEXEC : 0},
	                                    .extras = extras,
	                                    .nextras = COUNT(extras),
	                                    .error = w.error != 0,
	                                    .result = -w.error};

	CHECK_INT(peers_take(peers, &record), 0);
}

#define CALL(nr, ...) take(&peers, nr, (struct words){__VA_ARGS__})

static const char *name(const struct peers *peers, uint64_t inode)
{
	const char *found = peers_find(peers, inode);

	return found ? found : "";
}

static void test_calls(void)
{
	struct peers peers = {0};

	CALL(49, "3<socket:[1]>", LOCAL, NULL, 0);
	CHECK_STR(name(&peers, 1), "UNIX:/run/dir/s.sock");
	CALL(43, "3<socket:[1]>", "{sa_family=AF_UNIX}", "4<socket:[2]>", 0);
	CHECK_STR(name(&peers, 2), "UNIX:/run/dir/s.sock");
	CALL(42, "5<socket:[3]>", ABSTRACT, NULL, ENOENT);
	CHECK_STR(name(&peers, 3), "UNIX:@x");
	/* The protocol is known from socket(2), the port from getsockname(2). */
	CALL(41, NULL, NULL, "6<socket:[4]>", 0);
	CALL(49, "6<socket:[4]>", NO_PORT, NULL, 0);
	CHECK_STR(name(&peers, 4), "");
	CALL(51, "6<socket:[4]>", INET, NULL, 0);
	CHECK_STR(name(&peers, 4), "TCP:127.0.0.1:8080");
	CALL(43, "6<socket:[4]>", NULL, "7<socket:[5]>", 0);
	CHECK_STR(name(&peers, 5), "TCP:127.0.0.1:8080");
	/* Of whom it was accepted does not change it. */
	CALL(51, "7<socket:[5]>", INET6, NULL, 0);
	CHECK_STR(name(&peers, 5), "TCP:127.0.0.1:8080");
	CALL(42, "8<socket:[6]>", INET6, NULL, EINPROGRESS);
	CHECK_STR(name(&peers, 6), "INET:[::1]:53");
	/* A number that is used again. */
	CALL(41, NULL, NULL, "9<socket:[1]>", 0);
	CHECK_STR(name(&peers, 1), "");
	peers_release(&peers);
}

/* What others wrote. */
static void test_odd(void)
{
	static const char *const odd[] = {"",
	                                  "<",
	                                  "3<socket:[",
	                                  "3<socket:[]>",
	                                  "3<socket:[x]>",
	                                  "3<socket:[7",
	                                  "socket:[7]",
	                                  "3<socket:[99999999999999999999999]>",
	                                  "3</tmp/socket:[7]>"};
	struct peers peers = {0};

	for (size_t i = 0; i < COUNT(odd); i++) {
		CALL(42, odd[i], LOCAL, NULL, 0);
		CALL(43, odd[i], LOCAL, odd[i], 0);
	}
	CHECK_INT((long)peers.sockets.n, 0);
	CALL(42, "3<socket:[7]>", "{sa_family=AF_UNIX, sun_path=\"", NULL, 0);
	CALL(42, "3<socket:[7]>", "{sa_family=AF_INET, sin_port=htons(", NULL, 0);
	CALL(42, "3<socket:[7]>", "", NULL, 0);
	CHECK_STR(name(&peers, 7), "");
	peers_release(&peers);
}

static void shown(const struct peers *peers, const char *dir, const char *of, const char *want)
{
	const struct data_extra extra = {0, DATA_EXTRA_TEXT, text(of)};
	const struct data_syscall record = {.extras = &extra, .nextras = 1};
	struct shown_call to = {0};
	char got[256];

	CHECK_INT(shown_call_make(&to, &record, peers, dir), 0);
	snprintf(got, sizeof(got), "%.*s", (int)to.extras[0].text.n,
	         to.extras[0].text.n ? to.extras[0].text.bytes : "");
	CHECK_STR(got, want);
	shown_call_release(&to);
}

static void test_shown(void)
{
	struct peers peers = {0};

	CALL(42, "3<socket:[7]>", LOCAL, NULL, 0);
	shown(&peers, NULL, "3<socket:[7]>", "3<UNIX:/run/dir/s.sock>");
	shown(&peers, NULL, "[{fd=3<socket:[7]>, events=POLLIN}, {fd=4<socket:[8]>}]",
	      "[{fd=3<UNIX:/run/dir/s.sock>, events=POLLIN}, {fd=4<socket:[8]>}]");
	shown(&peers, NULL, "3<socket:[7", "3<socket:[7");
	shown(NULL, "/run/dir", "3<UNIX:/run/dir/s.sock>", "3<UNIX:s.sock>");
	shown(NULL, "/run/dir", "AT_FDCWD</run/dir>", "AT_FDCWD<.>");
	shown(NULL, "/run/dir", "3</run/dir/a/b>", "3<a/b>");
	shown(NULL, "/run/dir", "3</run/directory>", "3</run/directory>");
	shown(NULL, "/run/dir", "3</run/dir", "3</run/dir");
	shown(NULL, "/", "3</run>", "3</run>");
	shown(NULL, "/run/dir", "", "");
	peers_release(&peers);
}

static void shortened(const char *path, const char *dir, const char *want)
{
	struct buf buf = BUF_INIT;

	CHECK_INT(buf_puts(&buf, path), 0);
	path_shorten(&buf, dir);
	CHECK_STR(buf.data, want);
	buf_release(&buf);
}

int main(void)
{
	test_calls();
	test_odd();
	test_shown();
	shortened("/run/dir/a", "/run/dir", "a");
	shortened("/run/dir", "/run/dir", ".");
	shortened("/run/dir/", "/run/dir", "/run/dir/");
	shortened("/run/dirt", "/run/dir", "/run/dirt");
	shortened("UNIX:/run/dir/a", "/run/dir", "UNIX:a");
	shortened("/a", "/", "/a");
	shortened("/a", NULL, "/a");
	return TAP_DONE();
}
