/** What the proxies of Pods, Services and Nodes answer, compared with what a kube-apiserver answered to the same requests. */
import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import { promisify } from "node:util";
import { hangMs } from "@coxswain/machinery/testing";
import { acceptedDifferences } from "./accepted-differences.ts";
import { differences } from "./differences.ts";
import { requests } from "./requests.ts";
import type { Answer } from "./send.ts";

type Answers = Readonly<Record<string, Answer>>;

const recorded = JSON.parse(readFileSync(join(import.meta.dirname, "recorded.json"), "utf8")) as Answers;

function whyNot(): string | false {
  if (process.platform !== "linux") return "network namespaces need Linux";
  const { status, stderr } = spawnSync("unshare", ["--net", "ip", "link", "set", "lo", "up"], { encoding: "utf8" });
  return status === 0 ? false : `no network namespace of one's own: ${stderr}`;
}

describe("requests that are passed on", { skip: whyNot(), timeout: hangMs }, () => {
  let answers: Answers = {};
  before(async () => {
    const inside = ["--net", process.execPath, join(import.meta.dirname, "inside.ts")];
    answers = JSON.parse((await promisify(execFile)("unshare", inside, { maxBuffer: 64 << 20 })).stdout) as Answers;
  });

  test("each has been recorded", () => assert.deepEqual(Object.keys(recorded), [...new Set(requests.map(({ name }) => name))]));

  for (const { name } of requests)
    test(name, () => {
      const accepted = acceptedDifferences.filter(({ requests: those }) => those.test(name));
      const found = differences(recorded[name], answers[name]);
      const unexpected = found.filter((field) => !accepted.some(({ fields }) => fields.test(field)));
      assert.deepEqual(unexpected, [], JSON.stringify({ recorded: recorded[name], answered: answers[name] }, null, 1));
    });

  for (const { requests: those, fields, reason } of acceptedDifferences)
    test(`there is a difference because ${reason}`, () => {
      const names = Object.keys(recorded).filter((name) => those.test(name));
      assert.ok(names.some((name) => differences(recorded[name], answers[name]).some((field) => fields.test(field))));
    });
});
