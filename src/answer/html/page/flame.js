// The flame graph: a row for each depth, a frame for each path, as wide as what it took.

const flame = (() => {
	const ROW = 18, LEAST = 0.5;
	const recorded = recordedTree();
	const trees = new Map([["", recorded]]);
	const moduleHues = hues(sumBy((node) => modules[recorded.fn[node]]));
	const taskHues = hues(sumBy((node) => recorded.task[node]));
	const state = { tree: recorded, zoom: 0, focus: 0, color: compared ? "diff" : "module", key: "total", byWeight: true, icicle: false, merge: false, callers: false, matched: null };
	let rows = [], hover = -1, above = [], laid = false;
	const view = new Canvas(element("flame"), paint);
	view.onwidth = () => {
		layout(!laid);
		laid = true;
	};

	// What was spent in each thing; a call from one to itself does not count again.
	function sumBy(thing) {
		const sums = new Map();
		for (let node = 1; node < recorded.n; node++) {
			const to = thing(node), parent = recorded.parent[node];
			if (!parent || thing(parent) !== to) sums.set(to, (sums.get(to) || 0) + recorded.total[0][node]);
		}
		return sums;
	}

	const weight = () => state.tree.weight(state.key);
	const isTask = (node) => !state.merge && !state.callers && state.tree.depth[node] === 1;

	function title(node) {
		return names[state.tree.fn[node]];
	}

	function callsOf(node, side) {
		return `${grouped(state.tree[inclusive ? "calls" : "count"][side][node])} ${data.events}`;
	}

	// What is told of a frame.
	function describe(node) {
		const tree = state.tree, all = tree.total[0][0], lines = [];
		const module = modules[tree.fn[node]];
		if (module) lines.push(module);
		lines.push(`${timeWithUnit(tree.total[0][node])} = ${percent(tree.total[0][node], all)}, itself ${time(tree.self[0][node])}; ` +
			callsOf(node, 0));
		if (compared) {
			const difference = tree.total[0][node] - tree.total[1][node];
			lines.push(`compared with ${timeWithUnit(tree.total[1][node])}, ${callsOf(node, 1)}: ` +
				`${signed(difference, time)} = ${signed(difference, (d) => percent(d, tree.total[1][0]))} of all`);
		}
		return lines;
	}

	function color(node) {
		const tree = state.tree, fn = tree.fn[node];
		if (!node) return neutral();
		if (state.color === "diff") {
			const all = Math.max(tree.total[0][0], tree.total[1][0]);
			return differenceColor((tree.total[0][node] - tree.total[1][node]) / all);
		}
		if (state.color === "task" && !state.merge && !state.callers) return shade(taskHues.get(tree.task[node]) ?? 0, fn);
		return isTask(node) ? neutral() : shade(moduleHues.get(modules[fn]) ?? 0, fn);
	}

	// --- Where frames are

	function place(node, depth, x, width) {
		(rows[depth] = rows[depth] || []).push({ node, x, width });
	}

	function layout(scroll = true) {
		const tree = state.tree, weights = weight();
		rows = [];
		above = [];
		if (view.width) {
			for (let up = state.zoom; up > 0; ) above.unshift((up = tree.parent[up]));
			above.forEach((node, depth) => place(node, depth, 0, view.width));
			const stack = [[state.zoom, above.length, 0, view.width]];
			while (stack.length) {
				const [node, depth, x, width] = stack.pop();
				const scale = weights[node] ? width / weights[node] : 0;
				let at = x;
				place(node, depth, x, width);
				for (let i = tree.start[node]; i < tree.start[node + 1]; i++) {
					const child = tree.order[i], wide = weights[child] * scale;
					if (wide >= LEAST) stack.push([child, depth + 1, at, wide]);
					at += wide;
				}
			}
			for (const row of rows) row.sort((a, b) => a.x - b.x);
		}
		view.setContent(rows.length * ROW);
		if (scroll) view.scroller.scrollTop = state.icicle ? 0 : rows.length * ROW;
		view.repaint();
	}

	// The top of a row in the whole graph.
	function topOf(depth) {
		return state.icicle ? depth * ROW : Math.max(rows.length * ROW, view.height) - (depth + 1) * ROW;
	}

	function frameAt(x, y) {
		const at = y + view.top;
		const depth = Math.floor((state.icicle ? at : Math.max(rows.length * ROW, view.height) - at) / ROW);
		return (rows[depth] || []).find((frame) => x >= frame.x && x < frame.x + frame.width);
	}

	function paint(context) {
		const text = styleColor("text"), ground = styleColor("ground"), accent = styleColor("accent"), found = styleColor("found");
		context.font = "12px " + styleColor("mono");
		context.textBaseline = "middle";
		rows.forEach((row, depth) => {
			const y = topOf(depth) - view.top;
			if (y < -ROW || y > view.height) return;
			for (const { node, x, width } of row) {
				const matched = state.matched && node && state.matched[state.tree.fn[node]];
				context.globalAlpha = state.matched && !matched ? 0.28 : depth < above.length ? 0.55 : 1;
				context.fillStyle = color(node);
				context.fillRect(x, y, Math.max(width - (width > 3 ? 1 : 0), 0.5), ROW - 1);
				if (matched) {
					context.fillStyle = found;
					context.fillRect(x, y + ROW - 4, Math.max(width - 1, 0.5), 3);
				}
				if (width > 24) {
					context.globalAlpha = state.matched && !matched ? 0.6 : 1;
					context.fillStyle = text;
					fitText(context, title(node), x + 4, y + ROW / 2, width - 8);
				}
				context.globalAlpha = 1;
				if (node === hover || node === state.focus) outline(context, x, y, width, node === state.focus && document.activeElement === view.element ? accent : text, ground);
			}
		});
	}

	function outline(context, x, y, width, stroke) {
		context.strokeStyle = stroke;
		context.lineWidth = 1.5;
		context.strokeRect(x + 0.75, y + 0.25, Math.max(width - 2.5, 0.5), ROW - 2);
	}

	// --- What is shown

	function crumbs() {
		const path = state.tree.path(state.zoom).map(title);
		element("crumbs").textContent = ["all", ...path].join(" \u203a ");
	}

	function legend() {
		const box = element("flame-legend");
		if (state.color === "diff") showLegend(box, [[differenceColor(0.05), "more"], [differenceColor(-0.05), "less than before"]]);
		else if (state.color === "task" && !state.merge && !state.callers) showLegend(box, [...taskHues].slice(0, 5).map(([fn, hue]) => [shade(hue, 0), names[fn]]));
		else showLegend(box, [...moduleHues].filter(([module]) => module && module !== "[task]" && module !== "[interrupt]").slice(0, 5).map(([module, hue]) => [shade(hue, 0), module]));
	}

	function rearrange() {
		const which = (state.merge ? "merged" : "") + (state.callers ? "callers" : "");
		if (!trees.has(which)) {
			const from = state.merge ? trees.get("merged") || mergedTree(recorded) : recorded;
			if (state.merge) trees.set("merged", from);
			trees.set(which, state.callers ? callersTree(from) : from);
		}
		const changed = state.tree !== trees.get(which);
		state.tree = trees.get(which);
		state.tree.arrange(weight(), state.byWeight);
		if (changed) state.zoom = state.focus = 0;
		show();
	}

	function show() {
		crumbs();
		legend();
		layout();
	}

	function zoomTo(node) {
		state.zoom = state.focus = node;
		show();
		tellFocus();
	}

	function tellFocus() {
		say(`${title(state.focus)}: ${describe(state.focus).join(", ")}`);
	}

	function focusOn(node) {
		state.focus = node;
		const depth = rows.findIndex((row) => row.some((frame) => frame.node === node));
		if (depth >= 0) view.reveal(topOf(depth), topOf(depth) + ROW);
		tellFocus();
		view.repaint();
	}

	// The frame beside the one with the focus.
	function beside(step) {
		const row = rows.find((frames) => frames.some((frame) => frame.node === state.focus)) || [];
		const next = row[row.findIndex((frame) => frame.node === state.focus) + step];
		if (next) focusOn(next.node);
	}

	function inwards() {
		for (const row of rows) for (const { node } of row) if (node && state.tree.parent[node] === state.focus) return focusOn(node);
	}

	const outwards = () => state.focus && focusOn(state.tree.parent[state.focus]);

	function reset() {
		const zoomed = state.zoom !== 0;
		zoomTo(0);
		return zoomed;
	}

	function key(event) {
		const up = event.key === "ArrowUp", inner = state.icicle ? !up : up;
		if (up || event.key === "ArrowDown") inner ? inwards() : outwards();
		else if (event.key === "ArrowRight") beside(1);
		else if (event.key === "ArrowLeft") beside(-1);
		else if (event.key === "Home") focusOn(state.zoom);
		else if (event.key === "Enter" || event.key === " ") zoomTo(state.focus);
		else if (event.key === "Backspace") zoomTo(Math.max(state.tree.parent[state.zoom], 0));
		else return;
		event.preventDefault();
	}

	// --- What is done

	function toggle(name, id) {
		state[name] = !state[name];
		element(id).setAttribute("aria-pressed", state[name]);
		name === "icicle" ? show() : rearrange();
	}

	function point(event) {
		const frame = frameAt(event.offsetX, event.offsetY);
		hover = frame ? frame.node : -1;
		view.element.style.cursor = frame ? "pointer" : "";
		if (frame) tip.show(event, title(frame.node), describe(frame.node));
		else tip.hide();
		view.repaint();
	}

	function listen() {
		const canvas = view.element;
		canvas.addEventListener("mousemove", point);
		canvas.addEventListener("mouseleave", () => { hover = -1; tip.hide(); view.repaint(); });
		canvas.addEventListener("click", (event) => { const frame = frameAt(event.offsetX, event.offsetY); if (frame) zoomTo(frame.node); });
		canvas.addEventListener("keydown", key);
		for (const name of ["focus", "blur"]) canvas.addEventListener(name, () => view.repaint());
		for (const [name, id] of [["icicle", "flame-invert"], ["merge", "flame-merge"], ["callers", "flame-callers"]])
			element(id).addEventListener("click", () => toggle(name, id));
		element("flame-reset").addEventListener("click", reset);
		element("flame-color").addEventListener("change", (event) => { state.color = event.target.value; show(); });
		element("flame-weight").addEventListener("change", (event) => { state.key = event.target.value; rearrange(); });
		element("flame-order").addEventListener("change", (event) => { state.byWeight = event.target.value === "weight"; rearrange(); });
	}

	function choices() {
		element("flame-weight").querySelector("[value=calls]").textContent = data.events;
		if (compared)
			for (const [value, text] of [["total1", "time of the other"], ["calls1", `${data.events} of the other`]])
				element("flame-weight").add(new Option(text, value));
		else element("flame-color").querySelector("[value=diff]").remove();
		element("flame-color").value = state.color;
	}

	choices();
	listen();
	rearrange();
	return {
		recorded,
		reset,
		focus: () => view.element.focus({ preventScroll: true }),
		shown: () => view.measure(),
		repaint: () => { legend(); view.repaint(); },
		invert: () => toggle("icicle", "flame-invert"),
		merge: () => toggle("merge", "flame-merge"),
		callers: () => toggle("callers", "flame-callers"),
		// Returns what share is found.
		search(matched) {
			state.matched = matched;
			view.repaint();
			return matched ? shareOf(state.tree, matched, weight()) : 0;
		},
		// Zooms in on a task by its name; false when it is not there.
		showTask(name) {
			for (const on of ["merge", "callers"]) if (state[on]) toggle(on, "flame-" + on);
			for (let node = 1; node < recorded.n; node++)
				if (recorded.depth[node] === 1 && names[recorded.fn[node]] === name) {
					zoomTo(node);
					return true;
				}
			return false;
		},
	};
})();
