"""Makes Nsight Systems exports with known answers, in the layouts of three schema generations.

    python3 tests/oracle/nsys_generate.py OUT.sqlite --schema 3.25.0 --kernels 1000000 [--graphs node|graph] [--beside MIB]

The layouts follow the tables and columns that exports of those versions have; the rows are ours. Equal arguments give equal
rows. What an export made by `plain` must give is written beside its loop; `odd` plants one of everything that real exports
hold and a reader must count rather than use.
"""

import argparse
import os
import sqlite3

SCHEMAS = ("2.9.1", "3.13.2", "3.25.0")

# What no reader may let out: they are planted in the tables that hold environment, user, host and paths.
SECRETS = ("ZETA-TOKEN=hunter2", "zeta-user", "zeta-host", "/srv/zeta-user/secret")

P1 = (0x01 << 48) | (0x01 << 56) | (4242 << 24)
P2 = (0x01 << 48) | (0x01 << 56) | (4343 << 24)

KERNEL = {
    "2.9.1": "start, end, deviceId, contextId, streamId, correlationId, globalPid, demangledName, shortName, mangledName, "
    "launchType, cacheConfig, registersPerThread, gridX, gridY, gridZ, blockX, blockY, blockZ, staticSharedMemory, "
    "dynamicSharedMemory, localMemoryPerThread, localMemoryTotal, gridId, sharedMemoryExecuted, graphNodeId, "
    "sharedMemoryLimitConfig",
}
KERNEL["3.13.2"] = KERNEL["2.9.1"].replace("contextId,", "contextId, greenContextId,")
KERNEL["3.25.0"] = KERNEL["3.13.2"] + (
    ", qmdBulkReleaseDone, qmdPreexitDone, qmdLastCtaDone, graphId, clusterX, clusterY, clusterZ, clusterSchedulingPolicy, "
    "maxPotentialClusterSize, maxActiveClusters, sharedMemoryRequestedPercentage, tensorSizeMinusOneElements"
)
MEMCPY = {
    "2.9.1": "start, end, deviceId, contextId, streamId, correlationId, globalPid, bytes, copyKind, deprecatedSrcId, srcKind, "
    "dstKind, srcDeviceId, srcContextId, dstDeviceId, dstContextId, migrationCause, graphNodeId, virtualAddress, name",
    "3.13.2": "start, end, deviceId, contextId, greenContextId, streamId, correlationId, globalPid, bytes, copyKind, "
    "deprecatedSrcId, srcKind, dstKind, srcDeviceId, srcContextId, dstDeviceId, dstContextId, migrationCause, graphNodeId, "
    "virtualAddress",
}
MEMCPY["3.25.0"] = MEMCPY["3.13.2"] + ", copyCount"
MEMSET = "start, end, deviceId, contextId, streamId, correlationId, globalPid, value, bytes, graphNodeId, memKind"
RUNTIME = "start, end, eventClass, globalTid, correlationId, nameId, returnValue, callchainId"
NVTX = (
    "start, end, eventType, rangeId, category, color, text, globalTid, endGlobalTid, textId, domainId, uint64Value, "
    "int64Value, doubleValue, uint32Value, int32Value, floatValue, jsonTextId, jsonText"
)
GRAPH = "start, end, deviceId, contextId, greenContextId, streamId, correlationId, globalPid, graphId, graphExecId"


class Export:
    """An export being written."""

    def __init__(self, path, schema):
        if os.path.exists(path):
            os.remove(path)
        self.schema = schema
        self.db = sqlite3.connect(path)
        # Of one page size, whatever the library's default is.
        self.db.execute("PRAGMA page_size = 4096")
        self.ids = {}
        self.create("StringIds", "id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL", typed=True)
        self.create("CUPTI_ACTIVITY_KIND_KERNEL", KERNEL[schema])
        self.create("CUPTI_ACTIVITY_KIND_MEMCPY", MEMCPY[schema])
        self.create("CUPTI_ACTIVITY_KIND_MEMSET", MEMSET)
        self.create("CUPTI_ACTIVITY_KIND_RUNTIME", RUNTIME + (", name" if schema == "2.9.1" else ""))
        self.create("NVTX_EVENTS", NVTX + (", binaryData" if schema != "2.9.1" else ""))
        self.create("DIAGNOSTIC_EVENT", "timestamp, timestampType, source, severity, text, globalPid")
        self.create("PROCESSES", "globalPid, pid, name")
        meta = "EXPORT_META_DATA" if schema == "2.9.1" else "META_DATA_EXPORT"
        for table in (meta, "META_DATA_CAPTURE", "TARGET_INFO_SYSTEM_ENV"):
            self.create(table, "name, value")
            for at, secret in enumerate(SECRETS):
                self.row(table, name=f"PLANTED_{at}", value=secret)
        self.row(meta, name="EXPORT_SCHEMA_VERSION", value=schema)

    def create(self, table, columns, typed=False):
        quoted = columns if typed else ", ".join(f'"{column.strip()}" INTEGER' for column in columns.split(","))
        self.db.execute(f"CREATE TABLE {table}({quoted})")

    def row(self, table, **values):
        self.rows(table, list(values), [tuple(values.values())])

    def rows(self, table, columns, rows):
        names = ", ".join(f'"{column}"' for column in columns)
        self.db.executemany(f"INSERT INTO {table}({names}) VALUES({', '.join('?' * len(columns))})", rows)

    def text(self, value):
        """The number of a text; sparse, as in trimmed exports."""
        if value not in self.ids:
            number = 7 + 1000 * len(self.ids)
            self.ids[value] = number
            if isinstance(value, bytes):
                self.db.execute(f"INSERT INTO StringIds VALUES({number}, CAST(X'{value.hex()}' AS TEXT))")
            else:
                self.row("StringIds", id=number, value=value)
        return self.ids[value]

    def close(self):
        self.db.commit()
        self.db.close()


KERNEL_COLUMNS = ("start", "end", "deviceId", "contextId", "streamId", "correlationId", "globalPid", "demangledName", "shortName", "graphNodeId")
CALL_COLUMNS = ("start", "end", "eventClass", "globalTid", "correlationId", "nameId", "returnValue")


def between(export, mebibytes, kernels):
    """Writes kernels in a hundred pieces, and between them as many mebibytes of what no reader here reads: calls of the
    operating system with their call chains, which make up most of a large export. So every part of the file holds kernels.
    """
    export.create("OSRT_API", "start, end, globalTid, callchain")
    pieces = 100
    for at in range(pieces):
        export.rows("CUPTI_ACTIVITY_KIND_KERNEL", KERNEL_COLUMNS, kernels[len(kernels) * at // pieces : len(kernels) * (at + 1) // pieces])
        chains = ((1000 * row, 1000 * row + 10, P1 | 9, "f" * 4000) for row in range(256 * mebibytes // pieces))
        export.rows("OSRT_API", ("start", "end", "globalTid", "callchain"), chains)


def plain(path, schema, kernels, graphs=None, names=20, beside=0):
    """Kernels on two streams of one device, each launched by a call of its own; and what a reader must find.

    Kernel i starts at 1,000,000 + 1000 i and lasts 600 ns on stream 7; every fourth lasts 1200 ns on stream 8, so that it
    covers the next one's first 200 ns. In a period of four kernels, busy are 600 + 600 + 600 + 1200 ns less the 200 ns that
    the long one shares with its successor: 2800 of 4000 ns, and 3000 of the last period. Every hundred launches lie in a
    range called decode_step.
    """
    export = Export(path, schema)
    calls, rows, wholes = [], [], []
    launch = export.text("cudaGraphLaunch_v10000" if graphs else "cudaLaunchKernel_v7000")
    shorts = [export.text(f"kernel_{at}") for at in range(names)]
    longs = [export.text(f"void kernel_{at}<float, {at}>(float*, int)") for at in range(names)]
    for at in range(kernels):
        start = 1_000_000 + 1000 * at
        long = at % 4 == 3
        first = at % 4 == 0
        if not graphs or first:
            calls.append((start - 900, start - 600, 0, P1 | 9, at // 4 if graphs else at, launch, 0))
        if graphs == "graph":
            if first:
                wholes.append((start, start + 4200, 0, 1, 7, at // 4, P1, 1, 2))
            continue
        rows.append((
            start, start + (1200 if long else 600), 0, 1, 8 if long else 7, at // 4 if graphs else at, P1,
            longs[at % names], shorts[at % names], at % 4 + 1 if graphs else None,
        ))
    export.rows("CUPTI_ACTIVITY_KIND_RUNTIME", CALL_COLUMNS, calls)
    if beside:
        between(export, beside, rows)
    else:
        export.rows("CUPTI_ACTIVITY_KIND_KERNEL", KERNEL_COLUMNS, rows)
    if graphs == "graph":
        export.create("CUPTI_ACTIVITY_KIND_GRAPH_TRACE", GRAPH)
        export.rows(
            "CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
            ("start", "end", "deviceId", "contextId", "streamId", "correlationId", "globalPid", "graphId", "graphExecId"),
            wholes,
        )
        export.db.execute("DROP TABLE CUPTI_ACTIVITY_KIND_KERNEL")
    for at in range(0, kernels, 100):
        start = 1_000_000 + 1000 * at - 1000
        export.row("NVTX_EVENTS", start=start, end=start + 100_000, eventType=59, globalTid=P1 | 9, textId=export.text("decode_step"), domainId=0)
    export.close()
    periods, rest = divmod(kernels, 4)
    assert rest == 0 and kernels >= 4, "a whole number of periods"
    return {
        "kernels": kernels,
        "busy_ns": 2800 * periods + 200,
        "span_ns": 1000 * (kernels - 1) + 1200,
        "calls": kernels // 4 if graphs else kernels,
        "call_ns": 300 * (kernels // 4 if graphs else kernels),
    }


def odd(path, schema):
    """One of everything that a reader must count rather than use, and two processes whose numbers collide."""
    export = Export(path, schema)
    launch, sync, malloc = (export.text(name) for name in ("cudaLaunchKernel_v7000", "cudaStreamSynchronize_v3020", "cudaMalloc_v3020"))
    gemm, norm = export.text("gemm"), export.text("norm")
    big = export.text("void gemm<(int)128>(half*)")
    broken = export.text(b"k\xff\xfeernel")
    kernel = lambda start, end, device, stream, number, pid, short, long=big, node=None: (start, end, device, 1, stream, number, pid, long, short, node)
    export.rows("CUPTI_ACTIVITY_KIND_KERNEL", KERNEL_COLUMNS, [
        kernel(1000, 2000, 0, 7, 1, P1, gemm),
        kernel(1500, 2500, 0, 8, 2, P1, norm),       # overlaps on another stream
        kernel(3000, 3000, 0, 7, 3, P1, norm),       # lasts nothing
        kernel(0, 0, 0, 7, 4, P1, norm),             # not collected
        kernel(5000, 4000, 0, 7, 5, P1, norm),       # ends before it starts
        kernel(6000, 6500, 0, 7, 99, P1, broken),    # its launch is outside the window
        kernel(7000, 7100, 0, 7, 6, P1, gemm),       # starts before its launch
        kernel(1200, 1300, 1, 7, 1, P2, gemm),       # the other process, the same number
        kernel(1300, 1700, 1, 7, 2, P2, gemm),
        kernel(9000, 9400, 1, 9, (1 << 53) + 1, P2, gemm),  # beyond the whole numbers of a double
        kernel(9400, 9500, 1, 9, (1 << 53), P2, norm),
    ])
    call = lambda start, end, thread, number, name, kind=0: (start, end, kind, thread, number, name, 0)
    export.rows("CUPTI_ACTIVITY_KIND_RUNTIME", CALL_COLUMNS, [
        call(500, 600, P1 | 9, 1, launch),
        call(600, 700, P1 | 9, 2, launch),
        call(700, 800, P1 | 9, 3, launch),
        call(7050, 7080, P1 | 9, 6, launch),
        call(800, 2600, P1 | 9, 7, sync),
        call(400, 450, P1 | 9, 8, malloc),
        call(400, 450, P1 | 9, 8, malloc, 67),       # the same call, recorded once more
        call(300, 310, P2 | 9, 1, launch),
        call(310, 320, P2 | 9, 2, launch),
        call(8800, 8900, P2 | 9, (1 << 53) + 1, launch),
        call(0, 0, P2 | 9, 77, sync),                # not collected
        (9500, 9600, 0, P2 | 9, 78, 424242, 0),      # a name that is not there
    ])
    export.rows("CUPTI_ACTIVITY_KIND_MEMCPY", ("start", "end", "deviceId", "streamId", "correlationId", "globalPid", "bytes", "copyKind"), [
        (2400, 2700, 0, 7, 20, P1, 1 << 40, 1), (2700, 2800, 0, 7, 21, P1, 8, 2), (9600, 9700, 1, 7, 22, P2, 16, 8), (9700, 9710, 1, 7, 23, P2, 16, 99),
    ])
    export.rows("CUPTI_ACTIVITY_KIND_MEMSET", ("start", "end", "deviceId", "streamId", "correlationId", "globalPid", "value", "bytes"), [
        (8000, 8050, 0, 7, 30, P1, 0, 64),
    ])
    nvtx = lambda **values: export.row("NVTX_EVENTS", **{"eventType": 59, "domainId": 0, "globalTid": P1 | 9, **values})
    nvtx(start=400, end=3000, text="step 1")
    nvtx(start=500, end=700, text="aten::mm, seq = 7, op_id = 11")
    nvtx(start=650, end=800, text="aten::mm, seq = 8, op_id = 12, sizes = [[2, 3]]")
    nvtx(start=300, end=9000, eventType=60, textId=export.text("request"), endGlobalTid=P2 | 3, rangeId=5)  # ends on another thread
    nvtx(start=1000, end=8000, eventType=60, textId=export.text("request"), rangeId=6)
    nvtx(start=5000, end=None, text="still open")
    nvtx(start=5100, end=None, text="a mark", eventType=34)
    nvtx(start=0, end=None, text="a domain", eventType=75, domainId=1)
    nvtx(start=0, end=0, text="not collected")
    nvtx(start=9, end=8, text="backwards")
    nvtx(start=2000, end=2200, text="CG_DISPATCH:mode=FULL:padded=8", globalTid=P2 | 3)
    nvtx(start=1000, end=1100, text="CG_DISPATCH:mode=NONE:padded=3")
    nvtx(start=2500, end=2600, text="CG_DISPATCH:mode=FULL:padded=8")
    export.db.execute(
        "INSERT INTO NVTX_EVENTS(start, end, eventType, text, globalTid, domainId) VALUES(6100, 6200, 59, CAST(X'72ff616e6765' AS TEXT), ?, 0)",
        (P1 | 9,),
    )
    export.row("DIAGNOSTIC_EVENT", timestamp=-192552305, timestampType=1, source=1, severity=2, text="Not all CUDA events were collected.")
    export.close()


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("out")
    arguments.add_argument("--schema", choices=SCHEMAS, default=SCHEMAS[-1])
    arguments.add_argument("--kernels", type=int, default=10_000)
    arguments.add_argument("--graphs", choices=("node", "graph"))
    arguments.add_argument("--names", type=int, default=400)
    arguments.add_argument("--beside", type=int, default=0, help="mebibytes of a table that no figure needs")
    wanted = arguments.parse_args()
    print(plain(wanted.out, wanted.schema, wanted.kernels, wanted.graphs, wanted.names, wanted.beside))


if __name__ == "__main__":
    main()
