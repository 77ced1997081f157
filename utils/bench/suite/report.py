"""results.json, results.md and results.svg."""

import html
import json
import os

COLORS = {"aim": "#2a9d5c", "limit": "#d9a441", "missed": "#c8553d"}


def as_record(row, result, speed, date):
    share = row.share(result.value)
    reaches = (result.value >= row.aim if row.higher_is_better else result.value <= row.aim)
    return {
        "id": row.id, "work": row.work, "against": row.peer,
        "ours": result.ours, "peer": result.peer, "unit": result.unit,
        "value": result.value, "value_unit": row.unit or "ratio",
        "limit": row.limit, "aim": row.aim, "share_of_limit": share,
        "aim_share_of_limit": row.share(row.aim),
        "verdict": "aim" if reaches else "limit" if share <= 1 else "missed",
        "note": result.note, "rounds": result.rounds, "speed": speed, "date": date,
    }


def number(value, unit=""):
    if value is None:
        return ""
    if unit == "s":
        return (f"{value:.2f} s" if value >= 1 else f"{1e3 * value:.1f} ms"
                if value >= 1e-3 else f"{1e6 * value:.1f} µs")
    digits = 0 if abs(value) >= 100 else 1 if abs(value) >= 10 else 2
    return f"{value:.{digits}f}" + (f" {unit}" if unit else "")


def value_of(record, key):
    unit = record["value_unit"]
    return (f"{record[key]:.3g}" if key != "value" else f"{record[key]:.2f}"
            ) + ("" if unit == "ratio" else f" {unit}")


def verdict(record):
    if record["verdict"] == "missed":
        excess = 100 * (record["share_of_limit"] - 1)
        return f"missed by {excess:.{0 if excess >= 10 else 1}f} %"
    return {"aim": "aim reached", "limit": "met"}[record["verdict"]]


def is_steady(record):
    """Whether the machine had the same speed before and after, of one and of two
    threads. A row that does not should be measured again."""
    return all(min(s[key] for s in record["speed"]) > 0.9 * max(s[key] for s in record["speed"])
               for key in ("gflops_1", "gflops_2"))


def table(records):
    lines = ["| id | work | peer | ours | peer's | ratio | limit | aim | |",
             "|---|---|---|---|---|---|---|---|---|"]
    for r in records:
        cells = [r["id"], r["work"], r["against"], number(r["ours"], r["unit"]),
                 number(r["peer"], r["unit"]), value_of(r, "value"), value_of(r, "limit"),
                 value_of(r, "aim"), verdict(r)]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def markdown(results):
    machine = results["machine"]
    versions = ", ".join(f"{name} {version}"
                         for name, version in machine["versions"].items() if version)
    speeds = [[s[key] for r in results["rows"] for s in r["speed"]]
              for key in ("gflops_1", "gflops_2")]
    notes = "".join(f"* {r['id']} {r['work']}: {r['note']}\n"
                    for r in results["rows"] if r["note"])
    notes += "".join(f"* {r['id']} {r['work']}: the speed of the machine changed, "
                     "measure again\n" for r in results["rows"] if not is_steady(r))
    return (f"# Benchmarks, {machine['date']}\n\n"
            f"{machine['cpu']}, {machine['processors']} processors, "
            f"{', '.join(machine['simd'])}, {machine['memory_mib']} MiB, "
            f"Linux {machine['kernel']}; commit {machine['commit']}.\n\n{versions}.\n\n"
            f"Fused multiply-adds in registers, before and after the rows: "
            f"{min(speeds[0]):.0f} to {max(speeds[0]):.0f} GFLOP/s on one thread, "
            f"{min(speeds[1]):.0f} to {max(speeds[1]):.0f} on two.\n\n"
            f"{table(results['rows'])}\n{notes}")


def svg(results):
    """A bar for each row: its share of the limit. A line ends the limit, a tick
    marks the aim."""
    rows = results["rows"]
    label, scale, step, top, most = 430, 300, 24, 46, 1.6
    width, height = label + round(scale * most) + 330, top + step * len(rows) + 12
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
             f'font-family="sans-serif" font-size="12">',
             f'<rect width="{width}" height="{height}" fill="white"/>',
             f'<text x="8" y="18" font-size="14">Share of the limit; less is better '
             f'({html.escape(results["machine"]["date"])})</text>']
    for index, r in enumerate(rows):
        y = top + step * index
        length = scale * min(r["share_of_limit"], most)
        aim = label + scale * r["aim_share_of_limit"]
        parts += [
            f'<text x="{label - 8}" y="{y + 13}" text-anchor="end">'
            f'{html.escape(r["id"] + " " + r["work"])}</text>',
            f'<rect x="{label}" y="{y}" width="{length:.1f}" height="17" '
            f'fill="{COLORS[r["verdict"]]}"/>',
            f'<line x1="{aim:.1f}" x2="{aim:.1f}" y1="{y - 2}" y2="{y + 19}" '
            f'stroke="#444" stroke-dasharray="2 2"/>',
            f'<text x="{max(label + length, label + scale) + 8:.1f}" y="{y + 13}">'
            f'{html.escape(value_of(r, "value"))} '
            f'<tspan fill="#666">({html.escape(r["against"])})</tspan></text>']
    end = label + scale
    parts += [f'<line x1="{end}" x2="{end}" y1="{top - 8}" y2="{height - 8}" stroke="black"/>',
              f'<text x="{end}" y="{top - 12}" text-anchor="middle">limit</text>', "</svg>"]
    return "\n".join(parts) + "\n"


def read(work):
    path = os.path.join(work, "results.json")
    if not os.path.exists(path):
        return {"rows": []}
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def write(results, work):
    texts = {"json": json.dumps(results, indent=1) + "\n", "md": markdown(results),
             "svg": svg(results)}
    for ending, text in texts.items():
        with open(os.path.join(work, f"results.{ending}"), "w", encoding="utf-8") as file:
            file.write(text)
