import assert from "node:assert/strict";
import { test } from "node:test";
import { input, onThisNode, service, slice } from "../ruleset/rules-under-test.ts";
import { rulesetOf } from "../ruleset/ruleset.ts";
import { countsOf, deviationFrom } from "./table-counts.ts";

const shared = [onThisNode("10.244.1.2")];
const counts = countsOf(
  rulesetOf(
    input([
      { service: service("one"), slices: [slice("one", shared)] },
      { service: service("two", { clusterIP: "10.96.0.11" }), slices: [slice("two", shared)] },
    ]),
  ),
);
const chain = "service/d/one/tcp/web";

test("what two Services want is counted once", () => {
  assert.equal(counts.containers.get("hairpin-connections"), 1);
  assert.equal(counts.containers.get("service-ips"), 2);
  assert.equal(counts.containers.get("firewall-ips"), 0);
  assert.equal(counts.chains.get(chain), 1);
});

const cases = [
  { name: "what is as it was written is right", chains: [], containers: [], expect: undefined },
  { name: "parts of others may be there", chains: [["other", 3]], containers: [["clients", 9]], expect: undefined },
  { name: "a chain without its rule is found", chains: [[chain, 0]], containers: [], expect: `chain ${chain}: 0 instead of 1` },
  { name: "a rule that was added is found", chains: [[chain, 2]], containers: [], expect: `chain ${chain}: 2 instead of 1` },
  { name: "a chain that is gone is found", chains: [[chain, undefined]], containers: [], expect: `chain ${chain}: not there instead of 1` },
  { name: "a map without elements is found", chains: [], containers: [["service-ips", 0]], expect: "set service-ips: 0 instead of 2" },
] as const;
for (const { name, chains, containers, expect } of cases)
  test(`the table is looked at: ${name}`, () => {
    const changed = (before: ReadonlyMap<string, number>, changes: readonly (readonly [string, number | undefined])[]) =>
      new Map([...before, ...changes].flatMap(([key, count]) => (count === undefined ? [] : [[key, count]]) as [string, number][]));
    const found = { chains: changed(counts.chains, chains), containers: changed(counts.containers, containers) };
    for (const [key, count] of [...chains, ...containers]) if (count === undefined) found.chains.delete(key);
    assert.equal(deviationFrom(counts, found), expect);
  });
