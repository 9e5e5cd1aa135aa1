#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Real programs, in C, C++, Go, Rust, Java, JavaScript, Lua, Perl, Python and shell, with threads, children, sandboxes and code made at run
# time, print and end as without a tracer while they record their calls themselves, and when the tracer is killed meanwhile; where the order
# of calls is not chance they are those that strace shows. SEED=N repeats a run.
# groups: tools
# limit: 600
# once: the engine has no part in what a program records
. "$(dirname "$0")/../lib.sh"
. "$TESTS/inside.sh"

is_kernel 6.4 || skip "needs Linux 6.4: Syscall User Dispatch by ptrace"
seed=${SEED:-$((RANDOM % 10000))}
RANDOM=$seed
within=400

# program [-s] NEEDED WHAT COMMAND...: -s: its calls are compared with strace's
program()
{
	local compared=

	[ "$1" != -s ] || { compared=1; shift; }
	command -v "$1" >"$S/why" || {
		skip_case "$2" "$1 is not installed"
		return
	}
	shift
	begin "$1, seed $seed"
	shift
	fresh
	"$@" >"$S/plain" 2>"$S/plain.err" </dev/null
	echo "status $?" >>"$S/plain"
	fresh
	timeout --foreground -k 1 "$(limit 60)" "$EXECTRACE" --engine="$ENGINE" -q --run="trace --verbose --source=inside --output=$S/inside" --first -- \
		"$@" >"$S/out" 2>"$S/err" </dev/null
	echo "status $?" >>"$S/out"
	expect_same "$S/out" "$S/plain" "what it prints, and its status"
	expect_lines some "$S/err" '--source: [0-9]+ of [0-9]+ calls without a stop' "it records calls itself"
	if [ "$compared" ] && command -v strace >"$S/why"; then
		fresh
		timeout --foreground -k 1 "$(limit 60)" strace -f -y -ttt -T -o "$S/strace" "$@" >"$S/out" 2>&1 </dev/null
		calls "$S/strace" names >"$S/strace.names"
		calls "$S/inside" names >"$S/inside.names"
		expect_same "$S/inside.names" "$S/strace.names" "its calls are those that strace shows"
	fi
	if ! yama_binds; then
		fresh
		left KILL "$@"
		expect_same "$S/out" "$S/plain" "the tracer is killed: what it prints, and its status"
	fi
	end
}

# What they work on: files of ours, and the same ones each time.
top=$(dirname "$TESTS")
mkdir data
cp -R "$top/src/target" "$top/src/base" data
find data -type f | LC_ALL=C sort | xargs cat >text
cat text text text text >texts
cat >makefile <<'END'
all: $(patsubst data/base/%.c,%.count,$(wildcard data/base/*.c))
%.count: data/base/%.c; @wc -l <$< >$@
.PHONY: all
.INTERMEDIATE: $(patsubst data/base/%.c,%.count,$(wildcard data/base/*.c))
END
cat >prog.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static long sum;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *p)
{
	for (int i = 0; i < 200; i++) {
		char *q = malloc(100000);
		FILE *f = fopen("/proc/self/stat", "r");
		if (f) fclose(f);
		q[i] = (char)i;
		pthread_mutex_lock(&lock);
		sum += q[i] & 63;
		pthread_mutex_unlock(&lock);
		free(q);
	}
	return p;
}
int main(void)
{
	pthread_t t[4];
	for (int i = 0; i < 4; i++) pthread_create(&t[i], NULL, work, NULL);
	for (int i = 0; i < 4; i++) pthread_join(t[i], NULL);
	return printf("%ld\n", sum) < 0;
}
END

prepare()
{
	mkdir home && cp -R ../data ../text ../texts ../makefile ../prog.c .
}

program -s find "find and tar" sh -c 'find data -type f -size +2k -exec wc -c {} + >list; sort -n list; tar -cf a.tar data && tar -tf a.tar >list; sort list'
program -s sort "sort with temporary files" sort -S 200k -T . texts
program awk "awk" awk '{ n[$1]++ } END { for (w in n) if (n[w] > 20) print n[w], w | "sort"; close("sort"); system("echo end") }' text
program -s perl "perl with children and a socket" perl -e 'use Socket; $| = 1; for my $n (1 .. 20) { socketpair(A, B, AF_UNIX, SOCK_STREAM, 0);
	if (!fork) { print B $n * $n, "\n"; exit 0 } close B; print scalar <A>; close A; wait } print `wc -l <text`'
program -s bash "bash" bash -c 'trap "echo trapped" USR1; coproc cat; echo there >&"${COPROC[1]}"; read -r x <&"${COPROC[0]}"; echo $x
	for i in {1..30}; do y=$(echo $i); done; kill -USR1 $$; mapfile -t lines <text; echo ${#lines[@]} $y; wait $COPROC_PID &'
program -s gcc "gcc" sh -c 'gcc -O2 -c prog.c -o prog.o -pthread && nm prog.o; rm prog.o'
program -s luajit "luajit" luajit -e 'local n = 0 for i = 1, 300 do for l in io.lines("prog.c") do n = n + #l end end
	for i = 1, 3000000 do n = (n * 7 + i) % 1000003 end print(n)'
program git "git" sh -ec 'export HOME=$PWD/home GIT_AUTHOR_DATE="2000-01-01T00:00:00Z" GIT_COMMITTER_DATE="2000-01-01T00:00:00Z"
	mkdir repo; cd repo; git init -q; git config user.name u; git config user.email e; git config gc.auto 0
	cp -R ../data .; git add .; git commit -qm one; git mv data/base moved; git commit -qam two; git log --stat --format=%H | tail -n 3; git fsck'
program git "git gc with threads" sh -ec 'export HOME=$PWD/home; mkdir repo; cd repo; git init -q; cp -R ../data .
	git add .; git -c user.name=u -c user.email=e commit -qm one; cd ..; git clone -q --no-local repo clone; cd clone; git -c pack.threads=4 gc -q; git count-objects'
program make "make -j4" make -j4 -f makefile
program python3 "python with threads and children" python3 -B -c 'import concurrent.futures as c, subprocess, sqlite3, mmap, hashlib
with c.ThreadPoolExecutor(4) as e: print(list(e.map(lambda n: subprocess.run(["echo", str(n)], capture_output=True).stdout, range(20))))
with c.ProcessPoolExecutor(2) as e: print(sum(e.map(abs, range(200))))
d = sqlite3.connect("d.sqlite"); d.execute("create table t (n)")
for n in range(30): d.execute("insert into t values (?)", (n,)); d.commit()
print(d.execute("select sum(n) from t").fetchall())
with open("text") as f, mmap.mmap(f.fileno(), 0, prot=mmap.PROT_READ) as m: print(hashlib.sha256(m).hexdigest())'
program python3 "python with asyncio" python3 -B -c 'import asyncio
async def serve(r, w):
    w.write((await r.readline()).upper()); await w.drain(); w.close()
async def ask(port, n):
    r, w = await asyncio.open_connection("127.0.0.1", port)
    w.write(b"line %d\n" % n); answer = await r.readline(); w.close(); return answer
async def main():
    s = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = s.sockets[0].getsockname()[1]
    print(await asyncio.gather(*(ask(port, n) for n in range(50))))
    p = await asyncio.create_subprocess_exec("sleep", "0.1"); print(await p.wait())
asyncio.run(main())'
program node "node with workers and children" node -e 'const { Worker } = require("worker_threads"), { execFile } = require("child_process"), fs = require("fs")
const code = "let n = 0; for (let i = 0; i < 3e6; i++) n = (n * 7 + i) % 1000003; require(\"worker_threads\").parentPort.postMessage(n)"
const worker = () => new Promise(done => new Worker(code, { eval: true }).on("message", done))
const child = n => new Promise(done => execFile("echo", [n], (e, out) => done(out)))
Promise.all([worker(), worker(), child(1), child(2), fs.promises.readFile("text").then(b => b.length)]).then(a => console.log(a))'
program java "a Java program" sh -c 'keytool -genkeypair -keyalg EC -keystore k -storepass secret -dname CN=a && keytool -list -keystore k -storepass secret |
	grep -c PrivateKeyEntry'
program fzf "a Go program" sh -c 'fzf --filter=include --no-sort <text | sha256sum'
program rg "a Rust program with threads" sh -c 'rg -c return data | sort'
program xz "xz with threads" sh -c 'xz -T4 --block-size=64KiB -1 <texts | xz -dT4 | sha256sum'
program zstd "zstd with threads" sh -c 'zstd -q -T4 -B64K <texts | zstd -dq | sha256sum'
program openssl "openssl" sh -c 'openssl dgst -sha512 text; openssl rand -hex 8 | wc -c; openssl enc -aes-256-cbc -pbkdf2 -k a <text | openssl enc -d -aes-256-cbc -pbkdf2 -k a |
	sha256sum'
program man "man with its sandbox" man -P cat -l "$top/man/exectrace-trace.1"
program gdb "gdb that reads a program" gdb -nx -batch -ex 'info line main' -ex 'disassemble main' "$V/prog"
program valgrind "valgrind" valgrind -q --error-exitcode=9 "$V/prog" a
for sanitizer in address,undefined thread; do
	! command -v gcc >"$S/why" || gcc -g -pthread -fsanitize=$sanitizer prog.c -o "prog-$sanitizer" 2>"$S/why" ||
		skip_case "a program with -fsanitize=$sanitizer" "it cannot be built"
	# LeakSanitizer traces its own process, which a tracer does not allow.
	[ ! -x "prog-$sanitizer" ] ||
		program gcc "a program with -fsanitize=$sanitizer" env ASAN_OPTIONS=detect_leaks=0 "$S/prog-$sanitizer"
done
program chromium "chromium" sh -c 'chromium --headless --no-sandbox --disable-gpu --user-data-dir="$PWD/home/profile" --dump-dom \
	"data:text/html,<body><script>let n = 0; for (let i = 0; i < 1e6; i++) n += i; document.body.textContent = n</script>" 2>home/said'
finish
