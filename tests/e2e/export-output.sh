#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Where an export goes: standard output, files that are whole or not there, full disks, readers that leave; and recordings that are
# not whole.
# once: the engine has no part in it
. "$(dirname "$0")/../lib.sh"
needs jq
patience=60

et -q -o "$S/data" --run="trace --format=data --stack" --first -- sh -c 'for i in 1 2 3 4 5 6 7 8; do ls / >/dev/null; done' \
	2>"$S/err" </dev/null

# export_as STATUS OPTION...: what it says is in $S/says
export_as()
{
	local wanted=$1 status

	shift
	"$EXECTRACE" export "$@" >"$S/exported" 2>"$S/says"
	status=$?
	expect_equal $status "$wanted" "exit status of export $*"
}

# one_line REGEX
one_line()
{
	expect_equal "$(wc -l <"$S/says")" 1 "one line on standard error"
	expect_lines 1 "$S/says" "$1" "it says what is wrong"
}

begin "a file"
export_as 0 --output="$S/file" "$S/data"
expect_equal "$(cat "$S/exported" "$S/says")" "" "nothing else is written"
export_as 0 "$S/data"
expect_same "$S/file" "$S/exported" "the file has what standard output gets"
echo old >"$S/target"
ln -s target "$S/link"
export_as 0 -f folded -o "$S/link" "$S/data"
expect "a link stays one" test -L "$S/link"
expect_lines some "$S/target" ';' "and what it leads to is new"
(umask 027; "$EXECTRACE" export -o "$S/masked" "$S/data")
expect_equal "$(stat -c %a "$S/masked")" 640 "its mode is as the umask has it"
end

begin "names that others can foresee"
mkdir "$S/foreseen"
# What a process is called that is not there yet: its number is one of the next ones.
for pid in $(seq $$ $(($$ + 400))); do
	mkdir "$S/foreseen/u.$pid"
	for i in 0 99; do : >"$S/foreseen/f.$pid-$i"; done
done
"$EXECTRACE" export --format=uftrace -o "$S/foreseen/u" "$S/data" 2>"$S/says"
expect_equal "$? $(cat "$S/says")" "0 " "a directory"
"$EXECTRACE" export -o "$S/foreseen/f" "$S/data" 2>"$S/says"
expect_equal "$? $(cat "$S/says")" "0 " "a file"
long=$(printf '%0255d' 0)
export_as 0 -o "$S/foreseen/$long" "$S/data"
expect "a name as long as names can be" test -s "$S/foreseen/$long"
expect_equal "$(find "$S/foreseen" -name '*exectrace*' | wc -l)" 0 "nothing is left behind"
end

if only_root "a link of somebody else's"; then
	begin "a link of somebody else's"
	mkdir -m 755 "$S/theirs"
	chown 65534:65534 "$S/theirs"
	echo mine >"$S/mine"
	mkdir "$S/place"
	setpriv --reuid=65534 --regid=65534 --clear-groups ln -s ../mine ../place "$S/theirs"
	export_as 1 -o "$S/theirs/mine" "$S/data"
	one_line '^exectrace: cannot write to .*: Too many levels of symbolic links$'
	export_as 1 -o "$S/theirs/place/file" "$S/data"
	one_line '^exectrace: cannot write to .*: Too many levels of symbolic links$'
	export_as 1 --format=uftrace -o "$S/theirs/place/dir" "$S/data"
	expect_equal "$(cat "$S/mine") $(ls "$S/place")" "mine " "what it leads to is as it was"
	end
fi

begin "a file that cannot be written"
mkdir "$S/dir"
echo old >"$S/dir/file"
(
	trap '' XFSZ
	ulimit -f 1
	"$EXECTRACE" export --output="$S/dir/file" "$S/data" 2>"$S/says"
	echo $? >"$S/status"
)
expect_equal "$(cat "$S/status")" 1 "the exit status"
one_line "^exectrace: cannot write to $S/dir/file: File too large$"
expect_equal "$(cat "$S/dir/file")" old "what was there stays"
expect_equal "$(ls "$S/dir")" file "nothing is left behind"
export_as 1 --output="$S/nowhere/file" "$S/data"
one_line "^exectrace: cannot write to $S/nowhere/file: No such file or directory$"
end

for format in json csv folded callgrind chrome perfetto; do
	begin "a full disk: $format"
	export_as 1 --format=$format --output=/dev/full "$S/data"
	one_line '^exectrace: cannot write to /dev/full: No space left on device$'
	"$EXECTRACE" export --format=$format "$S/data" >/dev/full 2>"$S/says"
	expect_equal $? 1 "exit status with standard output"
	one_line '^exectrace: cannot write to standard output: No space left on device$'
	end
done

begin "a full disk: uftrace"
(
	trap '' XFSZ
	ulimit -f 1
	"$EXECTRACE" export --format=uftrace --output="$S/dir/uftrace" "$S/data" 2>"$S/says"
	echo $? >"$S/status"
)
expect_equal "$(cat "$S/status")" 1 "the exit status"
one_line "^exectrace: cannot write to $S/dir/uftrace: File too large$"
expect_equal "$(ls "$S/dir")" file "nothing is left behind"
end

begin "a reader that leaves"
"$EXECTRACE" export "$S/data" 2>"$S/says" | head -n 1 >"$S/first"
expect_lines 1 "$S/first" '"ph":"run"' "it got a line"
expect_equal "$(cat "$S/says")" "" "nothing is said"
end

begin "a terminal"
"$V/ptyrun" -- "$EXECTRACE" export --format=perfetto "$S/data" >"$S/shown" 2>&1
expect_lines 1 "$S/shown" 'perfetto is not for a terminal: use --output=FILE' "no binary data on it"
"$V/ptyrun" -- "$EXECTRACE" export --format=folded "$S/data" >"$S/shown" 2>&1
expect_lines some "$S/shown" ';\[' "but text"
end

begin "recordings that are not whole"
xtr=$(echo "$S"/data/*.xtr)
head -c $(($(stat -c %s "$xtr") - 40)) "$xtr" >"$S/cut.xtr"
export_as 0 "$S/cut.xtr"
expect_equal "$(wc -l <"$S/says")" 1 "a cut file: one line"
expect "what is there is valid" jq . "$S/exported"
echo nonsense >"$S/bad.xtr"
export_as 1 "$S/bad.xtr"
one_line 'bad.xtr: not an exectrace data file'
cp -r "$S/data" "$S/partly"
echo '{"pid":' >>"$S/partly/execs.jsonl"
for format in json perfetto; do
	export_as 1 --format=$format --output="$S/partly.out" "$S/partly"
	one_line 'execs.jsonl: line [0-9]+: '
	expect "the rest is there" test -s "$S/partly.out"
done
export_as 1 "$S/nowhere"
one_line 'nowhere: No such file or directory'
end

begin "mistakes on the command line"
export_as 1 --format=svg "$S/data"
one_line 'svg'
export_as 1 --weight=count "$S/data"
one_line -- '--weight goes with --format=folded only'
export_as 1 --time=x "$S/data"
one_line "--time: 'x'"
export_as 1 --format=uftrace "$S/data"
one_line 'uftrace is a directory of files: use --output=DIRECTORY'
export_as 1 --format=callgrind --budget=10 "$S/data"
one_line -- '--budget: a file for callgrind has sums only'
export_as 1 --irq=no "$S/data"
one_line 'an option about the functions of a guest'
end

finish
