/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What an execve will run, asked before it happens; then it happens, and the kernel's answer is compared: the error, or
 * /proc/PID/exe. "It will fail" may be said only when it does; it need not be said of every failure.
 */
#include "program.h"
#include "tap.h"
#include <exectrace/base/cleanup.h>
#include <exectrace/target/executable/target.h>
#include <grp.h>
#include <limits.h>
#include <linux/capability.h>
#include <linux/magic.h>
#include <sched.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <sys/xattr.h>

#define DIR_FD 50
#define FILE_FD 51
#define MEM_FD 52
#define CLOSED_FD 99
#define CALLER "caller's name"

enum must { MAY, SURE }; /* whether a failure has to be foretold */

/* A process about to execute. */
struct caller {
	pid_t pid;
	int go;     /* a byte lets it execute */
	int answer; /* it writes its errno when that fails, and it is closed when it does not */
};

static struct target_cache *cache;

static void run(int dirfd, const char *path)
{
	char *argv[] = {(char *)CALLER, (char *)"arg", NULL}, *envp[] = {NULL};

	if (dirfd == AT_FDCWD)
		syscall(SYS_execve, path, argv, envp);
	else
		syscall(SYS_execveat, dirfd, path, argv, envp, *path ? 0 : AT_EMPTY_PATH);
}

static struct caller call(bool (*setup)(void), int dirfd, const char *path)
{
	int go[2], answer[2], err = 0;
	struct caller c = {0, -1, -1};
	char byte = 0;

	if (pipe2(go, O_CLOEXEC) || pipe2(answer, O_CLOEXEC))
		return c;
	c.pid = child();
	if (c.pid == 0) {
		err = setup && !setup() ? -1 : 0;
		(void)!write(answer[1], &err, sizeof(err));
		if (!err && read(go[0], &byte, 1) == 1)
			run(dirfd, path);
		err = errno;
		(void)!write(answer[1], &err, sizeof(err));
		_exit(1);
	}
	close(go[0]);
	close(answer[1]);
	c.go = go[1];
	c.answer = answer[0];
	if (read(c.answer, &err, sizeof(err)) != sizeof(err) || err) {
		finish(c.pid);
		close(c.go);
		close(c.answer);
		c.pid = 0;
	}
	return c;
}

/* Lets it execute: its errno, 0 and the file it runs now when it succeeds. */
static int result(const struct caller *c, char *exe, size_t max)
{
	char name[64], byte = 0;
	int err = 0;
	ssize_t n;

	*exe = '\0';
	if (write(c->go, &byte, 1) != 1)
		return -1;
	if (read(c->answer, &err, sizeof(err)) != sizeof(err)) {
		snprintf(name, sizeof(name), "/proc/%d/exe", (int)c->pid);
		n = readlink(name, exe, max - 1);
		exe[n < 0 ? 0 : n] = '\0';
		err = 0;
	}
	finish(c->pid);
	close(c->go);
	close(c->answer);
	return err;
}

/* Whether formats may be registered that only root could see: the module is loaded, and its list is not mounted. */
static bool hidden_formats(void)
{
	cleanup_fd int fd = open("/proc/filesystems", O_RDONLY | O_CLOEXEC);
	char text[8192] = "";
	struct statfs fs;

	if (geteuid() == 0 || fd_read_all(fd, text, sizeof(text) - 1) < 0 || !strstr(text, "\tbinfmt_misc\n"))
		return false;
	return statfs("/proc/sys/fs/binfmt_misc", &fs) || (unsigned long)fs.f_type != BINFMTFS_MAGIC;
}

/* Asks about it, lets it happen, compares. */
static void compare(struct caller c, int dirfd, const char *path, enum must must)
{
	char exe[PATH_MAX + 16];
	struct target target;
	int err;

	printf("# %d %.60s\n", dirfd, path);
	if (!CHECK(c.pid > 0))
		return;
	target_resolve(cache, c.pid, dirfd, path, &target);
	err = result(&c, exe, sizeof(exe));
	if (err == 0) {
		CHECK_INT(target.outcome, 0);
		if (target.interp)
			CHECK(target.exe && *target.exe == '/');
		else if (must == SURE || target.exe)
			CHECK_STR(target.exe, exe);
	} else if (must == SURE && !(err == ENOEXEC && hidden_formats())) {
		CHECK_INT(target.outcome, -err);
		CHECK(!target.exe && !target.interp);
	} else if (target.outcome) {
		CHECK_INT(target.outcome, -err);
	}
	target_release(&target);
	CHECK(!target.exe && !target.interp);
}

static bool in_bin(void)
{
	return chdir(place("bin").path) == 0;
}

/* One exec, foretold and done. */
static void exec_is(bool (*setup)(void), int dirfd, const char *path, enum must must)
{
	compare(call(setup, dirfd, path), dirfd, path, must);
}

/* Symbolic links, scripts and so on in bin; false when no program could be compiled. */
static bool make_files(void)
{
	static const char pausing[] = "#include <unistd.h>\nint main(void) { for (;;) pause(); }";
	char text[1024];

	mkdir(place("bin").path, 0755);
	mkdir(place("bin/dir").path, 0755);
	if (!build("bin/prog", pausing, "-static") && !build("bin/prog", pausing, ""))
		return false;
	(void)!symlink("prog", place("bin/link").path);
	(void)!symlink(place("bin/prog").path, place("bin/abslink").path);
	(void)!symlink("loop2", place("bin/loop1").path);
	(void)!symlink("loop1", place("bin/loop2").path);
	(void)!symlink("nowhere", place("bin/dangling").path);
	(void)!symlink("/proc/self/exe", place("bin/myself").path);
	snprintf(text, sizeof(text), "/proc/self/fd/%d", FILE_FD);
	(void)!symlink("/proc/self/fd", place("bin/mydir").path);
	(void)!symlink("dir/../nowhere", place("bin/dangling2").path);
	(void)!symlink(text, place("bin/myfd").path);
	mkfifo(place("bin/fifo").path, 0755);
	write_text(place("bin/noexec").path, "\177ELF", 0644);
	write_text(place("bin/text").path, "echo hi\n", 0755);
	write_text(place("bin/empty").path, "", 0755);
	return true;
}

static void script(const char *name, const char *interp)
{
	char text[1024];

	snprintf(text, sizeof(text), "#!%s\n", *interp == '/' ? interp : place(interp).path);
	write_text(place(name).path, text, 0755);
}

static void plain(void)
{
	static const char *const sure[] = {
		"prog",   "./prog",   "../bin/prog", "link",      "abslink",     "dir",         "dir/",
		"noexec", "dangling", "nowhere",     "nowhere/x", "prog/",       "prog/x",      "prog/.",
		"",       "text",     "empty",       "fifo",      "dir/../link", ".//prog",     ".",
		"..",     "/",        "/nowhere",    "/dev/null", "/proc/self/", "dir/nowhere", "../bin/../bin/link"};
	static const char *const may[] = {"loop1",
	                                  "loop2/x",
	                                  "/proc/self/exe",
	                                  "/proc/thread-self/exe",
	                                  "/proc/self/cwd/prog",
	                                  "/proc/self/fd/99",
	                                  "/dev/fd/99",
	                                  "/dev/stdin",
	                                  "/proc/self/nowhere"};
	char longname[PATH_MAX + 10];

	for (size_t i = 0; i < sizeof(sure) / sizeof(sure[0]); i++)
		exec_is(in_bin, AT_FDCWD, sure[i], strncmp(sure[i], "/proc/", 6) == 0 ? MAY : SURE);
	for (size_t i = 0; i < sizeof(may) / sizeof(may[0]); i++)
		exec_is(in_bin, AT_FDCWD, may[i], MAY);
	exec_is(in_bin, AT_FDCWD, place("bin/prog").path, SURE);
	exec_is(in_bin, AT_FDCWD, place("bin/abslink").path, SURE);
	exec_is(in_bin, AT_FDCWD, place("bin/nowhere").path, SURE);
	exec_is(NULL, AT_FDCWD, "prog", SURE);
	memset(longname, 'n', sizeof(longname));
	longname[300] = '\0';
	exec_is(in_bin, AT_FDCWD, longname, SURE);
	longname[300] = 'n';
	longname[PATH_MAX - 1] = '\0';
	exec_is(in_bin, AT_FDCWD, longname, SURE);
	longname[PATH_MAX - 1] = 'n';
	longname[PATH_MAX] = '\0';
	exec_is(in_bin, AT_FDCWD, longname, SURE);
	/* As long as a path can be. */
	for (size_t i = 0; i < PATH_MAX - 1; i++)
		longname[i] = i % 2 ? '/' : '.';
	memcpy(longname + PATH_MAX - 5, "prog", 5);
	longname[PATH_MAX - 6] = '/';
	longname[PATH_MAX - 7] = '.';
	exec_is(in_bin, AT_FDCWD, longname, SURE);
}

static void scripts(void)
{
	script("bin/script", "bin/prog");
	script("bin/bad", "/no/such/interpreter");
	script("bin/bad-dir", "bin/dir");
	script("bin/bad-mode", "bin/noexec");
	script("bin/bad-file", "bin/prog/x");
	script("bin/bad-text", "bin/text");
	script("bin/endless", "bin/endless");
	write_text(place("bin/relative").path, "#!prog\n", 0755);
	write_text(place("bin/relative-bad").path, "#!nowhere\n", 0755);
	write_text(place("bin/through-proc").path, "#!/proc/self/exe\n", 0755);
	write_text(place("bin/no-name").path, "#!  \n", 0755);
	exec_is(in_bin, AT_FDCWD, "script", SURE);
	exec_is(in_bin, AT_FDCWD, "bad", SURE);
	exec_is(in_bin, AT_FDCWD, "bad-dir", SURE);
	exec_is(in_bin, AT_FDCWD, "bad-mode", SURE);
	exec_is(in_bin, AT_FDCWD, "bad-file", SURE);
	exec_is(in_bin, AT_FDCWD, "bad-text", SURE);
	exec_is(in_bin, AT_FDCWD, "endless", SURE);
	exec_is(in_bin, AT_FDCWD, "relative", SURE);
	exec_is(in_bin, AT_FDCWD, "relative-bad", SURE);
	exec_is(in_bin, AT_FDCWD, "through-proc", MAY);
	exec_is(in_bin, AT_FDCWD, "no-name", SURE);
	script("bin/nested0", "bin/prog");
	for (int i = 1; i < 8; i++) {
		char name[32], interp[32];

		snprintf(name, sizeof(name), "bin/nested%d", i);
		snprintf(interp, sizeof(interp), "bin/nested%d", i - 1);
		script(name, interp);
		exec_is(in_bin, AT_FDCWD, name + 4, SURE);
	}
}

/* Of a script: its own path, and the first interpreter's name. */
static void script_fields(void)
{
	struct caller c = call(in_bin, AT_FDCWD, "nested1");
	struct target target;

	target_resolve(cache, c.pid, AT_FDCWD, "./nested1", &target);
	CHECK_INT(target.outcome, 0);
	CHECK_STR(target.exe, place("bin/nested1").path);
	CHECK_STR(target.interp, place("bin/nested0").path);
	target_release(&target);
	target_resolve(cache, c.pid, AT_FDCWD, "prog", &target);
	CHECK_STR(target.interp, NULL);
	target_release(&target);
	finish(c.pid);
	close(c.go);
	close(c.answer);
}

static void loaders(void)
{
	static const char source[] = "#include <unistd.h>\nint main(void) { for (;;) pause(); }";

	if (build("bin/dynamic", source, ""))
		exec_is(in_bin, AT_FDCWD, "dynamic", SURE);
	if (build("bin/no-loader", source, "-Wl,--dynamic-linker=/no/such/loader"))
		exec_is(in_bin, AT_FDCWD, "no-loader", SURE);
	if (build("bin/bad-loader", source, "-Wl,--dynamic-linker=/etc/passwd/x"))
		exec_is(in_bin, AT_FDCWD, "bad-loader", SURE);
	if (build("bin/near-loader", source, "-Wl,--dynamic-linker=nowhere"))
		exec_is(in_bin, AT_FDCWD, "near-loader", SURE);
}

static void setid(mode_t mode, bool want)
{
	struct caller c = call(in_bin, AT_FDCWD, "setid");
	struct target target;

	CHECK_INT(chmod(place("bin/setid").path, mode), 0);
	target_resolve(cache, c.pid, AT_FDCWD, "setid", &target);
	CHECK_INT(target.setid, want);
	target_release(&target);
	finish(c.pid);
	close(c.go);
	close(c.answer);
}

static bool with_fds(void)
{
	int dir = open(place("bin").path, O_RDONLY | O_DIRECTORY), file = open(place("bin/prog").path, O_RDONLY);
	int mem = memfd_create("in memory", 0);
	char bytes[65536];
	ssize_t n;

	if (dup2(dir, DIR_FD) < 0 || dup2(file, FILE_FD) < 0 || dup2(mem, MEM_FD) < 0)
		return false;
	while ((n = read(file, bytes, sizeof(bytes))) > 0)
		if (write(mem, bytes, (size_t)n) != n)
			return false;
	return lseek(FILE_FD, 0, SEEK_SET) == 0 && fchmod(MEM_FD, 0755) == 0 && chdir("/") == 0;
}

static void descriptors(void)
{
	exec_is(with_fds, DIR_FD, "prog", SURE);
	exec_is(with_fds, DIR_FD, "link", SURE);
	exec_is(with_fds, DIR_FD, "nowhere", SURE);
	exec_is(with_fds, DIR_FD, "script", MAY);
	exec_is(with_fds, DIR_FD, place("bin/prog").path, SURE);
	exec_is(with_fds, DIR_FD, "", MAY);
	exec_is(with_fds, FILE_FD, "", SURE);
	exec_is(with_fds, FILE_FD, "x", SURE);
	exec_is(with_fds, MEM_FD, "", SURE);
	exec_is(with_fds, CLOSED_FD, "", MAY);
	exec_is(with_fds, CLOSED_FD, "prog", MAY);
	exec_is(with_fds, CLOSED_FD, place("bin/prog").path, SURE);
	exec_is(with_fds, AT_FDCWD, "/proc/self/fd/51", SURE);
	exec_is(with_fds, AT_FDCWD, "/proc/self/fd/52", SURE);
	exec_is(with_fds, AT_FDCWD, "/dev/fd/51", SURE);
	exec_is(with_fds, AT_FDCWD, "/dev/fd/52", SURE);
	exec_is(with_fds, AT_FDCWD, "/proc/self/fd/50/prog", MAY);
	exec_is(with_fds, AT_FDCWD, "/proc/self/fd/99", MAY);
}

static bool in_proc(void)
{
	return with_fds() && chdir("/proc") == 0;
}

static bool in_bin_with_fds(void)
{
	return with_fds() && in_bin();
}

/* Executes its argument as run() does, in a process that runs another program than this test. */
static const char other_source[] = "#include <errno.h>\n#include <fcntl.h>\n#include <unistd.h>\n"
				   "int main(int c, char **v) {\n"
				   "	int err = 0; char byte;\n"
				   "	while (c < 2) pause();\n"
				   "	fcntl(60, F_SETFD, FD_CLOEXEC); fcntl(61, F_SETFD, FD_CLOEXEC);\n"
				   "	write(61, &err, sizeof(err));\n"
				   "	if (read(60, &byte, 1) == 1) execl(v[1], \"caller's name\", (char *)0);\n"
				   "	err = errno; write(61, &err, sizeof(err)); return 1; }\n";

static void other_exec_is(bool (*setup)(void), const char *path)
{
	struct caller c = {0, -1, -1};
	int go[2], answer[2], err = -1;

	if (pipe2(go, O_CLOEXEC) || pipe2(answer, O_CLOEXEC))
		return;
	c.pid = child();
	if (c.pid == 0) {
		if (setup() && dup2(go[0], 60) == 60 && dup2(answer[1], 61) == 61)
			execl(place("bin/other").path, "other", path, (char *)NULL);
		_exit(1);
	}
	close(go[0]);
	close(answer[1]);
	c.go = go[1];
	c.answer = answer[0];
	if (CHECK(read(c.answer, &err, sizeof(err)) == sizeof(err) && err == 0))
		compare(c, AT_FDCWD, path, MAY);
}

/* Names that mean another file for every process, hidden behind a link or a directory. */
static void hidden_self(void)
{
	static const char *const names[] = {"/proc/self/exe", "/proc/thread-self/exe", "myself", "/proc//self/exe",
	                                    "../../../../../proc/self/exe"};

	if (build("bin/other", other_source, "-static") || build("bin/other", other_source, "")) {
		for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
			other_exec_is(in_bin, names[i]);
		other_exec_is(in_bin, place("bin/myself").path);
		other_exec_is(in_proc, "self/exe");
	}
	exec_is(in_bin_with_fds, AT_FDCWD, "myself", MAY);
	exec_is(in_bin_with_fds, AT_FDCWD, place("bin/myself").path, MAY);
	exec_is(in_bin_with_fds, AT_FDCWD, "myfd", MAY);
	exec_is(in_bin_with_fds, AT_FDCWD, place("bin/myfd").path, MAY);
	exec_is(in_bin_with_fds, AT_FDCWD, "mydir/51", MAY);
	exec_is(in_bin_with_fds, AT_FDCWD, "dangling2", SURE);
	exec_is(in_proc, AT_FDCWD, "self/exe", MAY);
	exec_is(in_proc, AT_FDCWD, "self/fd/51", MAY);
	exec_is(in_proc, AT_FDCWD, "/proc//self/fd/51", MAY);
	exec_is(in_proc, AT_FDCWD, "/proc/./self/exe", MAY);
}

static bool in_gone_directory(void)
{
	return mkdir(place("gone").path, 0755) == 0 && chdir(place("gone").path) == 0 && rmdir(place("gone").path) == 0;
}

static bool in_root(void)
{
	return chdir(place("root").path) == 0 && chroot(".") == 0 && chdir("/bin") == 0;
}

/* The working directory is not below the root: as chroot(2) leaves it. */
static bool beside_root(void)
{
	return chdir(place("bin").path) == 0 && chroot(place("root").path) == 0;
}

/* ... in a directory whose name begins like the root's. */
static bool beside_like_root(void)
{
	return chdir(place("root2").path) == 0 && chroot(place("root").path) == 0;
}

static void other_roots(void)
{
	mkdir(place("root").path, 0755);
	mkdir(place("root/bin").path, 0755);
	mkdir(place("root2").path, 0755);
	(void)!link(place("bin/prog").path, place("root/bin/inside").path);
	(void)!link(place("bin/prog").path, place("root2/beside").path);
	(void)!symlink("/bin/inside", place("root/bin/abslink").path);
	(void)!symlink("../../../../bin/inside", place("root/bin/uplink").path);
	write_text(place("root/bin/script").path, "#!/bin/inside\n", 0755);
	write_text(place("root/bin/bad").path, "#!/bin/sh\n", 0755);
	write_text(place("root/bin/outside").path, "#!../../../bin/inside\n", 0755);
	exec_is(in_root, AT_FDCWD, "inside", SURE);
	exec_is(in_root, AT_FDCWD, "/bin/inside", SURE);
	exec_is(in_root, AT_FDCWD, "../../../../bin/inside", SURE);
	exec_is(in_root, AT_FDCWD, "/../bin/abslink", SURE);
	exec_is(in_root, AT_FDCWD, "abslink", SURE);
	exec_is(in_root, AT_FDCWD, "uplink", SURE);
	exec_is(in_root, AT_FDCWD, "script", SURE);
	exec_is(in_root, AT_FDCWD, "bad", SURE);
	exec_is(in_root, AT_FDCWD, "outside", SURE);
	exec_is(in_root, AT_FDCWD, "/bin/true", SURE);
	exec_is(in_root, AT_FDCWD, "/proc/self/exe", MAY);
	exec_is(beside_root, AT_FDCWD, "prog", MAY);
	exec_is(beside_root, AT_FDCWD, "inside", MAY);
	exec_is(beside_root, AT_FDCWD, "/bin/inside", SURE);
	exec_is(beside_like_root, AT_FDCWD, "beside", MAY);
}

static bool own_mount(unsigned long flags)
{
	struct place from = place("bin/prog"), to = place("mnt/prog");

	if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("none", place("mnt").path, "tmpfs", flags, NULL))
		return false;
	write_text(to.path, "", 0755);
	return mount(from.path, to.path, NULL, MS_BIND, NULL) == 0 &&
	       (!flags || mount(NULL, to.path, NULL, MS_BIND | MS_REMOUNT | flags, NULL) == 0) &&
	       chdir(place("mnt").path) == 0;
}

static bool mounted(void)
{
	return own_mount(0);
}

static bool mounted_noexec(void)
{
	return own_mount(MS_NOEXEC);
}

/* Mounts that only the caller sees. */
static void mounts(void)
{
	struct caller c;

	mkdir(place("mnt").path, 0755);
	c = call(mounted, AT_FDCWD, "");
	if (!c.pid) {
		printf("# skipped: a mount namespace cannot be made here\n");
		return;
	}
	finish(c.pid);
	close(c.go);
	close(c.answer);
	exec_is(mounted, AT_FDCWD, "prog", SURE);
	exec_is(mounted, AT_FDCWD, place("mnt/prog").path, SURE);
	exec_is(mounted_noexec, AT_FDCWD, "prog", SURE);
	exec_is(mounted_noexec, AT_FDCWD, place("mnt/prog").path, SURE);
}

#define OTHER_USER 65534
#define OTHER_GROUP 4711 /* a supplementary one */

/* Stands in bin, got there as root, and is somebody else now. */
static bool as_other(void)
{
	const gid_t group = OTHER_GROUP;

	return in_bin() && setgroups(1, &group) == 0 && setresgid(OTHER_USER, OTHER_USER, OTHER_USER) == 0 &&
	       setresuid(OTHER_USER, OTHER_USER, OTHER_USER) == 0;
}

/* ... whom no mode keeps out. */
static bool as_capable(void)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2];

	if (prctl(PR_SET_KEEPCAPS, 1) || !as_other() || syscall(SYS_capget, &head, data))
		return false;
	data[0].effective = data[0].permitted;
	data[1].effective = data[1].permitted;
	return syscall(SYS_capset, &head, data) == 0;
}

/* A directory with the program in it. */
static void holder(const char *name, mode_t mode, gid_t group)
{
	char file[64];

	snprintf(file, sizeof(file), "%s/prog", name);
	mkdir(place(name).path, 0755);
	(void)!link(place("bin/prog").path, place(file).path);
	CHECK_INT(chown(place(name).path, (uid_t)-1, group), 0);
	CHECK_INT(chmod(place(name).path, mode), 0);
}

/* The other user may search it by an access control list; false where there are none (acl(5), posix_acl_xattr.h). */
static bool invite(const char *name)
{
	const struct {
		uint32_t version;
		struct {
			uint16_t tag, perm;
			uint32_t id;
		} entries[5];
	} acl = {2, {{0x01, 7, ~0U}, {0x02, 1, OTHER_USER}, {0x04, 0, ~0U}, {0x10, 1, ~0U}, {0x20, 0, ~0U}}};

	return setxattr(place(name).path, "system.posix_acl_access", &acl, sizeof(acl), 0) == 0;
}

/* Callers that may not do what we may, being root. */
static void other_users(void)
{
	holder("bin/shut", 0700, 0);
	holder("bin/group", 0710, OTHER_GROUP);
	holder("bin/not-group", 0701, OTHER_GROUP);
	holder("bin/acl", 0700, 0);
	script("bin/by-shut", "bin/shut/prog");
	script("bin/root-only", "bin/prog");
	script("bin/own", "bin/prog");
	CHECK_INT(chmod(place("bin/root-only").path, 0754), 0);
	CHECK_INT(chmod(place("bin/own").path, 0655), 0);
	CHECK_INT(chown(place("bin/own").path, OTHER_USER, 0), 0);
	exec_is(as_other, AT_FDCWD, "prog", SURE);
	exec_is(as_other, AT_FDCWD, place("bin/prog").path, SURE);
	CHECK_INT(chmod(scratch_dir, 0711), 0);
	exec_is(as_other, AT_FDCWD, place("bin/prog").path, SURE);
	exec_is(as_other, AT_FDCWD, "shut/prog", SURE);
	exec_is(as_other, AT_FDCWD, "shut//../prog", SURE);
	exec_is(as_other, AT_FDCWD, place("bin/shut/prog").path, SURE);
	exec_is(as_other, AT_FDCWD, "group/prog", SURE);
	exec_is(as_other, AT_FDCWD, "not-group/prog", SURE);
	exec_is(as_other, AT_FDCWD, "by-shut", SURE);
	exec_is(as_other, AT_FDCWD, "root-only", SURE);
	exec_is(as_other, AT_FDCWD, "own", SURE);
	exec_is(as_capable, AT_FDCWD, "shut/prog", SURE);
	exec_is(as_capable, AT_FDCWD, "root-only", SURE);
	if (invite("bin/acl"))
		exec_is(as_other, AT_FDCWD, "acl/prog", SURE);
	else
		printf("# skipped: no access control lists here\n");
}

/* The look that costs little: root's callers are not always root. */
static void look(void)
{
	struct caller c = call(as_other, AT_FDCWD, "prog");

	CHECK(target_is_there(cache, getpid(), place("bin/prog").path));
	CHECK(!target_is_there(cache, getpid(), place("bin/noexec").path));
	CHECK(!target_is_there(cache, getpid(), place("bin/root-only").path));
	CHECK(!target_is_there(cache, getpid(), "prog"));
	CHECK(target_is_there(cache, getpid(), place("bin/shut/prog").path));
	CHECK(!target_is_there(cache, c.pid, place("bin/shut/prog").path));
	finish(c.pid);
	close(c.go);
	close(c.answer);
}

/* A process that is gone: nothing is known, so nothing is said to fail. */
static void gone(void)
{
	pid_t pid = idle_child();
	struct target target;

	finish(pid);
	target_resolve(cache, pid, AT_FDCWD, "/bin/true", &target);
	CHECK_INT(target.outcome, 0);
	CHECK_STR(target.exe, NULL);
	target_release(&target);
	target_resolve(cache, pid, AT_FDCWD, "true", &target);
	CHECK_INT(target.outcome, 0);
	target_release(&target);
}

/* One descriptor is left, two are needed: that is said, and a helper, who has others, is to look. */
static void shortage(void)
{
	pid_t pid = idle_child();
	struct target target = {0};
	struct rlimit old, few;
	int next = dup(0);

	close(next);
	getrlimit(RLIMIT_NOFILE, &old);
	few = (struct rlimit){(rlim_t)next + 1, old.rlim_max};
	CHECK_INT(setrlimit(RLIMIT_NOFILE, &few), 0);
	target_resolve(cache, pid, AT_FDCWD, "prog", &target);
	CHECK_STR(target.exe, NULL);
	CHECK_INT(target.refused, -EMFILE);
	target_release(&target);
	CHECK_INT(target_at_once(cache, pid, AT_FDCWD, "prog", &target), -EAGAIN);
	CHECK_INT(setrlimit(RLIMIT_NOFILE, &old), 0);
	finish(pid);
}

int main(int argc, char **argv)
{
	/* Executed by a test, through /proc/self/exe. */
	while (argc > 0 && strcmp(argv[0], CALLER) == 0)
		pause();
	scratch_begin(90);
	cache = target_cache_new();
	if (!CHECK(cache != NULL) || !make_files())
		return TAP_DONE();
	plain();
	scripts();
	script_fields();
	loaders();
	exec_is(in_gone_directory, AT_FDCWD, "prog", SURE);
	(void)!link(place("bin/prog").path, place("bin/setid").path);
	setid(0755, false);
	setid(04755, true);
	setid(02755, true);
	setid(02745, false);
	setid(06755, true);
	setid(0755, false);
	descriptors();
	hidden_self();
	if (geteuid() == 0) {
		other_roots();
		mounts();
		other_users();
		look();
	} else {
		printf("# skipped: other roots, mounts and users, which only root can make\n");
	}
	gone();
	shortage();
	target_cache_free(cache);
	return TAP_DONE();
}
