// build.mjs -- Bundles the page into one HTML file: node build.mjs MODULES OUTPUT
//
// MODULES is the folder with node_modules. The content security policy of the page names the
// bundled scripts and styles by their hashes, and allows nothing else and no network.
//
// SPDX-License-Identifier: LGPL-2.1-or-later
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const [modules, output] = process.argv.slice(2);
const here = dirname(fileURLToPath(import.meta.url));
const require = createRequire(join(resolve(modules), 'package.json'));
const esbuild = require('esbuild');

async function bundle(entry) {
	const result = await esbuild.build({
		entryPoints: [join(here, 'src', entry)],
		bundle: true,
		minify: true,
		write: false,
		format: 'iife',
		charset: 'ascii',
		legalComments: 'none',
		target: ['chrome90', 'firefox90', 'safari15'],
		nodePaths: [join(resolve(modules), 'node_modules')],
		logLevel: 'warning',
	});
	return result.outputFiles[0].text.trim();
}

const hash = (text) => "'sha256-" + createHash('sha256').update(text, 'utf8').digest('base64') +
	"'";
const escape = (text) => text.replace(/[&<>]/g, (c) => `&#${c.charCodeAt(0)};`);
// replace() would expand '$&' in a script.
const fill = (page, mark, text) => {
	const [before, after, ...more] = page.split(mark);
	if (after === undefined || more.length)
		throw new Error(`${mark} stands ${more.length + 1} times in the page`);
	return before + text + after;
};

const script = await bundle('main.js');
const style = await bundle('style.css');
const notices = ['uplot'].map((name) => {
	const about = require(`${name}/package.json`);
	const text = readFileSync(join(resolve(modules), 'node_modules', name, 'LICENSE'), 'utf8');
	return `${name} ${about.version}\n\n${text.trim()}`;
}).join('\n\n');

let page = readFileSync(join(here, 'src', 'index.html'), 'utf8').replace(/^\s*<!--(?!@).*?-->\n/gms,
	'');
const policy = `default-src 'none'; script-src ${hash(script)}; style-src ${hash(style)}; ` +
	"base-uri 'none'; form-action 'none'";
page = fill(page, '@@POLICY@@', policy);
page = fill(page, '@@STYLE@@', style);
page = fill(page, '@@NOTICES@@', escape(notices));
page = fill(page, '@@SCRIPT@@', script);
writeFileSync(output, page);
