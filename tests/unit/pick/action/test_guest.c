/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tap.h"
#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/quote.h>
#include <exectrace/pick/action/guest.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

/* What is said of a command line whose file cannot be looked at. */
static enum guest_kind look(const char *line)
{
	cleanup_strv struct strv argv = STRV_INIT;
	size_t at = 0;

	(void)quote_split(line, &argv, &at);
	return guest_look(NULL, &argv);
}

static void test_kinds(void)
{
	CHECK_INT(look("sh -c 'qemu-system-x86_64 -kernel k'"), GUEST_NONE);
	CHECK_INT(look("/opt/qemu-system-tool/run -kernel k"), GUEST_NONE);
	CHECK_INT(look("qemu-img create x"), GUEST_NONE);
	CHECK_INT(look("qemu-system-x86_64"), GUEST_BOOT);
	CHECK_INT(look("/usr/bin/qemu-system-x86_64 -m 512 disk.img"), GUEST_BOOT);
	CHECK_INT(look("qemu-system-x86_64 -version"), GUEST_PROBE);
	CHECK_INT(look("qemu-system-x86_64 --help"), GUEST_PROBE);
	CHECK_INT(look("qemu-system-x86_64 -machine none,accel=kvm:tcg -S"), GUEST_PROBE);
	CHECK_INT(look("qemu-system-x86_64 -M none"), GUEST_PROBE);
	CHECK_INT(look("qemu-system-x86_64 -machine type=none"), GUEST_PROBE);
	CHECK_INT(look("qemu-system-x86_64 -machine nonesuch"), GUEST_BOOT);
	CHECK_INT(look("qemu-system-x86_64 -device '?'"), GUEST_PROBE);
	CHECK_INT(look("qemu-system-x86_64 -device virtio-blk,help"), GUEST_PROBE);
	CHECK_INT(look("qemu-system-x86_64 -append help -kernel k"), GUEST_BOOT);
	CHECK_INT(look("qemu-system-x86_64 -append -version -kernel k"), GUEST_BOOT);
	CHECK_INT(look("qemu-system-x86_64 -nographic -append -version"), GUEST_BOOT);
	CHECK_INT(look("qemu-system-x86_64 -nographic -version"), GUEST_PROBE);
	CHECK_INT(look("qemu-system-x86_64 -device"), GUEST_BOOT); /* QEMU itself will complain */
	CHECK_INT(look(""), GUEST_NONE);
}

static void test_accelerators(void)
{
	CHECK_INT(look("qemu-system-x86_64 -enable-kvm"), GUEST_KVM);
	CHECK_INT(look("qemu-system-x86_64 --enable-kvm -m 1G"), GUEST_KVM);
	CHECK_INT(look("qemu-system-x86_64 -perfmap -enable-kvm"), GUEST_KVM);
	CHECK_INT(look("qemu-system-x86_64 -accel kvm"), GUEST_KVM);
	CHECK_INT(look("qemu-system-x86_64 -accel kvm,kernel-irqchip=off"), GUEST_KVM);
	CHECK_INT(look("qemu-system-x86_64 -accel accel=kvm"), GUEST_KVM);
	CHECK_INT(look("qemu-system-x86_64 -machine q35,accel=kvm"), GUEST_KVM);
	CHECK_INT(look("qemu-system-x86_64 -machine q35,accel=tcg"), GUEST_BOOT);
	CHECK_INT(look("qemu-system-x86_64 -M accel=kvm:tcg"), GUEST_KVM);
	CHECK_INT(look("qemu-system-x86_64 -M accel=tcg:kvm"), GUEST_BOOT);
	CHECK_INT(look("qemu-system-x86_64 -accel tcg -accel kvm"), GUEST_BOOT);
	CHECK_INT(look("qemu-system-x86_64 -name kvm -append accel=kvm"), GUEST_BOOT);
	CHECK_INT(look("kvm -m 512"), GUEST_KVM);
	CHECK_INT(look("/usr/bin/kvm -accel tcg"), GUEST_BOOT);
	CHECK_INT(look("qemu-kvm"), GUEST_KVM);
	CHECK_INT(look("/opt/qemu-system-x86_64-kvm"), GUEST_KVM);
	CHECK_INT(look("qemu-system-x86_64 -enable-kvm -machine accel=tcg"), GUEST_BOOT);
	CHECK_INT(look("qemu-system-x86_64 -machine accel=tcg -enable-kvm"), GUEST_KVM);
	CHECK_INT(look("qemu-system-x86_64 -M accel=kvm -M q35 -M accel=tcg"), GUEST_BOOT);
}

static bool goes_on(const char *line)
{
	cleanup_strv struct strv argv = STRV_INIT;
	size_t at = 0;

	(void)quote_split(line, &argv, &at);
	return guest_goes_on(&argv);
}

static void test_daemons(void)
{
	CHECK(goes_on("qemu-system-x86_64 -m 1 -daemonize -kernel k"));
	CHECK(goes_on("qemu-system-x86_64 --daemonize"));
	CHECK(!goes_on("qemu-system-x86_64 -append -daemonize"));
	CHECK(!goes_on("qemu-system-x86_64 -m 1"));
}

/* Our own file is none that has plugins, whatever it is called. */
static void test_file(void)
{
	cleanup_strv struct strv argv = STRV_INIT;

	(void)strv_push(&argv, "qemu-system-x86_64");
	CHECK_INT(guest_look("/proc/self/exe", &argv), GUEST_NONE);
	CHECK_INT(guest_look("/nowhere/qemu-system-x86_64", &argv), GUEST_BOOT);
	CHECK_INT(guest_look("/dev/null", &argv), GUEST_NONE);
	CHECK_INT(guest_look("/dev/qemu-system-none", &argv), GUEST_BOOT);
	strv_release(&argv);
	(void)strv_push(&argv, "kvm"); /* a link */
	CHECK_INT(guest_look("/nowhere/qemu-system-x86_64", &argv), GUEST_KVM);
}

static int parse(const char *text, struct action *action)
{
	cleanup_buf struct buf err = BUF_INIT;
	int rc = action_parse(text, action, &err);

	return rc ? rc : err.len ? 1 : 0;
}

static void test_args(void)
{
	const struct template_values values = {.pid = 7, .n = 2, .dir = "data"};
	cleanup_strv struct strv args = STRV_INIT;
	cleanup_buf struct buf want = BUF_INIT;
	const struct strv none = STRV_INIT;
	struct template_values within = values;
	char cwd[PATH_MAX] = "";
	size_t keep = 0;
	struct action action;
	struct stat st;

	if (!CHECK_INT(parse("guest --plugin=/proc/self/exe --clock=tsc --user=no --stats", &action), 0))
		return;
	CHECK_INT(action.kind, ACTION_GUEST);
	CHECK(action.needs_dir);
	CHECK_INT(guest_args(&action, &values, &none, &keep, &args), 0);
	CHECK(getcwd(cwd, sizeof(cwd)) != NULL);
	(void)buf_printf(&want,
	                 "%s,out=%s/data/guest-2-7.xtr,clock=tsc,user=off,stats=on,panic=%s/data/guest-2-7.xtr.panic",
	                 action.program, cwd, cwd);
	CHECK_INT((long long)args.n, 2);
	CHECK(keep == SIZE_MAX);
	CHECK_STR(args.items[0], "-plugin");
	CHECK_STR(args.items[1], want.data);
	strv_release(&args);
	buf_reset(&want, 4096);
	within.dir_fd = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	CHECK(fstat(within.dir_fd, &st) == 0);
	CHECK_INT(guest_args(&action, &within, &none, &keep, &args), 0);
	(void)buf_printf(&want, ".xtr,dir=%llu:%llu,clock=", (unsigned long long)st.st_dev,
	                 (unsigned long long)st.st_ino);
	CHECK(strstr(args.items[1], want.data));
	close(within.dir_fd);
	action_release(&action);
}

/* QEMU itself goes to our own tracer, which writes beside the guest's recording. */
static void test_host(void)
{
	cleanup_buf struct buf joined = BUF_INIT;
	struct action action;

	if (!CHECK_INT(parse("guest --plugin=/proc/self/exe --output=x --host --host=%file,write", &action), 0))
		return;
	CHECK(action.needs_dir && action.host && action.host->kind == ACTION_TOOL);
	CHECK_STR(action.host->name, "trace");
	for (size_t i = 1; i < action.host->args.n; i++)
		(void)buf_printf(&joined, "%s%s", i > 1 ? " " : "", action.host->args.items[i]);
	CHECK_STR(joined.data, "--format=data --filter=%file,write --output={dir}/trace-{n}-{pid}.xtr -p {pid}");
	action_release(&action);
	CHECK_INT(parse("guest --plugin=/proc/self/exe --host=nonesuch", &action), -EINVAL);
}

static void test_commas(void)
{
	const struct template_values values = {.pid = 7};
	cleanup_strv struct strv args = STRV_INIT;
	cleanup_buf struct buf want = BUF_INIT;
	const struct strv none = STRV_INIT;
	struct action action;
	size_t keep = 0;

	if (!CHECK_INT(parse("guest --plugin /proc/self/exe --output '/a,b/{pid}.xtr'", &action), 0))
		return;
	CHECK(!action.needs_dir);
	CHECK_INT(guest_args(&action, &values, &none, &keep, &args), 0);
	(void)buf_printf(&want, "%s,out=/a,,b/7.xtr,panic=/a,,b/7.xtr.panic", action.program);
	CHECK_STR(args.items[1], want.data);
	action_release(&action);
}

/* The words behind the first of a QEMU that would use KVM, without -plugin and its value; joined by blanks. */
static const char *without_kvm(const char *line, struct buf *out)
{
	const struct template_values values = {.pid = 7};
	cleanup_strv struct strv argv = STRV_INIT;
	cleanup_strv struct strv args = STRV_INIT;
	struct action action;
	size_t at = 0, keep = 0;

	(void)quote_split(line, &argv, &at);
	buf_reset(out, 4096);
	if (parse("guest --tcg --plugin=/proc/self/exe --output=/x", &action))
		return NULL;
	CHECK_INT(guest_args(&action, &values, &argv, &keep, &args), 0);
	for (size_t i = 0; keep == 1 && i + 2 < args.n; i++)
		(void)buf_printf(out, "%s%s", i ? " " : "", args.items[i]);
	CHECK(args.n >= 2 && strcmp(args.items[args.n - 2], "-plugin") == 0);
	action_release(&action);
	return keep == 1 ? out->data : "as it was";
}

static void test_tcg(void)
{
	cleanup_buf struct buf out = BUF_INIT;

	CHECK_STR(without_kvm("qemu-system-x86_64 -enable-kvm -m 1", &out), "-machine accel=tcg -m 1");
	CHECK_STR(without_kvm("qemu-system-x86_64 -M q35,accel=kvm -enable-kvm", &out),
	          "-M q35,accel=tcg -machine accel=tcg");
	CHECK_STR(without_kvm("qemu-system-x86_64 --accel kvm,x=y -cpu host", &out), "--accel tcg -cpu max");
	CHECK_STR(without_kvm("qemu-system-x86_64 -M q35,accel=kvm:tcg,usb=on -cpu host,-avx d.img", &out),
	          "-M q35,accel=tcg,usb=on -cpu max,-avx d.img");
	CHECK_STR(without_kvm("qemu-system-x86_64 -append -enable-kvm -cpu hostess -machine accel=kvm", &out),
	          "-append -enable-kvm -cpu hostess -machine accel=tcg");
	CHECK_STR(without_kvm("kvm -m 1", &out), "-accel tcg -m 1");
	CHECK_STR(without_kvm("qemu-system-x86_64 -accel kvm -name", &out), "-accel tcg -name");
	CHECK_STR(without_kvm("qemu-system-x86_64 -accel tcg -m 1", &out), "as it was");
}

static void test_wrong(void)
{
	struct action action;

	CHECK_INT(parse("guest --plugin=/proc/self/exe --clock=sun", &action), -EINVAL);
	CHECK_INT(parse("guest --plugin=/nowhere/x.so", &action), -EINVAL);
	CHECK_INT(parse("guest --plugin=/proc/self/exe word", &action), -EINVAL);
	CHECK_INT(parse("guest --plugin=/dev/null", &action), -EINVAL);
	CHECK_INT(parse("guest --plugin=/proc/self/exe --guest-root=/dev/null", &action), -EINVAL);
	CHECK_INT(parse("guest --plugin", &action), -EINVAL);
	CHECK_INT(parse("guest --nonsense", &action), -EINVAL);
}

int main(void)
{
	test_kinds();
	test_accelerators();
	test_daemons();
	test_file();
	test_args();
	test_host();
	test_commas();
	test_tcg();
	test_wrong();
	return TAP_DONE();
}
