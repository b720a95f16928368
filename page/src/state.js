// state.js -- What is selected and shown, shared by all views and named by the address.
//
// The address is #VIEW?KEY=VALUE&...: it has the keys of its view that differ from their defaults,
// and the selected place. A change of what is shown makes an entry in the browser's history; typing
// and other small steps replace the entry.
//
// SPDX-License-Identifier: LGPL-2.1-or-later

const TEXT = 300; // characters of a value from the address

const text = (v) => v.slice(0, TEXT);
const flag = (v) => v === '1';
const oneOf = (...list) => (v) => list.includes(v) ? v : undefined;
const number = (v) => /^-?\d{1,9}$/.test(v) ? Number(v) : undefined;
const matching = (pattern) => (v) => pattern.test(v) ? v : undefined;

const GROUPING = oneOf('line', 'function', 'file', 'object');

// KEY: [default, parse]; parse returns undefined for what is no value.
const COMMON = { place: ['', text], process: [0, number], label: ['', text],
	compare: ['', oneOf('peak', 'end', 'total')] };
const TREE = { group: ['line', GROUPING], fold: [false, flag], runtime: [false, flag],
	q: ['', text] };
const LIST = { list: ['function', GROUPING] };
const VIEWS = {
	summary: LIST,
	timeline: { axis: ['t', oneOf('t', 'clock', 'instructions', 'number', 'call')],
		stacked: [false, flag], from: [-1, number], to: [null, number],
		inverted: [false, flag], zoom: ['', matching(/^\d{1,9}\.\d{1,5}$/)],
		...TREE, ...LIST },
	flame: { metric: ['', matching(/^(\w{1,20}|at-\d{1,6}|grown--?\d{1,6}-\d{1,6})$/)],
		inverted: [false, flag], zoom: ['', matching(/^\d{1,9}\.\d{1,5}$/)], ...TREE },
	points: { sort: ['', matching(/^-?\w{1,20}$/)], dhat: [false, flag], callees: [false, flag],
		...TREE, ...LIST },
	holders: { held: ['retained', oneOf('retained', 'shortest')],
		order: ['all', matching(/^-?(all|shared|gained|own)$/)], group: ['line', GROUPING],
		q: ['', text] },
	leaks: { loss: ['definite',
		matching(/^-?(definite|with|indirect|possible|reachable|gained)$/)],
		reachable: [false, flag], ...LIST },
	pages: LIST,
	sizes: { count: ['count', oneOf('count', 'bytes')] },
	processes: { by: ['start', oneOf('start', 'peak', 'live')] },
};

// Leaves the characters as they are that a fragment may hold, so that an address can be read.
const encode = (v) => encodeURIComponent(v).replace(/%(3A|2F|40|2C|3C|3E)/g,
	(c) => ({ '%3A': ':', '%2F': '/', '%40': '@', '%2C': ',' }[c] || c)).replace(/%20/g, '+');

function decode(v) {
	try {
		return decodeURIComponent(v.replace(/\+/g, ' '));
	} catch {
		return '';
	}
}

const write = (v) => v === true ? '1' : v === false ? '0' : String(v);

export class State {
	// views: IDs of the views that the page has; the first one is the default.
	constructor(views) {
		this.views = views;
		this.listeners = [];
		for (const keys of [COMMON, ...Object.values(VIEWS)]) {
			for (const [key, [value]] of Object.entries(keys))
				this[key] = value;
		}
		this.view = views[0];
		this.read(location.hash);
		window.addEventListener('hashchange', () => this.follow());
	}

	// Calls F after each change, with the state.
	onchange(f) {
		this.listeners.push(f);
	}

	// Takes over an address. Keys that only other views have stay as they are.
	read(hash) {
		const [id, query = ''] = hash.replace(/^#/, '').split('?');
		const given = new Map(query.split('&').filter(Boolean).map((pair) => {
			const at = pair.indexOf('=');
			return at < 0 ? [pair, ''] : [pair.slice(0, at),
				decode(pair.slice(at + 1))];
		}));
		this.view = this.views.includes(id) ? id : this.views[0];
		for (const [key, [value, parse]] of Object.entries(this.keys(this.view))) {
			const found = given.has(key) ? parse(given.get(key)) : undefined;
			this[key] = found === undefined ? value : found;
		}
	}

	keys(view) {
		return { ...COMMON, ...VIEWS[view] };
	}

	// Returns the address of the state with CHANGES.
	link(changes = {}) {
		const all = { ...this, ...changes }, parts = [];
		for (const [key, [value]] of Object.entries(this.keys(all.view))) {
			if (all[key] !== value)
				parts.push(`${key}=${encode(write(all[key]))}`);
		}
		return `#${all.view}${parts.length ? `?${parts.join('&')}` : ''}`;
	}

	// Changes what is shown. isStep: a small change, which Back does not undo.
	set(changes, isStep = false) {
		Object.assign(this, changes);
		const link = this.link();
		if (link !== location.hash) {
			if (isStep)
				location.replace(link);
			else
				location.hash = link;
		}
		this.tell();
	}

	// The browser went to another address. Changes of our own are known already.
	follow() {
		if (location.hash === this.link() || decode(location.hash) === decode(this.link()))
			return;
		this.read(location.hash);
		this.tell();
	}

	tell() {
		for (const f of this.listeners)
			f(this);
	}
}
