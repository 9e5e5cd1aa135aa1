// The table of functions: only the rows in sight are in the document.

const table = (() => {
	const ROW = 22, MOST = 15; // callers and callees that are listed
	const self = data.row_self[0], total = data.row_total[0], count = data.row_count[0], all = total[0];
	const before = compared && { self: data.row_self[1], count: data.row_count[1] };
	const events = data.events === "samples" ? "Samples" : "Calls";
	const average = (fn) => (count[fn] ? total[fn] / count[fn] : 0);
	const columns = [
		{ name: "Function", text: (fn) => names[fn], width: "30%", className: "text" },
		{ name: "Module", text: (fn) => modules[fn], width: "15%", className: "text dim" },
		{ name: events, value: (fn) => count[fn], text: (fn) => grouped(count[fn]), hint: inclusive ? `${data.events} with it in the stack` : "of the function" },
		{ name: "Self", value: (fn) => self[fn], text: (fn) => time(self[fn]), hint: "what it took itself" },
		{ name: "Self %", value: (fn) => self[fn], text: (fn) => percent(self[fn], all), bar: (fn) => self[fn] / all, className: "wide" },
		{ name: "Total", value: (fn) => total[fn], text: (fn) => time(total[fn]), hint: "with what it called" },
		{ name: "Total %", value: (fn) => total[fn], text: (fn) => percent(total[fn], all), bar: (fn) => total[fn] / all, className: "wide" },
		{ name: "Average", value: average, text: (fn) => time(average(fn)), hint: "total by calls" },
	];
	if (events === "Samples") columns.pop();
	if (compared)
		columns.splice(4, 4,
			{ name: "\u0394 Self", value: (fn) => Math.abs(self[fn] - before.self[fn]), text: (fn) => signed(self[fn] - before.self[fn], time), sign: (fn) => self[fn] - before.self[fn], hint: "more or less than in the other" },
			{ name: "\u0394 Self %", value: (fn) => Math.abs(self[fn] - before.self[fn]), text: (fn) => signed(self[fn] - before.self[fn], (d) => percent(d, data.row_total[1][0])), sign: (fn) => self[fn] - before.self[fn], className: "wide", hint: "of all of the other" },
			{ name: `\u0394 ${events}`, value: (fn) => Math.abs(count[fn] - before.count[fn]), text: (fn) => signed(count[fn] - before.count[fn], grouped), sign: (fn) => count[fn] - before.count[fn] },
			columns[5]);
	const state = { sort: columns[compared ? 4 : 3], descending: true, matched: null, chosen: 0 };
	// Tasks are no functions.
	const tells = (fn) => modules[fn] !== "[task]" && modules[fn] !== "[interrupt]" && (self[fn] || count[fn] || (compared && (before.self[fn] || before.count[fn])));
	const every = names.map((_, fn) => fn).filter((fn) => fn && tells(fn));
	const box = element("rows"), body = make("tbody");
	let listed = every;

	function compare(a, b) {
		const { value, text } = state.sort, sign = state.descending ? -1 : 1;
		if (value) return sign * (value(a) - value(b)) || (names[a] < names[b] ? -1 : 1);
		const left = text(a), right = text(b);
		return left === right ? self[b] - self[a] : (left < right ? -1 : 1) * sign;
	}

	// --- Rows

	function row(fn, index) {
		const line = make("tr");
		line.setAttribute("aria-rowindex", index + 2);
		line.setAttribute("aria-selected", fn === state.chosen);
		line.dataset.fn = fn;
		for (const column of columns) {
			const cell = make("td", column.className, column.text(fn));
			if (column === columns[0]) cell.title = names[fn];
			if (column.sign && column.sign(fn)) cell.classList.add(column.sign(fn) > 0 ? "more" : "less");
			if (column.bar) {
				cell.classList.add("bar");
				cell.style.backgroundSize = `${100 * Math.min(1, column.bar(fn))}% 16px`;
			}
			line.append(cell);
		}
		return line;
	}

	function spacer(rows) {
		const line = make("tr", "spacer"), cell = make("td");
		line.setAttribute("aria-hidden", "true");
		// Those that are not shown on a narrow page would take their room.
		cell.colSpan = columns.filter((column) => column.head.offsetParent).length || columns.length;
		cell.style.height = rows * ROW + "px";
		line.append(cell);
		return line;
	}

	function draw() {
		const first = Math.max(0, Math.floor(box.scrollTop / ROW) - 6) & ~1;
		const last = Math.min(listed.length, first + Math.ceil((box.clientHeight || 600) / ROW) + 14);
		body.replaceChildren(spacer(first), ...listed.slice(first, last).map((fn, i) => row(fn, first + i)), spacer(listed.length - last));
	}

	function list() {
		listed = (state.matched ? every.filter((fn) => state.matched[fn]) : [...every]).sort(compare);
		box.firstElementChild.setAttribute("aria-rowcount", listed.length + 1);
		for (const column of columns) column.head.setAttribute("aria-sort", column === state.sort ? (state.descending ? "descending" : "ascending") : "none");
		box.scrollTop = 0;
		draw();
	}

	function sortBy(column) {
		state.descending = column === state.sort ? !state.descending : !!column.value;
		state.sort = column;
		list();
	}

	function head() {
		const line = make("tr"), top = make("thead");
		for (const column of columns) {
			const button = make("button", "", column.name);
			column.head = make("th", column.className || "");
			column.head.scope = "col";
			column.head.classList.remove("dim");
			if (column.width) column.head.style.width = column.width;
			if (column.hint) button.title = column.hint;
			button.addEventListener("click", () => sortBy(column));
			column.head.append(button);
			line.append(column.head);
		}
		top.append(line);
		return top;
	}

	// --- The function that was chosen

	function sums(add) {
		const found = new Map();
		const tree = flame.recorded;
		for (let node = 1; node < tree.n; node++) add(tree, node, (fn, weight) => found.set(fn, (found.get(fn) || 0) + weight));
		return [...found].sort((a, b) => b[1] - a[1]).slice(0, MOST);
	}

	function related(title, entries) {
		const list = make("ol");
		for (const [fn, weight] of entries) {
			const item = make("li"), button = make("button");
			button.append(make("span", "", names[fn]), make("span", "", time(weight)));
			button.addEventListener("click", () => choose(fn));
			item.append(button);
			list.append(item);
		}
		return entries.length ? [make("h3", "", title), list] : [];
	}

	function detail(fn) {
		const show = make("button", "", "Find in the flame graph");
		const callers = sums((tree, node, add) => tree.fn[node] === fn && tree.parent[node] > 0 && add(tree.fn[tree.parent[node]], tree.total[0][node]));
		const callees = sums((tree, node, add) => tree.parent[node] > 0 && tree.fn[tree.parent[node]] === fn && add(tree.fn[node], tree.total[0][node]));
		show.addEventListener("click", () => page.find(fn));
		element("detail").replaceChildren(
			make("h2", "", names[fn]),
			make("p", "", `${modules[fn] ? modules[fn] + ", " : ""}${grouped(count[fn])} ${data.events}, ${timeWithUnit(total[fn])}, itself ${time(self[fn])}`),
			show, ...related("Called by", callers), ...related("Calls", callees));
	}

	function choose(fn) {
		state.chosen = fn;
		detail(fn);
		const index = listed.indexOf(fn), top = index * ROW, headHeight = 27;
		if (index >= 0 && top < box.scrollTop) box.scrollTop = top;
		else if (index >= 0 && top + ROW > box.scrollTop + box.clientHeight - headHeight) box.scrollTop = top + ROW - box.clientHeight + headHeight;
		say(`${names[fn]}: ${grouped(count[fn])} ${data.events}, itself ${timeWithUnit(self[fn])} = ${percent(self[fn], all)}, with what it called ${time(total[fn])}`);
		draw();
	}

	function key(event) {
		const at = listed.indexOf(state.chosen), rows = Math.max(1, Math.floor(box.clientHeight / ROW) - 2);
		const move = { ArrowDown: 1, ArrowUp: -1, PageDown: rows, PageUp: -rows, Home: -listed.length, End: listed.length }[event.key];
		if (event.target.closest("button")) return;
		if (move && listed.length) choose(listed[Math.max(0, Math.min(listed.length - 1, at + move))]);
		else if (event.key === "Enter" && state.chosen) page.find(state.chosen);
		else return;
		event.preventDefault();
	}

	function build() {
		const made = make("table");
		made.setAttribute("aria-label", "Functions");
		made.append(head(), body);
		box.append(made);
		box.addEventListener("scroll", () => requestAnimationFrame(draw));
		box.addEventListener("keydown", key);
		body.addEventListener("click", (event) => { const line = event.target.closest("[data-fn]"); if (line) choose(+line.dataset.fn); });
		body.addEventListener("dblclick", (event) => { const line = event.target.closest("[data-fn]"); if (line) page.find(+line.dataset.fn); });
		new ResizeObserver(draw).observe(box);
		element("detail").append(make("p", "", "Choose a function to see who calls it and what it calls."));
		list();
	}

	build();
	return {
		reset() {
			const chosen = state.chosen !== 0;
			state.chosen = 0;
			element("detail").replaceChildren();
			draw();
			return chosen;
		},
		focus: () => box.focus({ preventScroll: true }),
		shown: draw,
		repaint: draw,
		// Returns how many are found.
		search(matched) {
			state.matched = matched;
			list();
			return listed.length;
		},
	};
})();
