// SPDX-License-Identifier: GPL-2.0-or-later
// otlp.js FILE: makes the spans of each line anew as OpenTelemetry's SDK has them, lets its own package write them as JSON, and compares.
const assert = require('assert');
const fs = require('fs');
const { JsonTraceSerializer, ProtobufTraceSerializer } = require(`${process.env.NODE_MODULES}/@opentelemetry/otlp-transformer`);

// [seconds, nanoseconds]
function hrTime(text) {
	assert.match(text, /^[0-9]+$/, 'a time is a string of digits');
	return [Number(BigInt(text) / 1000000000n), Number(BigInt(text) % 1000000000n)];
}

function value(any) {
	if ('stringValue' in any)
		return any.stringValue;
	if ('intValue' in any) {
		assert.strictEqual(typeof any.intValue, 'string', 'a number of 64 bits is a string');
		return Number(any.intValue);
	}
	return any.arrayValue.values.map(value);
}

function attributes(list) {
	return Object.fromEntries(list.map((one) => [one.key, value(one.value)]));
}

function context(traceId, spanId) {
	assert.match(traceId, /^[0-9a-f]{32}$/);
	assert.match(spanId, /^[0-9a-f]{16}$/);
	return { traceId, spanId, traceFlags: 1 };
}

function sdkSpan(span, resource, scope) {
	return {
		name: span.name,
		kind: span.kind - 1,
		spanContext: () => context(span.traceId, span.spanId),
		parentSpanContext: span.parentSpanId && context(span.traceId, span.parentSpanId),
		startTime: hrTime(span.startTimeUnixNano),
		endTime: hrTime(span.endTimeUnixNano),
		attributes: attributes(span.attributes),
		events: (span.events || []).map((event) => ({ name: event.name, time: hrTime(event.timeUnixNano), attributes: attributes(event.attributes) })),
		status: span.status || { code: 0 },
		links: [],
		resource: { attributes: attributes(resource.attributes) },
		instrumentationScope: scope,
		droppedAttributesCount: 0,
		droppedEventsCount: span.droppedEventsCount || 0,
		droppedLinksCount: 0,
	};
}

// Without what is the default of the protocol, and numbers of 64 bits as strings, which the SDK leaves to its users.
function plain(any, key) {
	if (Array.isArray(any))
		return any.map((one) => plain(one));
	if (typeof any !== 'object' || any === null)
		return key === 'intValue' ? String(any) : any;
	const entries = Object.entries(any).filter(([name, one]) => name !== 'flags' && (one !== 0 || name === 'intValue') && !(Array.isArray(one) && !one.length));
	return Object.fromEntries(entries.map(([name, one]) => [name, plain(one, name)]).filter(([, one]) => !(typeof one === 'object' && !Object.keys(one).length)));
}

let spans = 0, bytes = 0;
for (const line of fs.readFileSync(process.argv[2], 'utf8').split('\n').filter((text) => text)) {
	const ours = JSON.parse(line);
	const { resource, scopeSpans } = ours.resourceSpans[0];
	const shared = sdkSpan(scopeSpans[0].spans[0], resource, scopeSpans[0].scope).resource;
	const made = scopeSpans[0].spans.map((span) => ({ ...sdkSpan(span, resource, scopeSpans[0].scope), resource: shared }));
	const theirs = JSON.parse(new TextDecoder().decode(JsonTraceSerializer.serializeRequest(made)));
	assert.deepStrictEqual(plain(ours), plain(theirs));
	bytes += ProtobufTraceSerializer.serializeRequest(made).length;
	spans += made.length;
}
assert(spans > 1 && bytes > 0);
console.log(`${spans} spans`);
