// What was recorded, as the page has it. Texts are anybody's: they only ever become text content.

const data = JSON.parse(element("data").textContent);
const compared = data.self.length > 1;

// Functions are called; or they are in the stacks of system calls, or of samples.
const inclusive = data.events !== "calls";

// Functions by number: 0 is the root.
const names = data.functions.filter((_, i) => i % 2 === 0);
const modules = data.functions.filter((_, i) => i % 2 === 1);
names[0] = "all";

// What a pattern finds: a function that tells whether a text is found, null when nothing is looked for. Throws SyntaxError.
function matcher(pattern) {
	if (!pattern) return null;
	const regular = /^\/(.+?)\/?$/.exec(pattern);
	if (regular) {
		const expression = new RegExp(regular[1], "i");
		return (text) => expression.test(text);
	}
	const wanted = pattern.toLowerCase();
	return (text) => text.toLowerCase().includes(wanted);
}

// For each function: does it match? null when nothing is looked for.
function matchFunctions(matches) {
	return matches && names.map((name, i) => i > 0 && (matches(name) || matches(modules[i])));
}
