# demo.py -- the program that demo.sh profiles: an index of all words in a folder's text files.
#
#	python3 demo.py FOLDER...
#
# For each word the index has a chain of places: the file, the position, and the text around it.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
import os
import re
import sys

index = {}
for top in sys.argv[1:]:
    for folder, _, names in os.walk(top):
        for name in sorted(names):
            if not name.endswith((".md", ".c")):
                continue
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                text = file.read()
            for match in re.finditer(r"\w+", text):
                word, at = match[0], match.start()
                around = text[max(at - 20, 0):at + 40]
                index[word] = (name, at, around, index.get(word))
print(len(index), "different words")
