// The chart: a row for each processor, task or thread, with what it did over time; above them what marks a boot.

const chart = (() => {
	if (!data.chart) return null;
	const ROW = 20, AXIS = 24, SMALLEST = 64, LINES = 400;
	const source = data.chart, kinds = source.kinds, end = Math.max(source.end, 1);
	const shift = source.shift || 0, processes = source.processes || []; // lanes may begin later than processes
	const begin = processes.length ? 0 : Math.min(end, ...source.lanes.map((lane) => lane.from), ...source.spans.map((span) => span[1]));
	const state = { from: begin, to: end, focus: 0, matches: null, drag: null, hover: null };
	const LABELS = { cpu: "Processors", task: "Tasks", thread: "Threads" };
	const VALUES = new Map([..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"].map((c, i) => [c, i / 63]));
	const LAZY = new Set(["idle", "wait"]); // kinds that are no work
	let rows = listRows(false);
	const view = new Canvas(element("chart"), paint);
	view.onwidth = () => view.setContent(AXIS + rows.length * ROW);

	// --- Rows

	function packSpans(spans) {
		const lines = [];
		for (const span of spans) {
			let line = lines.find((others) => others.every((other) => span.to <= other.from || span.from >= other.to));
			if (!line && lines.length === 6) continue;
			if (!line) lines.push((line = []));
			line.push(span);
		}
		return lines;
	}

	function readSpans(phase) {
		return source.spans.filter((span) => !!span[0] === phase).map(([, from, to, name, module]) => ({ from, to, name, module }));
	}

	function readLane(lane) {
		const cells = Object.entries(lane.cells).map(([kind, text]) => [+kind, Float32Array.from(text, (c) => VALUES.get(c))]);
		const name = lane.names.length ? lane.names[lane.names.length - 1][1] : "";
		const number = lane.group === "cpu" ? "" : lane.group === "task" ? `${lane.id || ""}` : lane.id === lane.sub ? `${lane.id}` : `${lane.id}/${lane.sub}`;
		const work = cells.filter(([kind]) => !LAZY.has(kinds[kind])).reduce((sum, [, values]) => values.reduce((a, b) => a + b, sum), 0);
		return { ...lane, type: "lane", name, number, cells, work, length: Math.max(0, ...cells.map(([, values]) => values.length)) };
	}

	// Processes by their starts, each in the first line that is free: those above others were there before.
	function packProcesses() {
		const lines = [];
		const spans = processes.map(([from, to, pid, status, module, name]) => ({ from, to: Math.max(to, from + 1), name: `${name} [${pid}]`, module, status }));
		for (const span of spans.sort((a, b) => a.from - b.from || b.to - a.to)) {
			let line = lines.find((others) => others[others.length - 1].to <= span.from);
			if (!line && lines.length === LINES) continue;
			if (!line) lines.push((line = []));
			line.push(span);
		}
		return lines;
	}

	// What began first comes first, or what did most; threads stand with their process, unless it is by work.
	function listRows(byWork) {
		const list = [], lanes = source.lanes.map(readLane), began = new Map();
		const phases = readSpans(true), calls = readSpans(false);
		if (source.busy && source.busy.length) list.push({ type: "busy", name: "Running", values: source.busy.map((n) => n / 100) });
		if (processes.length) list.push({ type: "heading", name: "Processes" });
		packProcesses().forEach((spans) => list.push({ type: "spans", name: "", label: "Processes", spans }));
		if (phases.length) list.push({ type: "spans", name: "Phases", spans: phases, phases: true });
		packSpans(calls).forEach((spans, i) => list.push({ type: "spans", name: i ? "" : "Initialisations", spans }));
		for (const lane of lanes) began.set(lane.id, Math.min(lane.from, began.get(lane.id) ?? Infinity));
		for (const group of ["cpu", "task", "thread"]) {
			const members = lanes.filter((lane) => lane.group === group);
			if (!members.length) continue;
			list.push({ type: "heading", name: LABELS[group] });
			if (byWork && group !== "cpu") members.sort((a, b) => b.work - a.work);
			else if (group === "thread") members.sort((a, b) => began.get(a.id) - began.get(b.id) || a.id - b.id || a.sub - b.sub);
			else if (group === "task") members.sort((a, b) => a.from - b.from);
			list.push(...members);
		}
		return list;
	}

	// --- Painting

	const gutter = () => (view.width < 700 ? 120 : 190);
	const xOf = (at) => gutter() + ((at - state.from) / (state.to - state.from)) * (view.width - gutter() - 8);
	const timeAt = (x) => state.from + ((x - gutter()) / (view.width - gutter() - 8)) * (state.to - state.from);

	// A step of 1, 2 or 5 times a power of ten.
	function axisStep() {
		const unit = data.hz || 1, rough = ((state.to - state.from) / unit / (view.width - gutter())) * 110;
		const size = 10 ** Math.floor(Math.log10(rough));
		return [1, 2, 5, 10].find((n) => n * size >= rough) * size * unit;
	}

	function paintAxis(context, colors) {
		const step = axisStep();
		context.fillStyle = colors.panel;
		context.fillRect(0, 0, view.width, AXIS);
		context.textAlign = "center";
		for (let at = Math.ceil(state.from / step) * step; at <= state.to; at += step) {
			const x = Math.round(xOf(at)) + 0.5;
			context.fillStyle = colors.line;
			context.fillRect(x - 0.5, AXIS - 5, 1, view.height);
			context.fillStyle = colors.faint;
			context.fillText(at ? time(at) : "0", Math.max(x, gutter() + 10), AXIS / 2 - 2);
		}
		context.textAlign = "left";
		context.fillStyle = colors.faint;
		context.fillText(data.hz ? "since the start" : data.unit, 8, AXIS / 2 - 1);
		context.fillStyle = colors.line;
		context.fillRect(0, AXIS - 1, view.width, 1);
	}

	function paintCells(context, lane, y) {
		const width = source.width, heights = new Float32Array(lane.length);
		const first = Math.max(0, Math.floor((state.from - shift) / width) - lane.first), last = Math.min(lane.length, Math.ceil((state.to - shift) / width) - lane.first);
		for (const [kind, values] of lane.cells) {
			context.fillStyle = kindColor(kinds[kind]);
			for (let i = first; i < last; i++) {
				if (!values[i] || heights[i] > 0.98) continue; // parts are rounded up
				// Whole pixels: no seams
				const from = Math.max(Math.floor(xOf(shift + (lane.first + i) * width)), gutter()), to = Math.min(Math.floor(xOf(shift + (lane.first + i + 1) * width)), view.width - 8);
				const tall = Math.max(1, Math.min(values[i], 1 - heights[i]) * (ROW - 4));
				context.fillRect(from, y + ROW - 2 - heights[i] * (ROW - 4) - tall, Math.max(to - from, 1), tall);
				heights[i] += values[i];
			}
		}
	}

	// Names that a lane took on, where it did.
	function paintNames(context, lane, y, colors) {
		const placed = lane.names.map(([since, name], i) => {
			const until = i + 1 < lane.names.length ? lane.names[i + 1][0] : lane.to;
			return { name, x: Math.floor(xOf(Math.max(since, lane.from))), until: xOf(until) };
		}).filter(({ x, until }) => until - x > 24 && x < view.width);
		if (placed.length < 2) return; // it is the one that stands at the left
		for (const { name, x, until } of placed) {
			const from = Math.max(x, gutter());
			context.fillStyle = colors.text;
			if (x >= gutter()) context.fillRect(x, y + 1, 1, ROW - 2);
			fitText(context, name, from + 4, y + ROW / 2, until - from - 6);
		}
	}

	function paintLane(context, lane, y, colors) {
		const from = Math.max(xOf(lane.from), gutter()), to = Math.min(xOf(lane.to), view.width - 8);
		context.fillStyle = colors.panel;
		if (to > from) context.fillRect(from, y + 2, Math.max(to - from, 1), ROW - 4);
		paintCells(context, lane, y);
		paintNames(context, lane, y, colors);
	}

	// How many ran, of as many as there are processors: above what is painted these were idle.
	function paintBusy(context, row, y, colors) {
		const width = source.width, most = source.cpus || Math.max(1, ...row.values);
		const first = Math.max(0, Math.floor((state.from - shift) / width)), last = Math.min(row.values.length, Math.ceil((state.to - shift) / width));
		context.fillStyle = colors.panel;
		context.fillRect(gutter(), y + 2, view.width - 8 - gutter(), ROW - 4);
		context.fillStyle = colors.accent;
		for (let i = first; i < last; i++) {
			const from = Math.max(Math.floor(xOf(shift + i * width)), gutter()), to = Math.min(Math.floor(xOf(shift + (i + 1) * width)), view.width - 8);
			const tall = Math.min(1, row.values[i] / most) * (ROW - 4);
			if (tall > 0) context.fillRect(from, y + ROW - 2 - tall, Math.max(to - from, 1), tall);
		}
	}

	function paintSpans(context, row, y, colors) {
		row.spans.forEach((span, i) => {
			const from = Math.max(xOf(span.from), gutter()), to = Math.min(xOf(span.to), view.width - 8);
			if (to < gutter() || from > view.width - 8 || to - from < 0.3) return;
			context.globalAlpha = state.matches && !state.matches(span.name) ? 0.25 : 1;
			context.fillStyle = row.phases ? (i % 2 ? styleColor("hover") : neutral()) : shade(HUES[hash(span.module === "[kernel]" ? span.name : span.module) % HUES.length], 0);
			context.fillRect(from, y + 2, Math.max(to - from - 0.5, 0.7), ROW - 4);
			context.fillStyle = colors.text;
			if (to - from > 22) fitText(context, span.name, from + 4, y + ROW / 2, to - from - 6);
			context.globalAlpha = 1;
		});
	}

	function rowMatches(row) {
		return !state.matches || row.type !== "lane" || row.names.some(([, name]) => state.matches(name)) || state.matches(row.number);
	}

	function paintLabel(context, row, y, colors, i) {
		context.fillStyle = colors.ground;
		context.fillRect(0, y, gutter() - 1, ROW);
		if (i === state.focus) {
			context.fillStyle = document.activeElement === view.element ? colors.accent : colors.line;
			context.fillRect(0, y + 1, 3, ROW - 2);
		}
		context.fillStyle = row.type === "lane" ? colors.text : colors.faint;
		const number = row.number || "", space = gutter() - 16;
		fitText(context, row.name, 8, y + ROW / 2, space - (number ? context.measureText(number).width + 8 : 0));
		if (!number) return;
		context.fillStyle = colors.faint;
		context.textAlign = "right";
		context.fillText(number, gutter() - 8, y + ROW / 2);
		context.textAlign = "left";
	}

	function paint(context) {
		const colors = Object.fromEntries(["text", "faint", "line", "panel", "ground", "accent", "hover"].map((name) => [name, styleColor(name)]));
		context.font = "12px " + styleColor("mono");
		context.textBaseline = "middle";
		paintAxis(context, colors);
		context.save();
		context.beginPath();
		context.rect(0, AXIS, view.width, view.height);
		context.clip();
		rows.forEach((row, i) => {
			const y = AXIS + i * ROW - view.top;
			if (y < AXIS - ROW || y > view.height) return;
			context.globalAlpha = rowMatches(row) ? 1 : 0.25;
			if (row.type === "lane") paintLane(context, row, y, colors);
			else if (row.type === "busy") paintBusy(context, row, y, colors);
			else if (row.type === "spans") paintSpans(context, row, y, colors);
			paintLabel(context, row, y, colors, i);
			context.globalAlpha = 1;
		});
		context.restore();
		paintPointer(context, colors);
	}

	function paintPointer(context, colors) {
		if (state.drag && state.drag.now !== state.drag.start) {
			context.globalAlpha = 0.2;
			context.fillStyle = colors.accent;
			context.fillRect(Math.min(state.drag.start, state.drag.now), AXIS, Math.abs(state.drag.now - state.drag.start), view.height);
			context.globalAlpha = 1;
		} else if (state.hover !== null && state.hover > gutter()) {
			context.fillStyle = colors.accent;
			context.fillRect(state.hover, 0, 1, view.height);
		}
	}

	// --- What is shown

	function showRange() {
		element("chart-range").textContent = `${time(state.from)} \u2013 ${timeWithUnit(state.to)}`;
		view.repaint();
	}

	function setRange(from, to) {
		const length = Math.min(Math.max(to - from, source.width / SMALLEST), end - begin);
		state.from = Math.min(Math.max(from, begin), end - length);
		state.to = state.from + length;
		showRange();
	}

	function zoom(factor, around = (state.from + state.to) / 2) {
		setRange(around - (around - state.from) * factor, around + (state.to - around) * factor);
	}

	function reset() {
		const zoomed = state.from !== begin || state.to !== end;
		setRange(begin, end);
		return zoomed;
	}

	// The shares of the kinds of work at a time.
	function sharesAt(lane, at) {
		const i = Math.floor((at - shift) / source.width) - lane.first;
		return lane.cells.filter(([, values]) => values[i]).map(([kind, values]) => `${KIND_NAMES[kinds[kind]] || kinds[kind]} ${Math.round(values[i] * 100)} %`);
	}

	const nameAt = (lane, at) => lane.names.reduce((name, [since, next]) => (since <= at ? next : name), lane.name);

	function describe(row, at) {
		if (row.type === "busy") {
			const mean = row.values.reduce((a, b) => a + b, 0) / row.values.length, now = row.values[Math.floor((at - shift) / source.width)];
			const lines = [`${mean.toFixed(1)} on average` + (source.cpus ? `, ${source.cpus} processors` : "")];
			if (at >= 0) lines.push(`at ${time(at)}: ${(now || 0).toFixed(1)}`);
			return ["Threads that did not wait", lines];
		}
		if (row.type === "spans") {
			const span = row.spans.find((one) => at >= one.from && at < one.to);
			return span && [span.name + (span.module && span.module !== "[kernel]" ? " " + span.module : ""), [`${time(span.from)} + ${timeWithUnit(span.to - span.from)}` + (span.status ? `, ${span.status}` : "")]];
		}
		if (row.type !== "lane") return null;
		const lines = [`from ${time(row.from)} to ${timeWithUnit(row.to)}`];
		if (at >= 0) lines.push(`at ${time(at)}: ${sharesAt(row, at).join(", ") || "nothing"}`);
		return [`${nameAt(row, at < 0 ? Infinity : at)} ${row.number}`.trim(), lines];
	}

	function focusOn(i) {
		const step = i < state.focus ? -1 : 1;
		while (rows[i] && rows[i].type === "heading") i += step;
		if (!rows[i]) return;
		state.focus = i;
		if (i * ROW < view.top) view.scroller.scrollTop = i * ROW;
		view.reveal(view.top, AXIS + (i + 1) * ROW);
		const [name, lines] = describe(rows[i], -1) || [rows[i].name || rows[i].label || "Initialisations", rows[i].spans.map((span) => span.name)];
		say(`${name}: ${lines.join(", ")}`);
		view.repaint();
	}

	function open(row) {
		if (!row || row.type === "heading") return;
		if (row.type === "lane" && row.group !== "cpu") page.showTask(row.name || "[unknown]");
	}

	// --- What is done

	function key(event) {
		const part = (state.to - state.from) / 8;
		if (event.key === "ArrowDown") focusOn(state.focus + 1);
		else if (event.key === "ArrowUp") focusOn(state.focus - 1);
		else if (event.key === "ArrowRight") setRange(state.from + part, state.to + part);
		else if (event.key === "ArrowLeft") setRange(state.from - part, state.to - part);
		else if (event.key === "+" || event.key === "=") zoom(0.5);
		else if (event.key === "-") zoom(2);
		else if (event.key === "Home") focusOn(0);
		else if (event.key === "End") focusOn(rows.length - 1);
		else if (event.key === "Enter") open(rows[state.focus]);
		else return;
		event.preventDefault();
	}

	const rowAt = (event) => (event.offsetY < AXIS ? -1 : Math.floor((event.offsetY - AXIS + view.top) / ROW));

	function point(event) {
		const row = rows[rowAt(event)], told = row && describe(row, event.offsetX > gutter() ? timeAt(event.offsetX) : -1);
		state.hover = event.offsetX;
		if (state.drag) state.drag.now = Math.max(event.offsetX, gutter());
		if (told && !state.drag) tip.show(event, ...told);
		else tip.hide();
		view.repaint();
	}

	function drop(event) {
		const drag = state.drag;
		state.drag = null;
		if (!drag) return;
		if (Math.abs(drag.now - drag.start) > 4) setRange(timeAt(Math.min(drag.start, drag.now)), timeAt(Math.max(drag.start, drag.now)));
		else if (rows[rowAt(event)] && rowAt(event) >= 0) focusOn(rowAt(event));
		view.repaint();
	}

	function wheel(event) {
		if (event.ctrlKey || event.metaKey) zoom(event.deltaY > 0 ? 1.25 : 0.8, timeAt(event.offsetX));
		else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
			const move = ((event.deltaX || event.deltaY) / view.width) * (state.to - state.from);
			setRange(state.from + move, state.to + move);
		} else return;
		event.preventDefault();
	}

	function listen() {
		const canvas = view.element;
		canvas.addEventListener("mousemove", point);
		canvas.addEventListener("mouseleave", () => { state.hover = null; tip.hide(); view.repaint(); });
		canvas.addEventListener("mousedown", (event) => {
			const x = Math.max(event.offsetX, gutter());
			if (event.button === 0) state.drag = { start: x, now: x };
		});
		canvas.addEventListener("mouseup", drop);
		canvas.addEventListener("dblclick", (event) => open(rows[rowAt(event)]));
		canvas.addEventListener("wheel", wheel, { passive: false });
		canvas.addEventListener("keydown", key);
		for (const name of ["focus", "blur"]) canvas.addEventListener(name, () => view.repaint());
		element("chart-in").addEventListener("click", () => zoom(0.5));
		element("chart-out").addEventListener("click", () => zoom(2));
		element("chart-order").addEventListener("change", (event) => {
			rows = listRows(event.target.value === "work");
			view.scroller.scrollTop = 0;
			focusOn(0);
		});
		element("chart-reset").addEventListener("click", reset);
	}

	function legend() {
		const used = new Set(source.lanes.flatMap((lane) => Object.keys(lane.cells)));
		showLegend(element("chart-legend"), kinds.map((kind, i) => [kindColor(kind), KIND_NAMES[kind] || kind, i]).filter(([, , i]) => used.has(String(i))));
	}

	legend();
	listen();
	focusOn(0);
	showRange();
	return {
		reset,
		focus: () => view.element.focus({ preventScroll: true }),
		shown: () => view.measure(),
		repaint: () => { legend(); view.repaint(); },
		search(matches) {
			state.matches = matches;
			view.repaint();
		},
	};
})();
