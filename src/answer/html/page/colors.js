// Colours by what they stand for. Those of the page are in its style sheet.

const dark = () => document.documentElement.dataset.theme === "dark";
const styleColor = (name) => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();

// Far enough apart to be told from each other, also next to each other.
const HUES = [38, 205, 145, 280, 340, 85, 180, 250, 315, 15, 225, 120];

// Kinds of work in the chart: [hue, saturation, lightness in the light, in the dark].
const KINDS = {
	kernel: [38, 78, 60, 52], module: [15, 62, 52, 50], program: [205, 62, 52, 55], interrupt: [345, 65, 50, 55],
	idle: [215, 8, 84, 28], firmware: [280, 35, 66, 48], nowhere: [215, 10, 68, 42],
	wait: [215, 10, 82, 30], file: [38, 78, 58, 52], network: [280, 45, 58, 60], memory: [145, 40, 48, 45],
	process: [340, 60, 55, 58], other: [205, 55, 55, 55], library: [145, 40, 48, 45],
};

const KIND_NAMES = { nowhere: "no known function", wait: "waiting" };

function kindColor(kind) {
	const [hue, saturation, light, inDark] = KINDS[kind];
	return `hsl(${hue} ${saturation}% ${dark() ? inDark : light}%)`;
}

function hash(text) {
	let value = 2166136261;
	for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 16777619);
	return value >>> 0;
}

// Things of a sort, the most important first, get colours of their own as long as there are any.
function hues(weights) {
	const sorted = [...weights.entries()].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
	return new Map(sorted.map(([thing], i) => [thing, i < HUES.length ? HUES[i] : HUES[hash(String(thing)) % HUES.length]]));
}

// A colour of a hue; functions of one module differ a little.
function shade(hue, fn) {
	const mixed = hash(names[fn]), turned = hue + (mixed % 19) - 9, vary = ((mixed >>> 8) % 11) - 5;
	return dark() ? `hsl(${turned} 38% ${35 + vary}%)` : `hsl(${turned} 70% ${74 + vary}%)`;
}

const neutral = () => (dark() ? "hsl(215 8% 32%)" : "hsl(215 12% 86%)");

// More is warm, less is cold; share: of the whole, from -1 to 1.
function differenceColor(share) {
	const strength = Math.min(1, (Math.abs(share) / 0.05) ** 0.7);
	if (strength < 0.05) return neutral();
	const hue = share > 0 ? 18 : 212;
	return dark() ? `hsl(${hue} ${10 + 60 * strength}% ${32 + 10 * strength}%)` : `hsl(${hue} ${12 + 73 * strength}% ${86 - 22 * strength}%)`;
}
