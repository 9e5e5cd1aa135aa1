// Numbers and names as text.

const element = (id) => document.getElementById(id);

function make(tag, className, text) {
	const made = document.createElement(tag);
	if (className) made.className = className;
	if (text !== undefined) made.textContent = text;
	return made;
}

// Three digits that count, and no more.
function digits(value) {
	const size = Math.abs(value);
	return value.toFixed(size >= 100 || Number.isInteger(value) ? 0 : size >= 10 ? 1 : 2);
}

function withPrefix(value, steps) {
	for (const [step, unit] of steps) if (Math.abs(value) >= step) return digits(value / step) + unit;
	const [step, unit] = steps[steps.length - 1];
	return digits(value / step) + unit;
}

const COUNTS = [[1e12, " T"], [1e9, " G"], [1e6, " M"], [1e4, " k"], [1, ""]];
const SECONDS = [[1, " s"], [1e-3, " ms"], [1e-6, " \u00b5s"], [1e-9, " ns"]];

// Numbers of calls are exact in tables: thousands are set apart.
const grouped = (value) => Math.round(value).toString().replace(/\B(?=(\d{3})+$)/g, "\u202f");

const shortCount = (value) => withPrefix(value, COUNTS);

// A time of the recording's clock.
function time(ticks) {
	return data.hz ? withPrefix(ticks / data.hz, SECONDS) : withPrefix(ticks, COUNTS);
}

// The same where no heading tells of what it is.
const timeWithUnit = (ticks) => (data.hz ? time(ticks) : time(ticks) + (data.unit === "instructions" ? " instr." : " " + data.unit));

function percent(part, all) {
	return (all ? (100 * part) / all : 0).toFixed(2) + "\u00a0%";
}

const signed = (value, text) => (value > 0 ? "+" : "") + text(value);
