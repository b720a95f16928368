# rude_clients.py -- clients that a server must survive.
#
#	rude_clients.py HOST:PORT slow N       N clients that send a request a byte at a time, as long as
#	                                       the server lets them
#	rude_clients.py HOST:PORT deaf N PATH  N clients that ask for PATH and never read
#	rude_clients.py HOST:PORT idle N       N clients that ask for nothing
#	rude_clients.py HOST:PORT hasty N PATH N clients, one after another, that leave in the middle of
#	                                       their answer, by turns with a reset
#	rude_clients.py HOST:PORT gone N PATH  N clients that ask for PATH, and leave half a second later
#	                                       without an answer, by turns with a reset
#	rude_clients.py HOST:PORT half PATH    ends its sending after the request for PATH, prints the answer
#	rude_clients.py HOST:PORT raw          sends the standard input, prints the answer
#
# Slow, deaf and idle ones print "there" when all are connected. Deaf and idle ones end when their
# standard input does; slow ones when the server has ended all of their connections, which they print.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
import socket
import struct
import sys
import time


def connect(address):
    host, port = address.rsplit(":", 1)
    s = socket.socket()
    # So that what is not read does not simply vanish into buffers.
    s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    s.settimeout(60)
    s.connect((host, int(port)))
    return s


def request(path):
    return b"GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n" % path.encode()


def send_byte(s, byte):
    """Returns whether the connection is still there."""
    try:
        s.send(byte)
        return True
    except OSError:
        return False


def be_slow(clients):
    text, at = b"GET /metrics HTTP/1.1\r\nX-Slow: " + b"a" * 100000, 0
    while clients:
        time.sleep(0.2)
        clients = [s for s in clients if send_byte(s, text[at : at + 1])]
        at += 1
    print("ended", flush=True)


def leave(s, has_reset):
    if has_reset:
        s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    s.close()


def take_answer(s, text, is_last):
    """Returns the answer, or why there is none."""
    try:
        s.sendall(text)
        if is_last:
            s.shutdown(socket.SHUT_WR)
        return b"".join(iter(lambda: s.recv(1 << 16), b""))
    except OSError as e:
        return str(e).encode()


def main():
    address, kind = sys.argv[1:3]
    count = int(sys.argv[3]) if len(sys.argv) > 4 or kind in ("slow", "idle") else 1
    if kind == "raw":
        text = sys.stdin.buffer.read()
        sys.stdout.buffer.write(take_answer(connect(address), text, False))
    elif kind == "half":
        sys.stdout.buffer.write(take_answer(connect(address), request(sys.argv[3]), True))
    elif kind == "gone":
        clients = [connect(address) for _ in range(count)]
        for s in clients:
            s.sendall(request(sys.argv[4]))
        time.sleep(0.5)
        for i, s in enumerate(clients):
            leave(s, i % 2)
    elif kind == "hasty":
        for i in range(count):
            s = connect(address)
            s.sendall(request(sys.argv[4]))
            s.recv(1 if i % 3 else 1000)
            leave(s, i % 2)
    else:
        clients = [connect(address) for _ in range(count)]
        if kind == "deaf":
            for s in clients:
                s.sendall(request(sys.argv[4]))
        print("there", flush=True)
        if kind == "slow":
            be_slow(clients)
        else:
            sys.stdin.read()


main()
