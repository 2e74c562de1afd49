import assert from "node:assert/strict";
import { test } from "node:test";
import { readRecords, recordOf, skipping, summary } from "./results.ts";
import { SpecLog, type SpecResult } from "./spec-log.ts";

/** As Ginkgo writes it. */
const log = `Running Suite: Kubernetes e2e suite - /x
=======================================

Will run 4 of 7579 specs
------------------------------
[ReportBeforeSuite] 
/x/test/e2e/e2e_test.go:156
[ReportBeforeSuite] PASSED [0.000 seconds]
------------------------------
SSSSS
------------------------------
[sig-apps] A thing (of two)  passes [Conformance] [sig-apps, Conformance]
/x/gk_test.go:6
  STEP: doing it @ 11/28/26 09:08:39.677
• [2.512 seconds]
------------------------------
SS
------------------------------
[sig-node] A thing fails [LinuxOnly] [sig-node, Conformance]
/x/gk_test.go:7
  STEP: doing it @ 11/28/26 09:08:39.677
  [FAILED] in [It] - /x/gk_test.go:7 @ 11/28/26 09:08:39.677
• [FAILED] [61.200 seconds]
[sig-node] A thing [It] fails [LinuxOnly] [sig-node, Conformance]
/x/gk_test.go:7

  [FAILED] timed out after 60 s
  Expected
    <int>: 1
  In [It] at: /go/k8s.io/kubernetes@v1.36.3/test/e2e/node/gk.go:7 @ 11/28/26 09:08:39.677

  There were additional failures detected.
------------------------------
[sig-apps] A thing skips itself [sig-apps]
/x/gk_test.go:9
S [SKIPPED] [0.000 seconds]
[sig-apps] A thing [It] skips itself [sig-apps]
/x/gk_test.go:9

  [SKIPPED] not here
  In [It] at: /x/gk_test.go:9 @ 11/28/26 09:08:39.677
------------------------------
[sig-apps] A thing panics [sig-apps, Feature:X]
/x/gk_test.go:8
• [PANICKED] [0.100 seconds]
[sig-apps] A thing [It] panics [sig-apps, Feature:X]
/x/gk_test.go:8

  [PANICKED] Test Panicked
  In [It] at: /x/gk_test.go:8 @ 11/28/26 09:08:39.677

  oh
------------------------------

Ran 3 of 7579 Specs in 0.011 seconds
FAIL! -- 1 Passed | 2 Failed | 0 Pending | 2 Skipped`;

const passed = { name: "[sig-apps] A thing (of two)  passes [Conformance]", passed: true, seconds: 2.512, message: "", place: "" };
const failed = {
  name: "[sig-node] A thing fails [LinuxOnly]",
  passed: false,
  seconds: 61.2,
  message: "timed out after 60 s",
  place: "test/e2e/node/gk.go:7, log.txt:23",
};
const panicked = {
  name: "[sig-apps] A thing panics",
  passed: false,
  seconds: 0.1,
  message: "Test Panicked",
  place: "/x/gk_test.go:8, log.txt:45",
};

/** As several processes write it: what a spec has said, once it has ended. */
const logOfSeveral = `Running Suite: Kubernetes e2e suite - /x
Will run 3 of 7579 specs
Running in parallel across 4 processes
------------------------------
• [2.512 seconds]
[sig-apps] A thing (of two)  passes [Conformance] [sig-apps, Conformance]
/x/gk_test.go:6

  STEP: doing it @ 11/28/26 09:08:39.677
------------------------------
• [FAILED] [61.200 seconds]
[sig-node] A thing [It] fails [LinuxOnly] [sig-node, Conformance]
/x/gk_test.go:7

  STEP: doing it @ 11/28/26 09:08:39.677
  [FAILED] in [It] - /x/gk_test.go:7 @ 11/28/26 09:08:39.677
  [FAILED] timed out after 60 s
  In [It] at: /go/k8s.io/kubernetes@v1.36.3/test/e2e/node/gk.go:7 @ 11/28/26 09:08:39.677
------------------------------

Ran 2 of 7579 Specs in 0.011 seconds`;

function read(text: string): { readonly results: readonly SpecResult[]; readonly reader: SpecLog } {
  const reader = new SpecLog("log.txt");
  return { results: text.split("\n").flatMap((line) => reader.read(line) ?? []), reader };
}

test("specs are read from the log as they end, with why and where they failed", () => {
  const { results, reader } = read(log);
  assert.deepEqual(results, [passed, failed, panicked]);
  assert.deepEqual([reader.planned, reader.hasEnded], [4, true]);
});

test("a log that ends within a spec has those before it, and has not ended", () => {
  const cut = log.slice(0, log.indexOf("  [FAILED] timed out"));
  const { results, reader } = read(cut);
  assert.deepEqual([results, reader.hasEnded], [[passed], false]);
  assert.deepEqual(read(`${cut}${"-".repeat(30)}`).results[1], { ...failed, message: "", place: "log.txt:23" });
});

const endedAt = new Date("2026-11-28T09:08:39.677Z");

test("each result is a line, read again as it was, and the last one of a spec counts", () => {
  const records = [passed, failed, panicked].map((result) => recordOf(result, endedAt)).join("");
  assert.equal(records.split("\n")[0], `2026-11-28T09:08:39Z passed after 2.5 s: ${passed.name}`);
  assert.deepEqual(readRecords(records), [{ ...passed, seconds: 2.5 }, failed, panicked]);
  assert.deepEqual(readRecords(`${records}2026-11-28T09:08:39Z passed after 1`), readRecords(records));
  const again = recordOf({ ...failed, passed: true }, endedAt);
  assert.deepEqual(readRecords(records + again)[1], { ...failed, passed: true, message: "", place: "" });
});

test("what has passed is left out by its whole name", () => {
  assert.deepEqual(skipping([passed, failed]), [
    "--ginkgo.skip=\\[sig-apps\\]\\s+A\\s+thing\\s+\\(of\\s+two\\)\\s+passes\\s+\\[Conformance\\]\\s*$",
  ]);
});

test("the summary says by group what failed, why and where", () => {
  assert.deepEqual(summary([passed, failed, panicked]).split("\n"), [
    "sig-apps: 1 of 2 passed",
    `  failed after 0 s: ${panicked.name}`,
    "    Test Panicked",
    "    /x/gk_test.go:8, log.txt:45",
    "sig-node: 0 of 1 passed",
    `  failed after 61 s: ${failed.name}`,
    "    timed out after 60 s",
    "    test/e2e/node/gk.go:7, log.txt:23",
    "1 of 3 specs passed",
  ]);
});

test("specs of several processes are read with the names that follow how they ended", () => {
  const { results, reader } = read(logOfSeveral);
  assert.deepEqual(results, [passed, { ...failed, place: "test/e2e/node/gk.go:7, log.txt:11" }]);
  assert.deepEqual([reader.planned, reader.hasEnded], [3, true]);
});
