/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Recordings in the formats of others: what is in them, by the tools that read them; names with anything in them. */
#include "oracle.h"
#include "recording_sample.h"
#include "tap.h"

#include <exectrace/answer/export/export.h>
#include <exectrace/base/cleanup.h>

/* How a test exports, and what comes of it. */
struct job {
	const char *format;
	bool calls_only; /* nothing else is selected */
	struct export_options options;
	struct buf out;
	size_t most; /* bytes that are taken; 0: all */
};

static int take(void *user, const char *bytes, size_t n)
{
	struct job *job = user;

	if (job->most && job->out.len + n > job->most)
		return -ENOSPC;
	return buf_append(&job->out, bytes, n);
}

static int feed(struct job *job, struct recording *r, struct exporter *e)
{
	struct recorded_event event;
	int rc;

	while ((rc = recording_next(r, &event)) > 0) {
		bool call = event.record->type == DATA_SYSCALL || event.record->type == DATA_UNFINISHED;

		rc = exporter_event(e, &event, call || !job->calls_only);
		if (rc)
			return rc;
	}
	return rc;
}

static int run(struct job *job, const char *path)
{
	const struct recording_options options = {.names = true};
	cleanup_buf struct buf why = BUF_INIT;
	struct exporter *e = NULL;
	struct recording *r = NULL;
	int rc = recording_open(&r, path, &options, &why);

	job->options.write = take;
	job->options.user = job;
	if (!rc)
		rc = exporter_new(&e, job->format, r, &job->options);
	if (!rc)
		rc = feed(job, r, e);
	if (!rc)
		rc = exporter_finish(e, &why);
	exporter_free(e);
	recording_close(r);
	if (why.len)
		printf("# %s\n", why.data);
	return rc;
}

/* The output as a file of the scratch directory. */
static void save(const struct job *job, const char *name)
{
	FILE *file = fopen(place(name).path, "w");

	CHECK(file && fwrite(job->out.data, 1, job->out.len, file) == job->out.len && fclose(file) == 0);
}

/* Asks a program about a file of the scratch directory; without the program there is nothing to check. */
static bool has(const char *program)
{
	char command[64];

	snprintf(command, sizeof(command), "command -v %s", program);
	if (shell(command))
		return true;
	printf("# no %s: what it would say is not checked\n", program);
	return false;
}

/* What all lines begin with: see identity.h. */
#define WHENCE "\"run\":\"fd7248e9ed6face4cc7708eeb1f9b49e\",\"host\":\"h\","

static const char json_wanted[] =
	"{" WHENCE "\"t\":1700000000000000000,\"ph\":\"run\",\"version\":\"0.1.0\",\"argv\":[\"make\",\"check\"],"
	"\"cwd\":\"/tmp\",\"system\":\"Linux 6.1\",\"status\":2,\"dur\":21000000}\n"
	"{" WHENCE "\"t\":1700000000001000000,\"pid\":100,\"tid\":100,\"comm\":\"\",\"ph\":\"process\",\"parent\":90}\n"
	"{" WHENCE
	"\"t\":1700000000001000000,\"pid\":100,\"tid\":100,\"comm\":\"prog\",\"ph\":\"exec\",\"path\":\"/tmp/prog\","
	"\"argv\":[\"prog\",\"-l\"]}\n"
	"{" WHENCE "\"t\":1700000000001000000,\"pid\":100,\"tid\":100,\"comm\":\"prog\",\"ph\":\"comm\"}\n"
	"{" WHENCE
	"\"t\":1700000000002000000,\"pid\":100,\"tid\":100,\"comm\":\"prog\",\"ph\":\"sys\",\"name\":\"openat\","
	"\"args\":[\"AT_FDCWD\",\"\\\"/etc/pas\\\\\\\"swd\\\"\",\"O_RDONLY|O_CLOEXEC\"],\"ret\":3,"
	"\"result\":\"3</etc/pas\\\"swd>\",\"dur\":1000000,\"stack\":[\"write\",\"main\",\"__libc_start_main\"]}\n"
	"{" WHENCE "\"t\":1700000000003000000,\"pid\":200,\"tid\":200,\"comm\":\"\",\"ph\":\"process\",\"parent\":90}\n"
	"{" WHENCE
	"\"t\":1700000000003000000,\"pid\":200,\"tid\":200,\"comm\":\"sh\",\"ph\":\"exec\",\"path\":\"/bin/sh\","
	"\"argv\":[\"sh\",\"-c\",\"a b\"]}\n"
	"{" WHENCE
	"\"t\":1700000000004000000,\"pid\":100,\"tid\":101,\"comm\":\"prog\",\"ph\":\"thread\",\"parent\":100}\n"
	"{" WHENCE
	"\"t\":1700000000004000000,\"pid\":102,\"tid\":102,\"comm\":\"prog\",\"ph\":\"process\",\"parent\":100}\n"
	"{" WHENCE
	"\"t\":1700000000007000000,\"pid\":200,\"tid\":200,\"comm\":\"sh\",\"ph\":\"sys\",\"name\":\"close\","
	"\"args\":[\"3\"],\"ret\":0,\"dur\":500}\n"
	"{" WHENCE
	"\"t\":1700000000005000000,\"pid\":100,\"tid\":101,\"comm\":\"prog\",\"ph\":\"sys\",\"name\":\"write\","
	"\"args\":[\"1</dev/null>\",\"\\\"hello\\\\n\\\"\",\"6\"],\"ret\":6,\"dur\":3000000,"
	"\"stack\":[\"write\",\"pool::work\",\"pool::work\",\"main\",\"__libc_start_main\"]}\n"
	"{" WHENCE "\"t\":1700000000008000000,\"ph\":\"lost\",\"count\":7,\"why\":\"ring\"}\n"
	"{" WHENCE
	"\"t\":1700000000006000000,\"pid\":100,\"tid\":100,\"comm\":\"prog\",\"ph\":\"sys\",\"name\":\"openat\","
	"\"args\":[\"AT_FDCWD\",\"\\\"/nowhere\\\"\",\"O_RDONLY\"],\"ret\":-1,\"err\":\"ENOENT\",\"dur\":4000000,"
	"\"stack\":[\"0x7e0000000123\",\"0x7f0000009000\"]}\n"
	"{" WHENCE
	"\"t\":1700000000011000000,\"pid\":100,\"tid\":100,\"comm\":\"prog\",\"ph\":\"signal\",\"signal\":\"SIGCHLD\","
	"\"code\":1,\"sender\":102}\n"
	"{" WHENCE
	"\"t\":1700000000012000000,\"pid\":102,\"tid\":102,\"comm\":\"prog\",\"ph\":\"sys\",\"name\":\"getpid\","
	"\"args\":[],\"ret\":102,\"dur\":2000000}\n"
	"{" WHENCE "\"t\":1700000000015000000,\"pid\":100,\"tid\":101,\"comm\":\"prog\",\"ph\":\"end\",\"status\":0}\n"
	"{" WHENCE
	"\"t\":1700000000016000000,\"pid\":102,\"tid\":102,\"comm\":\"prog\",\"ph\":\"end\",\"signal\":\"SIGKILL\","
	"\"core\":false}\n"
	"{" WHENCE
	"\"t\":1700000000017000000,\"pid\":100,\"tid\":100,\"comm\":\"prog\",\"ph\":\"sys\",\"name\":\"exit_group\","
	"\"args\":[\"3\"],\"unfinished\":true,\"dur\":1000000}\n"
	"{" WHENCE "\"t\":1700000000018000000,\"pid\":100,\"tid\":100,\"comm\":\"prog\",\"ph\":\"end\",\"status\":3}\n"
	"{" WHENCE "\"t\":1700000000020000000,\"pid\":200,\"tid\":200,\"comm\":\"sh\",\"ph\":\"end\",\"status\":0}\n"
	"{" WHENCE "\"t\":1700000000001000000,\"pid\":100,\"ph\":\"program\",\"parent\":90,\"path\":\"./prog\","
	"\"argv\":[\"prog\",\"-l\"],\"cwd\":\"/tmp\",\"status\":3,\"dur\":17000000}\n"
	"{" WHENCE "\"t\":1700000000003000000,\"pid\":200,\"ph\":\"program\",\"parent\":90,\"path\":\"/bin/sh\","
	"\"argv\":[\"sh\",\"-c\",\"a b\"],\"cwd\":\"/tmp\",\"status\":0,\"dur\":17000000}\n"
	"{" WHENCE "\"t\":1700000000000000001,\"pid\":90,\"ph\":\"program\",\"parent\":80,\"path\":\"/usr/bin/make\","
	"\"argv\":[\"make\",\"check\"],\"cwd\":\"/tmp\",\"signal\":\"SIGSEGV\",\"core\":true,\"dur\":20999999}\n";

static const char folded_wanted[] = "prog;0x7f0000009000;0x7e0000000123;[openat] 4000000\n"
				    "prog;[exit_group] 1000000\n"
				    "prog;[getpid] 2000000\n"
				    "prog;__libc_start_main;main;pool::work;pool::work;write;[write] 3000000\n"
				    "prog;__libc_start_main;main;write;[openat] 1000000\n"
				    "sh;[close] 500\n";

static const char folded_counts[] = "prog;0x7f0000009000;0x7e0000000123;[openat] 1\n"
				    "prog;[exit_group] 1\n"
				    "prog;[getpid] 1\n"
				    "prog;__libc_start_main;main;pool::work;pool::work;write;[write] 1\n"
				    "prog;__libc_start_main;main;write;[openat] 1\n"
				    "sh;[close] 1\n";

/* As tests/perfetto-slices prints them. */
static const char slices_wanted[] = "thread 100 100 5002000000 5003000000 openat\n"
				    "thread 200 200 5007000000 5007000500 close\n"
				    "thread 100 101 5005000000 5008000000 write\n"
				    "thread 100 100 5006000000 5010000000 openat\n"
				    "instant 100 100 5011000000 5011000000 SIGCHLD\n"
				    "thread 102 102 5012000000 5014000000 getpid\n"
				    "process 102 0 5004000000 5016000000 prog (fork)\n"
				    "thread 100 100 5017000000 5018000000 exit_group\n"
				    "process 100 0 5001000000 5018000000 prog\n"
				    "process 200 0 5003000000 5020000000 sh\n"
				    "process 90 0 5000000001 5021000000 make\n";

static void json(const char *dir)
{
	struct job job = {.format = "json"};

	CHECK_INT(run(&job, dir), 0);
	CHECK_STR(job.out.data, json_wanted);
	save(&job, "json");
	if (has("jq"))
		CHECK(shell("test $(jq -c . json | wc -l) = 23"));
	buf_release(&job.out);
}

static void folded(const char *dir)
{
	struct job job = {.format = "folded"};

	CHECK_INT(run(&job, dir), 0);
	CHECK_STR(job.out.data, folded_wanted);
	buf_reset(&job.out, 0);
	job.options.weight = EXPORT_WEIGHT_COUNT;
	CHECK_INT(run(&job, dir), 0);
	CHECK_STR(job.out.data, folded_counts);
	buf_release(&job.out);
}

/* What a command prints, all of it. */
static const char *printed(const char *command, char *text, size_t size)
{
	FILE *in = ask(command);
	size_t n = in ? fread(text, 1, size - 1, in) : 0;

	text[n] = '\0';
	if (in)
		pclose(in);
	return text;
}

#define SLICES TESTS_DIR "/perfetto-slices pftrace"
#define DECODED "protoc -I " TESTS_DIR " --decode=Trace perfetto.proto <pftrace | tr -s ' \\n' ' '"

static void perfetto(const char *dir)
{
	struct job job = {.format = "perfetto"};
	char text[8192];

	CHECK(export_is_binary("perfetto") && !export_is_binary("json") && !export_is_binary("folded"));
	CHECK_INT(run(&job, dir), 0);
	save(&job, "pftrace");
	buf_release(&job.out);
	if (!has("protoc")) {
		SKIP("the slices, decoded", "protoc is not installed");
		return;
	}
	CHECK_STR(printed(SLICES, text, sizeof(text)), slices_wanted);
	CHECK(shell(DECODED " | grep -qF 'debug_annotations { name_iid: 2 string_value: "
	                    "\"\\\"/etc/pas\\\\\\\"swd\\\"\" }'"));
	CHECK(shell(DECODED " | grep -qF 'string_value: \"SIGSEGV (core)\"'"));
	CHECK(shell(DECODED " | grep -qF 'str: \"pool::work\"'"));
}

/* Processes are there even when only calls are wanted, and end where the time that is wanted ends. */
static void cut_to_time(const char *dir)
{
	static const char wanted[] = "thread 100 100 5002000000 5003000000 openat\n"
				     "thread 200 200 5007000000 5007000500 close\n"
				     "thread 100 101 5005000000 5008000000 write\n"
				     "thread 100 100 5006000000 5010000000 openat\n"
				     "process 102 0 5006000000 5012000000 prog (fork)\n"
				     "process 100 0 5006000000 5012000000 prog\n"
				     "process 200 0 5006000000 5012000000 sh\n"
				     "process 90 0 5006000000 5012000000 make\n"
				     "thread 102 102 5012000000 5014000000 getpid\n"
				     "thread 100 100 5017000000 5018000000 exit_group\n";
	struct job job = {
		.format = "perfetto",
		.calls_only = true,
		.options = {.from = BEGIN + 6 * MS, .to = BEGIN + 12 * MS},
	};
	char text[8192];

	CHECK_INT(run(&job, dir), 0);
	save(&job, "pftrace");
	buf_release(&job.out);
	if (has("protoc"))
		CHECK_STR(printed(SLICES " | sort -s -n -k 5,5", text, sizeof(text)), wanted);
	else
		SKIP("the slices, decoded", "protoc is not installed");
}

/* --- What nobody would do ----------------------------------------------------------------------------------------- */

#define ODD "a;b\n\xff\"\\ \xc3\xa9\x01"

static const struct data_symbol odd_symbols[] = {{0x1100, 0x100, TEXT(ODD)}};
static const uint64_t odd_stack[] = {IN_MAIN};
static const struct data_extra odd_extra[] = {{1, DATA_EXTRA_PATH, TEXT(ODD)},
                                              {6, DATA_EXTRA_TEXT, TEXT("4<" ODD ">")}};

/*
 * Thread 302 executes a program: it takes over the number of the first thread, whose call never ended, and its execve
 * had begun before that. Then the process is the third to have its number.
 */
static const struct data_event odd_file[] = {
	{DATA_THREAD, BEGIN + 1 * MS, .thread = {301, 301, 1, 0}},
	{DATA_COMM, BEGIN + 1 * MS, .comm = {301, TEXT(ODD)}},
	{DATA_FILE, BEGIN + 1 * MS, .file = {1, TEXT("/tmp/" ODD), TEXT("")}},
	{DATA_MAPSET, BEGIN + 1 * MS, .mapset = {1, 0, 301}},
	{DATA_MAP, BEGIN + 1 * MS, .map = {1, 0x400000, 0x410000, 0, 1, 5}},
	{DATA_STACK, BEGIN + 1 * MS, .stack = {1, 1, 1, odd_stack}},
	{DATA_SYMBOLS, BEGIN + 1 * MS, .symbols = {1, 1, odd_symbols}},
	{DATA_THREAD, BEGIN + 2 * MS, .thread = {302, 301, 301, 0}},
	{DATA_SYSCALL, 0,
         .syscall = {301, AUDIT_ARCH_X86_64, 257, 4, false, 2, BEGIN + 2 * MS, MS, 4, 1, {0}, odd_extra}},
	{DATA_UNFINISHED, 0,
         .syscall = {301, AUDIT_ARCH_X86_64, 202, 4, false, 0, BEGIN + 4 * MS, 3 * MS, 0, 1, {0}, NULL}},
	{DATA_EXEC, BEGIN + 8 * MS, .exec = {301, 302, 0, TEXT("/bin/" ODD), 2, TEXT(ODD "\0" ODD "\0")}},
	{DATA_SYSCALL, 0,
         .syscall = {301, AUDIT_ARCH_X86_64, 59, 3, false, 0, BEGIN + 5 * MS, 3 * MS, 0, 0, {0}, NULL}},
	{DATA_SYSCALL, 0,
         .syscall = {301, AUDIT_ARCH_X86_64, 9999, 6, true, 0, BEGIN + 9 * MS, 0, -9999, 0, {0}, NULL}},
	{DATA_SIGNAL, BEGIN + 9 * MS, .signal = {301, 199, -1, 0, 0, UINT64_MAX, 0}},
	{DATA_NOTE, BEGIN + 9 * MS, .note = TEXT(ODD)},
	{DATA_EXIT, BEGIN + 10 * MS, .exit = {301, 301, 0}},
	{DATA_THREAD, BEGIN + 12 * MS, .thread = {301, 301, 1, 0}},
	{DATA_SYSCALL, 0, .syscall = {301, AUDIT_ARCH_X86_64, 39, 0, false, 0, BEGIN + 13 * MS, MS, 5, 0, {0}, NULL}},
};

static const char odd_execs[] =
	"{\"pid\":301,\"ppid\":1,\"time\":1700000000.000500000,\"argv\":[\"a;b\\n\\udcff\"],\"path\":\"/bin/before\","
	"\"cwd\":\"/\",\"status\":0,\"signal\":null,\"duration\":0.009500000}\n"
	"{\"pid\":301,\"ppid\":1,\"time\":1700000000.000900000,\"argv\":[\"x\"],\"path\":\"/bin/picked\","
	"\"cwd\":\"/\",\"status\":0,\"signal\":null,\"duration\":0.009100000}\n"
	"{\"pid\":301,\"ppid\":1,\"time\":1700000000.008000000,\"argv\":[\"x\"],\"path\":\"/bin/again\","
	"\"cwd\":\"/\",\"status\":0,\"signal\":null,\"duration\":0.002000000}\n"
	"{\"pid\":77,\"ppid\":1,\"time\":1700000000.002000000,\"argv\":null,\"path\":\"/bin/lives\",\"cwd\":\"/\"}\n";

static const char odd_slices[] = "process 301 0 5000500000 5000900000 before\n"
				 "thread 301 301 5002000000 5003000000 openat\n"
				 "thread 301 301 5004000000 5007000000 futex\n"
				 "process 301 0 5001000000 5008000000 a;b\\\\x0a\\\\xff\\\"\\\\ \\303\\251\\\\x01\n"
				 "thread 301 301 5007000000 5008000000 execve\n"
				 "thread 301 301 5009000000 5009000000 syscall_0x270f\n"
				 "instant 301 301 5009000000 5009000000 199\n"
				 "process 301 0 5008000000 5010000000 a;b\\\\x0a\\\\xff\\\"\\\\ \\303\\251\\\\x01\n"
				 "thread 301 301 5013000000 5014000000 getpid\n"
				 "process 301 0 5012000000 5014000000 ? (fork)\n"
				 "process 77 0 5002000000 5014000000 lives\n";

#define FOLDED_ODD "a\\x3bb\\x0a\\xff\"\\ \xc3\xa9\\x01"

static const char odd_folded[] = "?;[getpid] 1000000\n" FOLDED_ODD ";[execve] 3000000\n" FOLDED_ODD ";" FOLDED_ODD
				 ";[futex] 3000000\n" FOLDED_ODD ";" FOLDED_ODD ";[openat] 1000000\n";

static void odd(void)
{
	struct job job = {.format = "json"};
	char text[8192];

	CHECK_INT(mkdir(place("odd").path, 0777), 0);
	CHECK_INT(sample_write_text(place("odd/execs.jsonl").path, odd_execs), 0);
	CHECK_INT(sample_write_events(place("odd/a.xtr").path, 301, odd_file, COUNT(odd_file)), 0);
	CHECK_INT(run(&job, place("odd").path), 0);
	save(&job, "json");
	buf_reset(&job.out, 0);
	if (has("jq"))
		CHECK(shell("test $(jq -c . json | wc -l) = $(wc -l <json) && test $(wc -l <json) = 17"));
	if (has("python3"))
		CHECK(shell("python3 -c 'import json, os\n"
		            "for line in open(\"json\", encoding=\"utf-8\"): o = json.loads(line)\n"
		            "' && ! grep -q 'ud[89a-f]' json && grep -qF '\\\\xff' json"));
	job.format = "folded";
	CHECK_INT(run(&job, place("odd").path), 0);
	CHECK_STR(job.out.data, odd_folded);
	buf_reset(&job.out, 0);
	job.format = "perfetto";
	CHECK_INT(run(&job, place("odd").path), 0);
	save(&job, "pftrace");
	buf_release(&job.out);
	if (has("protoc"))
		CHECK_STR(printed(SLICES, text, sizeof(text)), odd_slices);
	else
		SKIP("the slices, decoded", "protoc is not installed");
}

/* A writer that fails is asked no more, and what it failed with is told. */
static void full(const char *dir)
{
	static const char *const formats[] = {"json", "folded", "perfetto"};

	for (size_t i = 0; i < COUNT(formats); i++) {
		struct job job = {.format = formats[i], .most = 1};

		CHECK_INT(run(&job, dir), -ENOSPC);
		CHECK(job.out.len == 0);
	}
}

int main(void)
{
	struct job none = {.format = "svg"};
	struct place dir;

	scratch_begin(60);
	dir = place("run");
	if (!CHECK_INT(mkdir(dir.path, 0777), 0) || !CHECK_INT(sample_write(dir.path), 0))
		return TAP_DONE();
	CHECK_INT(run(&none, dir.path), -EINVAL);
	json(dir.path);
	folded(dir.path);
	perfetto(dir.path);
	cut_to_time(dir.path);
	odd();
	full(dir.path);
	return TAP_DONE();
}
