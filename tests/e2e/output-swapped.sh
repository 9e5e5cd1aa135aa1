#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# exectrace run by root above a tree of an ordinary user who may rename what lies beside the recording, and link to files of
# root's: none of them is written to.
. "$(dirname "$0")/../lib.sh"
is_root || skip "needs root: two users"

# attack ACTION COMMANDS: the tree does COMMANDS in a directory of its own, where the recording is as well
attack()
{
	fresh
	chown 65534:65534 .
	cp "$V/prog" ./prog
	rm -rf "$S/secret"
	mkdir -m 755 "$S/secret"
	echo secret >"$S/secret/file"
	chmod 600 "$S/secret/file"
	et -o rec --run="$1" --cmd='^\./prog' -- setpriv --reuid=65534 --regid=65534 --clear-groups \
		sh -c 'swap() { mv rec away && mkdir rec; }
plant() { ln -sf "$1/secret/file" "$2" 2>/dev/null; }
cd .; '"$2" sh "$S" >"$S/out" 2>"$S/err"
	status=$?
}

# safe WANT: the command's status, and what root had
safe()
{
	expect_equal "$status" "$1" "exit status"
	expect_equal "$(stat -c '%a %s' "$S/secret/file") $(cat "$S/secret/file")" "600 7 secret" "the file of root's"
	expect_equal "$(ls "$S/secret")" file "nothing beside it"
}

begin "execs.jsonl and run.json in a directory that is swapped"
attack 'log --output=/dev/null' 'swap; for f in execs.jsonl run.json run.json.new; do plant "$1" rec/$f; done; /bin/true; ./prog; exit 3'
safe 3
expect_lines some away/execs.jsonl '"argv":\["/bin/true"\]' "the recording is where it was"
expect_lines 1 away/run.json '"status":3' "its end, too"
expect_equal "$(grep -c cannot "$S/err")" 0 "nothing went wrong"
end

begin "what our own tracer records, in a directory that is swapped"
attack 'trace --format=data' 'swap; for n in 1 2 3; do plant "$1" rec/trace-$n-$$.xtr; done; exec ./prog -x 5'
safe 5
expect "the recording is where it was" has away/trace-1-*.xtr prog
end

begin "the directory as a link to one of root's"
attack 'trace --format=data' 'mv rec away; ln -s "$1/secret" rec; /bin/true; exec ./prog -x 5'
safe 5
end

begin "DIR.old as a link to one of root's"
rm -f "$S/secret/run.json"
fresh
chown 65534:65534 .
rm -rf "$S/secret" && mkdir -m 755 "$S/secret" && echo text >"$S/secret/run.json"
et -q -o rec "${NOTHING[@]}" -- true
setpriv --reuid=65534 --regid=65534 --clear-groups ln -s "$S/secret" rec.old
et -q -o rec "${NOTHING[@]}" -- touch "$S/ran" 2>"$S/err"
expect_equal "$? $(ls "$S/secret")" "125 run.json" "it is left alone"
end

begin "a log in a directory of theirs"
attack 'log --output=out.log' 'plant "$1" out.log; ./prog; ./prog; exit 3'
safe 3
expect_lines some "$S/err" 'cannot write out.log: ' "which is said"
attack 'log --output=out.log' './prog; exit 3'
safe 3
expect_lines 1 out.log 'exit 0.*: \./prog' "and works where nobody interferes"
end

begin "names in a directory that is a link of theirs"
attack 'log --output=logs/out.log' 'ln -s "$1/secret" logs; ./prog; exit 3'
safe 3
attack 'trace -o logs/out.{pid}' 'ln -s "$1/secret" logs; exec ./prog -x 5'
safe 5
end

begin "our own tracer with a name in a directory of theirs"
attack 'trace -o out.{pid}' 'plant "$1" out.$$; exec ./prog -x 5'
safe 5
end
finish
