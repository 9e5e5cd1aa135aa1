#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The sampler and the ends of things: of the process, of exectrace, of itself; no permission; what it has already.
. "$(dirname "$0")/../lib.sh"
has_victim split "the program that is sampled" || finish
records=$(dirname "$V")/tools/records
patience=60

# whole FILE: a recording that was ended properly
whole()
{
	"$records" -n "$1" >"$S/records" 2>&1
	grep -qx 'file: whole' "$S/records"
}

# started [UNITS [OPTIONS]]: exectrace in the background on a split that waits for the end of its input; its pid in $pid
started()
{
	new_run
	rm -rf "$S/data" "$S/in" "$S/err"
	mkfifo "$S/in"
	ET_RUN=$ET_RUN "$EXECTRACE" --engine="$ENGINE" -o "$S/data" --run="profile ${2-}" --cmd='^\S*split' -- \
		"$V/split" "${1-10}" wait <"$S/in" >"$S/out" 2>"$S/err" &
	pid=$!
	exec 7>"$S/in"
	wait_for 30 has "$S/err" ' match 1, '
}

# The sampler of the run, once it has attached.
sampler()
{
	local each

	for each in $(ours); do
		case $(tr '\0' ' ' <"/proc/$each/cmdline" 2>/dev/null) in
		exectrace-profile*) echo "$each" ;;
		esac
	done
}

# burnt FILE: it has samples of the work, so the process was handed over
burnt()
{
	"$EXECTRACE" report --csv --sort=sym "$1" 2>/dev/null | grep -q ',heavy$'
}

begin "the picked process is left as it was"
act profile -o "$S/tree"
expect_equal "$(find "$S/tree" -name 'profile-1-*.xtr' | wc -l)" 1 "one recording"
expect "which is whole" whole "$S"/tree/profile-1-*.xtr
expect_lines 1 "$S/records" ' executes \([0-9]+ words, .*proggdb"' "it begins with the program"
expect_lines 1 "$S/records" ' ends: process ' "it ends with it"
end

begin "no permission: a line, and the process runs on"
run_as no "$V/noperf" "$EXECTRACE" --engine="$ENGINE" --run=profile --cmd='^\S*proggdb .*PICKME' -- sh -c "$TREE"
expect_same "$S/no.out" "$S/plain.tree" "the tree's output"
expect_lines 1 "$S/no.err" 'not permitted to sample process [0-9]+.*kernel\.perf_event_paranoid is -?[0-9]+' "which sysctl it is"
expect_lines 1 "$S/no.err" 'profile ended without attaching; the process runs on' "that it runs on"
expect_equal "$(find "$S/run" -name '*.xtr' | wc -l)" 0 "no empty recording is left"
end

theirs=$S/theirs
mkdir "$theirs" && chmod 777 "$theirs"
if [ "$(id -u)" = 0 ] && setpriv --reuid=65534 --clear-groups sh -c 'test -w "$1" && "$2"' sh "$theirs" "$V/prog" >/dev/null 2>&1; then
	begin "an ordinary user gets what kernel.perf_event_paranoid allows"
	paranoid=$(cat /proc/sys/kernel/perf_event_paranoid)
	setpriv --reuid=65534 --clear-groups "$EXECTRACE" --engine="$ENGINE" -o "$theirs/data" --run=profile --cmd='^\S*split' -- \
		"$V/split" 10 >"$S/out" 2>"$S/err" </dev/null
	expect_equal $? 0 "the process runs to its end"
	if [ "$paranoid" -gt 2 ]; then
		expect_lines 1 "$S/err" "not permitted to sample process [0-9]+: kernel\.perf_event_paranoid is $paranoid; 2 would do, and 1 " "which sysctl it is"
	elif [ "$paranoid" = 2 ]; then
		expect_lines 1 "$S/err" 'time in the kernel is not seen: kernel\.perf_event_paranoid is 2; 1 would do \(sysctl ' "which sysctl it is"
		expect "the program is sampled" burnt "$theirs/data"
	else
		expect_lines 0 "$S/err" 'paranoid' "there is nothing to say"
		expect "the program is sampled" burnt "$theirs/data"
	fi
	end
else
	skip_case "an ordinary user gets what kernel.perf_event_paranoid allows" "this is none, or nobody can use the tests"
fi

begin "too many samples a second are refused before"
rate=$(($(cat /proc/sys/kernel/perf_event_max_sample_rate) + 1))
if [ $rate -le 100000 ]; then
	"$EXECTRACE" --run="profile -F $rate" -o "$S/rate" -- true >"$S/rate.out" 2>"$S/rate.err"
	expect_lines 1 "$S/rate.err" 'perf_event_max_sample_rate' "the sysctl"
fi
et --run='profile -F 1000000' -- true >"$S/out" 2>"$S/err"
expect_equal $? 125 "125"
end

begin "exectrace is killed: the sampler goes on to the end"
started
wait_for 30 burnt "$S/data"
kill -9 "$pid"
wait "$pid" 2>/dev/null
exec 7>&-
wait_for 30 none_left
expect "nobody is left" none_left
expect "the recording is whole" whole "$S"/data/profile-1-*.xtr
expect "and has the work" burnt "$S/data"
end

begin "the sampler is asked to end: the process runs on"
started
wait_for 30 burnt "$S/data"
kill "$(sampler)"
wait_for 30 sh -c "! kill -0 $(sampler) 2>/dev/null"
expect "the recording is whole" whole "$S"/data/profile-1-*.xtr
kill -0 "$pid"
expect_equal $? 0 "the run goes on"
exec 7>&-
wait "$pid"
expect_equal $? 0 "and ends well"
end

begin "the sampler is killed: what it wrote can be read"
started
wait_for 30 burnt "$S/data"
kill -9 "$(sampler)"
exec 7>&-
wait "$pid"
expect_equal $? 0 "the process ends well"
"$EXECTRACE" report --csv --sort=sym "$S/data" >"$S/csv" 2>"$S/note"
expect_lines 1 "$S/csv" ',heavy$' "functions"
expect_lines 1 "$S/note" 'its end is missing' "a line says that it was cut"
end

begin "what is lost is counted and said"
started 600 '-F 4999 --stack-size=61440'
wait_for 30 burnt "$S/data"
# What is left of its six seconds is several times what the rings hold.
kill -STOP "$(sampler)"
wait_for 100 grep -q '^State:.S' "/proc/$(match_pid "$S/err")/status"
kill -CONT "$(sampler)"
exec 7>&-
wait "$pid"
expect_equal $? 0 "the process ends well"
expect_lines 1 "$S/err" '^exectrace: \[[0-9]+\] profile: [0-9]+ records lost, [0-9]+ samples kept' "a line of the sampler"
"$EXECTRACE" report "$S/data" >"$S/report" 2>"$S/note"
expect_lines 1 "$S/note" ': [0-9]+ records were lost while it was recorded' "a line of report"
expect_equal "$(sed -n 's/.*: \([0-9]*\) records were lost.*/\1/p' "$S/note")" \
	"$(sed -n 's/.* profile: \([0-9]*\) records lost.*/\1/p' "$S/err")" "the same number"
end

begin "the process is killed"
started
wait_for 30 burnt "$S/data"
victim=$(match_pid "$S/err")
kill -9 "$victim"
wait "$pid"
expect_equal $? 137 "the status says so"
exec 7>&-
expect "the recording is whole" whole "$S"/data/profile-1-*.xtr
wait_for 30 none_left
expect "nobody is left" none_left
end

if engine_can notify "what it has already is left alone" "it does not see what a process executes that it has let go"; then
	begin "what it has already is left alone"
	et -o "$S/twice" --run=profile --cmd='split' -- sh -c "$V/split 1; $V/split 1; true" >"$S/out" 2>"$S/err"
	expect_lines 2 "$S/err" 'matches, but profile has it already, with process [0-9]+; left alone' "two lines"
	expect_equal "$(find "$S/twice" -name '*.xtr' | wc -l)" 1 "one recording"
	end
fi

begin "by hand"
rm -f "$S/in" && mkfifo "$S/in"
"$V/split" 20 wait <"$S/in" &
pid=$!
exec 7>"$S/in"
(exec -a exectrace-profile "$EXECTRACE" -p $pid -o "$S/hand.xtr" 2>"$S/err" 7>&-) &
sampler=$!
wait_for 30 burnt "$S/hand.xtr"
exec 7>&-
wait $pid
wait $sampler
expect_equal $? 0 "its status"
grep -v 'records lost' "$S/err" >"$S/said"
if is_root || [ "$(cat /proc/sys/kernel/perf_event_paranoid)" -lt 2 ]; then
	expect_same "$S/said" /dev/null "nothing to say"
else
	expect_lines 1 "$S/said" 'time in the kernel is not seen: kernel\.perf_event_paranoid is 2; 1 would do \(sysctl ' "which sysctl it is"
	expect_equal "$(wc -l <"$S/said")" 1 "nothing else to say"
fi
expect "the recording is whole" whole "$S/hand.xtr"
expect_lines 1 "$S/records" "^$pid executes .*split" "what it was"
(exec -a exectrace-profile "$EXECTRACE" -p $pid -o "$S/gone.xtr" 2>"$S/err")
expect_equal $? 125 "a process that is gone"
expect_lines 1 "$S/err" 'cannot sample process [0-9]+: No such process' "a line says so"
expect "and no file" test ! -e "$S/gone.xtr"
(exec -a exectrace-profile "$EXECTRACE" --help >"$S/help" 2>&1)
expect_lines some "$S/help" '^  -F, --frequency=HZ ' "help"
end

begin "a thread that has its only samples in its last moment has a name"
rm -f "$S/in" && mkfifo "$S/in"
"$V/split" 3 last <"$S/in" &
pid=$!
exec 7>"$S/in"
wait_for 30 grep -qx burner /proc/$pid/task/*/comm
(exec -a exectrace-profile "$EXECTRACE" -p $pid -o "$S/last.xtr" 2>"$S/err" 7>&-) &
sampler=$!
named()
{
	"$records" -n "$S/last.xtr" 2>/dev/null | grep -q burner
}
wait_for 30 named
exec 7>&-
wait $pid
wait $sampler
expect_equal $? 0 "its status"
"$EXECTRACE" report --csv --sort=comm "$S/last.xtr" >"$S/comm"
expect_lines 1 "$S/comm" '^[0-9]{7,},[0-9]+,burner$' "it is told by its name"
expect_lines 0 "$S/comm" '^[0-9]+,[0-9]+,$' "none is without"
end

begin "a disk that is full"
(exec -a exectrace-profile "$EXECTRACE" -p $$ -o /dev/full 2>"$S/err") &
sampler=$!
wait_for 30 has "$S/err" '/dev/full'
wait $sampler
expect_equal $? 125 "its status"
expect_lines 1 "$S/err" '/dev/full: No space left' "a line says so"
end

begin "--keep=failed"
et -o "$S/kept" --keep=failed --run=profile --cmd='^\S*split' -- "$V/split" 1 >"$S/out" 2>"$S/err"
expect_equal "$(find "$S/kept" -name '*.xtr' | wc -l)" 0 "one that did well is not kept"
end
if behind_can "the recording is whole (-D)"; then
	begin "the recording is whole (-D)"
	et -D -o "$S/behind" --run=profile --cmd='^\S*split' -- "$V/split" 10 >"$S/out" 2>"$S/err"
	wait_for 30 has "$S/err" 'commands matched'
	expect "the recording is whole" whole "$S"/behind/profile-1-*.xtr
	end
fi

begin "perf kvm is handed on"
mkdir "$S/bin"
cat >"$S/bin/perf" <<'EOF'
#!/bin/sh
echo "perf $*" >>"$PERF_LOG"
EOF
chmod 755 "$S/bin/perf"
PERF_LOG=$S/perf PATH=$S/bin:$PATH et --run='perf kvm stat record -o x' --cmd='^\S*split' -- "$V/split" 1 >"$S/out" 2>"$S/err"
expect_lines 1 "$S/perf" "^perf kvm stat record -o x -p $(match_pid "$S/err")$" "its words and the pid"
end
finish
