#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The keeper is among the last that the kernel kills for memory, as far as it may choose; the tree is not.
# once: there is one engine that has a keeper
. "$(dirname "$0")/../lib.sh"

is_kernel 5.19 || skip "no listener before Linux 5.19"

cat >"$S/tree" <<-'EOT'
	cat /proc/self/oom_score_adj
	until [ -e go ]; do sleep 0.02; done
EOT

# kept PROGRAM [ARG]...: starts exectrace through that; sets $value to what its keeper has
kept()
{
	fresh
	rm -f "$S/pid"
	"$@" sh -c 'echo $$ >"$1"; shift; exec "$@"' sh "$S/pid" "$EXECTRACE" --engine=notify -q --list -- sh "$S/tree" >"$S/out" 2>"$S/err" &
	et=$!
	expect "the tree runs" wait_for 30 test -s "$S/out"
	keeper=$(pgrep -P "$(cat "$S/pid")" -x exectrace-keep)
	value=$(cat "/proc/$keeper/oom_score_adj")
	touch go
	wait $et
	rm go
}

# may_lower: who has CAP_SYS_RESOURCE, the 24th, may have any value
may_lower()
{
	((0x$(sed -n 's/^CapEff:.//p' /proc/self/status) >> 24 & 1))
}

chmod 777 "$S"
now=$(cat /proc/self/oom_score_adj)
begin "as we are"
kept env
if may_lower; then
	expect_equal "$value" $((now < -900 ? now : -900)) "the keeper's"
else
	expect_equal "$((value <= now))" 1 "the keeper's is no higher"
fi
expect_equal "$(cat "$S/out")" "$now" "the tree's"
end

begin "raised by an ordinary user: as before that"
raise='echo 300 >/proc/self/oom_score_adj; exec "$@"'
if is_root; then
	kept setpriv --reuid=65534 --regid=65534 --clear-groups sh -c "$raise" sh
else
	kept sh -c "$raise" sh
fi
expect_equal "$((value < 300))" 1 "the keeper's is lower"
[ "$now" -gt 0 ] || expect_equal "$((value <= 0))" 1 "as low as it was"
expect_equal "$(cat "$S/out")" 300 "the tree's"
end
finish
