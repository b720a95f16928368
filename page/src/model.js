// model.js -- The data of the page: places, the tree of callers, values of its nodes, moments.
//
// docs/format.md describes the JSON. A part that was not recorded is absent; its view then names
// the option that records it.
//
// SPDX-License-Identifier: LGPL-2.1-or-later
import { baseName, shortName, time, visible } from './util.js';

export const RUNTIME = 2, INLINED = 1, SKIPPED = 1, OTHERS = 2;

// Metrics of the tree. `of` names a column of data.sites, `need` the option that records it.
export const METRICS = [
	{ id: 'peak_bytes', label: 'Live at the peak (bytes)', unit: 'bytes',
		short: 'at the peak' },
	{ id: 'end_bytes', label: 'Live at the end (bytes): leaks', unit: 'bytes',
		short: 'at the end' },
	{ id: 'total_bytes', label: 'Allocated in all (bytes)', unit: 'bytes', short: 'in all' },
	{ id: 'peak_blocks', label: 'Live at the peak (blocks)', unit: 'blocks',
		short: 'at the peak' },
	{ id: 'end_blocks', label: 'Live at the end (blocks)', unit: 'blocks',
		short: 'at the end' },
	{ id: 'total_blocks', label: 'Allocated in all (blocks)', unit: 'blocks', short: 'in all' },
	{ id: 'temporary', label: 'Temporary blocks', unit: 'blocks', short: 'temporary' },
	{ id: 'life', label: 'Lifetime of blocks (sum)', unit: 'time', short: 'lifetime',
		need: '--html' },
	{ id: 'read_bytes', label: 'Reads (bytes)', unit: 'bytes', short: 'read',
		need: '--accesses=emulate' },
	{ id: 'written_bytes', label: 'Writes (bytes)', unit: 'bytes', short: 'written',
		need: '--accesses=emulate' },
];

function fromDistances(list) {
	let at = 0;
	return list.map((d) => at += d);
}

export class Model {
	constructor(data) {
		this.data = data;
		this.run = data.run || {};
		this.recorded = data.recorded || {};
		this.totals = data.totals || {};
		this.unit = this.run.unit || 'ns';
		this.readPlaces();
		this.readTree();
		this.readSites();
		this.readMoments();
	}

	readPlaces() {
		const { data } = this, text = (data.strings || []).map(visible), p = data.places ||
			[];
		const get = (n) => n ? text[n - 1] || '' : '';
		this.places = [{ name: '', short: '[unknown]', file: '', line: 0, object: '',
			flags: 0 }];
		for (let i = 0; i + 4 < p.length; i += 5) {
			const name = get(p[i]), object = get(p[i + 3]);
			let short = name ? shortName(name) : '[unknown]';
			if (/^0x/.test(name) && object)
				short = `${name} in ${baseName(object)}`;
			this.places.push({ name, short, file: get(p[i + 1]), line: p[i + 2], object,
				flags: p[i + 4] });
		}
	}

	readTree() {
		const tree = this.data.tree || { parent: [], place: [], flags: [] };
		const n = tree.parent.length + 1;
		this.nodes = n;
		this.parent = new Int32Array(n);
		this.place = new Int32Array(n);
		this.flags = new Uint8Array(n);
		for (let i = 1; i < n; i++) {
			this.parent[i] = i - tree.parent[i - 1];
			this.place[i] = tree.place[i - 1];
		}
		for (let i = 0; i + 1 < tree.flags.length; i += 2)
			this.flags[tree.flags[i]] = tree.flags[i + 1];
	}

	readSites() {
		const sites = this.data.sites || { node: [] };
		const node = fromDistances(sites.node);
		this.siteNodes = node;
		this.columns = {};
		for (const [name, values] of Object.entries(sites)) {
			if (name === 'node')
				continue;
			const column = new Float64Array(this.nodes);
			for (let i = 0; i < node.length; i++)
				column[node[i]] = values[i];
			this.columns[name] = column;
		}
	}

	// A snapshot has the changes since the previous snapshot with values.
	readMoments() {
		this.snapshots = (this.data.snapshots || []).map((s, number) => ({ ...s, number,
			hasTree: s.values !== undefined, instructions: s.instructions || 0,
				total: s.heap + (s.extra || 0) + (s.stacks || 0) }));
		this.peakSnapshot = this.snapshots.findIndex((s) => s.kind === 'peak');
		if (this.peakSnapshot < 0 && this.snapshots.length)
			this.peakSnapshot = this.snapshots.reduce((best, s, i) =>
				s.heap > this.snapshots[best].heap ? i : best, 0);
		this.cache = { number: -1 };
		// The end of the run may be long after the last snapshot; the heap at the end is
		// known, too.
		const last = this.snapshots[this.snapshots.length - 1], { run, totals } = this;
		this.ending = last && this.data.kind === 'recording' && this.unit === 'ns' &&
			run.duration > last.t ?
			{ ...last, kind: 'end', t: run.duration, heap: totals.end, hasTree: false }
				: null;
	}

	// "775 ms into the run", "about 775 ms into the run": the
	// snapshot of the peak may be a little before it. Empty if unknown.
	peakTime() {
		const s = this.snapshots[this.peakSnapshot];
		return s && s.kind === 'peak' && this.unit !== 'B'
			? `${this.totals.peak === s.heap ? '' : 'about '}${time(s.t, this.unit)} ` +
			`into the run` : '';
	}

	has(metric) {
		return !!this.columns[metric];
	}

	// Returns the bytes (or blocks) of each node itself at a snapshot.
	atSnapshot(number, what = 'bytes') {
		let c = this.cache;
		if (c.number > number || c.number < 0)
			c = this.cache = { number: -1, bytes: new Float64Array(this.nodes),
				blocks: new Float64Array(this.nodes) };
		while (c.number < number) {
			const values = this.snapshots[++c.number].values || [];
			let at = 0;
			for (let i = 0; i + 2 < values.length; i += 3) {
				at += values[i];
				c.bytes[at] = values[i + 1];
				c.blocks[at] = values[i + 2];
			}
		}
		return c[what].slice();
	}

	growth(from, to) {
		const a = this.atSnapshot(from), b = this.atSnapshot(to);
		return b.map((v, i) => v - a[i]);
	}

	column(metric) {
		return this.columns[metric] || new Float64Array(this.nodes);
	}

	sum(metric) {
		return this.column(metric).reduce((a, b) => a + b, 0);
	}

	// Returns the values of every node, with those of all nodes below it.
	inclusive(self) {
		const sum = Float64Array.from(self);
		for (let i = this.nodes - 1; i > 0; i--)
			sum[this.parent[i]] += sum[i];
		return sum;
	}

	label(node) {
		return node === 0 ? 'all' : this.flags[node] & OTHERS ? '[smaller places]' :
			this.places[this.place[node]].short;
	}

	// Returns the node to which a site's memory is attributed: the innermost function that
	// neither belongs to a run-time nor wraps malloc.
	holder(node) {
		for (let at = node; at > 0; at = this.parent[at]) {
			if (!this.isRuntime(at) && !(this.flags[at] & OTHERS) &&
				!this.isInsideRuntime(at))
				return at;
		}
		return node;
	}

	isRuntime(node) {
		return (this.places[this.place[node]].flags & RUNTIME) !== 0;
	}

	// A function without a name belongs to a run-time if a function of the run-time called it,
	// or if there are three such functions in a row.
	isInsideRuntime(node) {
		for (let at = node, i = 0; i < 3 && at > 0 &&
			/^(0x|$)/.test(this.places[this.place[at]].name); i++) {
			at = this.parent[at];
			if (at > 0 && this.isRuntime(at))
				return true;
		}
		return false;
	}

	// Returns the places with most memory: [{place, value, node}]; node is of its largest
	// stack.
	top(metric, max) {
		const self = this.column(metric), found = new Map();
		for (const node of this.siteNodes) {
			if (!(self[node] > 0))
				continue;
			const at = this.holder(node), place = this.flags[at] & OTHERS ? 0
				: this.place[at];
			const entry = found.get(place) || { place, value: 0, most: 0, node: at,
				stacks: 0 };
			entry.value += self[node];
			entry.stacks += this.columns.stacks ? this.columns.stacks[node] : 1;
			if (self[node] > entry.most) {
				entry.most = self[node];
				entry.node = at;
			}
			found.set(place, entry);
		}
		return [...found.values()].sort((a, b) => b.value - a.value).slice(0, max);
	}

	where(place) {
		const p = typeof place === 'number' ? this.places[place] : place;
		if (p.file)
			return p.line ? `${baseName(p.file)}:${p.line}` : baseName(p.file);
		return p.object && !p.short.includes(' in ') ? `in ${baseName(p.object)}` : '';
	}
}
