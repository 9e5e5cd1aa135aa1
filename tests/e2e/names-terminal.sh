#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Names of any bytes - argv[0], comm, cwd, files, symbols - in all that we print: no control character comes through, and JSON is
# JSON. SEED repeats a failure.
. "$(dirname "$0")/../lib.sh"
needs python3
has_victim names
patience=60
python=$(python3 -c 'import sys; print(sys.executable)') # not what finds it
seed=${SEED:-$EPOCHSECONDS$$}
echo "# SEED=$seed"

# Makes programs and directories of random names, and `tree`, which executes them.
cat >"$S/make.py" <<'END'
import os, random, sys
seed, victim, top = sys.argv[1:4]
r = random.Random(seed)
evil = [b"\x1b[31m", b"\x1b]0;x\x07", b"\x9b2J", b"\xc2\x9b2J", b"\xc2\x85", b"\n", b"\r", b"\t", b"\x7f", b"\x01", b"\xff",
        b"\xc3", b"\xed\xa0\x80", b"\xf0\x9f\x98\x80", b"\xc3\xa4", b"\"", b"'", b"\\", b"<", b"</script>", b";", b",", b"{pid}",
        b"%s%n", b" ", b"-", b".", b"|", b"$(x)", b"\\x41"]
def name(n, file=False):
    out = b""
    while len(out) < n:
        out += r.choice(evil) if r.random() < 0.6 else bytes([r.randrange(1, 256)])
    out = out[:n].replace(b"/", b"_") if file else out[:n]
    return out if out not in (b".", b"..") else b"__"
symbol = b"symbol_that_is_replaced_by_others"
program = open(victim, "rb").read()
assert symbol in program
plan = []
for i in range(6):
    d = os.path.join(os.fsencode(top), name(r.randrange(3, 40), True))
    os.makedirs(d, exist_ok=True)
    exe = os.path.join(d, name(r.randrange(3, 40), True))
    with open(exe, "wb") as f:
        f.write(program.replace(symbol, name(len(symbol))))
    os.chmod(exe, 0o755)
    argv = [name(r.randrange(1, 30)) for _ in range(5)]
    plan += [(d, exe, argv)] * (4 if i == 0 else 1)
open(os.path.join(top, "plan"), "w").write(repr(plan))
END
cat >"$S/tree.py" <<'END'
import ast, os, sys
for d, exe, argv in ast.literal_eval(open(sys.argv[1] + "/plan").read()):
    pid = os.fork()
    if pid == 0:
        os.chdir(d)
        os.execve(exe, argv, {})
    os.waitpid(pid, 0)
END
# check.py KIND FILE...: text, html, json (a document) or lines (one each line)
cat >"$S/check.py" <<'END'
import json, re, sys
bad = re.compile("[\x00-\x09\x0b-\x1f\x7f\x80-\x9f]")
for path in sys.argv[2:]:
    data = open(path, "rb").read()
    text = data.decode("utf-8")
    hit = bad.search(text.replace("\t", "") if sys.argv[1] == "html" else text) # our own page is indented by tabs
    if hit:
        sys.exit("%s: %r at %d: %r" % (path, hit.group(), hit.start(), text[max(0, hit.start() - 60):hit.end() + 20]))
    if not text.strip():
        sys.exit(path + ": is empty")
    if sys.argv[1] == "json":
        json.loads(text)
    if sys.argv[1] == "lines":
        for line in text.splitlines():
            json.loads(line)
END

# clean KIND FILE
clean()
{
	expect "no control characters: $2" python3 "$S/check.py" "$1" "$2"
}

# tree NAME ARG...: the tree under exectrace; leaves NAME.err
tree()
{
	local to=$1

	shift
	et "$@" -- "$python" "$S/tree.py" "$S/top" >"$S/out" 2>"$to.err"
	expect_equal "$?" 0 "exit status ($to)"
	[ ! -s "$to.err" ] || clean text "$to.err"
}

fresh
mkdir "$S/top"
python3 "$S/make.py" "$seed" "$V/names" "$S/top" || fail "the programs are made"
all=$(python3 -c 'import ast; print(len(ast.literal_eval(open("'"$S"'/top/plan").read())))')

begin "log (SEED=$seed)"
tree text -q --run='log --format=text'
expect_equal "$(wc -l <text.err)" $((all + 1)) "a line for each process"
tree tree -q --run='log --format=tree'
expect_lines 1 tree.err ' \.\.\. 4 times, ' "siblings of one name"
tree json -q --run='log --format=json'
clean lines json.err
expect_equal "$(wc -l <json.err)" $((all + 1)) "a line for each process"
tree list --list
tree nothing --run=log --cmd='tree\.py.*x{9}'
end

begin "trace (SEED=$seed)"
tree traced --run="trace -o {n}.text --stack" --under='tree\.py'
clean text 1.text
expect_lines some 1.text '^ > .*' "stacks"
tree traced -q --run="trace -o {n}.json --format=json --stack" --under='tree\.py'
for f in [0-9]*.json; do
	clean lines "$f"
done
for f in [0-9]*.text; do
	clean text "$f"
done
tree summary --run='trace --summary' --under='tree\.py'
end

begin "what is recorded (SEED=$seed)"
tree recorded -o rec --run='trace --format=data --stack' --under='tree\.py'
tree recorded -o other --run='trace --format=data --stack' --under='tree\.py'
clean json rec/run.json
clean lines rec/execs.jsonl
for command in "report" "report --children" "report --by=process" "calls" "graph" "timeline" "syscalls" "syscalls --stack" \
	"syscalls --summary=process" "syscalls --summary=stack" "syscalls --summary=path" "tree"; do
	for format in "" --json --csv; do
		# shellcheck disable=SC2086
		"$EXECTRACE" $command $format rec >shown 2>shown.err || continue
		clean text shown
		[ ! -s shown.err ] || clean text shown.err
		[ "$format" != --json ] || clean json shown
	done
done
"$EXECTRACE" diff --min=0 other rec >shown 2>shown.err
[ ! -s shown ] || clean text shown
end

begin "exports (SEED=$seed)"
for format in json csv folded callgrind chrome html; do
	"$EXECTRACE" export -f $format -o shown.$format rec >/dev/null 2>shown.err
	expect_equal "$?" 0 "export -f $format"
	kind=text
	[ $format != html ] || kind=html
	clean $kind shown.$format
done
clean lines shown.json
clean json shown.chrome
"$EXECTRACE" export -f uftrace -o shown.dir rec >/dev/null 2>shown.err
for f in shown.dir/info shown.dir/task.txt shown.dir/*.sym shown.dir/*.map; do
	[ ! -f "$f" ] || [ "${f##*/}" = info ] || clean text "$f"
done
end
finish
