"""attach_targets.py -- Programs that are at work, and know whether what they do is right.

Each has begin(), choose() for the process that is to be recorded, and end(), which returns what it has
done as (right answers, wrong ones, slowest answer in ms, 0 if it has none).

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import glob
import http.client
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import zlib

WORKLOADS = os.path.join(os.environ["MU_BUILD"], "tests", "workloads")
SOURCES = os.path.join(os.environ["MU_SRC"], "tests", "workloads", "attach")
NOBODY = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"]
READY_S = 60


def wait_until(condition, seconds=READY_S):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def children(pid):
    found = []
    for path in glob.glob(f"/proc/{pid}/task/*/children"):
        try:
            with open(path, encoding="ascii") as file:
                found += [int(word) for word in file.read().split()]
        except OSError:
            pass
    return found


class Target:
    """A program that works until its standard input ends, and then says `done=N bad=N`."""
    needs = ()
    is_asleep = False

    def __init__(self, directory, command):
        self.directory, self.command = directory, command
        self.program = None

    def is_there(self):
        return all(shutil.which(name, path=os.environ["PATH"] + ":/usr/sbin")
                   for name in self.needs)

    def begin(self):
        self.program = subprocess.Popen(self.command, cwd=self.directory, text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        line = self.program.stdout.readline()
        if "ready" not in line:
            raise RuntimeError(f"{self.command[0]} says {line!r}")

    def choose(self):
        return self.program.pid

    def end(self):
        try:
            output = self.program.communicate("", timeout=READY_S * 5)[0]
        except subprocess.TimeoutExpired:
            self.program.kill()
            output = "hangs"
        numbers = dict(re.findall(r"(\w+)=(\d+)", output))
        bad = int(numbers.get("bad", numbers.get("disturbed", 1)))
        done = int(numbers.get("done", numbers.get("kinds", 0)))
        if self.program.returncode != 0:
            print(f"# {self.command[0]}: status {self.program.returncode}: {output[-500:]}")
            bad += 1
        return done, bad, float(numbers.get("slowest_us", 0)) / 1000


class Server(Target):
    """A server with clients of ours, each of which checks all answers."""
    clients = 3

    def __init__(self, directory, command):
        super().__init__(directory, command)
        self.port = free_port()
        self.right = self.wrong = 0
        self.slowest = 0.0
        self.must_end = threading.Event()
        self.lock = threading.Lock()
        self.threads = []

    def answers(self):
        with socket.socket() as s:
            return s.connect_ex(("127.0.0.1", self.port)) == 0

    def begin(self):
        self.program = subprocess.Popen(self.command, cwd=self.directory,
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        if not wait_until(self.answers):
            raise RuntimeError(f"{self.command[0]} does not answer")
        for number in range(self.clients):
            thread = threading.Thread(target=self.keep_asking, args=(number,))
            thread.start()
            self.threads.append(thread)

    def keep_asking(self, number):
        ask = self.client(number)
        turn = 0
        while not self.must_end.is_set():
            began = time.monotonic()
            try:
                is_right = ask(turn)
            except (OSError, http.client.HTTPException, ValueError) as error:
                is_right = False
                if self.wrong < 5:
                    print(f"# client {number}: {error!r}", file=sys.stderr)
            took = (time.monotonic() - began) * 1000
            with self.lock:
                self.right += is_right
                self.wrong += not is_right
                self.slowest = max(self.slowest, took)
            if not is_right and took > 1000 * READY_S or self.program.poll() is not None:
                break
            turn += 1

    def client(self, number):
        """Returns a function of the turn, which tells whether the answer is right."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=READY_S)

        def ask(turn):
            connection.request("GET", f"/{number}.{turn % 50}", headers=self.headers)
            answer = connection.getresponse()
            return self.is_right(answer, answer.read(), number, turn % 50)
        return ask

    headers = {}

    def is_right(self, answer, body, number, turn):
        return answer.status == 200 and body == b"%d.%d " % (number, turn) * (100 + turn * 50)

    def stop(self):
        self.program.terminate()

    def end(self):
        self.must_end.set()
        for thread in self.threads:
            thread.join()
        if self.program.poll() is not None:
            print(f"# {self.command[0]} has ended: {self.program.returncode}")
            self.wrong += 1
        self.stop()
        try:
            self.program.wait(READY_S)
        except subprocess.TimeoutExpired:
            self.program.kill()
            self.wrong += 1
        return self.right, self.wrong, self.slowest


class Python(Server):
    needs = ("python3",)

    def __init__(self, directory):
        super().__init__(directory, None)
        self.command = ["python3", os.path.join(SOURCES, "server.py"), str(self.port)]


class Node(Server):
    needs = ("node",)

    def __init__(self, directory):
        super().__init__(directory, None)
        self.command = ["node", os.path.join(SOURCES, "server.js"), str(self.port)]


NGINX = """daemon off; worker_processes 1; pid {d}/nginx.pid; error_log {d}/error.log;
events {{ worker_connections 64; }}
http {{ access_log off; keepalive_requests 100000000;
client_body_temp_path {d}/t; proxy_temp_path {d}/t; fastcgi_temp_path {d}/t;
uwsgi_temp_path {d}/t; scgi_temp_path {d}/t; gzip on; gzip_min_length 1; gzip_types *;
server {{ listen 127.0.0.1:{port}; root {d}/www; }} }}
"""


class Nginx(Server):
    needs = ("nginx",)
    headers = {"Accept-Encoding": "gzip"}

    def __init__(self, directory):
        super().__init__(directory, None)
        self.worker = 0

    def begin(self):
        here = self.directory
        os.makedirs(f"{here}/www")
        for number in range(self.clients):
            for turn in range(50):
                with open(f"{here}/www/{number}.{turn}", "wb") as file:
                    file.write(b"%d.%d " % (number, turn) * (100 + turn * 50))
        with open(f"{here}/nginx.conf", "w", encoding="ascii") as file:
            file.write(NGINX.format(d=here, port=self.port))
        os.system(f"mkdir -p {here}/t; chmod -R a+rX {here}; chmod a+rwx {here} {here}/t")
        binary = shutil.which("nginx", path=os.environ["PATH"] + ":/usr/sbin")
        self.command = [binary, "-p", here, "-c", f"{here}/nginx.conf"]
        super().begin()
        self.worker = children(self.program.pid)[0]

    def is_right(self, answer, body, number, turn):
        if answer.getheader("Content-Encoding") == "gzip":
            body = zlib.decompress(body, 31)
        return super().is_right(answer, body, number, turn)

    def choose(self):
        return self.worker

    def end(self):
        if children(self.program.pid) != [self.worker]:
            print("# nginx has another worker")
            self.wrong += 1
        self.stop = lambda: self.program.send_signal(signal.SIGQUIT)
        return super().end()


class Redis(Server):
    needs = ("redis-server",)

    def __init__(self, directory):
        super().__init__(directory, None)
        self.command = ["redis-server", "--port", str(self.port), "--save", "", "--bind",
                        "127.0.0.1", "--logfile", "/dev/null"]

    def client(self, number):
        connection = socket.create_connection(("127.0.0.1", self.port), READY_S)
        answers = connection.makefile("rb")

        def call(*words):
            connection.sendall(b"*%d\r\n" % len(words) +
                               b"".join(b"$%d\r\n%s\r\n" % (len(w), w) for w in words))
            line = answers.readline()
            if line.startswith(b"$"):
                return answers.read(int(line[1:]) + 2)[:-2]
            return line[1:-2]

        def ask(turn):
            key, value = b"key%d.%d" % (number, turn % 500), b"%d " % turn * (1 + turn % 900)
            return (call(b"INCR", b"count%d" % number) == b"%d" % (turn + 1) and
                    call(b"SET", key, value) == b"OK" and call(b"GET", key) == value and
                    (turn % 3 or call(b"DEL", key) == b"1"))
        return ask


class Postgres(Target):
    """pgbench, whose books must agree; a session is recorded, another one in each cycle."""
    needs = ("setpriv",)
    options = ()

    def __init__(self, directory):
        super().__init__(directory, None)
        self.binaries = (sorted(glob.glob("/usr/lib/postgresql/*/bin")) or [""])[-1]
        self.bench = None
        self.turn = 0

    def is_there(self):
        return bool(self.binaries) and super().is_there()

    def run(self, *words, **more):
        as_other = NOBODY if os.geteuid() == 0 else []
        return subprocess.run([*as_other, f"{self.binaries}/{words[0]}", *words[1:]], text=True,
                              cwd=self.directory, capture_output=True, check=False, **more)

    def tool(self, name, *words):
        return self.run(name, "-h", self.directory, *words)

    def begin(self):
        os.chmod(self.directory, 0o777)
        self.run("initdb", "-D", "data", "-A", "trust", "-U", "bench", "-N")
        as_other = NOBODY if os.geteuid() == 0 else []
        self.program = subprocess.Popen(
            [*as_other, f"{self.binaries}/postgres", "-D", "data", "-k", self.directory, "-c",
             "listen_addresses=", "-c", "fsync=off"], cwd=self.directory,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if not wait_until(lambda: self.tool("psql", "-U", "bench", "-c", "select 1",
                                            "postgres").returncode == 0):
            raise RuntimeError("PostgreSQL does not answer")
        self.tool("pgbench", "-U", "bench", "-i", "-q", "postgres")
        as_other = NOBODY if os.geteuid() == 0 else []
        self.bench = subprocess.Popen(
            [*as_other, f"{self.binaries}/pgbench", "-h", self.directory, "-U", "bench", "-n",
             "-c", "4", "-j", "2", "-T", "100000", "-l", *self.options, "postgres"],
            cwd=self.directory, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        wait_until(self.choose)

    def choose(self):
        sessions = []
        for pid in children(self.program.pid):
            try:
                with open(f"/proc/{pid}/cmdline", "rb") as file:
                    if b"[local]" in file.read():
                        sessions.append(pid)
            except OSError:
                pass
        self.turn += 1
        return sessions[self.turn % len(sessions)] if sessions else 0

    def end(self):
        was_alive = self.bench.poll() is None
        self.bench.terminate()
        errors = self.bench.communicate()[1]
        sums = self.tool("psql", "-U", "bench", "-At", "-c",
                         "select (select sum(abalance) from pgbench_accounts), (select sum(bbalance)"
                         " from pgbench_branches), (select sum(tbalance) from pgbench_tellers),"
                         " (select sum(delta) from pgbench_history), (select count(*) from"
                         " pgbench_history)", "postgres").stdout.strip().split("|")
        self.program.send_signal(signal.SIGINT)
        self.program.wait()
        slowest = 0
        for name in glob.glob(f"{self.directory}/pgbench_log.*"):
            with open(name, encoding="ascii") as file:
                # The last line may be cut: pgbench was terminated.
                whole = [line for line in file if line.endswith("\n")]
            slowest = max([slowest] + [int(line.split()[2]) for line in whole])
        wrong = (not was_alive) + (len(set(sums[:4])) != 1) + ("abort" in errors)
        if wrong or self.program.returncode:
            print(f"# PostgreSQL: {sums} {errors[-500:]} status {self.program.returncode}")
        return int(sums[-1] or 0), wrong + (self.program.returncode != 0), slowest / 1000


class Postmaster(Postgres):
    """The first process of PostgreSQL, which forks a session for each transaction."""
    options = ("-C",)

    def choose(self):
        return self.program.pid


class Java(Target):
    needs = ("java", "javac")

    def __init__(self, directory):
        super().__init__(directory, ["java", "-cp", directory, "Deflate"])

    def begin(self):
        subprocess.run(["javac", "-d", self.directory, os.path.join(SOURCES, "Deflate.java")],
                       check=True)
        super().begin()


class Asleep(Target):
    """Threads that wait: everything must be as before after each cycle."""
    is_asleep = True

    def __init__(self, directory, threads):
        super().__init__(directory, [f"{WORKLOADS}/waits", str(threads)])


def workload(*words):
    return lambda directory: Target(directory, [f"{WORKLOADS}/{words[0]}", *words[1:]])


ALL = {
    "blocks": workload("attached", "blocks", "8"),
    "threads": workload("attached", "threads"),
    "children": workload("attached", "children"),
    "brief": workload("attached", "brief"),
    "signals": workload("attached", "signals"),
    "objects": workload("attached", "objects"),
    "sequences": workload("attached_odd", "sequences"),
    "ring": workload("attached_odd", "ring"),
    "interruptions": workload("attached_odd", "interruptions"),
    "coroutines": workload("attached_odd", "coroutines"),
    "preempted": workload("attached_odd", "preempted"),
    "execs": workload("attached_odd", "execs"),
    "waits": lambda directory: Asleep(directory, 0),
    "waits1000": lambda directory: Asleep(directory, 1000),
    "python": Python,
    "node": Node,
    "java": Java,
    "nginx": Nginx,
    "redis": Redis,
    "postgres": Postgres,
    "postmaster": Postmaster,
}


def find(name):
    """Returns what makes a target."""
    return (lambda directory: Target(directory, name.split())) if "/" in name else ALL[name]
