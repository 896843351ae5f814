"""Compares a sweep's HDF5 file with its CSV, cell by cell, and with the columns that docs/sweep.md lists."""
import csv
import math
import re
import sys

import h5py

documentation, text, binary = sys.argv[1:]
problems = []
KINDS = {"int64": ("i", 8), "float64": ("f", 8), "text": ("S", None)}

documented = {}
for line in open(documentation, encoding="utf-8"):
    row = re.match(r"\| `([^`]*)` \| (int64|float64|text) \| ([^|]*) \| ([^|]*) \|", line)
    if row:
        documented[row.group(1)] = (row.group(2), row.group(3).strip(), row.group(4).strip())

comments = {}
lines = open(text, encoding="utf-8").read().splitlines()
while lines[0].startswith("# "):
    key, _, value = lines.pop(0)[2:].partition(": ")
    comments[key] = value
rows = list(csv.DictReader(lines))


def same(cell, value):
    if isinstance(value, bytes):
        return value.decode() == cell
    if cell == "":
        return value == -1 or math.isnan(value)
    return float(cell) == value if isinstance(value, float) else int(cell) == value


with h5py.File(binary, "r") as file:
    if file.attrs["schema"] != 1 or file.attrs["points"] != len(rows):
        problems.append("schema or points")
    if file.attrs["command"].decode() != comments["command"]:
        problems.append(f"command {file.attrs['command']}")
    described = dict(line.decode().split(": ", 1) for line in file["description"])
    if described != {key: value for key, value in comments.items() if key != "command"}:
        problems.append(f"description {described}")
    if set(rows[0]) != set(file["rows"]):
        problems.append(f"columns {sorted(set(rows[0]) ^ set(file['rows']))}")
    for name, dataset in file["rows"].items():
        kind, size = dataset.dtype.kind, dataset.dtype.itemsize
        if name in documented:
            wanted = documented[name]
            if KINDS[wanted[0]][0] != kind or KINDS[wanted[0]][1] not in (None, size):
                problems.append(f"{name}: type {dataset.dtype}, documented {wanted[0]}")
            if (dataset.attrs["unit"].decode(), dataset.attrs["meaning"].decode()) != wanted[1:]:
                problems.append(f"{name}: {dict(dataset.attrs)}, documented {wanted}")
        elif not name.startswith(("wafer.", "software.")):
            problems.append(f"{name}: not documented")
        if dataset.chunks is None or dataset.compression != "gzip" or not dataset.shuffle:
            problems.append(f"{name}: neither chunked nor compressed")
        values = [value if isinstance(value, bytes) else value.item() for value in dataset[:]]
        wrong = [i for i, row in enumerate(rows) if not same(row[name], values[i])]
        if len(values) != len(rows) or wrong:
            problems.append(f"{name}: rows {wrong[:5]} differ")

print("\n".join(problems) or f"{len(rows)} rows agree")
sys.exit(bool(problems))
