// page_holding.mjs -- What the view "Who holds it" of an HTML page says: page_holding.mjs SOURCE
// FILE.html [GROUP [TREE]]
//
// SOURCE is the source tree: the model of the page runs without a browser. Prints each node of the
// last moment as "LEVEL BYTES SHARED GAINED OWN BLOCKS TYPE|LABEL", in the order of the page.
//
// SPDX-License-Identifier: LGPL-2.1-or-later
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [source, file, group = 'line', which = 'retained'] = process.argv.slice(2);
const load = (name) => import(pathToFileURL(join(source, 'page/src', name)).href);
const { Model } = await load('model.js'), { HoldingTree } = await load('holding.js');
const html = readFileSync(file, 'utf8');
const data = /<script id="data" type="application\/json">(.*?)<\/script>/s.exec(html)[1];
const model = new Model(JSON.parse(data)), { moments } = model.data.holders;
const tree = new HoldingTree(model, moments[moments.length - 1], which, group);
const shared = tree.shared();
const gained = tree.gainedSince(new HoldingTree(model, moments[0], which, group));

tree.sort(tree.allBytes);
const print = (node, level) => {
	console.log(`${level} ${tree.allBytes[node]} ${shared[node]} ${gained[node]} ` +
		`${tree.bytes[node]} ${tree.blocks[node]} ${tree.typeOf(node)}|${tree.label(node)}`);
	for (const child of tree.children[node] || [])
		print(child, level + 1);
};
print(0, 0);
