// places.js -- Names of places that can be clicked: the place is then selected in every view.
//
// SPDX-License-Identifier: LGPL-2.1-or-later
import { isComparison, placeChanges } from './changes.js';
import { spreadOfPlace } from './spread.js';
import { bytes, clip, el, many, nameNode, percent } from './util.js';

const isPlainClick = (e) => e.button === 0 && !e.ctrlKey && !e.metaKey && !e.shiftKey && !e.altKey;

// A link that changes the state; with Ctrl it opens in a new tab, as links do. CHANGES may be a
// function.
export function stateLink(model, changes, attributes, ...children) {
	const { state } = model, get = () => typeof changes === 'function' ? changes() : changes;
	return el('a', { ...attributes, href: state.link(get()), onclick: (e) => {
		if (!isPlainClick(e))
			return;
		e.preventDefault();
		state.set(get());
	} }, ...children);
}

// The name of a place. view: the view to go to; without it the view stays.
export function placeLink(model, place, { view, text, length = 140 } = {}) {
	const name = nameNode(clip(text || model.places[place].short, length));
	if (!place)
		return el('span', {}, text ? name : '[smaller places]');
	const link = stateLink(model, () => ({ place: model.placeText(place), zoom: '',
		view: view || model.state.view }), { class: 'place' }, name);
	link.dataset.place = model.placeText(place);
	if (link.dataset.place === model.state.place)
		link.setAttribute('aria-current', 'true');
	return link;
}

// The name of an entry of a list, as byGroup() returns it. A file or an object leads to the flame
// graph of this grouping, where it is searched.
export function entryLink(model, entry, { view = model.state.view, length = 140 } = {}) {
	const { label, place } = entry, { list } = model.state;
	if (place || list === 'line' || list === 'function' || !/^[^[]/.test(label))
		return placeLink(model, place, { view, length, text: place ? '' : label });
	return stateLink(model, { view: 'flame', group: list, q: label, zoom: '' }, {},
		nameNode(clip(label, length)));
}

// The place that the memory of a node is attributed to, in a list by GROUP. Node 0: it has no name.
export function nodeLink(model, node, group) {
	const place = node ? model.holderPlaces()[node] : 0;
	if (!place)
		return el('span', {}, '[others]');
	const of = group === 'function' ? model.functionOf[place] : place;
	const name = entryLink(model, model.nameEntry({ place: of, node }, group));
	return group === 'line' ? [name, ' ', el('span', { class: 'dim' }, model.where(of))] : name;
}

// Marks the names of the selected place.
export function markSelected(model, root) {
	for (const e of root.querySelectorAll('[data-place]')) {
		if (e.dataset.place === model.state.place)
			e.setAttribute('aria-current', 'true');
		else
			e.removeAttribute('aria-current');
	}
}

// The line below the tabs that names the selected place and its figures.
export class PlaceBar {
	constructor(model) {
		this.model = model;
		this.element = el('div', { class: 'place-bar', role: 'status', hidden: true });
		model.state.onchange(() => this.update());
		this.update();
	}

	update() {
		const { model } = this, { state } = model, place = model.findPlace(state.place);
		this.element.hidden = !place;
		if (this.shown === place)
			return;
		this.shown = place;
		this.element.replaceChildren();
		if (!place)
			return;
		const p = model.places[place];
		this.element.append(el('span', { class: 'dim' }, 'Place '),
			el('b', {}, nameNode(clip(p.short, 90))), ' ',
			el('span', { class: 'dim' }, clip(model.where(p), 60)), ' ',
			el('span', { class: 'place-figures' }, this.figures(place),
				spreadOfPlace(model, place)),
			el('button', { type: 'button', class: 'clear', 'aria-label':
				'Clear the selected place', onclick: () => this.clear() }, '×'));
	}

	// The button is gone then: the focus goes to the tab of the view.
	clear() {
		this.model.state.set({ place: '', zoom: '' });
		document.querySelector('[role=tab][aria-selected=true]').focus();
	}

	// "6.1 MiB at the peak (24 %)", of the place and of all that it called.
	figures(place) {
		const { model } = this, parts = [];
		if (isComparison(model))
			return placeChanges(model, place);
		const within = (metric) => model.valueWithin(place, metric);
		const add = (metric, words) => model.has(metric) && parts.push(
			`${bytes(within(metric))} ${words} ` +
			`(${percent(within(metric), model.sum(metric))})`);
		add('peak_bytes', 'at the peak');
		add('end_bytes', 'at the end');
		if (model.has('total_blocks'))
			parts.push(`${many(within('total_blocks'), 'block')} in all`);
		const own = ['peak_bytes', 'end_bytes', 'total_bytes'].some((metric) =>
			model.valueOf(place, metric) > 0);
		return `${parts.join(' · ')}${own ? '' : ', by functions that it called'}`;
	}
}
