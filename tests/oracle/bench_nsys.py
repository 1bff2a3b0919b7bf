"""Times `tokenpath summary` on made exports beside other ways to the same figures: medians of five runs, and memory.

    cargo build --release -p tokenpath-cli && python3 tests/oracle/bench_nsys.py [RUNS]

The others are plain Python over all rows (the oracle of the tests), SQLite's own SQL, and pandas and DuckDB where this
Python has them (`pip install pandas duckdb duckdb-extension-sqlite-scanner`). SQL, pandas and DuckDB give three of the
summary's figures: busy time, kernels by name, calls by name; they have to agree.
"""

import json
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("TOKENPATH_PROGRAM", str(ROOT / "target/release/tokenpath"))
ORACLE = "import nsys, sys; nsys.summary(sys.argv[1])"

# Kernels alone are activity in the made exports. Islands of intervals that touch are one.
BUSY = """SELECT SUM(till - since) FROM (SELECT MIN(start) since, MAX("end") till FROM (SELECT start, "end",
SUM(begins) OVER (ORDER BY start, "end") island FROM (SELECT start, "end", CASE WHEN start > MAX("end") OVER
(ORDER BY start, "end" ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) THEN 1 ELSE 0 END begins
FROM {0}CUPTI_ACTIVITY_KIND_KERNEL)) GROUP BY island)"""
BY_NAME = """SELECT s.value, COUNT(*), SUM(r."end" - r.start) total FROM {0}{1} r JOIN {0}StringIds s ON s.id = r.{2}
GROUP BY 1 ORDER BY total DESC"""
QUERIES = [BUSY, BY_NAME.replace("{1}", "CUPTI_ACTIVITY_KIND_KERNEL").replace("{2}", "shortName"),
           BY_NAME.replace("{1}", "CUPTI_ACTIVITY_KIND_RUNTIME").replace("{2}", "nameId")]

SQL = f"""import sqlite3, sys
db = sqlite3.connect(f"file:{{sys.argv[1]}}?immutable=1", uri=True)
print([db.execute(query.format("")).fetchall() for query in {QUERIES!r}][0][0][0])"""

DUCKDB = f"""import duckdb, duckdb_extension_sqlite_scanner, pathlib, sys
folder = pathlib.Path(duckdb_extension_sqlite_scanner.__file__).parent
db = duckdb.connect()
db.execute(f"LOAD '{{next(folder.rglob('*.duckdb_extension'))}}'")
db.execute(f"ATTACH '{{sys.argv[1]}}' AS t (TYPE sqlite, READ_ONLY)")
print([db.execute(query.format("t.")).fetchall() for query in {QUERIES!r}][0][0][0])"""

PANDAS = """import pandas, sqlite3, sys
db = sqlite3.connect(f"file:{sys.argv[1]}?immutable=1", uri=True)
names = pandas.read_sql_query("SELECT id, value FROM StringIds", db).set_index("id").value
kernels = pandas.read_sql_query('SELECT start, "end", shortName FROM CUPTI_ACTIVITY_KIND_KERNEL', db)
calls = pandas.read_sql_query('SELECT start, "end", nameId FROM CUPTI_ACTIVITY_KIND_RUNTIME', db)
kernels = kernels.sort_values(["start", "end"])
before = kernels["end"].cummax().shift(fill_value=0)
busy = (kernels["end"] - kernels["start"].clip(lower=before)).clip(lower=0).sum()
for table, name in ((kernels, "shortName"), (calls, "nameId")):
    lasted = (table["end"] - table["start"]).groupby(table[name].map(names)).agg(["count", "sum"]).sort_values("sum")
print(busy)"""


def has(*modules):
    """Whether this Python has them."""
    script = "; ".join(f"import {module}" for module in modules)
    return subprocess.run([sys.executable, "-c", script], stderr=subprocess.DEVNULL).returncode == 0


def run(command):
    """Seconds and kilobytes of the largest resident set."""
    began = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, cwd=pathlib.Path(__file__).parent)
    _, status, usage = os.wait4(process.pid, 0)
    assert status == 0, command
    return time.perf_counter() - began, usage.ru_maxrss


def main():
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    folder = ROOT / "target/bench"
    folder.mkdir(parents=True, exist_ok=True)
    ways = {"tokenpath summary": [PROGRAM, "summary"], "plain Python": [sys.executable, "-c", ORACLE], "SQL of sqlite3": [sys.executable, "-c", SQL]}
    if has("pandas"):
        ways["pandas"] = [sys.executable, "-c", PANDAS]
    if has("duckdb", "duckdb_extension_sqlite_scanner"):
        ways["DuckDB"] = [sys.executable, "-c", DUCKDB]
    print("| kernels | file | " + " | ".join(ways) + " |")
    print("|---" * (2 + len(ways)) + "|")
    for kernels in (10_000, 60_000, 100_000, 1_000_000):
        path = folder / f"{kernels}.sqlite"
        if not path.exists():
            # In a process of its own: what this one holds would count as the memory of those that it starts.
            script = pathlib.Path(__file__).with_name("nsys_generate.py")
            subprocess.run([sys.executable, str(script), str(path), "--kernels", str(kernels)], check=True, stdout=subprocess.DEVNULL)
        busy = round(json.loads(subprocess.check_output([PROGRAM, "summary", str(path)]))["gpu_busy_union_s"] * 1e9)
        for way in ("SQL of sqlite3", "pandas", "DuckDB"):
            if way in ways:
                found = int(subprocess.check_output([*ways[way], str(path)]))
                assert found == busy, f"{way} gives {found} ns, the summary {busy} ns"
        # In turn, so that what else the machine does falls on all of them.
        results = {way: [] for way in ways}
        for _ in range(runs):
            for way, command in ways.items():
                results[way].append(run([*command, str(path)]))
        cells = []
        for found in results.values():
            seconds, kilobytes = (statistics.median(result[which] for result in found) for which in (0, 1))
            cells.append(f"{seconds * 1e3:.0f} ms, {kilobytes / 1024:.0f} MiB")
        print(f"| {kernels:,} | {path.stat().st_size / 1e6:.1f} MB | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    # Children inherit it; a script that grows without end should end.
    resource.setrlimit(resource.RLIMIT_AS, (12 << 30, 12 << 30))
    main()
