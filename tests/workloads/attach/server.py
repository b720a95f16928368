"""server.py -- A server with a thread for each client; the body of /A.B is `A.B ` 100 + 50 B times.

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        name = self.path[1:]
        times = 100 + 50 * int(name.split(".")[1])
        words = json.loads(json.dumps([name + " " for _ in range(times)]))
        body = "".join(words).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
