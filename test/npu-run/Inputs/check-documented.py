"""Fails unless a page has every option that a tool's help shows:
check-documented.py PAGE PATTERN COMMAND... where PATTERN says which of the
options are the tool's own."""

import pathlib
import re
import subprocess
import sys

page = pathlib.Path(sys.argv[1]).read_text()
help_text = subprocess.run(
    sys.argv[3:] + ["--help"], check=True, capture_output=True, text=True
).stdout
options = re.findall(r"^ +(--?[\w-]+)", help_text, re.MULTILINE)
own = [option for option in options if re.fullmatch(sys.argv[2], option)]
missing = [
    option for option in own if not re.search(rf"`{option}[`\[=: ]", page)
]
print(f"{len(own)} options, not in {sys.argv[1]}: {' '.join(missing) or 'none'}")
sys.exit(1 if missing or not own else 0)
