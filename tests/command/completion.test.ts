/** What bash completes with the script that the command prints. */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { mainFile } from "../conformance/command-under-test.ts";

const missing = spawnSync("bash", ["--version"]).status === 0 ? false : "needs bash";

/** Completes the last of the words: bash takes them apart at spaces and equals signs. */
const complete = `source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _coxswain; printf '%s\\n' "\${COMPREPLY[@]}"`;

const folder = mkdtempSync(join(tmpdir(), "coxswain-completion-"));
const script = join(folder, "completion.bash");
before(() => writeFileSync(script, execFileSync(process.execPath, [mainFile, "completion", "bash"])));
after(() => rmSync(folder, { recursive: true }));

const cases = [
  { name: "a command", words: ["sta"], expect: ["status"] },
  { name: "an option", words: ["--data-d"], expect: ["--data-dir"] },
  { name: "an option behind another with a value", words: ["--port", "0", "--merge"], expect: ["--merge-kubeconfig"] },
  { name: "an option of a command", words: ["stop", "--time"], expect: ["--timeout"] },
  { name: "no option of another command", words: ["stop", "--merge"], expect: [""] },
  { name: "what an option can be", words: ["--runtime", "s"], expect: ["simulated"] },
  { name: "what an option of a command can be", words: ["status", "-o", ""], expect: ["text", "json"] },
  { name: "what stands behind an equals sign", words: ["--log-format", "=", "t"], expect: ["text"] },
  { name: "all of what an option can be", words: ["--output", "="], expect: ["text", "json"] },
  { name: "what a command can be given", words: ["completion", "f"], expect: ["fish"] },
  {
    name: "files",
    words: ["--kubeconfig", `${join(import.meta.dirname, "completion.t")}`],
    expect: [join(import.meta.dirname, "completion.test.ts")],
  },
  { name: "nothing for a number", words: ["--port", ""], expect: [""] },
];
for (const { name, words, expect } of cases)
  test(`bash completes ${name}`, { skip: missing }, () => {
    const { stdout, stderr } = spawnSync("bash", ["--norc", "-c", complete, "bash", script, "coxswain", ...words], { encoding: "utf8" });
    assert.deepEqual([stdout, stderr], [`${expect.join("\n")}\n`, ""]);
  });
