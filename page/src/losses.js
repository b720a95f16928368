// losses.js -- What a leak check found, by place: bytes and blocks of each kind of loss.
//
// SPDX-License-Identifier: LGPL-2.1-or-later

// As enum mu_loss_kind; the last three are what became of blocks that earlier checks called lost.
export const REACHABLE = 0, POSSIBLE = 1, INDIRECT = 2, DEFINITE = 3, CALLED = 4, FREED = 5,
	FOUND = 6;
// What is lost with definitely lost blocks: in the row of these, not in that of its own place.
export const WITH = 7;
const KINDS = 8;

const none = () => ({ bytes: new Float64Array(KINDS), blocks: new Float64Array(KINDS) });

// Adds row I of a check.
function addRow(to, check, i) {
	to.bytes[check.kind[i]] += check.bytes[i];
	to.blocks[check.kind[i]] += check.blocks[i];
	to.bytes[WITH] += check.with_bytes[i];
	to.blocks[WITH] += check.with_blocks[i];
}

// Returns the sums of all places.
export function lossSums(check) {
	const sums = none();
	check.kind.forEach((_, i) => addRow(sums, check, i));
	return sums;
}

// Bytes that nothing leads to.
export const lost = (sums) => sums.bytes[DEFINITE] + sums.bytes[INDIRECT];
export const lostBlocks = (sums) => sums.blocks[DEFINITE] + sums.blocks[INDIRECT];

// Returns the losses of each group of places: [{key, node, bytes, blocks}], columns by kind. node
// is one of the tree, for its name.
export function lossesByGroup(model, check, group) {
	const { keys } = model.keys(group), holders = model.holderPlaces(), found = new Map();
	check.node.forEach((node, i) => {
		const key = holders[node] ? keys[holders[node]] : -1;
		if (!found.has(key))
			found.set(key, { key, node, ...none() });
		addRow(found.get(key), check, i);
	});
	return [...found.values()];
}

// Sets in each group how many bytes more are lost than at an earlier check.
export function setGained(groups, before) {
	const then = new Map(before.map((g) => [g.key, lost(g)]));
	for (const g of groups)
		g.gained = lost(g) - (then.get(g.key) || 0);
}
