#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# -o: what it makes, what it never touches, and that the command does not notice when it cannot be written.
. "$(dirname "$0")/../lib.sh"

# run DIR COMMAND...: with -o, a command that shows that it ran
run()
{
	local dir=$1

	shift
	rm -f "$S/ran"
	et -q -o "$dir" "${NOTHING[@]}" "$@" >"$S/out" 2>"$S/err"
}

# refused STATUS NAME: nothing ran, and one line says why
refused()
{
	expect_equal "$1" 125 "exit status"
	expect "nothing was run" test ! -e "$S/ran"
	expect_lines 1 "$S/err" '' "one line"
	expect_lines 1 "$S/err" "^exectrace: .*$2" "it names $2"
}

begin "a file is left alone"
fresh
echo text >b
echo older >b.old
run b --run=log -- touch "$S/ran"
refused $? 'b is not a recording.*left alone'
expect_lines 1 "$S/err" "belongs inside the quotes: --run='strace -o FILE'" "the hint"
expect_equal "$(cat b) $(cat b.old)" "text older" "both files"
end

begin "a directory of others is left alone"
fresh
mkdir photos
echo one >photos/one
run photos --run=log -- touch "$S/ran"
refused $? 'photos is not a recording'
expect_equal "$(ls photos photos.old 2>/dev/null | tr '\n' ' ')" "photos: one " "what is there"
end

begin "a link is left alone"
fresh
mkdir real
ln -s real link
run link --run=log -- touch "$S/ran"
refused $? 'link is not a recording'
expect_equal "$(ls real)" "" "nothing is in what it leads to"
end

begin "an empty directory is used; slashes at the end; the older run is kept"
fresh
mkdir rec
for i in 1 2 3; do
	run rec// -- sh -c "exit $i"
	expect_equal "$?" $i "exit status"
	expect_equal "$(cat "$S/err")" "" "no message"
done
expect_equal "$(ls)" "$(printf 'rec\nrec.old')" "both directories"
expect_lines 1 rec/run.json '"status":3[,}]' "the last run"
expect_lines 1 rec.old/run.json '"status":2[,}]' "the one before"
end

begin "what is made is for the user alone"
fresh
(umask 0; run rec --run='trace --format=data' --cmd='^\S*prog' -- "$V/prog")
expect_equal "$(stat -c %a rec rec/* | sort -u | tr '\n' ' ')" "600 700 " "modes"
end

for kind in file directory link; do
	begin "a .old that is no recording: a $kind"
	fresh
	run rec -- true
	mkdir keep
	touch keep/run.json keep/execs.jsonl
	case $kind in
	file) echo text >rec.old ;;
	directory) mkdir rec.old && touch rec.old/run.json rec.old/notes ;;
	link) ln -s keep rec.old ;;
	esac
	ls -lR --time-style=full-iso >"$S/before"
	run rec -- touch "$S/ran"
	refused $? 'rec\.old'
	ls -lR --time-style=full-iso >"$S/after"
	expect_same "$S/after" "$S/before" "nothing has changed"
	end
done

begin "a directory that cannot be written"
fresh
chmod 755 .
mkdir closed
chmod 555 closed
cp "$EXECTRACE" "$S/program" && chmod 755 "$S/program"
as=()
is_root && as=(setpriv --reuid=65534 --regid=65534 --clear-groups --no-new-privs)
for where in closed closed/rec none/rec; do
	rm -f "$S/ran"
	"${as[@]}" "$S/program" --engine="$ENGINE" -q -o $where "${NOTHING[@]}" -- touch "$S/ran" >"$S/out" 2>"$S/err"
	refused $? "$where"
done
end

begin "a full disk: whole lines, one message, the same result"
fresh
many='i=0; while [ $i -lt 40 ]; do /bin/true $i; i=$((i + 1)); done; echo done; exit 3'
(ulimit -f 4; run rec -- sh -c "$many")
expect_equal "$?" 3 "exit status"
expect_equal "$(cat "$S/out")" "done" "output"
expect_lines 1 "$S/err" '' "one line"
expect_lines 1 "$S/err" '^exectrace: cannot write to rec: File too large' "the reason"
expect "there is something" test -s rec/execs.jsonl
expect_equal "$(tail -c 1 rec/execs.jsonl | od -An -c | tr -d ' ')" '\n' "the last line is whole"
expect "no line is cut" python3 -c 'import json; [json.loads(line) for line in open("rec/execs.jsonl")]'
end

begin "a directory that is removed while it is used"
fresh
run rec -- sh -c 'rm -rf rec; /bin/true; /bin/true; echo done; exit 4'
expect_equal "$?" 4 "exit status"
expect_equal "$(cat "$S/out")" "done" "output"
expect_lines 1 "$S/err" '' "one line"
expect_lines 1 "$S/err" '^exectrace: cannot write to rec' "it names the directory"
expect "it does not come back" test ! -e rec
end

begin "a recording with a pipe in it is read without waiting"
fresh
run rec -- /bin/true
for name in run.json execs.jsonl more.xtr; do
	rm -f rec/$name
	mkfifo rec/$name
	timeout "$(limit 10)" "$EXECTRACE" report rec >"$S/out" 2>"$S/err"
	expect "report ends: $name" test $? -ne 124
	timeout "$(limit 10)" "$EXECTRACE" tree rec >"$S/out" 2>"$S/err"
	expect "tree ends: $name" test $? -ne 124
done
end
finish
