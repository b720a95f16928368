// main.js -- The page: its data, tabs and keys, light and dark.
//
// SPDX-License-Identifier: LGPL-2.1-or-later
import { Explorer } from './explore.js';
import { Model } from './model.js';
import { Points } from './points.js';
import { Sizes } from './sizes.js';
import { Summary } from './summary.js';
import { Timeline } from './timeline.js';
import { clip, el, visible } from './util.js';

const TABS = [
	{ id: 'summary', label: 'Summary', make: (m) => new Summary(m) },
	{ id: 'timeline', label: 'Timeline', make: (m) => new Timeline(m) },
	{ id: 'flame', label: 'Flame graph', make: (m) => m.siteNodes.length ? new Explorer(m)
		: missing(m) },
	{ id: 'points', label: 'Program points', make: (m) => m.siteNodes.length ? new Points(m)
		: missing(m) },
	{ id: 'sizes', label: 'Sizes and lifetimes', make: (m) => new Sizes(m) },
];

const PAPER = 720; // A4 and letter, upright, without margins

function missing(model) {
	return { element: el('p', { class: 'hint' }, model.data.kind === 'dat' ?
		'A data file does not say who allocated: run memusage --html=FILE.' :
		'Call stacks were not recorded: run memusage --html=FILE, or --record=FILE and ' +
		'one of --top, --tree, --leaks.') };
}

class Page {
	constructor(model) {
		this.model = model;
		this.views = new Map();
		this.system = matchMedia('(prefers-color-scheme: dark)');
		this.head();
		this.setTheme();
		window.addEventListener('hashchange', () => this.show(location.hash.slice(1)));
		document.addEventListener('keydown', (e) => this.key(e));
		this.system.addEventListener('change', () => this.setTheme(this.chosen));
		window.addEventListener('beforeprint', () => this.printing(true));
		window.addEventListener('afterprint', () => this.printing(false));
		this.show(location.hash.slice(1));
	}

	head() {
		const { model } = this,
			name = clip((model.run.command || model.data.file || 'memusage').trim(),
			160);
		document.title = `${clip(name, 60)} – memusage`;
		this.tabs = el('div', { class: 'tabs', role: 'tablist', 'aria-label': 'Views' },
			TABS.map((t, i) =>
			el('button', { type: 'button', role: 'tab', id: `tab-${t.id}`,
				'aria-controls': 'main', title: `Key ${i + 1}`,
				onclick: () => this.go(t.id) }, t.label)));
		this.theme = el('button', { type: 'button', class: 'theme', onclick: () =>
			this.setTheme(this.isDark() ? 'light' : 'dark') });
		document.getElementById('head')
			.append(el('div', { class: 'head-line' }, el('h1', {}, 'memusage'),
			el('span', { class: 'head-command', dir: 'ltr',
				title: clip(model.run.command || '', 2000) }, name),
			el('span', { class: 'head-tools' }, this.theme,
				el('button', { type: 'button', onclick: () => print() }, 'Print'))),
				this.tabs);
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
		document.getElementById('main').setAttribute('role', 'tabpanel');
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
				if (e && e.flame)
					e.flame.draw();
			}
		}
	}

	// Canvases are drawn again for paper. Its width is unknown: style.css scales them.
	printing(is) {
		const { chosen } = this, view = this.views.get(this.current);
		this.setTheme(is ? 'light' : chosen);
		this.chosen = chosen;
		if (view.print)
			view.print(is ? PAPER : 0);
	}

	view(id) {
		if (!this.views.has(id))
			this.views.set(id, TABS.find((t) => t.id === id).make(this.model));
		return this.views.get(id);
	}

	// The address always names the current view.
	go(id) {
		location.hash = id;
		this.show(id);
	}

	show(id) {
		const tab = TABS.find((t) => t.id === id) || TABS[0],
			main = document.getElementById('main');
		const view = this.view(tab.id);
		this.current = document.body.dataset.tab = tab.id;
		for (const b of this.tabs.children) {
			const is = b.id === `tab-${tab.id}`;
			b.setAttribute('aria-selected', String(is));
			b.tabIndex = is ? 0 : -1;
		}
		main.setAttribute('aria-labelledby', `tab-${tab.id}`);
		main.replaceChildren(view.element);
		if (view.shown)
			view.shown();
		if (view.flame)
			view.flame.draw();
	}

	tabKey(e) {
		const i = TABS.findIndex((t) => t.id === this.current);
		const to = { ArrowRight: i + 1, ArrowLeft: i - 1, Home: 0,
			End: TABS.length - 1 }[e.key];
		if (to === undefined)
			return;
		const tab = TABS[(to + TABS.length) % TABS.length];
		this.go(tab.id);
		document.getElementById(`tab-${tab.id}`).focus();
		e.preventDefault();
	}

	key(e) {
		if (e.ctrlKey || e.metaKey || e.altKey ||
			/^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName))
			return;
		const n = Number(e.key);
		if (n >= 1 && n <= TABS.length) {
			this.go(TABS[n - 1].id);
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

function start() {
	let model;
	try {
		model = new Model(clean(JSON.parse(document.getElementById('data').textContent)));
	} catch (error) {
		document.getElementById('main')
			.replaceChildren(el('p', { class: 'hint' },
			`This page is damaged: ${error.message}`));
		throw error;
	}
	model.lifeUnit = model.data.life_unit || 'ms';
	model.shortLife = model.data.short_life || 1;
	window.memusage = { model, page: new Page(model) };
	document.documentElement.dataset.ready = String(Math.round(performance.now()));
}

start();
