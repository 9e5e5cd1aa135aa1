#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The commands that look at a recording, with one that is checked in (tests/unit/recording_sample.h made it): what they
# show, what their options select, how tables add up, bad data, pagers, and readers that go away.
. "$(dirname "$0")/../lib.sh"
data=$TESTS/golden/recording

# shown COMMAND [ARG]...: what an analysis command prints, in $S/out and $S/err; its status
shown()
{
	"$EXECTRACE" "$@" >"$S/out" 2>"$S/err" </dev/null
}

# of_list ARG...: the calls that the list shows, as "PID NAME" in one line
of_list()
{
	shown syscalls "$@" "$data"
	awk '$4 !~ /^[-+]/ { sub(/\(.*/, "", $4); printf "%s%s %s", sep, $1, $4; sep = ", " }' "$S/out"
}

begin "the list"
shown syscalls "$data"
expect_equal $? 0 "the status"
cat >"$S/want" <<'END'
100   prog            0.002000 openat(AT_FDCWD, "/etc/pas\"swd", O_RDONLY|O_CLOEXEC) = 3</etc/pas"swd> <0.001000>
200   sh              0.007000 close(3)                                = 0 <0.000000>
101   prog            0.005000 write(1</dev/null>, "hello\n", 6)       = 6 <0.003000>
100   prog            0.006000 openat(AT_FDCWD, "/nowhere", O_RDONLY)  = -1 ENOENT (No such file or directory) <0.004000>
100   prog            0.011000 --- SIGCHLD from pid 102 ---
102   prog            0.012000 getpid()                                = 102 <0.002000>
101   prog            0.015000 +++ exited with 0 +++
102   prog            0.016000 +++ killed by SIGKILL +++
100   prog            0.017000 exit_group(3)                           = ?
100   prog            0.018000 +++ exited with 3 +++
200   sh              0.020000 +++ exited with 0 +++
END
expect_same "$S/out" "$S/want" "what it shows"
expect_lines 1 "$S/err" '^exectrace: .*trace-2-200.xtr: 7 records were lost while it was recorded$' "what was lost is said"
end

begin "stacks"
shown syscalls --stack --filter=write "$data"
cat >"$S/want" <<'END'
101   prog            0.005000 write(1</dev/null>, "hello\n", 6)       = 6 <0.003000>
 > /usr/lib/x86_64-linux-gnu/libc.so.6(write+0x8) [0x2008]
 > /tmp/prog(pool::work+0x10) [0x1210]
 > /tmp/prog(pool::work+0x10) [0x1210]
 > /tmp/prog(main+0x10) [0x1110]
 > /usr/lib/x86_64-linux-gnu/libc.so.6(__libc_start_main+0x11) [0x3011]
END
expect_same "$S/out" "$S/want" "a line for each frame"
end

begin "--clock=wall: times since 1970"
shown syscalls --clock=wall --limit=2 "$data"
expect_lines 1 "$S/out" '^100   prog            1700000000\.002000 openat\(' "a call"
end

begin "processes that are chosen"
expect_equal "$(of_list --picked -e write,close,getpid)" "200 close, 101 write" "--picked"
expect_equal "$(of_list --cmd='^sh -c a b$')" "200 close" "--cmd: words joined by blanks"
expect_equal "$(of_list --under='^prog -l$')" "102 getpid" "--under"
expect_equal "$(of_list --under='^make' --cmd='^prog' --min=2ms)" "101 write, 100 openat, 102 getpid" "both"
shown report --no-children --weight=count --sort=sym --csv --under='^prog' "$data"
expect_lines 1 "$S/out" '\[getpid\]$' "report: a call"
expect_equal "$(wc -l <"$S/out")" 2 "and no other"
shown syscalls --cmd='^nobody' "$data"
expect_equal "$? $(grep -v lost "$S/err")" "1 exectrace: 0 of 4 processes fit --cmd='^nobody'" "nobody fits"
shown syscalls --cmd='^make' "$data"
expect_equal "$? $(grep -v lost "$S/err")" \
	"1 exectrace: no calls were recorded of the 1 of 4 processes that fit --cmd='^make'" "nothing of them is known"
shown syscalls --cmd='*make' "$data"
expect_equal "$?" 1 "a glob is refused"
expect_lines 1 "$S/err" "^exectrace: --cmd='\\*make': .*takes a regular expression" "and it says why"
shown report -e close --cmd='^prog' "$data"
expect_equal "$? $(grep -v lost "$S/err")" "1 exectrace: 0 of 6 calls" "no such call of them"
end

begin "options that select"
expect_equal "$(of_list --filter=%file)" "100 openat, 100 openat" "--filter=%CLASS"
expect_equal "$(of_list -e '!/^open/,!close,!exit_group')" "101 write, 102 getpid" "--filter with regex and negation"
expect_equal "$(of_list --failed)" "100 openat" "--failed"
expect_equal "$(of_list --path=/dev/null)" "101 write" "--path by descriptor"
expect_equal "$(of_list --path='/etc/pas"swd')" "100 openat" "--path by name"
expect_equal "$(of_list --pid=200,102)" "200 close, 102 getpid" "--pid"
expect_equal "$(of_list --pid=100)" "100 openat, 101 write, 100 openat, 100 exit_group" "--pid has the threads of a process"
expect_equal "$(of_list --comm='s?')" "200 close" "--comm"
expect_equal "$(of_list --time=0.0075,0.009)" "101 write, 100 openat" "--time has what was in progress"
expect_equal "$(of_list --time=,0.004)" "100 openat" "--time without a beginning"
expect_equal "$(of_list --min=3ms)" "101 write, 100 openat" "--min"
expect_equal "$(of_list --limit=2)" "100 openat, 200 close" "--limit"
expect_equal "$(of_list --sort=start)" "100 openat, 101 write, 100 openat, 200 close, 102 getpid, 100 exit_group" "--sort=start"
expect_equal "$(of_list --sort=duration -n 3)" "100 openat, 101 write, 102 getpid" "--sort=duration with a limit"
end

# Tables against what awk makes of the list.
begin "summaries add up to the list"
shown syscalls --csv "$data"
cp "$S/out" "$S/list"
for by in call process stack path error; do
	shown syscalls --summary=$by --csv "$data"
	expect "--summary=$by" awk -F, -v by=$by '
		NR == FNR { if (FNR > 1 && (by != "error" || $8 != "")) { calls++; ns += $2; errors += $8 != "" } next }
		FNR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		{ got += $(at["calls"]); gotns += $(at["total_ns"]); goterrors += $(at["errors"]) }
		END {
			print "calls", calls, got, "ns", ns, gotns, "errors", errors, goterrors
			exit !(calls > 0 && calls == got && ns == gotns && errors == goterrors)
		}' "$S/list" "$S/out"
done
shown syscalls --summary --csv "$data"
for call in openat write getpid close exit_group; do
	want=$(awk -F, -v c=$call '$6 == c { n++; t += $2 } END { print n "," t }' "$S/list")
	expect_equal "$(awk -F, -v c=$call '$1 == c { print $2 "," $4 }' "$S/out")" "$want" "$call"
done
end

begin "processes have what their descendants did"
shown syscalls --summary=process --csv "$data"
expect_lines 1 "$S/out" '^100,90,0,prog -l,5,1,11000000,4,1,9000000,' "the first"
expect_lines 1 "$S/out" '^102,100,1,prog -l \(fork\),1,0,2000000,1,0,2000000,' "its child"
shown syscalls --summary=process "$data"
expect_lines 1 "$S/out" '^100\.00 +11\.0ms +9\.00ms .* 5 +1  prog -l \[100\]$' "for people"
expect_lines 1 "$S/out" '^ 18\.18 +2\.00ms +2\.00ms .*    prog -l \(fork\) \[102\]$' "indented"
end

begin "summaries by functions of one's own"
shown syscalls --summary=stack "$data"
expect_lines 1 "$S/out" '  write  pool::work < main$' "libc is passed over"
shown syscalls --summary=stack --depth=1 "$data"
expect_lines 1 "$S/out" '  write  pool::work$' "--depth"
end

begin "report"
shown report "$data"
expect_equal $? 0 "the status"
cat >"$S/want" <<'END'
# 6 calls, 3 of them with a stack, 11.0ms in them
#
# Children      Self  Command  Shared Object  Symbol
    45.45%    45.45%  prog     [kernel]       [k] [openat]
    36.36%     0.00%  prog     [unknown]      [.] 0x7e0000000123
    36.36%     0.00%  prog     [unknown]      [.] 0x7f0000009000
    36.36%     0.00%  prog     libc.so.6      [.] __libc_start_main
    36.36%     0.00%  prog     prog           [.] main
    36.36%     0.00%  prog     libc.so.6      [.] write
    27.27%    27.27%  prog     [kernel]       [k] [write]
    27.27%     0.00%  prog     prog           [.] pool::work
    18.18%    18.18%  prog     [kernel]       [k] [getpid]
     9.09%     9.09%  prog     [kernel]       [k] [exit_group]
END
expect_same "$S/out" "$S/want" "what it shows"
shown report --call-graph --sort=sym --filter=openat,write --percent-limit=60 "$data"
cat >"$S/want" <<'END'
# 3 calls, 8.00ms in them
#
# Children      Self  Symbol
    62.50%    62.50%  [k] [openat]
            |
            ---[openat]

END
expect_same "$S/out" "$S/want" "--percent-limit"
shown report --call-graph --sort=sym --filter=openat,write --path='/etc/pas"swd' "$data"
expect_lines 0 "$S/out" 'pool::work' "--path selects"
shown report -g --sort=sym --time=0,0.0055 "$data"
cat >"$S/want" <<'END'
# 2 calls, 4.00ms in them
#
# Children      Self  Symbol
   100.00%     0.00%  [.] __libc_start_main
            |
            ---__libc_start_main
               main
               |
               |--75.00%--pool::work
               |         pool::work
               |         write
               |         [write]
               |
                --25.00%--write
                         [openat]

END
head -n 16 "$S/out" >"$S/got"
expect_same "$S/got" "$S/want" "--call-graph=caller, --time"
shown report --no-children -g --sort=sym --filter=write "$data"
cat >"$S/want" <<'END'
# 1 calls, 3.00ms in them
#
# Overhead  Symbol
   100.00%  [k] [write]
            |
            ---[write]
               write
               pool::work
               pool::work
               main
               __libc_start_main

END
expect_same "$S/out" "$S/want" "--no-children has the callers"
shown report --csv --weight=count --sort=comm "$data"
expect_equal "$(sort "$S/out" | tr '\n' ' ')" "1,1,sh 5,5,prog children,self,command " "--weight=count --csv"
end

begin "tree"
shown tree "$data"
cat >"$S/want" <<'END'
  Time  Status          Process
21.0ms  SIGSEGV (core)  make check  [90]
17.0ms  exit 3          ├── prog -l  [100] <- picked
12.0ms  SIGKILL         │   └── prog -l (fork)  [102]
17.0ms                  └── sh -c 'a b'  [200] <- picked
END
expect_same "$S/out" "$S/want" "what it shows"
shown tree --csv "$data/trace-1-100.xtr"
expect_lines 1 "$S/out" '^100,90,0,0,17000000,exit 3,yes,prog -l,,,,,,yes$' "of a file alone"
end

# refused STATUS REGEX COMMAND...: one line on standard error, and nothing else
refused()
{
	local status=$1 line=$2

	shift 2
	shown "$@"
	expect_equal $? "$status" "the status of: $*"
	expect_equal "$(wc -l <"$S/err") $(wc -c <"$S/out")" "1 0" "one line, of: $*"
	expect_lines 1 "$S/err" "^exectrace: $line" "the line, of: $*"
}

begin "bad data"
mkdir -p "$S/empty" "$S/bad"
echo text >"$S/text"
head -c 20 "$data/trace-1-100.xtr" >"$S/short"
cp "$data/trace-1-100.xtr" "$S/newer"
printf '\002' | dd of="$S/newer" bs=1 seek=12 conv=notrunc 2>/dev/null
for command in syscalls 'syscalls --summary' report tree; do
	# shellcheck disable=SC2086 # command and options
	{
		refused 1 ".*/none: No such file or directory$" $command "$S/none"
		refused 1 ".*/empty: no recording is in this directory$" $command "$S/empty"
		refused 1 ".*/text: not an exectrace data file$" $command "$S/text"
		refused 1 ".*/short: ends within its header$" $command "$S/short"
		refused 1 ".*/newer: has version 2 of the format, which is newer than this exectrace" $command "$S/newer"
	}
done
cd "$S/empty" || exit 1
refused 1 "exectrace.data: No such file or directory; to record: " syscalls
cd "$S" || exit 1
refused 1 "unexpected 'x': several recordings are summed up only [(]--summary[)]" syscalls "$data" x
refused 1 ".*--sort=count goes with --summary$" syscalls --sort=count "$data"
refused 1 ".*--sort=start goes without --summary$" syscalls -c --sort=start "$data"
refused 1 ".*--pid: '1,' is not a list of process ids" syscalls --pid=1, "$data"
refused 1 ".*--time: '3' is not two times" report --time=3 "$data"
refused 1 ".*--min: 'x' is not a duration" report --min=x "$data"
refused 1 ".*--filter: .*nosuch" report --filter=nosuch "$data"
refused 1 ".*--sort: 'x' is none of comm, dso, sym" report --sort=sym,x "$data"
end

begin "a file that is cut, and one that is damaged"
size=$(stat -c %s "$data/trace-1-100.xtr")
head -c $((size - 1)) "$data/trace-1-100.xtr" >"$S/cut.xtr"
shown syscalls "$S/cut.xtr"
expect_equal $? 0 "a cut file is no error"
expect_lines 1 "$S/err" "cut.xtr: its end is missing; what is there has been read$" "but said"
cp "$data/trace-1-100.xtr" "$S/bad/damaged.xtr"
printf '\377\377\377' | dd of="$S/bad/damaged.xtr" bs=1 seek=$((size - 20)) conv=notrunc 2>/dev/null
cp "$data/trace-2-200.xtr" "$S/bad/"
shown syscalls "$S/bad"
expect_equal $? 1 "a damaged one is"
expect_lines 1 "$S/err" "damaged.xtr: block 0: its checksum is wrong$" "with the block"
expect_lines 1 "$S/out" '^200 +.* close\(3\)' "the other file is shown"
: >"$S/bad/damaged.xtr"
for command in syscalls report tree; do
	shown $command "$S/bad"
	expect_equal $? 0 "$command: one whose writer was killed before it had begun is no error"
	expect_lines 1 "$S/err" "damaged.xtr: ends within its header$" "but said"
	expect "the other file is shown" test -s "$S/out"
done
end

begin "a list of execs that is damaged"
for damage in 'not an exec' '{"pid":' "$(head -c 70000 /dev/zero | tr '\0' '[')"; do
	rm -rf "$S/partly" && cp -r "$data" "$S/partly"
	{
		sed -n 1,2p "$data/execs.jsonl"
		printf '%s\n' "$damage"
		sed 1,2d "$data/execs.jsonl"
	} >"$S/partly/execs.jsonl"
	shown tree "$S/partly"
	expect_equal $? 1 "the status"
	expect_equal "$(grep -vc "records were lost" "$S/err")" 1 "one line"
	expect_lines 1 "$S/err" 'partly/execs.jsonl: line 3: not as exectrace writes it$' "it is said where"
	expect_lines some "$S/out" 'prog -l  \[100\] .*<- picked' "what was recorded is shown"
	expect_lines 1 "$S/out" 'prog -l \(fork\)  \[102\]' "with what no exec tells"
done
rm "$S/partly/execs.jsonl" && mkdir "$S/partly/execs.jsonl"
shown tree --json "$S/partly"
expect_lines 1 "$S/err" 'partly/execs.jsonl: not a regular file$' "it is no file"
expect_equal "$(jq -c '[.[].pid]' "$S/out")" '[100,102,200]' "there are the others"
end

begin "many files at once"
mkdir -p "$S/many"
for i in $(seq 100); do cp "$data/trace-1-100.xtr" "$S/many/trace-$i-100.xtr"; done
(ulimit -Sn 64; shown syscalls --filter=openat "$S/many")
expect_equal "$(grep -c openat "$S/out") $(wc -l <"$S/err")" "200 0" "more than may be open are read"
for i in $(seq 100); do echo text >"$S/many/trace-$i-100.xtr"; done
cp "$data/trace-1-100.xtr" "$S/many/good.xtr"
shown syscalls --filter=openat "$S/many"
expect_equal "$? $(grep -c openat "$S/out") $(wc -l <"$S/err")" "1 2 21" "not a flood of lines"
expect_lines 1 "$S/err" '^exectrace: \.\.\. and 80 more$' "but their number"
end

begin "a reader that goes away"
for command in 'syscalls' 'report -g' tree; do
	# shellcheck disable=SC2086 # command and options
	("$EXECTRACE" $command "$data" 2>"$S/err"; echo $? >"$S/status") </dev/null | :
	expect_equal "$(cat "$S/status")" 0 "the status of $command"
	expect_equal "$(grep -c -v 'records were lost' "$S/err")" 0 "nothing is said by $command"
done
for command in syscalls 'syscalls --summary --csv' report tree timeline "graph main" "diff $data"; do
	# shellcheck disable=SC2086 # command and options
	"$EXECTRACE" $command "$data" >/dev/full 2>"$S/err"
	expect_equal $? 1 "a full disk is an error: $command"
	expect_lines 1 "$S/err" '^exectrace: cannot write to standard output: No space left on device$' "and said: $command"
done
end

# on_terminal COMMAND: what it prints on a terminal
on_terminal()
{
	script -qec "$1" /dev/null </dev/null 2>&1 | tr -d '\r'
}

begin "pagers and colours"
if command -v script >/dev/null; then
	export EXECTRACE_PAGER='sed s/^/paged:/'
	on_terminal "$EXECTRACE tree $data" >"$S/out"
	expect_lines 5 "$S/out" '^paged:' "a terminal has a pager"
	expect_lines some "$S/out" "$(printf '\033')\[" "and colours"
	on_terminal "$EXECTRACE tree --no-pager --color=never $data" >"$S/out"
	expect_lines 0 "$S/out" '^paged:' "--no-pager"
	expect_lines 0 "$S/out" "$(printf '\033')\[" "--color=never"
	EXECTRACE_PAGER='' on_terminal "$EXECTRACE tree $data" >"$S/out"
	expect_lines some "$S/out" 'SIGSEGV.*make check' "an empty pager is none"
	unset EXECTRACE_PAGER
	PAGER='sed s/^/other:/' on_terminal "$EXECTRACE tree $data" >"$S/out"
	expect_lines 5 "$S/out" '^other:' "PAGER"
	EXECTRACE_PAGER='nosuchpager -x' PAGER='sed s/^/other:/' on_terminal "$EXECTRACE tree $data" >"$S/out"
	expect_lines 5 "$S/out" '^other:' "the first that is there"
	expect_lines 0 "$S/out" 'not found' "nothing is said of the other"
	EXECTRACE_PAGER='(sed s/^/shell:/)' on_terminal "$EXECTRACE tree $data" >"$S/out"
	expect_lines 5 "$S/out" '^shell:' "what only the shell understands"
	# A machine with little on it: no less, and nobody has said what else.
	mkdir -p "$S/little" && ln -sf "$(command -v sh)" "$S/little/sh"
	on_terminal "env -u PAGER PATH=$S/little $EXECTRACE tree --color=never $data" >"$S/out"
	expect_lines 1 "$S/out" '^21.0ms +SIGSEGV \(core\) +make check  \[90\]' "without less the terminal has to do"
	expect_lines 0 "$S/out" 'not found' "and it is not missed"
fi
shown tree "$data"
expect_lines 0 "$S/out" "$(printf '\033')\[" "a file has no colours"
shown tree --color=always "$data"
expect_lines some "$S/out" "$(printf '\033')\[" "--color=always"
end

begin "help and completion"
for command in syscalls report tree; do
	shown help $command
	expect_lines 1 "$S/out" "^usage: exectrace $command \[OPTION\]... \[DATA\]" "help $command"
	shown completion bash
	expect_lines some "$S/out" "$command" "completion knows $command"
done
end
finish
