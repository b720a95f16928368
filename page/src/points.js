// points.js -- Program points as DHAT's viewer writes them: the tree of places with all figures as
// text; it can be inverted, grouped and searched.
//
// SPDX-License-Identifier: LGPL-2.1-or-later
import { toPattern } from './explore.js';
import { GROUPS } from './groups.js';
import { Tree } from './tree.js';
import { bytes, checkbox, clip, copy, count, debounce, el, exactTime, moreButton, nameNode, percent,
	select } from './util.js';

const COLUMNS = ['total_bytes', 'total_blocks', 'peak_bytes', 'peak_blocks', 'end_bytes',
	'end_blocks', 'life', 'temporary',
	'read_bytes', 'written_bytes', 'max_bytes', 'max_blocks'];

const noAccess = (n) => n.read_bytes === 0 || n.written_bytes === 0;
const low = (n) => !noAccess(n) && (n.read_bytes / n.total_bytes <= 0.4 ||
	n.written_bytes / n.total_bytes <= 0.4);
const high = (n) => n.read_bytes / n.total_bytes >= 1000 || n.written_bytes / n.total_bytes >= 1000;

// Metrics to sort by, as in DHAT's viewer. Places with a share of the whole that pass the filter
// are shown in full.
export const SORTS = [
	{ id: 'tb', label: 'Total (bytes)', by: 'total_bytes', share: 1 },
	{ id: 'tbk', label: 'Total (blocks)', by: 'total_blocks', share: 1 },
	{ id: 'tiny', label: 'Total (blocks), tiny: 16 bytes or less', by: 'total_blocks',
		share: 0.5, filter: (n) => n.total_bytes / n.total_blocks <= 16 },
	{ id: 'short', label: 'Total (blocks), short-lived', by: 'total_blocks', share: 0.5,
		need: 'life', filter: (n, m) => n.life / n.total_blocks <= m.shortLife },
	{ id: 'temp', label: 'Temporary (blocks)', by: 'temporary', share: 1 },
	{ id: 'zb', label: 'Total (bytes), never read or never written', by: 'total_bytes',
		share: 0.5, need: 'read_bytes', filter: noAccess },
	{ id: 'zbk', label: 'Total (blocks), never read or never written', by: 'total_blocks',
		share: 0.5, need: 'read_bytes', filter: noAccess },
	{ id: 'lb', label: 'Total (bytes), little read or written', by: 'total_bytes', share: 0.5,
		need: 'read_bytes', filter: low },
	{ id: 'lbk', label: 'Total (blocks), little read or written', by: 'total_blocks',
		share: 0.5, need: 'read_bytes', filter: low },
	{ id: 'gb', label: 'At t-gmax, the peak (bytes)', by: 'peak_bytes', share: 1 },
	{ id: 'gbk', label: 'At t-gmax, the peak (blocks)', by: 'peak_blocks', share: 1 },
	{ id: 'eb', label: 'At t-end (bytes)', by: 'end_bytes', share: 1 },
	{ id: 'ebk', label: 'At t-end (blocks)', by: 'end_blocks', share: 1 },
	{ id: 'rb', label: 'Reads (bytes)', by: 'read_bytes', share: 1 },
	{ id: 'rbh', label: 'Reads (bytes), much read or written', by: 'read_bytes', share: 0.5,
		filter: high },
	{ id: 'wb', label: 'Writes (bytes)', by: 'written_bytes', share: 1 },
	{ id: 'wbh', label: 'Writes (bytes), much read or written', by: 'written_bytes', share: 0.5,
		need: 'read_bytes', filter: high },
];
// Returns the column that a metric needs and that was not recorded, or undefined.
const missing = (s, model) => [s.by, s.need].find((column) => column && !model.has(column));
const needs = (column) => column === 'read_bytes' || column === 'written_bytes'
	? '--accesses=emulate' : '--html';
const SELF = 2, BELOW = 1, NONE = 0, PAGE = 200;

export class Points {
	constructor(model) {
		this.model = model;
		this.sort = [SORTS.find((s) => s.id === 'gb'), ...SORTS].find((s) =>
			!missing(s, model)) || SORTS[0];
		this.options = { inverted: true, group: 'line', fold: false };
		this.all = false;
		this.output = el('div',
			{ class: 'points', role: 'tree', 'aria-label': 'Program points' });
		this.found = el('span', { class: 'found', role: 'status' });
		this.search = el('input',
			{ type: 'search', placeholder: 'text or /expression/',
			'aria-label': 'Search program points',
			oninput: debounce(() => this.render(), 200) });
		this.threshold = el('p', { class: 'caption' });
		this.element = el('div', {}, this.controls(), this.threshold, this.output);
		this.output.addEventListener('keydown', (e) => this.key(e));
	}

	controls() {
		const { model } = this;
		const sorts = SORTS.map((s) => ({ s, lacks: missing(s, model) }))
			.map(({ s, lacks }) => ({ value: s.id, disabled: !!lacks,
			label: lacks ? `${s.label} – not recorded (use ${needs(lacks)})`
				: s.label }));
		return el('div', { class: 'controls' },
			select('Sort metric', sorts, this.sort.id,
				(v) => { this.sort = SORTS.find((s) =>
				s.id === v); this.update(); }),
			select('Direction', [{ value: 'yes', label: 'allocation → callers' },
				{ value: 'no', label: 'inverted: callers → allocation' }],
				'yes', (v) => { this.options.inverted =
					v === 'yes'; this.update(); }),
			select('Group by', GROUPS, 'line',
				(v) => { this.options.group = v; this.update(); }),
			checkbox('Fold recursion', false,
				(v) => { this.options.fold = v; this.update(); }),
			checkbox('Insignificant too', false,
				(v) => { this.all = v; this.update(); }),
			el('label', { class: 'field grow' }, el('span', {}, 'Search'), this.search),
				this.found,
			el('button', { type: 'button', onclick: () => this.expandAll() }, 'Expand'),
			el('button', { type: 'button',
				onclick: () => { this.open = new Set([0]); this.render(); } },
				'Collapse'),
			el('button', { type: 'button', onclick: () => copy(this.output.innerText) },
				'Copy text'));
	}

	apply() {
		if (!this.tree)
			this.update();
	}

	update() {
		const { model } = this;
		this.columns = COLUMNS.filter((c) => model.has(c));
		this.tree = new Tree(model, this.columns.map((c) => model.column(c)), this.options);
		this.index = Object.fromEntries(this.columns.map((c, i) => [c, i]));
		const by = this.index[this.sort.by];
		this.tree.sort(this.tree.total[by], this.tree.total[this.index.total_bytes ?? by]);
		this.judge(by);
		this.open = new Set([0]);
		// Opens the first significant child of each of the first levels.
		let at = 0;
		for (let i = 0; i < 3; i++) {
			const next = (this.tree.children[at] || [])
				.find((n) => this.state[n] > NONE);
			if (next === undefined)
				break;
			at = this.merged(next).end;
			this.open.add(next);
		}
		this.render();
	}

	figures(node) {
		const n = {};
		for (const c of this.columns)
			n[c] = this.tree.total[this.index[c]][node];
		return n;
	}

	// Determines which nodes are significant, and which have significant nodes below them.
	judge(by) {
		const { tree } = this, total = tree.total[by],
			least = total[0] * this.sort.share / 100;
		this.least = least;
		this.state = new Uint8Array(tree.parent.length);
		for (let i = tree.parent.length - 1; i >= 0; i--) {
			const is = this.all || (total[i] > 0 && total[i] >= least &&
				(!this.sort.filter || this.sort.filter(this.figures(i),
				this.model)));
			if (is)
				this.state[i] = SELF;
			if (this.state[i] !== NONE && i > 0 && this.state[tree.parent[i]] === NONE)
				this.state[tree.parent[i]] = BELOW;
		}
	}

	// Merges a chain of places with one child each into one point with several frames.
	merged(node) {
		const { tree } = this, frames = [node];
		let end = node;
		for (;;) {
			const children = tree.children[end];
			if (end === 0 || !children || children.length !== 1 ||
				this.tree.self.some((s) => s[end] !== 0))
				break;
			end = children[0];
			frames.push(end);
		}
		return { frames, end };
	}

	render() {
		const { tree, sort } = this;
		if (!tree)
			return;
		this.pattern = toPattern(this.search.value.trim());
		this.hits = null;
		if (this.pattern)
			this.searchTree();
		const unit = sort.by.endsWith('bytes') ? bytes(this.least)
			: `${count(this.least)} blocks`;
		this.threshold.textContent = this.all ? 'All places are shown.'
			: `Shown in full: places with at least ${unit} (${sort.share} % of ` +
			`the whole)${sort.filter ? ' that the filter lets through' : ''}; ` +
			'others are summed up.';
		this.output.replaceChildren(this.invocation(), ...this.point(0, '1', 1, 0));
		const first = this.output.querySelector('[role=treeitem]');
		if (first)
			first.tabIndex = 0;
	}

	// Marks the nodes that match, and those on the way to them.
	searchTree() {
		const { tree, pattern } = this;
		this.hits = new Uint8Array(tree.parent.length);
		let n = 0, value = 0;
		const inside = new Uint8Array(tree.parent.length),
			total = tree.total[this.index[this.sort.by]];
		for (let i = 1; i < tree.parent.length; i++) {
			const p = tree.place(i);
			if (pattern.test(tree.label(i)) || pattern.test(p.name) ||
				pattern.test(p.file) || pattern.test(p.object)) {
				if (!inside[tree.parent[i]])
					value += total[i];
				this.hits[i] = 2;
				n++;
			}
			inside[i] = this.hits[i] === 2 || inside[tree.parent[i]];
		}
		for (let i = tree.parent.length - 1; i > 0; i--) {
			if (this.hits[i] && !this.hits[tree.parent[i]])
				this.hits[tree.parent[i]] = 1;
		}
		const shown = this.sort.by.endsWith('bytes') ? bytes(value)
			: `${count(value)} blocks`;
		this.found.textContent = `${count(n)} place${n === 1 ? '' : 's'}, ${shown}`;
	}

	invocation() {
		const { run, data } = this.model, lines = ['Invocation {'];
		lines.push(`  Mode:    ${data.mode || 'heap'}`,
			`  Command: ${clip(run.command || '', 2000)}`,
			`  PID:     ${run.pid || ''}`, '}');
		const top = this.model.snapshots[this.model.peakSnapshot], peak = data.peak_time ||
			(top && top.kind === 'peak' ? top.t : 0);
		if (run.duration)
			lines.push('', 'Times {',
				...(peak
				? [`  t-gmax: ${exactTime(peak, this.model.unit)} ` +
				`(${percent(peak, run.duration)} of program duration)`] : []),
				`  t-end:  ${exactTime(run.duration, this.model.unit)}`, '}');
		if (!this.hits)
			this.found.textContent = '';
		return el('pre', { class: 'invocation', dir: 'ltr' }, lines.join('\n'));
	}

	// ", 1,234/s": sums per second or million instructions of the run.
	rate(value) {
		const { unit, run } = this.model, per = { ns: [1e9, 's'], ms: [1e3, 's'],
			i: [1e6, 'Minstr'] }[unit];
		return per && run.duration ? `, ${count(value * per[0] / run.duration)}/${per[1]}`
			: '';
	}

	line(name, value, blocks, key) {
		const all = this.figures(0), rate = (v) => key === 'total' ? this.rate(v) : '';
		const parts =
			[`${count(value)} bytes (${percent(value, all[`${key}_bytes`])}` +
				`${rate(value)})`];
		if (blocks !== undefined) {
			parts.push(` in ${count(blocks)} blocks (` +
				`${percent(blocks, all[`${key}_blocks`])}${rate(blocks)})`);
			parts.push(`, avg size ${blocks ? count(value / blocks) : 0} bytes`);
		}
		return `${name.padEnd(11)}${parts.join('')}`;
	}

	// Returns [text, isSortMetric] for each line of a point.
	lines(node) {
		const n = this.figures(node), { model } = this, list = [], by = this.sort.by;
		const average = n.life / n.total_blocks,
			whole = model.run.duration * (model.lifeUnit === 'ms' && model.unit === 'ns'
			? 1e-6 : 1);
		const life = n.life !== undefined && n.total_blocks
			? `, avg lifetime ${exactTime(average, model.lifeUnit)}` +
			`${whole > 0 ? ` (${percent(average, whole)} of program duration)` : ''}`
				: '';
		if (n.total_bytes !== undefined)
			list.push([this.line('Total:', n.total_bytes, n.total_blocks, 'total') +
				life, by.startsWith('total')]);
		if (n.max_bytes > 0 && !this.tree.children[node] && node !== 0)
			list.push([`Max:       ${count(n.max_bytes)} bytes` +
				`${n.max_blocks ? ` in ${count(n.max_blocks)} blocks` : ''}`,
				false]);
		if (n.peak_bytes !== undefined)
			list.push([this.line('At t-gmax:', n.peak_bytes, n.peak_blocks, 'peak'),
				by.startsWith('peak')]);
		if (n.end_bytes !== undefined)
			list.push([this.line('At t-end:', n.end_bytes, n.end_blocks, 'end'),
				by.startsWith('end')]);
		if (n.temporary !== undefined)
			list.push([`Temporary: ${count(n.temporary)} blocks ` +
				`(${percent(n.temporary, n.total_blocks)} of these)`,
				by === 'temporary']);
		for (const [name, key] of [['Reads:', 'read_bytes'],
			['Writes:', 'written_bytes']]) {
			if (n[key] !== undefined)
				list.push([`${name.padEnd(11)}${count(n[key])} bytes ` +
					`(${percent(n[key], this.figures(0)[key])}` +
					`${this.rate(n[key])}), ` +
					`${n.total_bytes ? (n[key] / n.total_bytes).toFixed(2)
						: 0}/byte`, by === key]);
		}
		return list;
	}

	point(node, path, siblings, depth) {
		const { tree } = this, { frames, end } = node === 0 ? { frames: [0], end: 0 }
			: this.merged(node);
		const children = this.visible(end), isOpen = this.open.has(node) ||
			(this.hits && this.hits[node] === 1);
		const full = this.state[end] === SELF || this.state[node] === SELF || node === 0,
			lines = this.lines(end);
		const mark = !children.length ? '─' : isOpen ? '▼' : '▶';
		const head = `PP ${path}${siblings > 1 ? `/${siblings}` : ''} ` +
			`${children.length ? `(${children.length} ` +
			`${children.length === 1 ? 'child' : 'children'}) ` : ''}{`;
		const share = percent(tree.total[this.index[this.sort.by]][end],
			tree.total[this.index[this.sort.by]][0]);
		const item = el('div', { class: `point ${full ? '' : 'faint'}`, role: 'treeitem',
			tabIndex: -1, 'aria-level': depth + 1,
			'aria-expanded': children.length ? String(!!isOpen) : undefined,
				style: { marginInlineStart: `${Math.min(depth, 24) * 1.1}rem` } },
		el('div', { class: 'point-head', onclick: () => this.toggle(node) },
			el('span', { class: 'mark', 'aria-hidden': 'true' }, `${mark} `), head,
			el('span', { class: 'share' }, ` ${share}`)),
		el('div', { class: 'point-body' }, lines.filter(([, isMetric]) => full || isMetric)
			.map(([text, isMetric]) =>
			el('div', { class: isMetric ? 'metric' : '' }, `  ${text}`)),
		this.access(end),
		el('div', {}, '  Allocated at {'), this.frames(node, frames), el('div', {}, '  }')),
			el('div', {}, '}'));
		item.dataset.node = node;
		if (!children.length || !isOpen)
			return [item];
		const list = [item], most = this.limit && this.limit.get(node) || PAGE;
		children.slice(0, most).forEach((c, i) => list.push(...(typeof c === 'number' ?
			this.point(c, `${path}.${i + 1}`, children.length, depth + 1)
				: [this.rest(c, `${path}.${i + 1}`, children.length, depth + 1)])));
		if (children.length > most)
			list.push(...moreButton(`Show more of ${count(children.length)}`, most,
				children.length, () => {
					(this.limit ||= new Map()).set(node, most + PAGE);
					this.render();
				}));
		return list;
	}

	frames(node, frames) {
		const { tree } = this;
		if (node === 0)
			return el('div', {}, '    #0: [root]');
		const before = tree.depth[frames[0]];
		return frames.map((f, i) =>
			el('div', { class: this.hits && this.hits[f] === 2 ? 'hit' : '' },
			`    ${this.hits && this.hits[f] === 2 ? '»' : '#'}${before + i}: `,
			nameNode(clip(tree.text(f, true), 1200)), tree.skipped[f]
				? el('span', { class: 'dim' }, ' (frames before it are left out)')
				: null));
	}

	// Returns the children to show; the insignificant ones are one entry, {count, node: [...]}.
	visible(node) {
		const { tree } = this, list = [], rest = [];
		for (const c of tree.children[node] || []) {
			if (this.hits && !this.hits[c])
				continue;
			if (this.hits || this.state[c] !== NONE)
				list.push(c);
			else
				rest.push(c);
		}
		if (rest.length)
			list.push({ nodes: rest });
		return list;
	}

	rest(r, path, siblings, depth) {
		const { tree } = this, by = tree.total[this.index[this.sort.by]],
			value = r.nodes.reduce((s, n) => s + by[n], 0);
		const text = this.sort.by.endsWith('bytes') ? `${count(value)} bytes`
			: `${count(value)} blocks`;
		return el('div', { class: 'point faint', role: 'treeitem', tabIndex: -1,
			'aria-level': depth + 1,
			style: { marginInlineStart: `${Math.min(depth, 24) * 1.1}rem` } },
			`─ PP ${path}/${siblings} { [${count(r.nodes.length)} insignificant] ` +
			`${text} (${percent(value, by[0])}) }`);
	}

	// Shows how often each byte of the blocks was read or written, 32 bytes to a line.
	access(node) {
		const list = this.model.data.access && !this.tree.children[node] &&
			this.accessOf(node);
		if (!list)
			return null;
		const lines = [];
		for (let i = 0; i < list.length; i += 32) {
			let text = `    [${String(i).padStart(3)}]  `;
			for (let k = i; k < Math.min(i + 32, list.length); k++) {
				const isSame = k > i && list[k] === list[k - 1];
				text += `${list[k] === 0 ? '-' : isSame ? '〃'
					: list[k] >= 65535 ? '∞' : list[k]} `;
			}
			lines.push(text);
		}
		return el('div', {}, el('div', {}, '  Accesses: {'),
			el('pre', { class: 'accesses', dir: 'ltr' }, lines.join('\n')),
			el('div', {}, '  }'));
	}

	accessOf(node) {
		const { model } = this;
		model.accessMaps ||= new Map((model.data.access || [])
			.map((a) => [a.node, a.counts]));
		const sites = model.siteNodes.filter((s) => model.accessMaps.has(s) &&
			this.tree.leaf.get(s) === node);
		if (sites.length !== 1)
			return null;
		const list = [];
		const c = model.accessMaps.get(sites[0]);
		for (let i = 0; i < c.length; i++) {
			if (c[i] < 0) {
				for (let k = 0; k < -c[i]; k++)
					list.push(c[i + 1]);
				i++;
			} else {
				list.push(c[i]);
			}
		}
		return list;
	}

	toggle(node) {
		if (this.open.has(node))
			this.open.delete(node);
		else
			this.open.add(node);
		this.render();
		const item = this.output.querySelector(`[data-node="${node}"]`);
		if (item)
			item.focus({ preventScroll: true });
	}

	expandAll() {
		for (let i = 0, n = 0; i < this.tree.parent.length && n < 3000; i++) {
			if (this.state[i] !== NONE) {
				this.open.add(i);
				n++;
			}
		}
		this.render();
	}

	key(e) {
		const item = e.target.closest('[role=treeitem]');
		if (!item)
			return;
		const items = [...this.output.querySelectorAll('[role=treeitem]')],
			i = items.indexOf(item), node = Number(item.dataset.node);
		const go = (to) => to && to.focus();
		if (e.key === 'ArrowDown')
			go(items[i + 1]);
		else if (e.key === 'ArrowUp')
			go(items[i - 1]);
		else if (e.key === 'Enter' || e.key === ' ' ||
			(e.key === 'ArrowRight' && !this.open.has(node)) ||
			(e.key === 'ArrowLeft' && this.open.has(node)))
			this.toggle(node);
		else
			return;
		e.preventDefault();
	}
}
