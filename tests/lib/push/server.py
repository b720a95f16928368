# server.py -- a server that takes pushes, as Pyroscope or an OpenTelemetry collector does, and can
# be rude.
#
#	server.py pyroscope|otlp ADDRESS FOLDER
#
# ADDRESS is a port (0: any), or the path of a Unix socket; what it listens at is in FOLDER/at. Each
# push is read as read_push.py does: the text is FOLDER/N.txt, N from 1 on, its headers N.headers. A
# push that a server would refuse is answered by 400, with the reason also in FOLDER/refused. The file
# FOLDER/plan may have words for the next requests, each of which is taken off: a status (500, 429:2
# with a Retry-After), "reset", "slow" (a byte in two seconds), "hang", "redirect", "to=URL" (a redirection),
# "ok". Every request is a line of FOLDER/log.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
import gzip
import http.server
import os
import socket
import socketserver
import struct
import sys
import threading
import time

import read_push

KIND, ADDRESS, FOLDER = sys.argv[1:4]
PATHS = {"pyroscope": "/push.v1.PusherService/Push", "otlp": "/v1development/profiles"}
TYPES = {"pyroscope": "application/proto", "otlp": "application/x-protobuf"}
lock = threading.Lock()
taken = 0


def put(name, text, mode="w"):
    with open(os.path.join(FOLDER, name + ".new" if mode == "w" else name), mode) as out:
        out.write(text)
    if mode == "w":
        os.rename(os.path.join(FOLDER, name + ".new"), os.path.join(FOLDER, name))


def next_word():
    try:
        words = open(os.path.join(FOLDER, "plan")).read().split()
    except FileNotFoundError:
        return "ok"
    if words[1:]:
        put("plan", " ".join(words[1:]))
    elif words and words[0] != "away":
        os.unlink(os.path.join(FOLDER, "plan"))
    return words[0] if words else "ok"


def as_text(data):
    labels, types, times, samples = read_push.read(KIND, data)
    lines = ["labels%s" % read_push.pairs(labels), "types " + " ".join(types),
             "time %d duration %d period %d" % times]
    lines += sorted("sample %s %s%s" % (s, " ".join(map(str, v)), read_push.pairs(l))
                    for s, v, l in samples)
    return "\n".join(lines) + "\n"


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *unused):
        pass

    def address_string(self):
        return "client"

    def answer(self, status, text=b"{}", **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def take(self, body):
        global taken
        if self.path != PATHS[KIND] or self.headers["Content-Type"] != TYPES[KIND]:
            raise AssertionError("%s of type %s" % (self.path, self.headers["Content-Type"]))
        if self.headers["Content-Encoding"] == "gzip":
            body = gzip.decompress(body)
        assert len(body) <= read_push.BYTES_MAX + 65536, "too large"
        text = as_text(body)
        taken += 1
        put("%d.headers" % taken, str(self.headers))
        put("%d.txt" % taken, text)

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        with lock:
            word = next_word()
            put("log", "%s %s %d\n" % (word, self.path, len(body)), "a")
            if word in ("reset", "away"):
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                self.close_connection = True
                self.connection.close()
                return
            if word == "redirect":
                self.answer(307, Location=PATHS[KIND])
                return
            if word.startswith("to="):
                self.answer(307, Location=word[3:])
                return
            if word == "loop":
                self.answer(307, Location=self.path)
                return
            if word[:1].isdigit():
                status, _, after = word.partition(":")
                self.answer(int(status), b"not now", **({"Retry_After": after} if after else {}))
                return
            if word == "hang":
                time.sleep(60)
            try:
                self.take(body)
            except Exception as error:
                put("refused", "%s\n" % error, "a")
                self.answer(400, str(error).encode())
                return
        if word == "slow":
            self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{")
            time.sleep(2)
            self.wfile.write(b"}")
            return
        self.answer(200)


class UnixServer(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    daemon_threads = True

    def get_request(self):
        connection, _ = super().get_request()
        return connection, ("client", 0)


def main():
    if ADDRESS.isdigit():
        server = http.server.ThreadingHTTPServer(("127.0.0.1", int(ADDRESS)), Handler)
        at = "127.0.0.1:%d" % server.server_address[1]
    else:
        server = UnixServer(ADDRESS, Handler)
        at = "unix:" + ADDRESS
    if os.environ.get("CERTIFICATE"):
        import ssl
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(os.environ["CERTIFICATE"])
        server.socket = context.wrap_socket(server.socket, server_side=True)
    read_push.load("pprof"), read_push.load("pyroscope"), read_push.load("otlp")
    put("at", at + "\n")
    server.serve_forever()


main()
