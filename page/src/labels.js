// labels.js -- A filter: what was allocated by threads with certain labels (MEMUSAGE_LABEL).
//
// SPDX-License-Identifier: LGPL-2.1-or-later
import { bytes, clip, select } from './util.js';

// Returns the data with the values of one set of labels, or all of it if there is no such set.
// Snapshots know no labels, except those of the peak and the end, whose values are the sites'.
export function labelData(data, name) {
	const found = (data.labels || []).find((l) => l.name === name);
	const snapshots = (data.snapshots || []).map((s) => ({ ...s, values: undefined }));
	// How processes of a merge differ is known of all labels together.
	const merge = data.merge && { ...data.merge, spread: undefined };
	return found ? { ...data, sites: found.sites, access: undefined, growth: undefined, merge,
		snapshots } : data;
}

const sum = (sites, metric) => (sites[metric] || []).reduce((a, b) => a + b, 0);

// A list of the sets of labels; nothing if there are none.
export function labelChooser(model) {
	const { data, state } = model, list = data.labels || [];
	if (!list.length)
		return null;
	const options = [{ value: '', label: 'all labels' }, ...list.map((l) => ({ value: l.name,
		label: `${clip(l.name, 60)}: ${bytes(sum(l.sites, 'peak_bytes'))}` }))];
	const field = select('Label', options, state.label,
		(v) => state.set({ label: v, from: -1, to: null, zoom: '', metric: '' }));
	field.classList.add('chooser', 'label-chooser');
	return field;
}
