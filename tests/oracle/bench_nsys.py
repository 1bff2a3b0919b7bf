"""Times `tokenpath summary` on made exports beside plain Python over the same file: medians of five runs, and memory.

    cargo build --release -p tokenpath-cli && python3 tests/oracle/bench_nsys.py [RUNS]
"""

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
    print("| kernels | file | tokenpath summary | memory | plain Python | memory | ratio |")
    print("|---|---|---|---|---|---|---|")
    for kernels in (10_000, 60_000, 100_000, 1_000_000):
        path = folder / f"{kernels}.sqlite"
        if not path.exists():
            # In a process of its own: what this one holds would count as the memory of those that it starts.
            script = pathlib.Path(__file__).with_name("nsys_generate.py")
            subprocess.run([sys.executable, str(script), str(path), "--kernels", str(kernels)], check=True, stdout=subprocess.DEVNULL)
        ours, others = [], []
        for _ in range(runs):
            ours.append(run([PROGRAM, "summary", str(path)]))
            others.append(run([sys.executable, "-c", ORACLE, str(path)]))
        middle = lambda results, which: statistics.median(result[which] for result in results)
        print(
            f"| {kernels:,} | {path.stat().st_size / 1e6:.1f} MB | {middle(ours, 0) * 1e3:.0f} ms | {middle(ours, 1) / 1024:.0f} MiB "
            f"| {middle(others, 0) * 1e3:.0f} ms | {middle(others, 1) / 1024:.0f} MiB | {middle(others, 0) / middle(ours, 0):.1f} |",
            flush=True,
        )


if __name__ == "__main__":
    # Children inherit it; a script that grows without end should end.
    resource.setrlimit(resource.RLIMIT_AS, (12 << 30, 12 << 30))
    main()
