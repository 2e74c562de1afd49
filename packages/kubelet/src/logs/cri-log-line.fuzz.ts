/** Log files as containers' runtimes write them, or anybody who can reach the folder: lines are read as a model reads them, wherever one begins. */
import assert from "node:assert/strict";
import { closeSync, ftruncateSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@coxswain/machinery";
import { type Grammar, textFrom } from "../../../../tests/fuzz/harness/grammar.ts";
import { bytesOf, type FuzzTarget, inputOf } from "../../../../tests/fuzz/harness/target.ts";
import type { LogEntry } from "../runtime/container-streams.ts";
import { formatCriLogLine, parseCriLogLine } from "./cri-log-line.ts";
import { readCriLogs } from "./read-cri-logs.ts";

const grammar: Grammar = {
  log: ["<line>", "<line>\n", "<line>\n<log>"],
  line: ["<time> <stream> <tags> <text>", "<time> <stream> <tags>", "<text>"],
  time: [
    "2026-01-02T03:04:05.123456789Z",
    "2026-01-02T03:04:05Z",
    "2026-01-02T03:04:05.1+01:00",
    "2026-01-02T03:04:05.Z",
    "2026-01-02",
    "",
  ],
  stream: ["stdout", "stderr", "stdin", "", "stdout "],
  tags: ["F", "P", "F:x", "P:", ":P", ""],
  text: ["", "a", " a b ", "\r", "\0", "\xff\xfe", "<time>", "<text><text>", "stdout F"],
};

const model = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)) (stdout|stderr) ([^ ]*) (.*)$/s;

/** Of one line, or undefined for what is none. */
function expected(line: string): string | undefined {
  const [, time, stream, tags = "", content = ""] = model.exec(line) ?? [];
  return time === undefined ? undefined : shown([time, stream, tags.split(":")[0] === "P", content]);
}

const shown = (parts: readonly unknown[]): string => JSON.stringify(parts);
const textOf = ({ time, stream, partial, content }: LogEntry): string => shown([time, stream, partial, inputOf(content)]);
const never = new AbortController().signal;
const ended = { clock: systemClock, isRunning: () => false };

export const target: FuzzTarget = {
  name: "cri-log-lines",
  modules: ["kubelet/src/logs"],
  bytes: true,
  dictionary: [" ", "\n", "\n\n", "stdout", "stderr", " F ", " P ", "2026-01-02T03:04:05.123456789Z ", ".", "Z", "+24:60", ":"],
  seeds: ["2026-01-02T03:04:05.123456789Z stdout F text\n2026-01-02T03:04:05.2Z stderr P half", "\n\n", ""],
  generate: (random) => textFrom(grammar, "log", random),
  async open() {
    const folder = mkdtempSync(join(tmpdir(), "coxswain-fuzz-"));
    const path = join(folder, "0.log");
    const file = openSync(path, "w", 0o600);
    let tried = 0;
    return {
      async judge(input) {
        const lines = (input.endsWith("\n") ? input.slice(0, -1) : input).split("\n");
        const wanted = input === "" ? [] : lines.map(expected);
        const all = wanted.filter((line) => line !== undefined);
        const entries = lines.map((line) => parseCriLogLine(bytesOf(line))).filter((entry) => entry !== undefined);
        assert.deepEqual(entries.map(textOf), all);
        for (const entry of entries) {
          const again = parseCriLogLine(formatCriLogLine(entry).subarray(0, -1));
          assert.equal(again && textOf(again), textOf(entry), "read otherwise than it was written");
        }
        // A file costs a hundred times as much as a line.
        if (tried++ % 16 !== 0) return all.length > 0;
        ftruncateSync(file);
        writeSync(file, bytesOf(input), 0, undefined, 0);
        for (const tailLines of [undefined, 0, 1, 2, 5]) {
          const read = await Array.fromAsync(readCriLogs(path, { follow: false, tailLines }, never, ended));
          // What no line feed ends belongs to the last line.
          const complete = input.endsWith("\n") || input === "" ? wanted.length : wanted.length - 1;
          const from = tailLines === undefined ? 0 : tailLines === 0 ? wanted.length : Math.max(0, complete - tailLines);
          assert.deepEqual(
            read.map(textOf),
            wanted.slice(from).filter((line) => line !== undefined),
            `the last ${tailLines}`,
          );
        }
        return all.length > 0;
      },
      async [Symbol.asyncDispose]() {
        closeSync(file);
        rmSync(folder, { recursive: true, force: true });
      },
    };
  },
};
