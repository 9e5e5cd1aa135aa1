#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What somebody who sees `exectrace syscalls` for the first time expects: names of sockets, scripts and files, what fails and how
# often, no calls of the loader; against what the programs do, strace and /proc.
. "$(dirname "$0")/../lib.sh"
needs strace

# recorded COMMAND...: a recording of a command in `d`, of all that it starts
recorded()
{
	rm -rf d
	et -q -o d --run="trace --format=data" --first -- "$@" >"$S/out" 2>"$S/err" </dev/null
}

# shown ARG...: what syscalls prints, in $S/shown
shown()
{
	"$EXECTRACE" syscalls "$@" d >"$S/shown" 2>"$S/said" </dev/null
}

fresh
begin "descriptors have the names of their peers"
recorded "$V/sockets" run.sock
expect_equal "$(cat "$S/out")" "done" "the program"
shown
at='UNIX:run.sock'
expect_lines 1 "$S/shown" " connect\([0-9]+<$at>, .* = 0 " "connect"
expect_lines 1 "$S/shown" " accept\([0-9]+<$at>, .*= [0-9]+<$at> " "accept"
expect_lines 2 "$S/shown" " read\([0-9]+<$at>, \"u\", 1\) +" "both read"
expect_lines 1 "$S/shown" " poll\(\[\{fd=[0-9]+<$at>, " "poll"
expect_lines 1 "$S/shown" " pselect6\([0-9]+, \[[0-9]+<$at>\], " "select"
expect_lines 1 "$S/shown" " connect\([0-9]+<$at.none>, .* = -1 ENOENT " "one that is not there"
port=$(sed -n 's/.* getsockname(.*htons(\([0-9]*\)).*/\1/p' "$S/shown")
expect_lines 2 "$S/shown" " read\([0-9]+<TCP:127.0.0.1:$port>, \"t\"" "TCP, with the port that the kernel has chosen"
# What strace knows of the same program from /proc: as many calls with sockets.
strace -f -y -o "$S/strace" "$V/sockets" run.sock >/dev/null 2>&1
expect_equal "$(grep -cE ' (read|write)\([0-9]+<(UNIX|TCP):' "$S/shown")" "$(grep -cE ' (read|write)\([0-9]+<socket:' "$S/strace")" \
	"as many as strace sees"
end

begin "--path finds sockets, by name and by descriptor"
shown --path=run.sock
for call in bind connect accept read write poll pselect6 newfstatat; do
	expect "$call" grep -q " $call(.*run.sock" "$S/shown"
done
expect_lines 0 "$S/shown" 'TCP' "no other"
shown --path="127.0.0.1:$port" --filter=accept
expect_lines 1 "$S/shown" "accept" "an address"
end

begin "--summary=path: poll, connect and the empty path"
shown --summary=path --csv --filter=poll,connect,newfstatat --path='*run.sock*'
expect_equal "$(cut -d, -f1,2,3 "$S/shown" | sort)" "$(printf '%s\n' path,calls,errors UNIX:run.sock,3,0 UNIX:run.sock.none,1,1 | sort)" "the rows"
end

begin "a restarted call has not failed"
shown
expect_lines 1 "$S/shown" ' read\(.* = \? ERESTARTSYS ' "there is one"
shown --failed
expect_lines 0 "$S/shown" ERESTART "--failed"
shown --error='!ENOENT'
expect_lines 0 "$S/shown" ERESTART "--error"
shown --summary=error
expect_lines 0 "$S/shown" ERESTART "--summary=error"
shown --summary --filter=read --csv
expect_equal "$(awk -F, 'NR == 2 { print $3 }' "$S/shown")" 0 "--summary"
rm -f run.sock
et -q --run='trace --failed -o failed.log' --first -- "$V/sockets" run.sock >"$S/out" 2>"$S/err"
expect_lines 0 failed.log ERESTART "trace --failed"
expect_lines 1 failed.log 'connect.*ENOENT' "which has others"
end

begin "--no-startup: what main does, of dynamic and static programs"
for program in prog progstatic; do
	[ -x "$V/$program" ] || continue
	recorded sh -c '"$1" word; :' sh "$V/$program"
	shown --no-startup --comm=$program
	expect_lines 0 "$S/shown" 'ld\.so|libc\.so|locale|arch_prctl|set_tid|mprotect' "$program: nothing of the loader"
	expect_lines 1 "$S/shown" ' execve\(' "$program: but the execve"
	expect_lines 1 "$S/shown" ' exit_group\(' "$program: and its end"
	shown --comm=$program
	cp "$S/shown" "$S/all"
	shown --no-startup --comm=$program
	# Nothing is left out behind the first call that is shown.
	first=$(sed -n '2s/^[0-9]* *[^ ]* *\([0-9.]*\) .*/\1/p' "$S/shown")
	expect_equal "$(sed 1d "$S/shown")" "$(awk -v from="$first" '$3 >= from' "$S/all" | grep -v ' execve(')" "$program: all of the rest"
done
shown --no-startup --summary --csv
expect_lines 0 "$S/shown" '^(arch_prctl|mprotect|set_tid_address),' "the table"
shown --no-startup --filter=arch_prctl
expect_equal $? 1 "nothing is left"
expect_lines 1 "$S/said" '^exectrace: 0 of [0-9,]+ calls$' "which is said"
end

begin "calls of a shell name its script"
mkdir -p sub
echo 'test -e nosuch1' >sub/lib.sh
echo '. sub/lib.sh; test -e nosuch2; (test -e nosuch3); "$1" a >/dev/null; read -r line <sub/words; test -e nosuch4' >client.sh
echo word >sub/words
recorded sh ./client.sh "$V/prog"
shown --failed
expect_lines 1 "$S/shown" '^[0-9]+ +sh lib\.sh +[0-9.]+ .*"nosuch1"' "what it sources"
for n in 2 3 4; do
	expect_lines 1 "$S/shown" "^[0-9]+ +sh client\.sh +[0-9.]+ .*\"nosuch$n\"" "its own, $n"
done
shown --filter=execve
expect_lines 1 "$S/shown" '^[0-9]+ +prog +[0-9.]+ ' "not another program"
shown --json --path=nosuch1
expect_equal "$(jq -r '.[0] | .comm + " " + .script' "$S/shown")" "sh lib.sh" "JSON"
shown --csv --path=nosuch1
expect_lines 1 "$S/shown" ',lib\.sh$' "CSV"
recorded sh -c 'test -e nosuch1' client.sh
shown --path=nosuch1
expect_lines 1 "$S/shown" '^[0-9]+ +sh +[0-9.]+ ' "no script"
end

begin "paths below the run's directory"
recorded sh -c 'cat sub/words /etc/passwd; cd sub; cat words' >/dev/null
shown --filter=openat --path=words
expect_lines 1 "$S/shown" 'openat\(AT_FDCWD<\.>, "sub/words".* = [0-9]+<sub/words> ' "a file"
expect_lines 1 "$S/shown" 'openat\(AT_FDCWD<sub>, "words".* = [0-9]+<sub/words> ' "from another directory"
shown --filter=openat --path=words --absolute
expect_lines 2 "$S/shown" "openat\(AT_FDCWD<$PWD(/sub)?>, .* = [0-9]+<$PWD/sub/words> " "--absolute"
shown --filter=openat --path=passwd
expect_lines 1 "$S/shown" '= [0-9]+</etc/passwd>' "others stay"
shown --summary=path --filter=openat,read
expect_lines 1 "$S/shown" ' sub/words$' "one row for one file"
shown --summary=path --filter=openat,read --csv
expect_lines 1 "$S/shown" "^$PWD/sub/words," "full paths for machines"
end

begin "--summary=error: call, error, path, and how often"
recorded sh -c 'for i in 1 2 3 4 5; do test -e sub/nosuch; sleep 0.1; done; test -e other'
shown --summary=error --csv --path='*nosuch'
expect_equal "$(head -n 1 "$S/shown" | cut -d, -f1-5)" "call,error,path,per_second,calls" "titles"
expect_equal "$(sed 1d "$S/shown" | cut -d, -f1,2,3,5)" "newfstatat,ENOENT,$PWD/sub/nosuch,5" "five of one kind"
rate=$(awk -F, 'NR == 2 { print $4 }' "$S/shown")
expect "5 in 0.4 seconds and a little: at most 10 a second, not $rate" awk "BEGIN { exit !($rate > 0.5 && $rate <= 10) }"
shown --summary=error
expect_lines 1 "$S/shown" ' 5 +5 +[0-9.]+ +newfstatat  ENOENT  sub/nosuch$' "for people"
expect_lines 1 "$S/shown" ' 1 +1 +newfstatat  ENOENT  other$' "no rate of one"
end

begin "sums beyond the run say over how many"
recorded sh -c 'for i in 1 2 3 4; do sh -c "sleep 8; :" & done; wait' # longer than all four, and the recording, take to begin
shown --summary
expect_lines 1 "$S/shown" ' wait4  over 5 processes$' "waits of all"
expect_lines 1 "$S/shown" ' total  over [0-9]+ processes$' "and the total"
expect_lines 0 "$S/shown" ' openat  over' "not what is short"
shown --summary --csv
expect_equal "$(sed -n 's/^wait4,.*,\([0-9]*\)$/\1/p' "$S/shown")" 5 "CSV"
shown --summary=process
expect_lines 5 "$S/shown" '\]  over [0-9]+ processes$' "a tree: those that wait for others"
end

begin "a short option with ="
shown -c=error
expect_equal $? 1 "status"
expect_lines 1 "$S/said" "; write --summary=error or -cerror$" "says what to write"
shown -n=3
expect_lines 1 "$S/said" "; write --limit=3$" "also of a number"
end

finish
