#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A run as a distributed trace: a span for each process of `tree`, with its parent, and as many calls as `syscalls` has.
# groups: check
. "$(dirname "$0")/../lib.sh"
needs curl jq python3
patience=60

# spans: of $S/otlp, an object a line
spans()
{
	jq -c '.resourceSpans[].scopeSpans[].spans[]' "$S/otlp"
}

# value KEY: of an attribute, in jq
value() { printf '(.attributes[] | select(.key == "%s") | .value | .intValue // .stringValue)' "$1"; }

# check_spans: what holds of every run
check_spans()
{
	expect "each line is JSON" jq -e . "$S/otlp" >/dev/null
	spans >"$S/spans"
	"$EXECTRACE" tree --json "$S/data" 2>/dev/null | jq -r '.. | objects | select(has("pid")) | .pid' | sort -n >"$S/pids-listed"
	jq -r "$(value process.pid)" "$S/spans" | sort -n >"$S/pids-told"
	expect_same "$S/pids-told" "$S/pids-listed" "a span for each process"
	expect_equal "$(jq -r .spanId "$S/spans" | sort | uniq -d)" "" "no number is there twice"
	expect_equal "$(jq -s '[.[].spanId] as $all | [.[1:][] | select(.parentSpanId as $p | $all | index($p) | not)] | length' "$S/spans")" 0 \
		"each span's parent is there"
	expect_equal "$(jq -r .traceId "$S/spans" | sort -u | grep -cE '^[0-9a-f]{32}$')" 1 "one trace"
	expect_equal "$(jq -s '[.[] | select((.endTimeUnixNano | tonumber) < (.startTimeUnixNano | tonumber))] | length' "$S/spans")" 0 \
		"none ends before it begins"
	expect_equal "$(jq -s "[.[] | $(value exectrace.syscalls) | tonumber] | add" "$S/spans")" \
		"$("$EXECTRACE" syscalls --summary --csv "$S/data" | awk -F , 'NR > 1 { n += $2 } END { print n + 0 }')" "as many calls"
	expect_equal "$(jq -r '.attributes[].value | keys[0]' "$S/spans" | sort -u | tr '\n' ' ')" "arrayValue intValue stringValue " "values are typed"
}

begin "a run of its own"
fresh
et -q -o "$S/data" --run="trace --format=data" --first -- sh -c 'cat /nowhere; (exit 4); ls / >/dev/null; kill -USR1 $$' >"$S/out" 2>"$S/err" </dev/null
"$EXECTRACE" export --format=otlp "$S/data" >"$S/otlp"
expect_equal $? 0 "it is written"
check_spans
expect_equal "$(jq -s -r '.[0] | has("parentSpanId")' "$S/spans")" false "the run has no parent"
expect_equal "$(jq -s -r '.[0].status | "\(.code) \(.message)"' "$S/spans")" "2 SIGUSR1" "it ended by a signal"
expect_equal "$(jq -r "select($(value process.exit.code) == \"4\") | .status.message" "$S/spans")" "exit 4" "a process that failed"
expect_lines some "$S/spans" '"name":"syscall.failed".*/nowhere' "a call that failed is an event"
expect_lines some "$S/spans" '"name":"signal".*SIGUSR1' "so is a signal"
"$EXECTRACE" export --format=otlp -o "$S/again" "$S/data"
expect_same "$S/again" "$S/otlp" "the same trace each time"
end

begin "a run with samples only"
rm -rf "$S/data"
et -q -o "$S/data" --run=profile --first -- sh -c 'i=0; while [ $i -lt 50000 ]; do i=$((i + 1)); done; ls / >/dev/null' >"$S/out" 2>"$S/err" </dev/null
"$EXECTRACE" export --format=otlp "$S/data" >"$S/otlp"
expect_equal $? 0 "it is written"
spans >"$S/spans"
"$EXECTRACE" tree --json "$S/data" 2>/dev/null | jq -r '.. | objects | select(has("pid")) | .pid' | sort >"$S/pids"
jq -r "$(value process.pid)" "$S/spans" | sort >"$S/told"
expect_same "$S/told" "$S/pids" "its processes"
end

begin "as a part of another trace"
trace=4bf92f3577b34da6a3ce929d0e0e4736 parent=00f067aa0ba902b7
rm -rf "$S/data"
TRACEPARENT=00-$trace-$parent-01 et -q -o "$S/data" --run="trace --format=data" --first -- sh -c 'ls /' >"$S/out" 2>"$S/err" </dev/null
"$EXECTRACE" export --format=otlp "$S/data" >"$S/otlp"
check_spans
expect_equal "$(jq -s -r '.[0] | "\(.traceId) \(.parentSpanId)"' "$S/spans")" "$trace $parent" "it is below what called it"
end

begin "many processes, and names with anything in them"
rm -rf "$S/data"
odd=$'a;"\\\xff\x01'
et -q -o "$S/data" --run="trace --format=data" --first -- sh -c 'for i in $(seq 130); do (exit 1); done; ls "$1"' sh "$odd" >"$S/out" 2>"$S/err" </dev/null
"$EXECTRACE" export --format=otlp "$S/data" >"$S/otlp"
check_spans
expect "it is UTF-8" iconv -f UTF-8 -t UTF-8 "$S/otlp" -o /dev/null
expect_equal "$(wc -l <"$S/otlp")" 2 "a hundred spans a line"
end

begin "to a collector, as the manual says"
cat >"$S/collector" <<-'END'
	import http.server, json
	class Collector(http.server.BaseHTTPRequestHandler):
	    def do_POST(self):
	        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
	        told = [span["spanId"] for r in body["resourceSpans"] for s in r["scopeSpans"] for span in s["spans"]]
	        print(self.path, self.headers["Content-Type"], *told, flush=True)
	        self.send_response(200)
	        self.end_headers()
	    def log_message(self, *args):
	        pass
	server = http.server.HTTPServer(("127.0.0.1", 0), Collector)
	print(server.server_port, flush=True)
	server.serve_forever()
END
python3 "$S/collector" >"$S/collected" 2>"$S/err" &
collector=$!
wait_for 15 has "$S/collected" .
mkdir "$S/shards" && mv "$S/data" "$S/shards/1"
et -q -o "$S/shards/2" --run="trace --format=data" --first -- sh -c 'ls /' >"$S/out" 2>"$S/err" </dev/null
recipe=$(sed -n 's/\\(dq/"/g; s/^\.Dl \(exectrace export --format=otlp .*4318.*\)$/\1/p' "$(dirname "$0")/../../man/exectrace-export.1")
recipe=${recipe/exectrace/\"\$EXECTRACE\"} recipe=${recipe/4318/$(head -n 1 "$S/collected")} recipe=${recipe/localhost/127.0.0.1}
(cd "$S" && eval "$recipe") 2>"$S/says"
expect_equal "$? $(cat "$S/says")" "0 " "it works"
kill "$collector"
wait "$collector" 2>/dev/null
expect_equal "$(sed 1d "$S/collected" | cut -d ' ' -f 1,2 | sort -u)" "/v1/traces application/json" "what it was sent as"
sed 1d "$S/collected" | cut -d ' ' -f 3- | tr ' ' '\n' | sort >"$S/told"
"$EXECTRACE" export --format=otlp "$S/shards/1" "$S/shards/2" | jq -r '.resourceSpans[].scopeSpans[].spans[].spanId' | sort >"$S/listed"
expect_same "$S/told" "$S/listed" "all spans have arrived"
end
finish
