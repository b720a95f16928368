// ticks.js -- The ticks of an axis, at round numbers.
//
// SPDX-License-Identifier: LGPL-2.1-or-later

const CLOCK = [10, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400];

// Returns at most MOST ticks at round steps: powers of two for bytes, those of clocks for times.
// second: one second in units of the axis; 0 if the axis is not a time.
export function splits(min, max, most, base, second = 0) {
	const room = (max - min) / most * 0.9; // rather too close than half as many
	if (!(room > 0))
		return [min];
	let step;
	if (second > 0 && room > 5 * second) {
		step = (CLOCK.find((s) => s * second >= room) ||
			Math.ceil(room / 86400 / second) * 86400) * second;
	} else if (base === 1024) {
		step = 2 ** Math.ceil(Math.log2(room));
	} else {
		const p = 10 ** Math.floor(Math.log10(room));
		step = [1, 2, 5, 10].map((k) => k * p).find((s) => s >= room);
	}
	const list = [];
	for (let v = Math.ceil(min / step) * step; v <= max + step * 1e-9; v += step)
		list.push(v);
	return list;
}

// Ticks of bytes on the left side of a chart that is drawn SCALE times as large.
export function byteSplits(u, min, max, scale) {
	return splits(min, max,
		Math.max(2, Math.floor(u.bbox.height / devicePixelRatio / scale / 36)), 1024);
}
