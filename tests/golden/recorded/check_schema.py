"""Reads a trace with h5py: everything that docs/traces.md lists is there, nothing else is, and sums agree with `waferline trace`."""
import json
import re
import sys

import h5py

documentation, trace, summary = sys.argv[1:]
problems = []


def expect(what, found, wanted):
    if found != wanted:
        problems.append(f"{what}: {found!r}, expected {wanted!r}")


def close(what, found, wanted):
    if abs(found - wanted) > 1e-9 * max(1.0, abs(wanted)):
        problems.append(f"{what}: {found!r}, expected {wanted!r}")


# Rows of the tables: | `/steps/macs` | int64 (steps) | ...
documented = {}
for line in open(documentation, encoding="utf-8"):
    row = re.match(r"\| `(/[^`]*)` \| ([a-z0-9]+) ", line)
    if row:
        documented[row.group(1)] = row.group(2)

KINDS = {"int64": ("i", 8), "float64": ("f", 8), "text": ("S", None)}


def kind_problem(name, dtype):
    kind, size = KINDS[documented[name]]
    if dtype.kind != kind or (size and dtype.itemsize != size):
        problems.append(f"{name}: type {dtype}, documented {documented[name]}")


def general(name):
    return re.sub(r"^/meshes/\d+", "/meshes/N", name)


with h5py.File(trace, "r") as file, open(summary, encoding="utf-8") as text:
    said = json.load(text)
    found = set()

    def visit(name, item):
        path = "/" + name
        for key in item.attrs:
            found.add(general(path) + "@" + key)
        if isinstance(item, h5py.Dataset):
            found.add(general(path))
            if general(path) in documented:
                kind_problem(general(path), item.dtype)
            expect(path + " chunked", item.chunks is not None, True)
            expect(path + " compression", item.compression, "gzip")

    file.visititems(visit)
    found |= {"/@" + key for key in file.attrs}
    expect("documented but not found", sorted(set(documented) - found), [])
    expect("found but not documented", sorted(found - set(documented)), [])

    expect("format", file.attrs["format"].decode(), "waferline-trace")
    expect("schema", int(file.attrs["schema"]), 1)
    for key in ("version", "command", "system", "software"):
        expect(key, file.attrs[key].decode(), said["trace"][key])
    names, values = ([text.decode() for text in file["inputs"][what][:]] for what in ("names", "values"))
    expect("inputs", dict(zip(names, values)), said["trace"]["inputs"])

    steps = file["steps"]
    lengths = {name: column.shape[0] for name, column in steps.items()}
    expect("lengths of columns", set(lengths.values()), {said["steps"]})
    close("cycles", steps["cycles"][:].sum(), said["cycles"])
    close("end of the last step", steps["start_cycles"][-1] + steps["cycles"][-1], said["cycles"])
    expect("peak SRAM", int(steps["sram_bytes"][:].max()), said["peak_sram_bytes"])

    regions = [name.decode() for name in file["regions"][:]]
    expect("regions", regions, [region["name"] for region in said["regions"]])
    for number, region in enumerate(said["regions"]):
        close(region["name"], steps["cycles"][:][steps["region"][:] == number].sum(), region["cycles"])

    for number, mesh in enumerate(said["meshes"]):
        group = file["meshes"][str(number)]
        expect("extent", (int(group.attrs["rows"]), int(group.attrs["cols"])), (mesh["rows"], mesh["cols"]))
        mine = steps["mesh"][:] == number
        rows = steps["pe_row"][:][mine]
        busy = group["busy_cycles"][:][rows].sum(axis=0)
        close("busiest PE", busy.max(), mesh["hottest_pes"][0]["busy_cycles"])
        whole = steps["cycles"][:][mine].sum() * busy.size
        close("idle share", 1 - busy.sum() / whole, mesh["idle_share"])
        for name in group:
            expect(name + " shape", group[name].shape[1:], (mesh["rows"], mesh["cols"]))
        for link in mesh["hottest_links"]:
            field = group["link_" + link["direction"]][:][rows]
            repeats = steps["repeats"][:][mine]
            close("link", (field[:, link["row"], link["col"]] * repeats).sum(), link["wavelets"])

for problem in problems:
    print(problem)
sys.exit(1 if problems else 0)
