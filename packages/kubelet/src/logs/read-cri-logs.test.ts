import assert from "node:assert/strict";
import { appendFile, mkdtemp, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { systemClock } from "@coxswain/machinery";
import type { LogEntry } from "../runtime/container-streams.ts";
import { formatCriLogLine, parseCriLogLine } from "./cri-log-line.ts";
import { readCriLogs } from "./read-cri-logs.ts";

const time = "2026-01-02T03:04:05.000000001Z";
const entry = (text: string, partial = false): LogEntry => ({ time, stream: "stdout", partial, content: new TextEncoder().encode(text) });
const line = (text: string) => Buffer.from(formatCriLogLine(entry(text)));
const textOf = ({ content }: LogEntry) => new TextDecoder().decode(content);
const quiet = new AbortController().signal;
const ended = { clock: systemClock, isRunning: () => false };

async function withLog(content: string | Uint8Array, use: (path: string) => Promise<void>): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), "logs-"));
  try {
    await writeFile(join(directory, "0.log"), content);
    await use(join(directory, "0.log"));
  } finally {
    await rm(directory, { recursive: true });
  }
}

const lines = (count: number) => Buffer.concat(Array.from({ length: count }, (_, i) => line(`line ${i}`)));

test("a line is read as it was written", () => {
  for (const text of ["", "a b  c", " leading", "ä\tb"]) {
    for (const partial of [false, true]) {
      const given = entry(text, partial);
      const written = formatCriLogLine(given);
      assert.deepEqual(parseCriLogLine(written.subarray(0, -1)), given);
    }
  }
});

test("what no runtime writes is no line", () => {
  for (const text of ["", "x", `${time} stdout`, `${time} stdin F a`, "yesterday stdout F a", `${time}  stdout F a`])
    assert.equal(parseCriLogLine(new TextEncoder().encode(text)), undefined, text);
});

const tails = [
  { name: "all of it", total: 3, tailLines: undefined, expect: ["line 0", "line 1", "line 2"] },
  { name: "the last two", total: 3, tailLines: 2, expect: ["line 1", "line 2"] },
  { name: "more than there are", total: 2, tailLines: 9, expect: ["line 0", "line 1"] },
  { name: "none", total: 2, tailLines: 0, expect: [] },
  { name: "the last two of many blocks", total: 5000, tailLines: 2, expect: ["line 4998", "line 4999"] },
];
for (const { name, total, tailLines, expect } of tails) {
  test(`reads ${name}`, () =>
    withLog(lines(total), async (path) => {
      const read = await Array.fromAsync(readCriLogs(path, { follow: false, tailLines }, quiet, ended));
      assert.deepEqual(read.map(textOf), expect);
    }));
}

test("reads as many lines from the end as asked, wherever blocks begin", () =>
  withLog(lines(3000), async (path) => {
    for (const tailLines of [1, 399, 400, 401, 1500, 2999, 3000]) {
      const read = await Array.fromAsync(readCriLogs(path, { follow: false, tailLines }, quiet, ended));
      assert.equal(read.length, tailLines);
      assert.equal(textOf(read[0] as LogEntry), `line ${3000 - tailLines}`);
    }
  }));

test("an incomplete line is read once it is complete, or once the log has ended", () =>
  withLog(`${time} stdout F half`, async (path) => {
    let running = true;
    const follow = readCriLogs(path, { follow: true, tailLines: undefined }, quiet, { clock: systemClock, isRunning: () => running });
    const next = follow.next();
    await appendFile(path, ` and whole\n${time} stderr P cut`);
    assert.equal(textOf((await next).value as LogEntry), "half and whole");
    const last = follow.next();
    running = false;
    await appendFile(path, " off");
    const { content, ...rest } = (await last).value as LogEntry;
    assert.deepEqual(rest, { time, stream: "stderr", partial: true });
    assert.match(new TextDecoder().decode(content), /^cut/);
    await follow.return(undefined);
  }));

test("follows over a rotation without losing a line", () =>
  withLog(line("a"), async (path) => {
    let running = true;
    const follow = readCriLogs(path, { follow: true, tailLines: undefined }, quiet, { clock: systemClock, isRunning: () => running });
    assert.equal(textOf((await follow.next()).value as LogEntry), "a");
    const next = follow.next();
    await appendFile(path, line("b"));
    await rename(path, `${path}.20260102-030405`);
    await writeFile(path, line("c"));
    const read = [textOf((await next).value as LogEntry)];
    running = false;
    for await (const one of follow) read.push(textOf(one));
    assert.deepEqual(read, ["b", "c"]);
  }));

test("ends when aborted while it waits", () =>
  withLog("", async (path) => {
    const stop = new AbortController();
    const follow = readCriLogs(path, { follow: true, tailLines: undefined }, stop.signal, { clock: systemClock, isRunning: () => true });
    const next = follow.next();
    stop.abort();
    assert.equal((await next).done, true);
  }));

test("leaves out lines that are no runtime's, also endless ones", () =>
  withLog(Buffer.concat([line("a"), Buffer.alloc(3 << 20, 0x78), Buffer.from("\nnonsense\n"), line("b")]), async (path) => {
    const read = await Array.fromAsync(readCriLogs(path, { follow: false, tailLines: undefined }, quiet, ended));
    assert.deepEqual(read.map(textOf), ["a", "b"]);
  }));

test("says that there is no log", async () => {
  const reading = readCriLogs(join(tmpdir(), "no-such.log"), { follow: false, tailLines: undefined }, quiet, ended).next();
  await assert.rejects(reading, { name: "RuntimeError", kind: "notFound" });
});

test("a link in the place of a log is not followed", () =>
  withLog(line("of another"), async (path) => {
    await rename(path, `${path}.other`);
    await symlink(`${path}.other`, path);
    await assert.rejects(Array.fromAsync(readCriLogs(path, { follow: false, tailLines: undefined }, quiet, ended)), /ELOOP/);
  }));
