"""Lists the tensors of the dumps below a folder, one a line with a hash of its
bytes. Fails unless every manifest lists exactly the files there are, each of
the size that it says. With --incomplete the manifests have to say that the run
stopped; else that it is complete."""

import hashlib
import json
import pathlib
import sys

status = "incomplete" if "--incomplete" in sys.argv else "complete"
folder = pathlib.Path(sys.argv[1])
listed = set()
lines = []
for path in folder.glob("*/manifest.*.json"):
    manifest = json.loads(path.read_text())
    if manifest["status"] != status:
        sys.exit(f"{path}: {manifest['status']}, expected {status}")
    if status == "incomplete":
        lines.append("reason: " + manifest["reason"])
    for file in manifest["files"]:
        dump = path.parent / file["path"]
        if dump in listed:
            sys.exit(f"{dump}: listed twice")
        listed.add(dump)
        data = dump.read_bytes()
        if len(data) != file["size"]:
            sys.exit(f"{dump}: {len(data)} bytes, expected {file['size']}")
        for tensor in file["tensors"]:
            start = tensor["offset"]
            payload = data[start : start + tensor["size"]]
            lines.append(
                f"{file['data_index']} {file['op_type']} {file['op_name']} "
                f"{tensor['io']} {tensor['index']} {tensor['dtype']} "
                f"{hashlib.sha256(payload).hexdigest()}"
            )
others = {
    path
    for path in folder.rglob("*")
    if path.is_file() and path.suffix not in (".json", ".csv")
} - listed
if others:
    sys.exit(f"not in a manifest: {sorted(map(str, others))}")
print("\n".join(sorted(lines)))
