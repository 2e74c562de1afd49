import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, suite, test } from "node:test";
import { fileURLToPath } from "node:url";
import { crc32, zstdCompressSync } from "node:zlib";
import { hangMs } from "@coxswain/machinery/testing";
import fc from "fast-check";
import { propertyRuns } from "../../../../tests/scope.ts";
import { magic, type RecordingBody, RecordingError, type RecordingHeader } from "./format.ts";
import { RecordingReader } from "./recording-reader.ts";
import { RecordingWriter } from "./recording-writer.ts";

const header: RecordingHeader = {
  kind: "header",
  ...{ coxswain: "0.1.0", made: "2026-01-01T00:00:00.000Z", source: "test", time: "virtual", reason: "a test", secrets: "redacted" },
  from: { resourceVersion: 7, time: "2026-01-01T00:00:00.000Z" },
};
const end = { resourceVersion: 100_000, time: "2026-01-01T00:01:00.000Z" };
const change = (resourceVersion: number, text = ""): RecordingBody => ({
  kind: "change",
  ...{ resourceVersion, time: 1_767_225_600_000 + resourceVersion, operation: "create", by: { user: "max", verb: "create" } },
  ref: { group: "", version: "v1", resource: "configmaps", kind: "ConfigMap", namespace: "default", name: `map-${resourceVersion}` },
  object: { kind: "ConfigMap", apiVersion: "v1", metadata: { name: `map-${resourceVersion}` }, data: { text } },
});

suite("the file of a recording", () => {
  const folder = mkdtempSync(join(tmpdir(), "coxswain-recording-"));
  after(() => rmSync(folder, { recursive: true }));
  let files = 0;
  const newPath = (): string => join(folder, `${++files}.cox`);

  function written(parts: readonly (readonly RecordingBody[])[], isEnded = true): string {
    const path = newPath();
    using writer = new RecordingWriter(path, header);
    for (const records of parts) {
      for (const record of records) writer.write(record);
      writer.flush();
    }
    if (isEnded) writer.end(end);
    return path;
  }
  function withBytes(bytes: Uint8Array): string {
    const path = newPath();
    writeFileSync(path, bytes);
    return path;
  }
  function read(path: string) {
    using reader = new RecordingReader(path);
    const records = [...reader.records()];
    return { header: reader.header, records, ending: reader.ending };
  }
  const part = (text: string, { length = Buffer.byteLength(text) } = {}): Uint8Array => {
    const compressed = zstdCompressSync(Buffer.from(text));
    const head = Buffer.alloc(12);
    head.writeUInt32LE(compressed.byteLength, 0);
    head.writeUInt32LE(length, 4);
    head.writeUInt32LE(crc32(compressed), 8);
    return Buffer.concat([head, compressed]);
  };
  const lines = (...records: readonly object[]): string => records.map((record) => `${JSON.stringify(record)}\n`).join("");
  const made = (...parts: readonly Uint8Array[]): string => withBytes(Buffer.concat([Buffer.from(magic), ...parts]));

  test("has what was written, is for its owner alone, and takes no other file's place", () => {
    const records = [change(8), change(9, "ä\u2028\n"), change(9)];
    const path = written([records]);
    const found = read(path);
    assert.deepEqual(found.header, header);
    assert.deepEqual(found.records, records);
    assert.deepEqual(found.ending, { kind: "end", records: 4, ...end });
    assert.equal(statSync(path).mode & 0o777, 0o600);
    assert.throws(() => new RecordingWriter(path, header), { name: "RecordingError", message: `${path} is there already` });
  });

  test("is read up to its last whole part wherever it ends", () => {
    const parts = [[change(8), change(9)], [change(10)], [change(11, "x".repeat(2_000))]];
    const bytes = readFileSync(written(parts));
    const counts = new Set<number>();
    for (let length = 0; length < bytes.byteLength; length++) {
      const path = withBytes(bytes.subarray(0, length));
      try {
        const { records, ending } = read(path);
        assert.equal(ending, "truncated");
        assert.deepEqual(records, parts.flat().slice(0, records.length));
        counts.add(records.length);
      } catch (error) {
        // Without its first bytes and its header it is no recording yet.
        assert.ok(error instanceof RecordingError && counts.size === 0, `at ${length}: ${error}`);
      }
    }
    assert.deepEqual([...counts], [0, 2, 3, 4]);
  });

  test("is refused when a byte of it is another one", () => {
    const parts = [[change(8), change(9)], [change(10)]];
    const bytes = readFileSync(written(parts));
    fc.assert(
      fc.property(fc.nat(bytes.byteLength - 1), fc.integer({ min: 1, max: 255 }), (place, difference) => {
        const damaged = Buffer.from(bytes);
        damaged[place] = (damaged[place] ?? 0) ^ difference;
        const path = withBytes(damaged);
        let found: ReturnType<typeof read> | undefined;
        try {
          found = read(path);
        } catch (error) {
          assert.ok(error instanceof RecordingError, String(error));
          assert.ok(error.message.startsWith(path));
          return;
        }
        // A length that is larger than the rest is one of a file that was not written to its end.
        assert.equal(found.ending, "truncated");
        assert.deepEqual(found.records, parts.flat().slice(0, found.records.length));
      }),
      { numRuns: propertyRuns(400) },
    );
  });

  const headerPart = part(lines(header));
  const cases: readonly { readonly name: string; readonly path: () => string; readonly message: RegExp }[] = [
    { name: "what is none", path: () => withBytes(Buffer.from("{}")), message: /is no recording of coxswain$/ },
    {
      name: "a newer format",
      path: () => withBytes(Buffer.from("coxswain recording 2\n…")),
      message: /of format 2, which a newer coxswain/,
    },
    { name: "a directory", path: () => folder, message: /cannot be read/ },
    { name: "a missing file", path: () => join(folder, "none"), message: /none cannot be read: ENOENT/ },
    { name: "no header", path: () => made(part(lines(change(8)))), message: /it has no header/ },
    { name: "two headers", path: () => made(headerPart, part(lines(header))), message: /two headers/ },
    {
      name: "a part that is larger than it says",
      path: () => made(headerPart, part(`${" ".repeat(50_000_000)}\n`, { length: 100 })),
      message: /part 2 is damaged: it cannot be decompressed/,
    },
    {
      name: "a part that says it is huge",
      path: () => made(headerPart, part("{}\n", { length: 2 ** 31 })),
      message: /larger than any part/,
    },
    {
      name: "a part that is smaller than it says",
      path: () => made(headerPart, part("{}\n", { length: 4 })),
      message: /not as long as it says/,
    },
    { name: "a line without an end", path: () => made(headerPart, part("{}")), message: /a line has no end/ },
    { name: "what is no JSON", path: () => made(headerPart, part("{\n")), message: /cannot be read as a recording/ },
    {
      name: "JSON without a bottom",
      path: () => made(headerPart, part(`${"[".repeat(100_000)}\n`)),
      message: /cannot be read as a recording/,
    },
    { name: "a list", path: () => made(headerPart, part("[]\n")), message: /a record is no object/ },
    { name: "revisions that go back", path: () => made(headerPart, part(lines(change(9), change(8)))), message: /8 comes behind 9/ },
    {
      name: "a revision beyond all",
      path: () => made(headerPart, part(lines(change(2 ** 50)))),
      message: /resourceVersion is larger than any/,
    },
    {
      name: "a name that is a path",
      path: () => made(headerPart, part(lines({ ...change(8), ref: { ...refOf(change(8)), name: "../x" } }))),
      message: /"\.\.\/x" cannot be a name/,
    },
    {
      name: "a resource of two words",
      path: () => made(headerPart, part(lines({ ...change(8), ref: { ...refOf(change(8)), resource: "a/b" } }))),
      message: /cannot be a resource/,
    },
    {
      name: "a change without an object",
      path: () => made(headerPart, part(lines({ ...change(8), object: undefined }))),
      message: /object is no object/,
    },
    {
      name: "another count",
      path: () => made(headerPart, part(lines({ kind: "end", records: 7, ...end }))),
      message: /it has 1 records, and not 7/,
    },
    {
      name: "more behind its end",
      path: () => made(headerPart, part(lines({ kind: "end", records: 1, ...end }, change(8)))),
      message: /goes on behind its end/,
    },
  ];
  for (const { name, path, message } of cases)
    test(`refuses ${name}`, () => {
      const file = path();
      assert.throws(
        () => read(file),
        (error: Error) => error instanceof RecordingError && message.test(error.message) && error.message.length < 500,
      );
    });

  test("passes over records that it does not know, and names that are prototypes' are names", () => {
    const odd =
      '{"kind":"change","resourceVersion":8,"time":1,"operation":"create","by":{},"ref":{"group":"","version":"v1","resource":"configmaps","kind":"ConfigMap","namespace":"default","name":"a"},"object":{"metadata":{"name":"a"},"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}}\n';
    const { records } = read(made(headerPart, part(`{"kind":"later"}\n${odd}`)));
    assert.equal(records.length, 1);
    assert.equal(({} as { polluted?: boolean }).polluted, undefined);
    assert.equal((records[0] as { polluted?: boolean }).polluted, undefined);
  });

  test("whoever is killed in the midst of writing leaves what was whole", { timeout: hangMs }, async () => {
    for (const lines of [1, 40]) {
      const path = newPath();
      const child = spawn(process.execPath, [fileURLToPath(new URL("./kill-recorder.ts", import.meta.url)), path], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      let flushed = 0;
      child.stdout.on("data", (chunk: Buffer) => {
        flushed += chunk.toString().split("\n").length - 1;
        if (flushed >= lines) child.kill("SIGKILL");
      });
      const [, signal] = await once(child, "exit");
      assert.equal(signal, "SIGKILL");
      const { records, ending } = read(path);
      assert.equal(ending, "truncated");
      assert.ok(records.length >= flushed * 100);
      assert.deepEqual(
        records.map((record) => (record as { resourceVersion: number }).resourceVersion),
        Array.from(records, (_, i) => 8 + i),
      );
    }
  });
});

const refOf = (record: RecordingBody) => (record as { ref: object }).ref;
