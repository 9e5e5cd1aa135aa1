#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# --split: files with whole lines, which together are what one file is; none that is there is touched, and none is left when it fails.
# once: the engine has no part in it
. "$(dirname "$0")/../lib.sh"
needs jq python3
patience=60

et -q -o "$S/data" --run="trace --format=data" --first -- sh -c 'for i in 1 2 3; do ls / >/dev/null; sleep 0.3; done' \
	2>"$S/err" </dev/null
"$EXECTRACE" export "$S/data" >"$S/whole"
"$EXECTRACE" export --format=csv "$S/data" >"$S/whole.csv"
mkdir "$S/to"

# split STATUS OPTION...: what it says is in $S/says
split()
{
	local wanted=$1 status

	shift
	"$EXECTRACE" export "$@" >"$S/exported" 2>"$S/says"
	status=$?
	expect_equal $status "$wanted" "exit status of export $*"
	expect_equal "$(cat "$S/exported")" "" "nothing on standard output"
}

# nothing_made REGEX: one line on standard error, and no file
nothing_made()
{
	expect_equal "$(wc -l <"$S/says")" 1 "one line on standard error"
	expect_lines 1 "$S/says" "$1" "it says what is wrong"
	expect_equal "$(find "$S/to" -mindepth 1 | wc -l)" 0 "no file was made"
}

# largest FILE...: of their sizes
largest()
{
	stat -c %s "$@" | sort -n | tail -n 1
}

begin "by size"
split 0 --split=20k -o "$S/to/calls.jsonl" "$S/data"
cat "$S"/to/calls.*.jsonl >"$S/together"
expect_same "$S/together" "$S/whole" "together they are the whole"
expect "there are several" test -e "$S/to/calls.0003.jsonl"
expect "none is larger" test "$(largest "$S"/to/*)" -le 20480
for file in "$S"/to/*; do
	case $file in "$(printf '%s\n' "$S"/to/* | tail -n 1)") continue ;; esac
	expect "one more line would not fit: $file" test "$(stat -c %s "$file")" -gt 18000
done
expect_equal "$(tail -q -c 1 "$S"/to/* | tr -d '\n' | wc -c)" 0 "each ends with a whole line"
expect "each line is JSON" jq -e . "$S"/to/calls.*.jsonl
expect_equal "$(jq -r .run "$S"/to/* | sort -u | wc -l)" 1 "all are of one run"
rm -f "$S"/to/*
(umask 027; "$EXECTRACE" export --split=1M -o "$S/to/calls" "$S/data")
expect_equal "$(ls "$S/to") $(stat -c %a "$S"/to/*)" "calls.0001.jsonl 640" "a name without an end gets one, the mode is as the umask has it"
expect_same "$S/to/calls.0001.jsonl" "$S/whole" "it is all there"
rm -f "$S"/to/*
split 0 --split=100M --format=otlp -o "$S/to/trace" "$S/data"
"$EXECTRACE" export --format=otlp -o "$S/trace" "$S/data"
expect_same "$S/to/trace.0001.jsonl" "$S/trace" "a trace"
rm -f "$S"/to/*
end

begin "a line that is longer"
split 0 --split=1k -o "$S/to/calls.jsonl" "$S/data"
cat "$S"/to/*.jsonl >"$S/together"
expect_same "$S/together" "$S/whole" "together they are the whole"
for file in "$S"/to/*; do
	[ "$(stat -c %s "$file")" -le 1024 ] || expect_equal "$(wc -l <"$file")" 1 "what is larger has one line: $file"
done
rm -f "$S"/to/*
end

begin "by time"
split 0 --split=200ms -o "$S/to/calls.jsonl" "$S/data"
cat "$S"/to/*.jsonl >"$S/together"
expect_same "$S/together" "$S/whole" "together they are the whole"
expect "there are at least three" test -e "$S/to/calls.0003.jsonl"
# The recording began before its first event; there is a beginning from which each file has one stretch, and each stretch one file.
# Numbers so large are not exact in jq.
python3 - "$S"/to/* >"$S/stretches" <<-'EOF'
	import json, sys
	def ends(path):
	    lines = [json.loads(line) for line in open(path)]
	    return [o["t"] + o.get("dur", 0) for o in lines if o["ph"] not in ("run", "program")]
	files = [(min(e), max(e)) for e in map(ends, sys.argv[1:]) if e]
	for before in range(0, 200000000, 10000):
	    first = files[0][0] - before
	    stretches = [(a - first) // 200000000 for a, _ in files]
	    if stretches == [(b - first) // 200000000 for _, b in files] and len(set(stretches)) == len(files):
	        print("it fits")
	        break
EOF
expect_equal "$(cat "$S/stretches")" "it fits" "each has one stretch"
rm -f "$S"/to/*
split 0 --split=5min --format=csv -o "$S/to/calls" "$S/data"
expect_same "$S/to/calls.0001.csv" "$S/whole.csv" "minutes"
rm -f "$S"/to/*
end

begin "titles"
split 0 --split=20k --format=csv -o "$S/to/calls.csv" "$S/data"
expect "there are several" test -e "$S/to/calls.0002.csv"
expect_equal "$(head -q -n 1 "$S"/to/* | sort -u)" "$(head -n 1 "$S/whole.csv")" "each has them"
{ head -n 1 "$S/whole.csv"; tail -q -n +2 "$S"/to/*; } >"$S/together"
expect_same "$S/together" "$S/whole.csv" "together they are the whole"
expect "none is larger" test "$(largest "$S"/to/*)" -le 20480
rm -f "$S"/to/*
end

begin "the calls of a guest"
"$EXECTRACE" export "$TESTS/golden/open.xtr" >"$S/guest" 2>"$S/err"
split 0 --split=1k -o "$S/to/guest.jsonl" "$TESTS/golden/open.xtr"
cat "$S"/to/*.jsonl >"$S/together"
expect_same "$S/together" "$S/guest" "together they are the whole"
rm -f "$S"/to/*
split 1 --split=1s -o "$S/to/guest.jsonl" "$TESTS/golden/open.xtr"
nothing_made 'the clock of this guest counts no time: use a size, such as 1G$'
end

begin "what is there stays"
echo old >"$S/to/calls.0003.jsonl"
split 1 --split=20k -o "$S/to/calls.jsonl" "$S/data"
expect_lines 1 "$S/says" "^exectrace: --split: 'calls.0003.jsonl' is there already, beside which others would be made\$" "it says so"
expect_equal "$(ls "$S/to") $(cat "$S"/to/*)" "calls.0003.jsonl old" "nothing else is there"
rm "$S/to/calls.0003.jsonl"
ln -s "$S/elsewhere" "$S/to/calls.0001.jsonl"
split 1 --split=20k -o "$S/to/calls.jsonl" "$S/data"
expect "no link is followed" test ! -e "$S/elsewhere"
rm "$S/to/calls.0001.jsonl"
touch "$S/to/calls.jsonl" "$S/to/calls.1.jsonl" "$S/to/calls.0001.csv" "$S/to/mycalls.0001.jsonl"
split 0 --split=20k -o "$S/to/calls.jsonl" "$S/data"
expect_equal "$(stat -c %s "$S/to/calls.jsonl" "$S/to/calls.1.jsonl" "$S/to/calls.0001.csv" "$S/to/mycalls.0001.jsonl" | tr '\n' ' ')" "0 0 0 0 " "others do not matter"
rm -f "$S"/to/*
end

begin "what fails"
(
	trap '' XFSZ
	ulimit -f 30
	"$EXECTRACE" export --split=40k -o "$S/to/calls.jsonl" "$S/data" >"$S/exported" 2>"$S/says"
	echo $? >"$S/status"
)
expect_equal "$(cat "$S/status")" 1 "the exit status"
nothing_made "^exectrace: cannot write to $S/to/calls.jsonl: File too large\$"
if mount -t tmpfs -o size=64k none "$S/to" 2>/dev/null; then
	split 1 --split=16k -o "$S/to/calls.jsonl" "$S/data"
	nothing_made "^exectrace: cannot write to $S/to/calls.jsonl: No space left on device\$"
	umount "$S/to"
else
	skip "a full disk" "no file system can be mounted"
fi
split 1 --split=1M -o "$S/nowhere/calls" "$S/data"
nothing_made "cannot write to $S/nowhere/calls: No such file or directory\$"
end

begin "mistakes on the command line"
for wrong in 10 0 0s -1M 5m 1x '' 10sM; do
	split 1 --split="$wrong" -o "$S/to/calls" "$S/data"
	nothing_made "^exectrace: --split: '$wrong' is neither a size such as 1G nor a time such as 10s \(argument 2\)\$"
done
for format in folded callgrind chrome html perfetto sqlite uftrace; do
	split 1 --split=1M --format=$format -o "$S/to/calls" "$S/data"
	nothing_made "^exectrace: --split: $format is one whole, not lines: json, csv and otlp can be split\$"
done
split 1 --split=1s --format=otlp -o "$S/to/calls" "$S/data"
nothing_made "^exectrace: --split: the spans of otlp are not in the order of time: use a size, such as 1G\$"
split 1 --split=1M "$S/data"
nothing_made '^exectrace: --split makes files: use --output=FILE$'
end
begin "several recordings"
et -q -o "$S/more" --run="trace --format=data" --first -- sh -c 'ls / >/dev/null' 2>"$S/err" </dev/null
"$EXECTRACE" export "$S/more" | cat "$S/whole" - >"$S/joined"
"$EXECTRACE" export "$S/data" "$S/more" >"$S/exported"
expect_same "$S/exported" "$S/joined" "one behind the other"
expect_equal "$(jq -r .run "$S/exported" | sort -u | wc -l)" 2 "each line says of which run it is"
split 0 --split=20k -o "$S/to/all.jsonl" "$S/data" "$S/more"
cat "$S"/to/all.*.jsonl >"$S/together"
expect_same "$S/together" "$S/joined" "also in files"
rm -f "$S"/to/*
split 0 --split=0.2s -o "$S/to/all.jsonl" "$S/data" "$S/more"
cat "$S"/to/all.*.jsonl >"$S/together"
expect_same "$S/together" "$S/joined" "and in those of some time each"
rm -f "$S"/to/*
"$EXECTRACE" export --format=otlp "$S/more" >"$S/second"
"$EXECTRACE" export --format=otlp "$S/data" | cat - "$S/second" >"$S/joined"
"$EXECTRACE" export --format=otlp "$S/data" "$S/more" >"$S/exported"
expect_same "$S/exported" "$S/joined" "traces"
rm -f "$S"/to/*
split 1 --split=20k -o "$S/to/all.jsonl" "$S/data" "$S/none"
nothing_made 'none'
split 1 --budget=1M "$S/data" "$S/more"
nothing_made '--budget is for one recording'
end

finish
