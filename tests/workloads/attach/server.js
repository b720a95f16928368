// server.js -- A server beside four threads that pack and unpack; the body of /A.B is `A.B `
// 100 + 50 B times. A thread whose data is not as before ends the server.
//
// SPDX-License-Identifier: LGPL-2.1-or-later
const { Worker, isMainThread } = require('worker_threads');
const http = require('http');
const zlib = require('zlib');

if (isMainThread) {
	for (let i = 0; i < 4; i++)
		new Worker(__filename).on('error', () => process.exit(3));
	http.createServer((request, response) => {
		const name = request.url.slice(1);
		const body = `${name} `.repeat(100 + 50 * Number(name.split('.')[1]));
		zlib.deflate(body, (error, packed) => zlib.inflate(packed, (wrong, plain) => {
			response.end(plain);
		}));
	}).listen(Number(process.argv[2]), '127.0.0.1');
} else {
	let turn = 0;
	setInterval(() => {
		const data = Buffer.alloc(1000 + (turn++ % 64) * 1000, `turn ${turn}`);
		if (!zlib.inflateSync(zlib.deflateSync(data)).equals(data))
			throw new Error('wrong');
	}, 1);
}
