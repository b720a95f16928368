// pages.js -- What keeps the heap resident: the parts of memory, the places whose blocks keep
// pages, the ends of heaps, places that share pages, and what would make it smaller.
//
// The words are those of the text (memusageprint --fragmentation).
//
// SPDX-License-Identifier: LGPL-2.1-or-later
import { GROUPS } from './groups.js';
import { nodeLink } from './places.js';
import { bytes, count, el, many, percent, select, time } from './util.js';

const COLORS = ['part-0', 'part-1', 'part-2', 'part-3', 'part-4', 'part-5', 'part-6'];
const COLUMNS = [
	{ id: 'slack', label: 'Slack', note: 'the rest of pages with its blocks, shared out by ' +
		'live bytes' },
	{ id: 'pinned', label: 'Pinned', note: 'slack of pages that no other place has blocks in' },
	{ id: 'live', label: 'Live', note: 'bytes of its live blocks that are resident' },
	{ id: 'untouched', label: 'Untouched', note: 'live bytes that were never written' },
	{ id: 'swapped', label: 'Swapped', note: 'live bytes that are swapped out' },
	{ id: 'huge', label: 'Huge', note: 'of the live bytes: in huge pages' },
	{ id: 'pages', label: 'Pages', note: 'pages with its blocks', isCount: true },
	{ id: 'alone', label: 'Alone', note: 'of them: it has them for itself', isCount: true },
];
const TOPS = 4, TOP_LEAST = 256 << 10, PAIRS = 5, PAIR_PART = 50, LIFETIMES = 10;

export class Pages {
	constructor(model) {
		const { state } = model;
		this.model = model;
		this.data = model.data.fragmentation;
		this.list = el('div', {});
		const field = select('Group by', GROUPS, state.list,
			(v) => state.set({ list: v }));
		this.group = field.querySelector('select');
		this.element = el('div', { class: 'summary' }, this.opening(), this.parts(),
			el('div', { class: 'controls list-controls' }, field), this.list,
			this.tops(), this.pairs(), this.advice());
	}

	opening() {
		const { data } = this, [live, slack, free] = data.parts.map((p) => p.bytes);
		const heap = live + slack + free, most = Math.max(live, slack, free);
		const what = most === live ? 'are live blocks' : most === free
			? 'are free pages, which no live block needs'
			: 'are slack beside live blocks';
		const when = data.at_end ? 'At the end' : `${time(data.t)} after the start`;
		const stopped = data.at_end || !data.pause ? ''
			: ` The process was stopped for ${time(data.pause)}.`;
		return el('div', { class: 'opening' }, el('p', {},
			`${when} ${bytes(heap)} of the heap were resident: `,
			el('b', {}, percent(most, heap)), ` ${what}.${stopped}`));
	}

	parts() {
		const { data } = this, all = data.parts.reduce((s, p) => s + p.bytes, 0);
		const row = (p, i) => el('li', {},
			el('span', { class: `swatch ${COLORS[i]}`, 'aria-hidden': 'true' }),
			el('span', { class: 'number' }, bytes(p.bytes)),
			el('span', { class: 'number dim' }, percent(p.bytes, all)),
			el('span', {}, p.text));
		return el('section', { class: 'panel memory' },
			el('h3', {}, `Where the ${bytes(all)} of resident memory are`),
			el('div', { class: 'stack-bar', 'aria-hidden': 'true' },
				data.parts.map((p, i) => el('div', { class: COLORS[i],
					title: `${bytes(p.bytes)} ${p.text}`,
					style: { flexGrow: String(p.bytes) } }))),
			el('ul', { class: 'parts' }, data.parts.map(row)),
			el('p', { class: 'hint' }, `The kernel counts ${bytes(data.kernel_rss)}.`,
				data.swapped ? ` ${bytes(data.swapped)} of the heap are swapped ` +
				'out, besides.' : ''));
	}

	// Shows what the state says.
	apply(state) {
		this.group.value = state.list;
		this.list.replaceChildren(this.places(state.list));
	}

	places(group) {
		const { data } = this, rows = data[group];
		const columns = COLUMNS.filter((c, i) => i < 3 || rows.some((r) => r[c.id]));
		const slack = data.parts[1].bytes;
		const style = (c) => `number${c.id === 'slack' ? ' lead' : ''}`;
		const cell = (r, c) => el('td', { class: style(c) },
			r[c.id] ? c.isCount ? count(r[c.id]) : bytes(r[c.id]) : '–',
			c.id === 'slack' && r.slack ? el('span', { class: 'dim' },
				` ${percent(r.slack, slack)}`) : null);
		return el('div', { class: 'table-box' }, el('table', { class: 'tree-table' },
			el('thead', {}, el('tr', {}, columns.map((c) => el('th', { scope: 'col',
				class: style(c), title: c.note }, c.label)),
			el('th', { scope: 'col' }, 'Blocks allocated by'))),
			el('tbody', {}, rows.map((r) => el('tr', {}, columns.map((c) => cell(r, c)),
				el('td', { class: 'tree-name' },
					nodeLink(this.model, r.node, group)))))),
		el('p', { class: 'caption' }, this.explanation()));
	}

	explanation() {
		const { data } = this, parts = ['Slack is shared out by live bytes among the ' +
			'places that have blocks in a page; pinned is that of pages that a place ' +
			'has for itself, and goes back if its blocks go.'];
		if (data.is_merged)
			parts.push('So many places are mixed that what they pin is a lower bound.');
		if (data.is_incomplete)
			parts.push('Some blocks could not be read: what they hold counts as free.');
		return parts.join(' ');
	}

	section(title, rows) {
		return rows.length ? el('section', { class: 'panel' }, el('h3', {}, title),
			el('ul', {}, rows.map((r) => el('li', {}, r)))) : null;
	}

	tops() {
		const list = this.data.tops.filter((t) => t.held >= TOP_LEAST)
			.sort((a, b) => b.held - a.held).slice(0, TOPS);
		const say = (t) => {
			const isOne = t.blocks === 1, heap = t.is_main ? '[heap]' : 'an arena';
			return [isOne ? `The last block of ${heap} is from `
				: `The last ${many(t.blocks, 'block')} of ${heap} are from `,
			nodeLink(this.model, t.node, 'function'),
			`: without ${isOne ? 'it' : 'them'}, ${bytes(t.held)} more could go back.`];
		};
		return this.section('What keeps heaps from shrinking', list.map(say));
	}

	pairs() {
		const { data, model } = this, held = data.fill.reduce((a, b) => a + b, 0);
		const list = data.pairs.filter((p) => p.pages >= held / PAIR_PART &&
			(p.a_ns > LIFETIMES * p.b_ns || p.b_ns > LIFETIMES * p.a_ns))
			.slice(0, PAIRS);
		return this.section('Short-lived and long-lived blocks in the same pages', list.map(
			(p) => [`${many(p.pages, 'page')}: `,
				nodeLink(model, p.a, 'function'), ` (${time(p.a_ns)}) with `,
				nodeLink(model, p.b, 'function'), ` (${time(p.b_ns)})`]));
	}

	advice() {
		const { data, model } = this;
		return this.section('What may make the heap smaller (gains overlap)',
			data.advice.map((a) => [`About ${bytes(a.bytes)}: `, a.text, a.after
				? [nodeLink(model, a.node, 'function'), a.after] : null]));
	}
}
