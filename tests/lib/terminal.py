# terminal.py -- prints what a command writes to a terminal.
#
#	terminal.py COLUMNS COMMAND [ARGUMENT]...
#
# The command has the terminal as its standard input, output and error. Line ends are those of files.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
import fcntl
import os
import pty
import struct
import sys
import termios

pid, terminal = pty.fork()
if pid == 0:
    fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack('HHHH', 40, int(sys.argv[1]), 0, 0))
    os.execvp(sys.argv[2], sys.argv[2:])
shown = b''
while True:
    try:
        part = os.read(terminal, 65536)
    except OSError:  # the last one has closed it
        break
    if not part:
        break
    shown += part
sys.stdout.buffer.write(shown.replace(b'\r\n', b'\n'))
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
