// page_losses.mjs -- What the view "Leak check" of an HTML page says: page_losses.mjs SOURCE FILE.html
// [GROUP]
//
// SOURCE is the source tree: the model of the page runs without a browser. Prints the sums of the last
// check as "all KIND=BYTES/BLOCKS ...", then each place as "LABEL GAINED KIND=BYTES/BLOCKS ...".
//
// SPDX-License-Identifier: LGPL-2.1-or-later
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [source, file, group = 'function'] = process.argv.slice(2);
const load = (name) => import(pathToFileURL(join(source, 'page/src', name)).href);
const { Model } = await load('model.js'), losses = await load('losses.js');
const html = readFileSync(file, 'utf8');
const data = /<script id="data" type="application\/json">(.*?)<\/script>/s.exec(html)[1];
const model = new Model(JSON.parse(data)), { checks } = model.data.leaks;
const check = checks[checks.length - 1];
const NAMES = ['reachable', 'possible', 'indirect', 'definite', 'called', 'freed', 'found', 'with'];
const words = (s) => NAMES.flatMap((name, kind) => s.blocks[kind]
	? [`${name}=${s.bytes[kind]}/${s.blocks[kind]}`] : []).join(' ');

const groups = losses.lossesByGroup(model, check, group), { names } = model.keys(group);
losses.setGained(groups, losses.lossesByGroup(model, checks[0], group));
console.log(`all ${words(losses.lossSums(check))}`);
for (const g of groups)
	console.log(`${g.key < 0 ? '[others]' : names[g.key].label} ${g.gained} ${words(g)}`);
