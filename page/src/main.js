// main.js -- The page: its data, tabs and keys, light and dark.
//
// SPDX-License-Identifier: LGPL-2.1-or-later
import { ChangeExplorer } from './changeflame.js';
import { isComparison } from './changes.js';
import { ChangeTable } from './changetable.js';
import { Comparison } from './comparison.js';
import { Explorer } from './explore.js';
import { Holders } from './holders.js';
import { labelChooser, labelData } from './labels.js';
import { Leaks } from './leaks.js';
import { Merged } from './merged.js';
import { Model } from './model.js';
import { Pages } from './pages.js';
import { markSelected, PlaceBar } from './places.js';
import { Points } from './points.js';
import { chooser, processData, Processes } from './processes.js';
import { Sizes } from './sizes.js';
import { State } from './state.js';
import { Summary } from './summary.js';
import { Table } from './table.js';
import { Timeline } from './timeline.js';
import { checkbox, clip, el, visible } from './util.js';

const TABS = [
	{ id: 'summary', label: 'Summary',
		make: (m) => isComparison(m) ? new Comparison(m) : new Summary(m) },
	{ id: 'timeline', label: 'Timeline', make: (m) => new Timeline(m),
		isThere: (m) => !isComparison(m) },
	{ id: 'flame', label: 'Flame graph', brief: 'Flame',
		make: (m) => isComparison(m) ? new ChangeExplorer(m)
			: m.siteNodes.length ? new Explorer(m) : missing(m) },
	{ id: 'points', label: 'Program points', brief: 'Points',
		make: (m) => isComparison(m) ? new ChangeTable(m)
			: m.siteNodes.length ? new PointsView(m) : missing(m) },
	{ id: 'holders', label: 'Who holds it', brief: 'Held', make: (m) => new Holders(m),
		isThere: (m) => !!m.data.holders },
	{ id: 'leaks', label: 'Leak check', brief: 'Leaks', make: (m) => new Leaks(m),
		isThere: (m) => !!m.data.leaks },
	{ id: 'pages', label: 'Pages', make: (m) => new Pages(m),
		isThere: (m) => !!m.data.fragmentation },
	{ id: 'sizes', label: 'Sizes and lifetimes', brief: 'Sizes', make: (m) => new Sizes(m),
		isThere: (m) => !isComparison(m) },
	{ id: 'processes', label: 'Processes', brief: 'Procs', make: (m) => m.data.merge
		? new Merged(m) : new Processes(m),
		isThere: (m) => m.data.merge || (m.data.processes || []).length > 1 },
];

const PAPER = 720; // A4 and letter, upright, without margins

// Says why a view of places is empty.
function missing(model) {
	const { data, recorded } = model;
	return { element: el('p', { class: 'hint' }, data.kind === 'dat'
		? 'A data file does not hold who allocated: run memusage --html=FILE.'
		: recorded.stacks ? 'The program allocated nothing while it was recorded.'
		: 'Call stacks were not recorded: run memusage --html=FILE, or --record=FILE and ' +
		'one of --top, --tree, --leaks.') };
}

// A table, or what DHAT's viewer would write.
class PointsView {
	constructor(model) {
		this.model = model;
		this.table = new Table(model);
		this.content = el('div', {});
		this.isText = checkbox("As DHAT's text", false,
			(v) => model.state.set({ dhat: v }));
		this.element = el('div', {}, el('div', { class: 'switch' }, this.isText),
			this.content);
	}

	apply(state) {
		if (state.dhat)
			this.text ||= new Points(this.model);
		const view = state.dhat ? this.text : this.table;
		this.isText.querySelector('input').checked = state.dhat;
		if (this.content.firstChild !== view.element)
			this.content.replaceChildren(view.element);
		view.apply(state);
	}
}

// The views that the page has: no list of processes if there is one only.
const tabsOf = (model) => TABS.filter((t) => !t.isThere || t.isThere(model));

class Page {
	constructor(model) {
		this.model = model;
		this.views = new Map();
		this.all = tabsOf(model);
		this.system = matchMedia('(prefers-color-scheme: dark)');
		this.head();
		this.setTheme();
		document.addEventListener('keydown', (e) => this.key(e));
		this.system.addEventListener('change', () => this.setTheme(this.chosen));
		window.addEventListener('beforeprint', () => this.printing(true));
		window.addEventListener('afterprint', () => this.printing(false));
		model.state.onchange(() => this.apply());
		this.apply();
	}

	head() {
		const { model } = this,
			name = clip((model.run.command || model.data.file || 'memusage').trim(),
			160);
		document.title = `${clip(name, 60)} – memusage`;
		this.tabs = el('div', { class: 'tabs', role: 'tablist', 'aria-label': 'Views' },
			this.all.map((t, i) =>
			el('button', { type: 'button', role: 'tab', id: `tab-${t.id}`,
				'aria-controls': 'main', 'aria-label': t.label,
				title: `Key ${i + 1}`, onclick: () => this.go(t.id) },
				el('span', { class: 'wide' }, t.label),
				el('span', { class: 'brief' }, t.brief || t.label))));
		this.onPaper = el('p', { class: 'on-paper' });
		this.theme = el('button', { type: 'button', class: 'theme', onclick: () =>
			this.setTheme(this.isDark() ? 'light' : 'dark') });
		document.getElementById('head')
			.append(el('div', { class: 'head-line' }, el('h1', {}, 'memusage'),
			el('span', { class: 'head-command', dir: 'ltr',
				title: clip(model.run.command || '', 2000) }, name),
			el('span', { class: 'head-tools' }, chooser(model), labelChooser(model),
				this.theme,
				el('button', { type: 'button', onclick: () => print() }, 'Print'))),
				this.tabs, this.onPaper, new PlaceBar(model).element);
		const when = model.run.start_ms
			? `, recorded ${new Date(model.run.start_ms).toISOString().slice(0, 16)
				.replace('T', ' ')} UTC` : '';
		document.getElementById('foot')
			.append(
			`memusage ${model.data.creator || ''}` +
			`${model.run.pid ? `, process ${model.run.pid}` : ''}${when}. `,
			el('button', { type: 'button', class: 'link', onclick: () =>
				document.getElementById('about').showModal() },
				'Libraries in this page'));
		this.tabs.addEventListener('keydown', (e) => this.tabKey(e));
		this.main = document.getElementById('main');
		this.main.setAttribute('role', 'tabpanel');
		this.main.tabIndex = -1;
	}

	isDark() {
		return document.documentElement.dataset.theme === 'dark';
	}

	// theme: "dark", "light", or nothing for the theme of the system.
	setTheme(chosen) {
		this.chosen = chosen;
		document.documentElement.dataset.theme = chosen ||
			(this.system.matches ? 'dark' : 'light');
		this.repaint();
	}

	labelTheme() {
		this.theme.textContent = this.isDark() ? 'Light' : 'Dark';
		this.theme.setAttribute('aria-label', this.isDark() ? 'Switch to light colours'
			: 'Switch to dark colours');
	}

	// Canvases do not follow the style sheet: they are drawn again.
	repaint() {
		this.labelTheme();
		for (const view of this.views.values()) {
			if (view.redraw)
				view.redraw();
			for (const e of [view, view.explorer]) {
				if (e && e.flame && e.tree)
					e.flame.repaint();
			}
		}
	}

	// Says on paper what the controls say on the screen.
	describe() {
		const { state, run } = this.model, parts = [];
		const label = this.all.find((t) => t.id === this.current).label;
		for (const field of this.main.querySelectorAll('.controls select'))
			parts.push(`${field.getAttribute('aria-label')}: ` +
				`${field.selectedOptions[0] ? field.selectedOptions[0].text : ''}`);
		for (const box of this.main.querySelectorAll('.controls input:checked'))
			parts.push(box.parentElement.textContent);
		if (state.q && this.main.querySelector('input[type=search]'))
			parts.push(`Search: ${clip(state.q, 60)}`);
		return [`${label}${run.pid ? `, process ${run.pid}` : ''}`, ...parts].join(' · ');
	}

	// Canvases are drawn again for paper. Its width is unknown: style.css scales them.
	printing(is) {
		const { chosen } = this, view = this.views.get(this.current);
		this.setTheme(is ? 'light' : chosen);
		this.chosen = chosen;
		this.onPaper.textContent = is ? this.describe() : '';
		if (view.print)
			view.print(is ? PAPER : 0);
	}

	view(id) {
		if (!this.views.has(id))
			this.views.set(id, TABS.find((t) => t.id === id).make(this.model));
		return this.views.get(id);
	}

	go(id) {
		this.model.state.set({ view: id });
	}

	// Shows what the state says.
	apply() {
		const { state } = this.model, view = this.view(state.view);
		if (this.current !== state.view)
			this.show(state.view, view);
		if (view.apply)
			view.apply(state);
		markSelected(this.model, document.body);
	}

	show(id, view) {
		const { main } = this, isFocusInside = main.contains(document.activeElement);
		this.current = document.body.dataset.tab = id;
		for (const b of this.tabs.children) {
			const is = b.id === `tab-${id}`;
			b.setAttribute('aria-selected', String(is));
			b.tabIndex = is ? 0 : -1;
			if (is)
				b.scrollIntoView({ block: 'nearest', inline: 'nearest' });
		}
		main.setAttribute('aria-labelledby', `tab-${id}`);
		main.replaceChildren(view.element);
		window.scrollTo(0, 0);
		if (isFocusInside)
			main.focus({ preventScroll: true });
		if (view.shown)
			view.shown();
	}

	tabKey(e) {
		const i = this.all.findIndex((t) => t.id === this.current);
		const to = { ArrowRight: i + 1, ArrowLeft: i - 1, Home: 0,
			End: this.all.length - 1 }[e.key];
		if (to === undefined)
			return;
		const tab = this.all[(to + this.all.length) % this.all.length];
		this.go(tab.id);
		document.getElementById(`tab-${tab.id}`).focus();
		e.preventDefault();
	}

	key(e) {
		if (e.ctrlKey || e.metaKey || e.altKey ||
			/^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName))
			return;
		const n = Number(e.key);
		if (n >= 1 && n <= this.all.length) {
			this.go(this.all[n - 1].id);
		} else if (e.key === '/') {
			const search = document.querySelector('main input[type=search]');
			if (search) {
				search.focus();
				e.preventDefault();
			}
		}
	}
}

// Everything from the file is text; see visible().
function clean(value) {
	if (typeof value === 'string')
		return visible(value);
	if (Array.isArray(value))
		return value.length && typeof value[0] === 'number' &&
			typeof value[value.length - 1] === 'number' ? value : value.map(clean);
	if (value && typeof value === 'object')
		return Object.fromEntries(Object.entries(value)
			.map(([k, v]) => [k, k === 'strings' ? v : clean(v)]));
	return value;
}

// Makes the model of the process and the labels that the address names. A change of them reads it
// anew.
function readModel() {
	const data = clean(JSON.parse(document.getElementById('data').textContent));
	const views = TABS.map((t) => t.id), state = new State(views);
	const { process, label } = state;
	const model = new Model(labelData(processData(data, process), label));
	model.lifeUnit = model.data.life_unit || 'ms';
	model.shortLife = model.data.short_life || 1;
	model.state = state;
	state.views = tabsOf(model).map((t) => t.id);
	state.read(location.hash);
	state.onchange(() => (state.process !== process || state.label !== label) &&
		location.reload());
	return model;
}

function start() {
	let model;
	try {
		model = readModel();
	} catch (error) {
		document.getElementById('main')
			.replaceChildren(el('p', { class: 'hint' },
			`This page is damaged: ${error.message}`));
		throw error;
	}
	window.memusage = { model, page: new Page(model) };
	document.documentElement.dataset.ready = String(Math.round(performance.now()));
}

start();
