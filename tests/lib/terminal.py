# terminal.py -- prints what a command writes to a terminal.
#
#	terminal.py COLUMNS COMMAND [ARGUMENT]...
#
# The command has the terminal as its standard input, output and error. Line ends are those of files.
#
# This process keeps the command's side of the terminal open and writes a mark there after the command
# has ended. Without it the kernel may report the end before the reader has had the last lines: its
# reader looks for text first and for an open side afterwards (Linux, n_tty_read()).
#
# SPDX-License-Identifier: LGPL-2.1-or-later
import fcntl
import os
import pty
import struct
import sys
import termios
import threading

MARK = b'\0the command has ended\0'

terminal, side = pty.openpty()
fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack('HHHH', 40, int(sys.argv[1]), 0, 0))
pid = os.fork()
if pid == 0:
    os.close(terminal)
    os.setsid()
    fcntl.ioctl(side, termios.TIOCSCTTY, 0)
    for standard in range(3):
        os.dup2(side, standard)
    os.close(side)
    os.execvp(sys.argv[2], sys.argv[2:])
status = []


def mark_the_end():
    status.append(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
    os.write(side, MARK)


threading.Thread(target=mark_the_end).start()
shown = b''
while MARK not in shown:
    shown += os.read(terminal, 65536)
sys.stdout.buffer.write(shown.partition(MARK)[0].replace(b'\r\n', b'\n'))
sys.exit(status[0])
