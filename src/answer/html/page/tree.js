// Trees of call paths. Weights are arrays by node, one for each side: [the recording, the one it is compared with].

class Tree {
	constructor() {
		this.parent = [-1];
		this.fn = [0];
		this.depth = [0];
		this.task = [0]; // the function that stands for the task the node is in
		this.self = data.self.map(() => [0]);
		this.total = data.self.map(() => [0]);
		this.count = data.self.map(() => [0]); // calls of the node
		this.calls = data.self.map(() => [0]); // with those below it
		this.children = null;
	}

	get n() {
		return this.fn.length;
	}

	add(parent, fn) {
		const node = this.n;
		this.parent.push(parent);
		this.fn.push(fn);
		this.depth.push(this.depth[parent] + 1);
		this.task.push(parent ? this.task[parent] : fn);
		for (const weight of [this.self, this.total, this.count, this.calls]) for (const side of weight) side.push(0);
		return node;
	}

	// The weight by a key such as "total" or "total1".
	weight(key) {
		return key.endsWith("1") ? this[key.slice(0, -1)][1] : this[key][0];
	}

	// Lists the children of each node, the heaviest first or as they were made; those of `node` are order[start[node]] to
	// order[start[node + 1]].
	arrange(weight, byWeight) {
		const last = (node) => this.parent[node] === 0 && names[this.fn[node]] === "[no function]"; // CPUs of which nothing is known
		const start = new Int32Array(this.n + 2), order = new Int32Array(this.n);
		for (let node = 1; node < this.n; node++) start[this.parent[node] + 2]++;
		for (let node = 0; node < this.n; node++) start[node + 2] += start[node + 1];
		for (let node = 1; node < this.n; node++) order[start[this.parent[node] + 1]++] = node;
		if (byWeight)
			for (let node = 0; node < this.n; node++)
				if (start[node + 1] - start[node] > 1) order.subarray(start[node], start[node + 1]).sort((a, b) => last(a) - last(b) || weight[b] - weight[a] || a - b);
		this.start = start;
		this.order = order;
	}

	path(node) {
		const path = [];
		for (; node > 0; node = this.parent[node]) path.unshift(node);
		return path;
	}
}

// The recorded paths.
function recordedTree() {
	const tree = new Tree(), last = [0];
	const depths = data.depth[0], functions = data.function[0];
	for (let i = 0; i < depths.length; i++) {
		const node = i && tree.add(last[depths[i] - 1], functions[i]);
		last[depths[i]] = node;
	}
	for (const key of ["self", "total", "count", "calls"]) tree[key] = data[key];
	return tree;
}

// Nodes by parent and function, for trees that are made of others.
class Merger {
	constructor() {
		this.tree = new Tree();
		this.known = new Map();
	}

	child(parent, fn) {
		const key = parent * names.length + fn;
		let node = this.known.get(key);
		if (node === undefined) {
			node = this.tree.add(parent, fn);
			this.known.set(key, node);
		}
		return node;
	}

	addWeights(node, from, other, keys) {
		for (const [to, key] of keys)
			for (let side = 0; side < data.self.length; side++) this.tree[to][side][node] += from[key][side][other];
	}
}

const WEIGHTS = [["self", "self"], ["total", "total"], ["count", "count"], ["calls", "calls"]];

// All tasks as one: the level of tasks is left out.
function mergedTree(from) {
	const merger = new Merger(), now = new Int32Array(from.n);
	merger.addWeights(0, from, 0, WEIGHTS);
	for (let node = 1; node < from.n; node++) {
		if (from.depth[node] === 1 && modules[from.fn[node]] !== "[interrupt]") {
			merger.addWeights(0, from, node, WEIGHTS.slice(0, 1));
			continue;
		}
		now[node] = merger.child(now[from.parent[node]], from.fn[node]);
		merger.addWeights(now[node], from, node, WEIGHTS);
	}
	return merger.tree;
}

// From each function to what called it: a path is turned around, with what its last function took itself.
function callersTree(from) {
	const merger = new Merger();
	merger.addWeights(0, from, 0, WEIGHTS);
	for (let node = 1; node < from.n; node++) {
		let at = 0;
		if (!data.self.some((_, side) => from.self[side][node] || from.count[side][node])) continue;
		for (let up = node; up > 0; up = from.parent[up]) {
			at = merger.child(at, from.fn[up]);
			merger.addWeights(at, from, node, [["total", "self"], ["calls", "count"]]);
			if (up === node) merger.addWeights(at, from, node, [["self", "self"], ["count", "count"]]);
		}
	}
	return merger.tree;
}

// The share of all that is within functions that match.
function shareOf(tree, matched, weight) {
	const inside = new Uint8Array(tree.n);
	let sum = 0;
	for (let node = 1; node < tree.n; node++) {
		inside[node] = inside[tree.parent[node]];
		if (inside[node] || !matched[tree.fn[node]]) continue;
		inside[node] = 1;
		sum += weight[node];
	}
	return weight[0] ? sum / weight[0] : 0;
}
