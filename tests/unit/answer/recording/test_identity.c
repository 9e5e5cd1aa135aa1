/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which recording it is: the same for a copy of it, another for each other one. */
#include "oracle.h"
#include "recording_sample.h"
#include "tap.h"

#include <exectrace/answer/recording/identity.h>
#include <exectrace/base/cleanup.h>
#include <string.h>

/* Of what `path` names; the texts are "" when it cannot be opened. */
struct asked {
	char id[RECORDING_ID_TEXT];
	char host[16];
};

static struct asked ask_identity(const char *path)
{
	cleanup_buf struct buf why = BUF_INIT;
	struct recording *r = NULL;
	struct asked asked = {"", ""};

	if (!CHECK_INT(recording_open(&r, path, NULL, &why), 0))
		return asked;
	recording_id_print(recording_identify(r), asked.id);
	snprintf(asked.host, sizeof(asked.host), "%s", recording_host(r));
	recording_close(r);
	return asked;
}

/* A file with one call, and what its header says. */
static int write_one(const char *path, const struct data_facts *facts, uint64_t clock)
{
	cleanup_fd int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	struct data_writer *w = NULL;
	const struct data_syscall call = {.tid = 1, .arch = AUDIT_ARCH_X86_64, .nr = 3, .enter = clock};
	int rc = fd < 0 ? -1 : data_writer_open(&w, fd, facts, NULL);

	if (!rc)
		rc = data_writer_syscall(w, &call);
	return rc ? rc : data_writer_close(w);
}

static void runs(void)
{
	struct asked one, copy;

	CHECK(shell("mkdir run other") && sample_write(place("run").path) == 0 && shell("cp -r run other/copy"));
	one = ask_identity(place("run").path);
	copy = ask_identity(place("other/copy").path);
	CHECK_STR(one.host, "h");
	CHECK_INT(strspn(one.id, "0123456789abcdef"), 32);
	CHECK_STR(copy.id, one.id);
	CHECK(shell("sed -i 's/\"h\"/\"i\"/' other/copy/run.json"));
	copy = ask_identity(place("other/copy").path);
	CHECK_STR(copy.host, "i");
	CHECK(strcmp(copy.id, one.id) != 0);
}

static void files(void)
{
	struct data_facts facts = {.arch = AUDIT_ARCH_X86_64,
	                           .pid = 1,
	                           .clocks = {{DATA_CLOCK_MONOTONIC, 1000000000, 5, 1700000000000000000}},
	                           .host = TEXT("box")};
	struct asked one, other;

	CHECK_INT(write_one(place("a.xtr").path, &facts, 10), 0);
	facts.clocks[0].realtime++;
	CHECK_INT(write_one(place("b.xtr").path, &facts, 10), 0);
	one = ask_identity(place("a.xtr").path);
	other = ask_identity(place("b.xtr").path);
	CHECK_STR(one.host, "box");
	CHECK(strcmp(one.id, other.id) != 0);
	/* No clock is known: what is in them counts. */
	facts.clocks[0].realtime = 0;
	CHECK_INT(write_one(place("c.xtr").path, &facts, 10), 0);
	CHECK_INT(write_one(place("d.xtr").path, &facts, 11), 0);
	CHECK(shell("cp c.xtr e.xtr"));
	one = ask_identity(place("c.xtr").path);
	other = ask_identity(place("d.xtr").path);
	CHECK(strcmp(one.id, other.id) != 0);
	other = ask_identity(place("e.xtr").path);
	CHECK_STR(other.id, one.id);
}

int main(void)
{
	scratch_begin(60);
	runs();
	files();
	return TAP_DONE();
}
