#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The page of --format=html: its numbers are those of `report`, names of anybody's stay text, and headless Chromium shows it: search,
# zoom, sorting, keys, light and dark, without a complaint and without loading anything.
# groups: check guest tools
. "$(dirname "$0")/../lib.sh"
needs jq python3
: "${BUILD:=${V%/tests/victims}}"
patience=85

# page OPTION...: the page $S/page.html, its data as $S/data.json
page()
{
	"$EXECTRACE" export --format=html -o "$S/page.html" "$@" >"$S/out" 2>"$S/err" </dev/null || return
	sed -n '/<script type="application\/json"/{n;s/<\/script>$//;p;}' "$S/page.html" >"$S/data.json"
	jq -e . "$S/data.json" >"$S/parsed"
}

# rows: what a page says of each function, as `COUNT SELF NAME`
rows()
{
	jq -r '.functions as $f | .row_count[0] as $count | .row_self[0] as $self | range(1; $count | length) |
		select($f[2 * .] != "[no function]" and $f[2 * . + 1] != "[task]" and $f[2 * . + 1] != "[interrupt]") | "\($count[.])\t\($self[.])\t\($f[2 * .])"' "$S/data.json" |
		awk -F '\t' '{ count[$3] += $1; self[$3] += $2 } END { for (name in count) print count[name], self[name], name }' | sort
}

# reported FILE: the same of `report`, which tells functions with the same name apart
reported()
{
	"$EXECTRACE" report --csv --clock=guest --fields=clF "$1" 2>/dev/null | awk -F , 'NR > 1 && $3 !~ /^\[(no function|filtered|interrupts)\]$/ {
		name = $3; if (name !~ /^@/) sub(/@[0-9a-f]+$/, "", name); count[name] += $1; self[name] += $2 } END { for (name in count) printf "%d %.0f %s\n", count[name], self[name], name }' | sort
}

# sums: each path's total is its own and those of what it goes on to; what is not shown is in the totals
sums()
{
	jq -e '[.depth[0], .self[0], .total[0]] | transpose | map({depth: .[0], self: .[1], total: .[2]}) | . as $nodes |
		reduce range(length - 1; -1; -1) as $i ({below: [], bad: 0};
			$nodes[$i] as $n | ((.below[$n.depth + 1] // 0) + $n.self) as $sum |
			(if $sum > $n.total then .bad += 1 else . end) | .below[$n.depth + 1] = 0 | .below[$n.depth] = ((.below[$n.depth] // 0) + $n.total)) |
		.bad == 0' "$S/data.json"
}

# small: less than 5 MB, and no address of anything
small()
{
	[ "$(stat -c %s "$S/page.html")" -lt 5000000 ] && ! sed '/id="data"/,+1d' "$S/page.html" | grep -E 'https?://|[^a-z](src|href)="[^d]|@import|url\('
}

# chart_is_full: what the processors did in the chart, whose cells are rounded to 63 parts, is nearly all that was recorded
chart_is_full()
{
	python3 - "$S/data.json" <<-'END'
		import json, string, sys
		data = json.load(open(sys.argv[1]))
		digits = string.ascii_uppercase + string.ascii_lowercase + string.digits + "+/"
		parts = sum(digits.index(c) for lane in data["chart"]["lanes"] if lane["group"] == "cpu" for text in lane["cells"].values() for c in text)
		share = parts / 63 * data["chart"]["width"] / data["total"][0][0]
		print(share)
		sys.exit(not 0.95 < share < 1.1)
	END
}

# part NAME: what the browser printed behind `say == NAME`
part()
{
	awk -v name="== $1" '/^== / { on = $0 == name; next } on' "$S/seen" >"$S/part"
}

# sees WHAT: $S/part is the standard input
sees()
{
	cat >"$S/wanted"
	expect_same "$S/part" "$S/wanted" "$1"
}

# --- What is in it ---------------------------------------------------------------------------------------------------

cat >"$S/log" <<-'END'
	Entry	Delta	PID	Function	Caller
	0	1000	1	main
	10	400	1	</script><img/src=x/onerror=alert(1)>	main
	500	300	1	"quoted\\'&amp;	main
	520	100	1	<!--<script>	"quoted\\'&amp;
	1900	50	2	second
	1910	10	2	leaf	second
	1930	10	2	leaf	second
END
sed 's/^1930.*//; s/^500	300/500	200/' "$S/log" >"$S/before"

begin "an imported log with names that are HTML"
"$EXECTRACE" import -q -o "$S/log.xtr" "$S/log" && "$EXECTRACE" import -q -o "$S/before.xtr" "$S/before"
expect "there is a page" page "$S/log.xtr"
expect "it is small, and loads nothing" small
expect_equal "$(grep -c '<!--' "$S/page.html") $(grep -ac '<img' "$S/page.html")" "1 0" "names are no markup"
expect_equal "$(grep -o '</script>' "$S/page.html" | wc -l)" 2 "and end nothing"
rows >"$S/rows"
expect_lines 1 "$S/rows" '^1 400 </script><img/src=x/onerror=alert\(1\)>$' "they are in it as they were"
expect_lines 1 "$S/rows" '^1 200 "quoted\\\\'"'"'&amp;$' "all of them"
expect_lines 1 "$S/rows" '^2 20 leaf$' "with counts and times"
expect "totals are sums" sums
end

begin "two logs compared"
expect "there is a page" page --diff="$S/before.xtr" "$S/log.xtr"
expect_equal "$(jq -c '(.functions | index("leaf") / 2) as $i | [.row_count[0][$i], .row_count[1][$i], .row_self[0][$i], .row_self[1][$i]]' \
	"$S/data.json")" "[2,1,20,10]" "what differs has both numbers"
"$EXECTRACE" export --format=folded --diff="$S/before.xtr" "$S/log.xtr" >"$S/out" 2>"$S/err"
expect_equal "$? $(cat "$S/err")" "1 exectrace: --diff goes with --format=html only" "other formats compare nothing"
"$EXECTRACE" export --format=html --min=1ms "$S/log.xtr" >"$S/out" 2>"$S/err"
expect_equal "$? $(wc -c <"$S/out")" "1 0" "what a guest's page cannot choose by is refused"
end

begin "a tree of processes"
et -q -o "$S/data" --run="trace --format=data --stack" --first -- bash -c \
	'printf "</script><b>" >/proc/$$/comm; ls / >/dev/null; for i in 1 2 3; do (cat /nowhere); done; exit 0' >"$S/out" 2>"$S/err" </dev/null
expect "there is a page" page "$S/data"
expect "it is small, and loads nothing" small
expect "totals are sums" sums
"$EXECTRACE" export --format=folded "$S/data" | awk '{ sum += $NF } END { printf "%.0f\n", sum }' >"$S/time"
"$EXECTRACE" export --format=folded --weight=count "$S/data" | awk '{ sum += $NF } END { printf "%.0f\n", sum }' >"$S/calls"
expect_equal "$(jq -r '"\(.total[0][0]) \(.calls[0][0])"' "$S/data.json")" "$(cat "$S/time" "$S/calls" | xargs)" "all calls and their time are in it"
"$EXECTRACE" syscalls --summary --csv "$S/data" | awk -F , 'NR > 1 { print $2, "[" $1 "]" }' | sort >"$S/summary"
rows | sed -n 's/^\([0-9]*\) [0-9]* \(\[[a-z0-9_]*\]\)$/\1 \2/p' | sort >"$S/in-page"
expect_same "$S/in-page" "$S/summary" "as many of each"
expect_equal "$(jq '[.chart.lanes[] | select(.group == "thread")] | length' "$S/data.json")" \
	"$("$EXECTRACE" export "$S/data" | jq -r 'select(.tid) | .tid' | sort -u | wc -l)" "each thread has a row"
"$EXECTRACE" tree --json "$S/data" | jq -r '.[] | "\(.pid) \(.status)"' | sort >"$S/wanted"
jq -r '.chart.processes[] | "\(.[2]) \(.[3])"' "$S/data.json" | sort >"$S/in-page"
expect_same "$S/in-page" "$S/wanted" "each process has a bar"
expect "within the time of the chart" jq -e '.chart.end as $most | all(.chart.processes[]; .[0] <= .[1] and .[1] <= $most)' "$S/data.json"
expect "with the name of its program" jq -e '[.chart.processes[] | select(.[5] == "cat /nowhere") | .[4]] == ["cat", "cat", "cat"]' "$S/data.json"
expect "how many ran is told" jq -e '.chart.cpus > 0 and (.chart.busy | length > 10 and add > 0)' "$S/data.json"
expect "one has the name it gave itself" jq -e '[.chart.lanes[].names[][1]] | index("</script><b>")' "$S/data.json"
end

begin "a run of which only execs are known"
et -q -o "$S/execs" "${NOTHING[@]}" -- sh -c 'ls / >/dev/null; sleep 0.2; exit 0' >"$S/out" 2>"$S/err" </dev/null
expect "there is a page" page "$S/execs"
expect_equal "$(jq -c '[.chart.processes[][4]]' "$S/data.json")" '["sh","ls","sleep"]' "its processes are in the chart"
expect "for as long as they lived" jq -e '.chart.processes[2] | .[1] - .[0] > 100000000' "$S/data.json"
end

guest=
if [ "$ENGINE" = notify ] && [ -s "$BUILD/guest/vmlinuz" ] && [ -s "$BUILD/guest/initrd.gz" ] && command -v qemu-system-x86_64 >/dev/null; then
	guest=$S/guest.xtr
	begin "a boot"
	timeout "$(limit 80)" qemu-system-x86_64 -accel tcg -m 256 -nographic -no-reboot -nodefaults -serial stdio -kernel "$BUILD/guest/vmlinuz" \
		-initrd "$BUILD/guest/initrd.gz" -append "console=ttyS0 panic=-1 no_timer_check quiet" -plugin "$BUILD/exectrace-guest.so,out=$guest" >"$S/out" 2>"$S/err" </dev/null
	expect_equal $? 0 "it is recorded"
	expect "there is a page" page "$guest"
	expect "it is small, and loads nothing" small
	expect "totals are sums" sums
	rows | sort -k 3 >"$S/in-page"
	reported "$guest" | sort -k 3 >"$S/wanted"
	expect "thousands of functions were called" test "$(wc -l <"$S/wanted")" -gt 3000
	expect_same "$S/in-page" "$S/wanted" "counts and own times are those of report"
	expect_equal "$(jq '.total[0][0]' "$S/data.json")" "$("$EXECTRACE" report --csv --clock=guest --fields=lF "$guest" 2>/dev/null |
		awk -F , '{ sum += $1 } END { printf "%.0f\n", sum }')" "and so is all time together"
	expect_equal "$(jq -r '[.chart.spans[] | select(.[0] == 1)[3]] | join(", ")' "$S/data.json")" \
		"firmware, boot loader, kernel start, initcalls, init memory freed, programs, shutdown" "its phases are told"
	expect "and who initialised what" jq -e '[.chart.spans[] | select(.[0] == 0)[3]] | length > 50 and any(. == "inet_init")' "$S/data.json"
	expect "time in the chart is time that ran" chart_is_full
	end
else
	skip_case "a boot" "$([ "$ENGINE" = notify ] && echo "without a guest, which make check-guest makes" || echo "not with engine $ENGINE: it does not depend on it")"
fi

# --- What a browser makes of it --------------------------------------------------------------------------------------

[ "$ENGINE" = notify ] || skip "not with engine $ENGINE: what a browser shows does not depend on it"
command -v chromium >/dev/null || skip "chromium is not installed"

"$EXECTRACE" export --format=html -o "$S/log.html" "$S/log.xtr"
"$EXECTRACE" export --format=html -o "$S/diff.html" --diff="$S/before.xtr" "$S/log.xtr"
"$EXECTRACE" export --format=html -o "$S/real-data.html" "$S/data"
[ -z "$guest" ] || "$EXECTRACE" export --format=html -o "$S/real-guest.html" "$guest"

# real NAME: everything once, with a recording that is one
real()
{
	[ -s "$S/real-$1.html" ] || return 0
	cat <<-END
		say == $1
		size 1280 800
		light
		open $S/real-$1.html
		eval document.documentElement.dataset.ready
		key 1 ArrowDown ArrowDown + + Escape 2 ArrowUp ArrowUp Enter i m c c m i Escape 3 ArrowDown PageDown End Home / e
		eval document.querySelectorAll("#rows [data-fn]").length > 0
		size 800 600
		key Escape 2 1
		dark
	END
}

{
	real data
	real guest
	cat <<-END
		say == text
		size 1280 800
		open $S/log.html
		eval [document.images.length, document.querySelectorAll("[onerror]").length, document.scripts.length]
		key 3
		type x
		eval document.querySelectorAll("#rows [data-fn]").length
		click #rows th:nth-child(1) button
		eval [...document.querySelectorAll("#rows [data-fn] td:first-child")].map((cell) => cell.textContent)
		key 2 / s c r i p t
		eval document.getElementById("found").textContent
		say == flame
		size 1000 700
		open $S/log.html
		key 2 /
		type leaf
		eval document.getElementById("found").textContent
		key Enter Escape
		eval [document.getElementById("search").value, document.getElementById("found").textContent]
		key ArrowUp
		eval document.getElementById("status").textContent
		key Enter
		eval document.getElementById("crumbs").textContent
		key ArrowUp Enter
		eval document.getElementById("crumbs").textContent
		key Escape
		eval document.getElementById("crumbs").textContent
		key m ArrowUp ArrowUp
		eval document.getElementById("status").textContent
		key c ArrowUp
		eval document.getElementById("status").textContent
		click #flame-invert
		eval document.getElementById("flame-invert").getAttribute("aria-pressed")
		click #flame
		key ArrowDown
		eval document.getElementById("status").textContent
		key /
		type /[/
		eval [document.getElementById("found").textContent, document.getElementById("search").className]
		say == table
		size 1000 700
		open $S/log.html
		key 3
		eval document.querySelector("#rows th[aria-sort=descending]").textContent
		eval document.querySelector("#rows [data-fn] td").textContent
		click #rows th:nth-child(3) button
		eval document.querySelector("#rows [data-fn] td").textContent
		click #rows th:nth-child(3) button
		eval document.querySelector("#rows th[aria-sort=ascending]").textContent
		click #rows th:nth-child(6) button
		eval document.querySelector("#rows [data-fn] td").textContent
		click #rows [data-fn]
		eval [...document.querySelectorAll("#detail li")].map((line) => line.textContent.replace(/\u202f/g, " "))
		key ArrowDown
		eval document.querySelector("#rows [aria-selected=true] td").textContent
		key Enter
		eval [document.getElementById("flame-view").hidden, document.getElementById("found").textContent]
		key 3 /
		type second
		eval document.querySelectorAll("#rows [data-fn]").length
		size 800 600
		open $S/log.html
		key 3 ArrowDown
		eval [document.querySelector("#rows [data-fn] td:last-child").getBoundingClientRect().right - document.getElementById("rows").clientWidth, [...document.querySelectorAll("#rows [data-fn] td")].filter((cell) => cell.offsetParent && !cell.matches(".text") && cell.scrollWidth > cell.clientWidth).length]
		say == page
		size 800 600
		dark
		open $S/log.html
		eval [document.documentElement.dataset.theme, getComputedStyle(document.body).backgroundColor]
		light
		eval document.documentElement.dataset.theme
		click #theme
		eval document.documentElement.dataset.theme
		light
		eval document.documentElement.dataset.theme
		key 1
		eval [document.querySelector("[aria-selected=true]").id, document.activeElement.id]
		key 2
		eval [document.querySelector("[aria-selected=true]").id, document.activeElement.id, getComputedStyle(document.activeElement).outlineStyle]
		key ?
		eval [document.getElementById("about").open, document.activeElement.id]
		key Enter
		eval document.getElementById("about").open
		eval [...document.querySelectorAll("button, input, select, canvas, [tabindex]")].filter((one) => !(one.getAttribute("aria-label") || one.textContent.trim() || document.querySelector("label[for=" + one.id + "]"))).map((one) => one.id)
		eval document.documentElement.scrollWidth <= innerWidth && document.documentElement.scrollHeight <= innerHeight
		say == chart
		size 1000 700
		open $S/log.html
		eval [document.querySelector("[aria-selected=true]").id, document.getElementById("chart-range").textContent]
		click #chart-in
		eval document.getElementById("chart-range").textContent
		click #chart-reset
		key 1 ArrowRight + ArrowLeft
		eval document.getElementById("chart-range").textContent
		key Escape
		eval document.getElementById("chart-range").textContent
		drag 400 300 600 300
		eval document.getElementById("chart-range").textContent
		key Escape End
		eval document.getElementById("status").textContent.includes("from")
		key Enter
		eval [document.getElementById("flame-view").hidden, document.getElementById("crumbs").textContent.startsWith("all ")]
		say == diff
		size 1280 800
		open $S/diff.html
		eval [document.querySelector("[aria-selected=true]").id, document.getElementById("flame-color").value]
		key 3
		eval [...document.querySelectorAll("#rows [data-fn]:nth-child(2) td")].map((cell) => cell.textContent)
		eval document.querySelectorAll("#rows td.more").length
		say == end
	END
} >"$S/commands"
timeout "$(limit "$patience")" "$TESTS/browser" <"$S/commands" >"$S/seen" 2>"$S/why"
status=$?
[ $status != 2 ] || skip "chromium does not run here: $(tail -n 1 "$S/seen")"

begin "a browser shows all pages"
expect_equal $status 0 "and does what it is told"
expect_lines 0 "$S/seen" '^(failed|complaint|request)' "nothing goes wrong, nothing is loaded"
end

for what in data guest; do
	if [ ! -s "$S/real-$what.html" ]; then
		skip_case "a real recording: $what" "without a guest, which make check-guest makes"
		continue
	fi
	begin "a real recording: $what"
	part $what
	expect_equal "$(sed -n 2p "$S/part")" true "it is searched"
	echo "# $what: $(($(stat -c %s "$S/real-$what.html") / 1000)) kB, shown after $(sed -n '1s/"//gp' "$S/part") ms"
	end
done

begin "names that are HTML are text"
part text
sees "as they were" <<-'END'
	[0, 0, 2]
	7
	["\"quoted\\\\'&amp;", "<!--<script>", "</script><img/src=x/onerror=alert(1)>", "[no function]", "leaf", "main", "second"]
	"25.64\u00a0%, 2 functions"
END
end

begin "search, zoom, reset and the other trees"
part flame
expect_equal "$(sed -n 1,2p "$S/part" | tr '\n' ' ')" '"1.03\u00a0%, 1 functions" ["", ""] ' "search tells a share, Escape ends it"
expect_lines some "$S/part" '^"all . .*main"$|^"all \\u203a .*main"$' "Enter zooms"
expect_equal "$(grep -c '^"all"$' "$S/part")" 1 "Escape resets"
expect_lines some "$S/part" '^"</script>.*: 400 .*400 .*; 1 calls"$' "all tasks as one, and callers: the widest first"
expect_lines 1 "$S/part" '^"true"$' "the icicle is on"
expect_lines 1 "$S/part" '^\["not a regular expression", "bad"\]$' "a bad expression is said to be one"
end

begin "the table: sort, choose, find"
part table
sees "as it should be" <<-'END'
	"Self"
	"[no function]"
	"leaf"
	"Calls"
	"main"
	["task 11 ms", "</script><img/src=x/onerror=alert(1)>400 \u00b5s", "\"quoted\\\\'&amp;300 \u00b5s"]
	"[no function]"
	[false, "46.15\u00a0%, 1 functions"]
	1
	[0, 0]
END
end

begin "light and dark, keys, help"
part page
sees "as it should be" <<-'END'
	["dark", "rgb(20, 23, 27)"]
	"light"
	"dark"
	"dark"
	["tab-chart", "chart"]
	["tab-flame", "flame", "solid"]
	[true, "about-close"]
	false
	[]
	true
END
end

begin "the chart: rows, time, a task's calls"
part chart
expect_equal "$(sed -n 4p "$S/part")" "$(sed -n 1p "$S/part" | sed 's/.*, \(".*"\)\]/\1/')" "Escape shows all of it again"
expect_equal "$(sed -n '1s/.*, \("[^]]*"\)\]/\1/p; 2p; 3p; 5p' "$S/part" | sort -u | wc -l)" 4 "each zoom shows another time"
expect_equal "$(tail -n 2 "$S/part" | tr '\n' ' ')" 'true [false, true] ' "a task's row leads to its calls"
end

begin "two recordings compared"
part diff
sees "what grew most is on top" <<-'END'
	["tab-flame", "diff"]
	["\"quoted\\\\'&amp;", "", "1", "200 \u00b5s", "+100 \u00b5s", "+5.13\u00a0%", "0", "300 \u00b5s"]
	5
END
end

finish
