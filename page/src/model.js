// model.js -- The data of the page: places, the tree of callers, values of its nodes, moments.
//
// docs/format.md describes the JSON. A part that was not recorded is absent; its view then names
// the option that records it.
//
// SPDX-License-Identifier: LGPL-2.1-or-later
import { appendFunctions, makeKeys } from './groups.js';
import { shortName } from './shortname.js';
import { baseName, time, visible } from './util.js';

// Verdicts by number, in the words of --growth (profile/model/trend.c).
const TRENDS = ['', 'still growing', 'settled', 'churns'];

export const RUNTIME = 2, AGENT = 4, INLINED = 1, SKIPPED = 1, OTHERS = 2;

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
		this.functionOf = appendFunctions(this.places);
		this.keysOf = new Map();
	}

	// Returns the groups of places, as makeKeys().
	keys(group) {
		if (!this.keysOf.has(group))
			this.keysOf.set(group, makeKeys(this.places, group));
		return this.keysOf.get(group);
	}

	// True if a place is WHOLE, or a line of this function.
	isPartOf(place, whole) {
		return place === whole || this.functionOf[place] === whole;
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
				extra: s.extra || 0, stacks: s.stacks || 0 }));
		this.peakSnapshot = this.snapshots.findIndex((s) => s.kind === 'peak');
		if (this.peakSnapshot < 0 && this.snapshots.length)
			this.peakSnapshot = this.snapshots.reduce((best, s, i) =>
				s.heap > this.snapshots[best].heap ? i : best, 0);
		this.cache = { number: -1 };
		if (this.data.kind === 'recording' && this.snapshots.length)
			this.readPeakAndEnd();
		for (const s of this.snapshots)
			s.total = s.heap + s.extra + s.stacks;
	}

	// A recording knows what was live at the peak itself, which the snapshot of the peak is a
	// little before, and at the end, for which there is no snapshot.
	readPeakAndEnd() {
		const { snapshots: list, run, totals } = this, last = list[list.length - 1];
		const peak = list[this.peakSnapshot], samples = (this.data.samples || {}).t || [];
		const t = Math.max(run.duration || 0, last.t, samples[samples.length - 1] || 0);
		const know = (s, columns, heap) => Object.assign(s, { columns, heap,
			hasTree: this.has(`${columns}_bytes`) });
		// The snapshot of a process that still grows is of an earlier, lower peak.
		const isPeakNow = totals.end === totals.peak &&
			peak.heap < 0.99 * totals.peak;
		this.isPeakNear = !isPeakNow && peak.heap !== totals.peak;
		if (isPeakNow)
			peak.kind = 'normal';
		else
			know(peak, 'peak', totals.peak);
		// The processes of a merge did not end together.
		if (run.merged)
			return;
		if (t > last.t || last === peak)
			list.push({ ...last, t, number: list.length, clock: NaN,
				instructions: NaN, values: undefined, name: undefined });
		list[list.length - 1].kind = 'end';
		know(list[list.length - 1], 'end', totals.end);
		if (isPeakNow)
			this.peakSnapshot = list.length - 1;
	}

	// Returns the snapshots whose place on an axis is known.
	along(axis) {
		return this.snapshots.filter((s) => Number.isFinite(s[axis]));
	}

	// "775 ms into the run", "about 775 ms into the run": the
	// snapshot of the peak may be a little before it. Empty if unknown.
	peakTime() {
		const s = this.snapshots[this.peakSnapshot];
		return s && (s.kind === 'peak' || s.kind === 'end') && this.unit !== 'B'
			? `${this.isPeakNear ? 'about ' : ''}${time(s.t, this.unit)} into the run`
			: '';
	}

	has(metric) {
		return !!this.columns[metric];
	}

	// Returns the bytes (or blocks) of each node itself at a snapshot.
	atSnapshot(number, what = 'bytes') {
		let c = this.cache;
		const { columns } = this.snapshots[number];
		if (columns)
			return this.column(`${columns}_${what}`).slice();
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

	// Returns what nodes grew by between two snapshots; from: -1 for the start, when nothing
	// was live.
	growth(from, to, what = 'bytes') {
		if (from < 0)
			return this.atSnapshot(to, what);
		const a = this.atSnapshot(from, what), b = this.atSnapshot(to, what);
		return b.map((v, i) => v - a[i]);
	}

	// "185 ms (snapshot 68)", "190 ms (the peak)"; number: -1 for the start.
	momentText(number) {
		const s = this.snapshots[number];
		return !s ? 'the start' : `${time(s.t, this.unit)} (${s.kind === 'peak' ||
			s.kind === 'end' ? `the ${s.kind}` : `snapshot ${s.number}`})`;
	}

	// Returns the snapshot with places nearest to VALUE on an axis, or -1.
	nearest(axis, value) {
		const far = (n) => Math.abs(this.snapshots[n][axis] - value);
		return this.snapshots.reduce((best, s, n) => s.hasTree &&
			(best < 0 || far(n) < far(best)) ? n : best, -1);
	}

	// Returns the snapshots whose growth is shown at first: those that --growth chooses. Of
	// other files by the same rule: from the middle to the end, or to the peak if most of it is
	// gone at the end. Null without two of them.
	growthRange() {
		const { growth } = this.data, shots = this.snapshots.filter((s) => s.hasTree);
		const peak = this.peakSnapshot, last = shots[shots.length - 1];
		if (growth)
			return this.findRange(growth);
		if (!last)
			return null;
		const to = last.heap < this.snapshots[peak].heap / 2
			? this.snapshots[this.nearest('number', peak)] : last;
		const from = this.snapshots[this.nearest('t', to.t / 2)];
		return from.t < to.t ? [from.number, to.number] : null;
	}

	findRange({ from, to }) {
		const find = (m) => m.kind === 'start' ? -1 : m.kind === 'peak' ? this.peakSnapshot
			: m.kind === 'end' ? this.snapshots.length - 1
			: this.snapshots.findIndex((s) => s.t === m.t && s.hasTree);
		const [a, b] = [find(from), find(to)];
		return this.snapshots.length && a < b ? [a, b] : null;
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
	// belongs to no run-time; of a stack that has none, the innermost that is no library's.
	holder(node) {
		let agent = 0;
		for (let at = node; at > 0; at = this.parent[at]) {
			if (this.flags[at] & OTHERS)
				continue;
			if (!this.isRuntime(at))
				return at;
			if (!agent && this.places[this.place[at]].flags & AGENT)
				agent = at;
		}
		return agent || node;
	}

	isRuntime(node) {
		return (this.places[this.place[node]].flags & RUNTIME) !== 0;
	}

	// Returns for each node whether it belongs to a run-time.
	runtimeNodes() {
		if (!this.runtimes) {
			this.runtimes = new Uint8Array(this.nodes);
			for (let i = 1; i < this.nodes; i++)
				this.runtimes[i] = !(this.flags[i] & OTHERS) &&
					this.isRuntime(i) ? 1 : 0;
		}
		return this.runtimes;
	}

	// Returns the place to which the memory of each node itself is attributed; 0: none. See
	// holder().
	holderPlaces() {
		if (!this.holders) {
			this.holders = new Int32Array(this.nodes);
			for (let i = 0; i < this.nodes; i++) {
				const at = this.holder(i);
				this.holders[i] = this.flags[at] & OTHERS ? 0 : this.place[at];
			}
		}
		return this.holders;
	}

	// Sums up values of nodes by GROUP of places, largest first: [{label, where, place, value,
	// node, nodes, stacks, lines}]. place can be selected; 0: none can. node is that of the
	// largest value. lines: of a function that has several here, the same for each line.
	byGroup(self, group) {
		const { keys } = this.keys(group === 'function' ? 'line' : group);
		const found = new Map(), holders = this.holderPlaces(), { stacks } = this.columns;
		for (let node = 0; node < this.nodes; node++) {
			const value = self[node], place = holders[node];
			if (value === 0)
				continue;
			const key = place ? keys[place] : -1;
			let entry = found.get(key);
			if (!entry)
				found.set(key, entry = { place, value: 0, most: 0, node: 0,
					stacks: 0, nodes: [] });
			entry.value += value;
			entry.nodes.push(node);
			entry.stacks += stacks ? stacks[node] || 1 : 1;
			if (Math.abs(value) > entry.most) {
				entry.most = Math.abs(value);
				entry.node = this.holder(node);
			}
		}
		const entries = [...found.values()];
		return (group === 'function' ? this.joinLines(entries) : entries)
			.sort((a, b) => b.value - a.value).map((e) => this.nameEntry(e, group));
	}

	// Joins the entries of lines to those of their functions.
	joinLines(entries) {
		const found = new Map(), { keys } = this.keys('function');
		for (const e of entries) {
			const key = e.place ? keys[e.place] : -1;
			found.set(key, [...(found.get(key) || []), e]);
		}
		return [...found.values()].map((lines) => {
			lines.sort((a, b) => b.value - a.value);
			if (lines.length < 2)
				return lines[0];
			const sum = (of) => lines.reduce((s, e) => s + e[of], 0);
			const most = lines.reduce((a, b) => b.most > a.most ? b : a);
			return { place: this.functionOf[most.place], value: sum('value'),
				most: most.most, node: most.node, stacks: sum('stacks'),
				nodes: lines.flatMap((e) => e.nodes),
				lines: lines.map((e) => this.nameEntry(e, 'line')) };
		});
	}

	nameEntry(entry, group) {
		const { place } = entry, isPart = group === 'line' || group === 'function';
		const { keys, names } = this.keys(group);
		return { lines: [], ...entry, place: isPart ? place : 0,
			label: names[place ? keys[place] : 1].label,
			where: isPart && place && !entry.lines ? this.where(place) : '' };
	}

	// Returns the groups with most memory.
	top(metric, max, group = 'function') {
		return this.byGroup(this.column(metric), group).filter((e) => e.value > 0)
			.slice(0, max);
	}

	// Returns the verdict on an entry of byGroup(_, group) over the whole run, or ''.
	trendOf(entry, group) {
		const list = this.data.trends?.[group] || [];
		this.trends ||= {};
		if (!this.trends[group])
			this.trends[group] = new Map(list.flatMap((node, i) =>
				i % 2 ? [] : [[node, list[i + 1]]]));
		return TRENDS[this.trends[group].get(entry.node) || 0];
	}

	// Returns the sum of a metric that a place holds.
	valueOf(place, metric) {
		const cache = this.placeSums ||= new Map();
		if (!cache.has(metric)) {
			const sums = new Float64Array(this.places.length);
			const self = this.column(metric);
			this.holderPlaces().forEach((p, node) => {
				sums[p] += self[node];
				if (this.functionOf[p] !== p)
					sums[this.functionOf[p]] += self[node];
			});
			cache.set(metric, sums);
		}
		return cache.get(metric)[place];
	}

	// Returns the sum of a metric of a place and of all that it called. A byte counts once,
	// even if the place calls itself.
	valueWithin(place, metric) {
		const inside = new Uint8Array(this.nodes), self = this.column(metric);
		let sum = 0;
		for (let i = 1; i < this.nodes; i++) {
			inside[i] = inside[this.parent[i]] || this.isPartOf(this.place[i], place)
				? 1 : 0;
			sum += inside[i] ? self[i] : 0;
		}
		return sum;
	}

	// "parse (parse.c:12)": names a place in addresses and lists.
	placeText(place) {
		if (place === 0)
			return '[smaller places]';
		const p = this.places[place], where = this.where(p).replace(/^in /, '');
		return where ? `${p.short} (${where})` : p.short;
	}

	// Returns the place of such a text, or 0. Of several the one with most memory counts.
	findPlace(text) {
		if (!this.byText) {
			this.byText = new Map();
			this.places.forEach((p, i) => {
				const name = this.placeText(i), before = this.byText.get(name);
				if (i > 0 && (!before || this.weight(i) > this.weight(before)))
					this.byText.set(name, i);
			});
		}
		return this.byText.get(text) || 0;
	}

	weight(place) {
		return this.valueOf(place, 'peak_bytes') || this.valueOf(place, 'total_bytes');
	}

	where(place) {
		const p = typeof place === 'number' ? this.places[place] : place;
		if (p.file)
			return p.line ? `${baseName(p.file)}:${p.line}` : baseName(p.file);
		return p.object && !p.short.includes(' in ') ? `in ${baseName(p.object)}` : '';
	}
}
