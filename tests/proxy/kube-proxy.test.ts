/** Connections of four places to every address of Services of many shapes come to the same as with kube-proxy 1.36.3 (recorded.json). */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { startNetwork, whyNoNetwork } from "./network.ts";
import { type Outcomes, outcomesOf } from "./outcomes.ts";
import { writeRules } from "./own-rules.ts";
import { shapes } from "./shapes.ts";

const skip = whyNoNetwork() ?? false;

test("Services of all shapes are reached, refused and dropped as with kube-proxy", { skip }, async () => {
  const before = namespacesAndLinks();
  {
    await using network = await startNetwork("shapes");
    await writeRules(network, shapes);
    const recorded = JSON.parse(readFileSync(join(import.meta.dirname, "recorded.json"), "utf8")) as Outcomes;
    const outcomes = await outcomesOf(network, shapes);
    assert.ok(Object.keys(recorded).length >= 60);
    for (const [name, expected] of Object.entries(recorded)) assert.deepEqual({ [name]: outcomes[name] }, { [name]: expected });
    assert.deepEqual(Object.keys(outcomes).sort(), Object.keys(recorded).sort());
  }
  assert.deepEqual(namespacesAndLinks(), before);
});

/** What could be left behind on the machine. */
function namespacesAndLinks(): readonly string[] {
  const ofThisTest = (line: string): boolean => line.includes(`cxp-${process.pid}-`) || /\b(uplink|pod-a|pod-b|pod-remote)\b/.test(line);
  const lines = [
    ["netns", "list"],
    ["-o", "link"],
  ].flatMap((args) => execFileSync("ip", args, { encoding: "utf8" }).split("\n"));
  return lines.filter(ofThisTest);
}
