#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# diff of two sets of recordings: what is on one side alone, what moved beyond noise, and what did not. Medians, quartiles, p and its
# correction are Python's, from `syscalls --summary` of each recording, by all permutations.
# groups: check
. "$(dirname "$0")/../lib.sh"
needs jq python3
patience=60

# shown ARG...: what diff prints, in $S/shown and $S/said; its status
shown()
{
	"$EXECTRACE" diff "$@" >"$S/shown" 2>"$S/said" </dev/null
}

# record NAME COMMAND...
record()
{
	local name=$1

	shift
	et -q -o "$S/$name" --run="trace --format=data" --first -- "$@" >"$S/out" 2>"$S/err" </dev/null
}

# section TITLE: its lines in $S/section
section()
{
	sed -n "/^# $1:/,/^#\$/p" "$S/shown" | grep -v '^#' >"$S/section"
}

# In B a file is missing in each run, and in two of them a check fails; 30 reads more; both sleep for about as long. They are recorded in
# turn: what a busy machine does, it does to both.
for i in 1 2 3 4 5; do
	record "good$i" sh -c "cat /etc/passwd >/dev/null; $V/prog one; sleep 0.0$i; dd if=/dev/zero of=/dev/null bs=1 count=20 2>/dev/null; exit 0"
	record "bad$i" sh -c "cat /etc/passwd >/dev/null; cat $S/missing; sleep 0.0$i
		dd if=/dev/zero of=/dev/null bs=1 count=50 2>/dev/null; [ $i -gt 2 ] || $V/prog -x 7 two; exit 0"
done
cd "$S" || exit 1
good=(good1 good2 good3 good4 good5)
bad=(bad1 bad2 bad3 bad4 bad5)

begin "what is on one side"
shown "${good[@]}" -- "${bad[@]}"
expect_equal "$? $(cat "$S/said")" "0 " "the status"
expect_equal "$(sed -n '1,2p' "$S/shown")" "# A: 5 recordings: good1, ...
# B: 5 recordings: bad1, ..." "what is compared"
section "How the runs ended"
expect_equal "$(sed 1d "$S/section" | tr -s ' ' | sed 's/^ //')" "5 of 5 5 of 5 1 1 exit 0" "all ended well"
section "Processes that failed"
expect_lines 1 "$S/section" '^ +0 of 5 +5 of 5 +0 +1 .*%  cat  exit 1$' "what failed in all"
expect_lines 0 "$S/section" 'prog' "what failed in two of five is no difference yet"
section "Commands"
expect_lines 1 "$S/section" '^ +0 of 5 +5 of 5 .*  cat (\.|/tmp/\?)[^ ]*/missing$' "a command in B"
expect_lines 1 "$S/section" '^ +5 of 5 +0 of 5 .*/prog one$' "a command in A"
expect_lines 0 "$S/section" 'sleep|/etc/passwd$' "not what both have, or only some"
section "Calls that failed"
expect_lines 1 "$S/section" '^ +0 of 5 +5 of 5 .*  openat  ENOENT  (\.|/tmp/\?)[^ ]*/missing$' "an error in B"
section "Functions and calls, by their own time"
expect_lines 1 "$S/section" '%  \[read\]' "reads"
expect_equal "$(grep -n '^# ' "$S/shown" | sed 's/.*# \([^:]*\):.*/\1/' | tail -n 6 | tr '\n' ';')" \
	"How the runs ended;Processes that failed;Commands;Calls that failed;The runs;Functions and calls, by their own time;" "times come last"
end

begin "the same numbers as Python has"
cat >"$S/oracle.py" <<'END'
import csv, itertools, json, statistics, subprocess, sys
program, rows, sides = sys.argv[1], json.load(open(sys.argv[2])), [sys.argv[3].split(), sys.argv[4].split()]
def summary(path):
	out = subprocess.run([program, 'syscalls', '--summary', '--csv', path], capture_output=True, text=True, check=True).stdout
	return {'[' + r['call'] + ']': (int(r['total_ns']), int(r['calls'])) for r in csv.DictReader(out.splitlines())}
data = [[summary(p) for p in side] for side in sides]
names = {n for side in data for d in side for n in d}
def p_of(a, b):
	v = a + b
	r = [2 * sum(w < x for w in v) + sum(w == x for w in v) + 1 for x in v]
	mean = len(a) * (len(v) + 1)
	far = abs(sum(r[:len(a)]) - mean)
	ways = [abs(sum(c) - mean) >= far for c in itertools.combinations(r, len(a))]
	return sum(ways) / len(ways)
tests = {}
for n in names:
	for what in 0, 1:
		a, b = [[d.get(n, (0, 0))[what] for d in side] for side in data]
		if len(set(a + b)) > 1:
			tests[n, what] = p_of(a, b)
q = {(n, what): 1 for n in names for what in (0, 1)}
for what in 0, 1:
	s = sorted(p for (n, w), p in tests.items() if w == what)
	q.update({(n, w): min(1, min(s[j] * len(s) / (j + 1) for j in range(len(s)) if s[j] >= p)) for (n, w), p in tests.items() if w == what})
bad = 0
def same(name, what, got, want):
	global bad
	if abs(float(got) - want) > 1e-5 * max(1, abs(want)):
		bad += 1
		print(name, what, 'got', got, 'wanted', want)
rows = {r['name']: r for r in rows if r['by'] == 'function'}
if set(rows) != names:
	sys.exit('other names: %s' % (set(rows) ^ names))
for n, r in rows.items():
	same(n, 'q', r['q'], q[n, 0])
	same(n, 'calls_q', r['calls_q'], q[n, 1])
	if (r['beyond_noise'] == 'yes') != (min(q[n, 0], q[n, 1]) <= 0.05):
		same(n, 'beyond', 1, 0)
	for at, side in zip('ab', data):
		for what, prefix in (0, ''), (1, 'calls_'):
			v = [d.get(n, (0, 0))[what] for d in side]
			low, median, high = statistics.quantiles(v, n=4, method='inclusive')
			same(n, prefix + 'low_' + at, r[prefix + 'low_' + at], low)
			same(n, prefix + 'high_' + at, r[prefix + 'high_' + at], high)
			same(n, 'median', r['median_' + at] if not what else r['calls_' + at], median)
		same(n, 'in_' + at, r['in_' + at], sum(n in d for d in side))
print(len(rows), 'names')
sys.exit(bad != 0)
END
shown --json --percent-limit=0 "${good[@]}" -- "${bad[@]}"
expect "they are the same" python3 "$S/oracle.py" "$EXECTRACE" "$S/shown" "${good[*]}" "${bad[*]}"
expect_equal "$(jq -r '.[] | select(.by == "function" and .name == "[read]") | [.calls_b - .calls_a, .beyond_noise] | join(" ")' "$S/shown")" "30 yes" "30 reads more"
shown --json --percent-limit=0 good1 good2 good3 bad4 -- bad1 bad2 bad3 good4 good5
expect "of sides of other sizes, with ties" python3 "$S/oracle.py" "$EXECTRACE" "$S/shown" "good1 good2 good3 bad4" "bad1 bad2 bad3 good4 good5"
end

begin "the same on both sides is no difference"
shown --json good1 good3 good5 bad1 -- good1 good3 good5 bad1
expect_equal "$(jq '[.[] | select(.beyond_noise == "yes" or .one_side == "yes")] | length' "$S/shown")" 0 "nothing"
shown good1 good3 good5 bad1 -- good1 good3 good5 bad1
expect_lines 4 "$S/shown" '^# [A-Z].*: nothing beyond noise, and none in all of one side and in none of the other$' "it says so"
end

begin "too few to tell"
shown good1 good2 -- bad1 bad2
expect_lines 1 "$S/shown" '^# too few to tell a difference from noise: .* in 33% of all cases; 4 and 4 are enough$' "it says so"
section "Commands"
expect_lines 1 "$S/section" '^ +0 of 2 +2 of 2 .*missing$' "what is on one side alone is shown"
shown good1 -- bad1
section "Processes that failed"
expect_lines 1 "$S/section" '^ +0 of 1 +1 of 1 +0 +1 +cat  exit 1$' "of one on each side"
end

begin "two recordings: what needs no clock comes first"
shown good1 bad1
expect_equal "$? $(cat "$S/said")" "0 " "the status"
expect_lines 1 "$S/shown" '^#   B has a process that failed: cat  exit 1$' "what failed"
expect_lines 1 "$S/shown" '^#   B ran cat (\.|/tmp/\?)[^ ]*/missing$' "a command"
expect_lines 1 "$S/shown" '^#   A ran .*/prog one$' "a command of the other"
expect_lines 1 "$S/shown" '^#   B has a call that failed: openat  ENOENT  .*/missing$' "a call"
expect_lines 0 "$S/shown" 'ended with' "both ended well"
expect "before times" test "$(grep -n 'On one side only' "$S/shown" | cut -d : -f 1)" -lt "$(grep -n 'functions differ' "$S/shown" | cut -d : -f 1)"
shown good1 good1
expect_lines 0 "$S/shown" 'On one side only' "nothing, where nothing is"
shown --csv good1 bad1
expect_lines 0 "$S/shown" '^#' "CSV has times only"
end

begin "what cannot be compared"
shown "${good[@]}" nowhere -- "${bad[@]}"
expect_equal "$? $(cat "$S/said")" "1 exectrace: nowhere: No such file or directory" "one is missing: it is named"
expect_lines 1 "$S/shown" '^# A: 5 recordings: ' "the others are compared"
shown nowhere -- "${bad[@]}"
expect_equal "$? $(cat "$S/shown" "$S/said")" "1 exectrace: nowhere: No such file or directory" "all of a side"
shown "${good[@]}" -- nowhere none
expect_equal "$? $(wc -l <"$S/said")" "1 3" "the other side"
shown "${good[@]}" --
expect_equal "$? $(cat "$S/said")" "1 exectrace: no recording stands behind '--'" "nothing behind --"
shown good1 good2 bad1
expect_equal "$? $(cat "$S/said")" \
	"1 exectrace: unexpected 'bad1'; several recordings are A... -- B...; a regular expression goes with --state" "three without --"
printf 'Entry\tDelta\tPID\tFunction\tCaller\n0\t100\t1\touter\tnone+0x10\n10\t20\t1\tinner\touter+0x10\n' >guest.log
"$EXECTRACE" import -q guest.log >"$S/out" 2>&1
shown "${good[@]}" guest.log.xtr -- "${bad[@]}"
expect_equal "$? $(grep -c 'guest.log.xtr: left out: ' "$S/said")" "1 1" "a guest among them is left out"
expect_lines 1 "$S/shown" '^# A: 5 recordings: ' "the others are compared"
shown guest.log.xtr guest.log.xtr -- guest.log.xtr
expect_lines 1 "$S/shown" ' 1 +1 +inner$' "guests are compared"
end

begin "only some calls"
shown --json --by=function --filter=read --percent-limit=0 "${good[@]}" -- "${bad[@]}"
expect_equal "$(jq -r '[.[] | select(.by == "function") | .name] | join(" ")' "$S/shown")" "[read]" "--filter"
shown --json --limit=1 "${good[@]}" -- "${bad[@]}"
expect_equal "$(jq -r '[.[] | select(.by == "function")] | length' "$S/shown")" 1 "--limit"
end
finish
