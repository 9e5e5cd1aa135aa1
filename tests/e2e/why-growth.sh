#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# why: what costs more each time: a file that is rewritten, a log that is reread, a directory that is listed, processes.
# once: the engine has no part in it
# limit: 300
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../why.sh"
needs jq strace
PYTHON=/usr/bin/python3
[ -x $PYTHON ] || skip "python3 is not installed"
seed=${SEED:-$RANDOM}
echo "# seed $seed"
times=$((40 + seed % 50))

# grown FILTER: of what grows, as JSON
grown()
{
	"$EXECTRACE" why --json | jq -c ".growth[] | $1"
}

# none NAME: nothing grows
none()
{
	expect_equal "$(grown .)" "" "$1"
	expect_lines 0 "$S/err" '^  grows: ' "$1, on the page"
}

# comma NUMBER: as the page has it
comma()
{
	sed -E ':a; s/^([0-9]+)([0-9]{3})/\1,\2/; ta' <<<"$1"
}

begin "a file that is rewritten each time"
fresh
cat >save.py <<'END'
import sys
state = ""
for i in range(int(sys.argv[1])):
    state += "0123456789"
    with open("state", "w", buffering=64) as f:
        f.write(state)
END
ask 0 $PYTHON save.py $times
says "^  grows: $PYTHON save.py $times \[[0-9]+\], writing /.*/state: 10 bytes at the 1st pass, $((10 * times)) bytes at the ${times}[a-z]+: linear, so quadratic in all \($(comma $((5 * times * (times + 1)))) bytes, [0-9.]+[mu]?s\)$" \
	"how much each time"
expect_equal "$(grown '[.call, .by, .cost, .trend, .count, .first, .last, .bytes]')" \
	"[\"write\",\"pass\",\"bytes\",\"linear\",$times,10,$((10 * times)),$((5 * times * (times + 1)))]" "as JSON"
end

begin "written by another name, and renamed"
fresh
cat >save.py <<'END'
import os, sys, tempfile
for i in range(int(sys.argv[1])):
    fd, name = tempfile.mkstemp(dir=".")
    os.write(fd, b"0123456789" * (i + 1))
    os.close(fd)
    os.rename(name, "state")
END
ask 0 $PYTHON save.py $times
says "writing /.*/state: 10 bytes at the 1st pass, $((10 * times)) bytes at the ${times}[a-z]+: linear" "what it replaces"
expect_equal "$(grown .bytes)" $((5 * times * (times + 1))) "how much"
end

begin "a log that is read from the start each time, and stays open"
fresh
cat >follow.py <<'END'
import sys
log, reader = open("log", "ab", 0), open("log", "rb", 0)
for i in range(int(sys.argv[1])):
    log.write(b"x" * 1000)
    reader.seek(0)
    while reader.read(4096):
        pass
END
ask 0 $PYTHON follow.py $times
says "reading /.*/log: 1,000 bytes at the 1st pass, $(comma $((1000 * times))) bytes at the ${times}[a-z]+: linear" "how much"
expect_equal "$(grown '[.call, .by, .bytes]')" "[\"read\",\"pass\",$((500 * times * (times + 1)))]" "in all"
end

begin "by one process after the other"
fresh
# shellcheck disable=SC2016 # of that script
echo 'i=0; while [ $i -lt $1 ]; do i=$((i + 1)); echo 123456789 >>log; cat log >copy; done' >loop
ask 0 sh ./loop $times
says "^  grows: $times x cat, reading /.*/log: 10 bytes at the 1st process, $((10 * times)) bytes at the ${times}[a-z]+: linear, so quadratic in all" "how much"
expect_equal "$(grown 'select(.file | endswith("/log")) | [.command, .by, .count, .bytes, .pid]')" \
	"[\"cat\",\"process\",$times,$((5 * times * (times + 1))),null]" "as JSON"
end

begin "a directory that is listed: as strace has it"
fresh
cat >list.py <<'END'
import os, sys
os.mkdir("d")
for i in range(int(sys.argv[1])):
    for name in range(8):
        open("d/%04d" % (8 * i + name), "w")
    os.listdir("d")
END
strace -y -e trace=getdents64 -o strace.out $PYTHON list.py $times
rm -r d
ask 0 $PYTHON list.py $times
says "listing /.*/d: [0-9]+ bytes at the 1st pass, [0-9,]+ bytes at the ${times}[a-z]+: linear, so quadratic in all" "the line"
expect_equal "$(grown 'select(.call == "getdents64") | [.count, .bytes]')" \
	"[$times,$(awk '/\/d>/ { n += $NF } END { print n }' strace.out)]" "how much"
end

begin "processes that take longer and longer"
fresh
# shellcheck disable=SC2016 # of that script
patience=60
echo 'for ms in $(seq -w 20 20 660); do sleep 0.$ms; done' >loop # on a busy machine each takes longer, which may not hide that
ask 0 sh ./loop
# On a busy machine one of them may take longer than the next; then it is told by tenths.
says '^  grows: 33 x sleep 0.660 \[[0-9]+\], from beginning to end: .* (at the 1st|in the first tenth of 33) process(es)?, .* (at the 33rd|in the last): linear, so quadratic in all' "the line"
expect_equal "$(grown 'select(.command | startswith("sleep")) | [.by, .cost, .trend, .count, .first < .last]')" \
	'["process","time","linear",33,true]' "as JSON"
end

begin "what does not grow, whatever the numbers are"
for way in same random alternating warm; do
	fresh
	cat >save.py <<'END'
import random, sys
way, n, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
random.seed(seed)
sizes = {"same": lambda i: 5000, "random": lambda i: random.randrange(1, 20000),
         "alternating": lambda i: 10 if i % 2 else 9000,
         "warm": lambda i: 50000 if i < n // 8 else 4000 + random.randrange(500)}[way]
for i in range(n):
    with open("state", "wb") as f:
        f.write(b"x" * sizes(i))
    with open("state", "rb") as f:
        f.read()
END
	ask 0 $PYTHON save.py $way $times "$seed"
	none "$way"
done
fresh
cat >few.py <<'END'
for i in range(31):
    with open("state", "wb") as f:
        f.write(b"x" * 1000 * (i + 1))
END
ask 0 $PYTHON few.py
none "31 times"
end

begin "many small calls"
for how in "12000 1" "12000 5000" "900 1"; do
	read -r count size <<<"$how"
	fresh
	cat >small.py <<'END'
import os, sys
count, size = int(sys.argv[1]), int(sys.argv[2])
with open("state", "wb") as f:
    f.write(b"x" * size * count)
fd = os.open("state", os.O_RDONLY)
for i in range(count):
    os.read(fd, size)
END
	ask 0 $PYTHON small.py $count $size
	if [ "$how" = "12000 1" ]; then
		says '^  many small calls: .*small.py 12000 1 \[[0-9]+\], reading /.*/state: 12,000 calls of read, 1 byte each, ' "$how"
		"$EXECTRACE" why --json >"$S/json" 2>"$S/said"
		expect_equal "$(jq -c '.small_calls[0] | .call, .count, .bytes' "$S/json" | tr '\n' ' ')" '"read" 12000 12000 ' "in JSON"
	else
		expect_lines 0 "$S/err" 'many small calls' "$how: not so many, or not so small"
	fi
done
end

begin "many lookups of names"
fresh
cat >look.py <<'END'
import os, sys
for i in range(int(sys.argv[1])):
    os.path.exists("state%d" % i)
END
ask 0 $PYTHON look.py 9000
expect_lines 0 "$S/err" 'many lookups' "not so many"
ask 0 $PYTHON look.py 12000
says '^  many lookups of names: .*look.py 12000 \[[0-9]+\]: 12,[0-9]+ calls, 12,[0-9]+ of them in vain, [0-9.]+m?s in all; the last one newfstatat /.*/state11999$' "how many"
"$EXECTRACE" why --json >"$S/json" 2>"$S/said"
expect_equal "$(jq -r '.lookups[0] | .count >= 12000 and .failed >= 12000, .call, (.name | sub(".*/"; ""))' "$S/json" | tr '\n' ' ')" "true newfstatat state11999 " "in JSON"
end

finish
