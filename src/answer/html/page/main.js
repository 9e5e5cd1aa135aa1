// The page: views, search, keys, light and dark.

const page = (() => {
	const views = { flame, table };
	let current;

	if (chart) views.chart = chart;
	else element("tab-chart").remove();

	// --- Views

	function show(name, focus = true) {
		if (!views[name]) return;
		current = name;
		for (const tab of document.querySelectorAll("[role=tab]")) {
			const selected = tab.id === "tab-" + name;
			tab.setAttribute("aria-selected", selected);
			tab.tabIndex = selected ? 0 : -1;
			element(tab.getAttribute("aria-controls")).hidden = !selected;
		}
		tip.hide();
		say("");
		views[name].shown();
		if (focus) views[name].focus();
		search();
	}

	function tabKey(event) {
		const tabs = [...document.querySelectorAll("[role=tab]")], step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
		if (!step) return;
		const next = tabs[(tabs.indexOf(event.target) + step + tabs.length) % tabs.length];
		show(next.id.slice(4), false);
		next.focus();
		event.preventDefault();
	}

	// --- Search

	function search() {
		const box = element("search");
		let matches;
		try {
			matches = matcher(box.value.trim());
			box.classList.remove("bad");
		} catch {
			box.classList.add("bad");
			element("found").textContent = "not a regular expression";
			return;
		}
		const matched = matchFunctions(matches), share = flame.search(matched), rows = table.search(matched);
		if (chart) chart.search(matches);
		element("found").textContent = !matches ? "" : current === "table" ? `${rows} found` : `${percent(share, 1)}, ${rows} functions`;
	}

	function find(fn) {
		element("search").value = `/^${names[fn].replace(/[.*+?^${}()|[\]\\/]/g, "\\$&")}$/`;
		show("flame");
	}

	function clearSearch() {
		const box = element("search"), had = box.value !== "";
		box.value = "";
		if (had) search();
		return had;
	}

	// --- Light and dark

	function remembered() {
		try {
			return localStorage.getItem("exectrace-theme");
		} catch {
			return null; // pages of files may have no storage
		}
	}

	function setTheme(theme) {
		document.documentElement.dataset.theme = theme;
		for (const view of Object.values(views)) view.repaint();
	}

	function switchTheme() {
		setTheme(dark() ? "light" : "dark");
		try {
			localStorage.setItem("exectrace-theme", document.documentElement.dataset.theme);
		} catch {
			// it holds for this time only
		}
	}

	function preferTheme() {
		const prefers = matchMedia("(prefers-color-scheme: dark)");
		setTheme(remembered() || (prefers.matches ? "dark" : "light"));
		prefers.addEventListener("change", () => remembered() || setTheme(prefers.matches ? "dark" : "light"));
	}

	// --- Keys

	const keys = {
		1: () => show("chart"), 2: () => show("flame"), 3: () => show("table"),
		"/": () => element("search").select(),
		t: switchTheme,
		"?": () => element("about").showModal(),
		i: () => current === "flame" && flame.invert(),
		m: () => current === "flame" && flame.merge(),
		c: () => current === "flame" && flame.callers(),
	};

	function escape() {
		if (!clearSearch()) views[current].reset();
		views[current].focus();
	}

	function key(event) {
		const typing = event.target.matches("input, select");
		if (element("about").open || event.ctrlKey || event.metaKey || event.altKey) return;
		if (event.key === "Escape") escape();
		else if (event.key === "Enter" && event.target === element("search")) views[current].focus();
		else if (!typing && keys[event.key]) keys[event.key]();
		else return;
		event.preventDefault();
	}

	// --- What stands around

	function describe() {
		const folded = data.folded, facts = element("facts");
		document.title = `${data.title} \u2013 exectrace`;
		element("title").textContent = element("title").title = data.title;
		for (const [name, text] of data.about) facts.append(make("dt", "", name), make("dd", "", text));
		const all = flame.recorded.total[0][0], calls = flame.recorded.calls[0][0];
		facts.append(make("dt", "", "In all"), make("dd", "", `${grouped(calls)} ${data.events}, ${timeWithUnit(all)}`));
		const notes = [`${grouped(calls)} ${data.events}, ${timeWithUnit(all)}`];
		if (folded.paths) notes.push(`${grouped(folded.paths)} call paths below ${(folded.least * 100).toPrecision(2)} % are counted with their callers`);
		if (folded.cut) notes.push(`${grouped(folded.cut)} ${data.events} were too deep, or too many, and are counted with their callers`);
		if (folded.functions) notes.push(`${grouped(folded.functions)} functions are too small for the table`);
		if (data.chart && data.chart.processes_left_out) notes.push(`${grouped(data.chart.processes_left_out)} processes that were the shortest are not in the chart`);
		if (data.chart && data.chart.left_out) notes.push(`${grouped(data.chart.left_out)} tasks that did the least are not in the chart`);
		for (const note of notes.slice(1)) facts.append(make("dt", "", "Left out"), make("dd", "", note));
		element("note").textContent = element("note").title = notes.join(" \u00b7 ");
	}

	function listen() {
		for (const tab of document.querySelectorAll("[role=tab]")) {
			tab.addEventListener("click", () => show(tab.id.slice(4)));
			tab.addEventListener("keydown", tabKey);
		}
		element("search").addEventListener("input", search);
		element("theme").addEventListener("click", switchTheme);
		element("help").addEventListener("click", keys["?"]);
		element("about-close").addEventListener("click", () => element("about").close());
		document.addEventListener("keydown", key);
	}

	function showTask(name) {
		if (flame.showTask(name)) show("flame");
		else say(`${name} has no calls that are shown`);
	}

	preferTheme();
	describe();
	listen();
	show(compared || !chart ? "flame" : "chart", false);
	return { find, showTask };
})();

// How long it took, for whoever wants to know.
requestAnimationFrame(() => setTimeout(() => (document.documentElement.dataset.ready = Math.round(performance.now()))));
