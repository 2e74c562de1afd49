import assert from "node:assert/strict";
import { test } from "node:test";
import { input, onAnotherNode, onThisNode, service, slice } from "../ruleset/rules-under-test.ts";
import { nextRuleset, rulesetOf } from "../ruleset/ruleset.ts";
import type { ObservedService } from "../ruleset/service-rules.ts";
import { changesBetween } from "./changes.ts";
import { fullSync } from "./full-sync.ts";
import type { NftCommand } from "./table.ts";

const ip = (n: number): string => `10.${244 + (n >> 16)}.${(n >> 8) & 255}.${n & 255}`;
const many = (count: number): ObservedService[] =>
  Array.from({ length: count }, (_, n) => ({
    service: service(`s${n}`, { clusterIP: `10.96.${n >> 8}.${n & 255}` }),
    slices: [slice(`s${n}`, [onThisNode(ip(2 * n)), onAnotherNode(ip(2 * n + 1))])],
  }));

/** `add chain service/…`, without what it holds. */
const summary = (commands: readonly NftCommand[]): string[] =>
  commands.map((command) => {
    const [verb = "", what] = Object.entries(command)[0] ?? [];
    const [kind = "", { name, chain }] = Object.entries(what as Record<string, { name?: string; chain?: string }>)[0] as [
      string,
      { name?: string; chain?: string },
    ];
    return `${verb} ${kind} ${name ?? chain}`;
  });

test("a change of one Service among a thousand writes a few commands about it", () => {
  const all = many(1_000);
  const before = rulesetOf(input(all));
  assert.ok(fullSync(before, undefined).commands.length > 2_000);
  const changed = all.with(500, { service: all[500]?.service as never, slices: [slice("s500", [onAnotherNode("10.250.0.1")])] });
  const { commands, staleChains } = changesBetween(before, nextRuleset(before, input(changed), ["d/s500"]));
  assert.deepEqual(summary(commands), [
    "delete element hairpin-connections",
    "flush chain service/d/s500/tcp/web",
    "add rule service/d/s500/tcp/web",
  ]);
  assert.deepEqual(staleChains, []);
});

test("a Service that has lost its endpoints is refused, and its chain is emptied to be deleted later", () => {
  const [one] = many(1) as [ObservedService];
  const before = rulesetOf(input([one]));
  const { commands, staleChains } = changesBetween(before, rulesetOf(input([{ ...one, slices: [] }])));
  assert.deepEqual(summary(commands), [
    "delete element hairpin-connections",
    "delete element service-ips",
    "flush chain service/d/s0/tcp/web",
    "add element no-endpoint-services",
  ]);
  assert.deepEqual(staleChains, ["service/d/s0/tcp/web"]);
});

test("nothing is written for what is the same", () => {
  const before = rulesetOf(input(many(3)));
  assert.deepEqual(changesBetween(before, before).commands, []);
  assert.deepEqual(changesBetween(before, rulesetOf(input(many(3)))).commands, []);
});

test("what two Services want stays until none of them does", () => {
  const shared = [onThisNode("10.244.1.2")];
  const one = { service: service("one"), slices: [slice("one", shared)] };
  const two = { service: service("two", { clusterIP: "10.96.0.11" }), slices: [slice("two", shared)] };
  const both = rulesetOf(input([one, two]));
  const hairpins = (commands: readonly NftCommand[]) => summary(commands).filter((text) => text.includes("hairpin"));
  const withoutTwo = nextRuleset(both, input([one]), ["d/two"]);
  assert.deepEqual(hairpins(changesBetween(both, withoutTwo).commands), []);
  assert.deepEqual(hairpins(changesBetween(withoutTwo, rulesetOf(input([]))).commands), ["delete element hairpin-connections"]);
});

test("another timeout makes a new set of clients, and rules about it", () => {
  const sticky = (timeoutSeconds: number) =>
    rulesetOf(
      input([
        {
          service: service("s", { sessionAffinity: "ClientIP", sessionAffinityConfig: { clientIP: { timeoutSeconds } } }),
          slices: [slice("s", [onThisNode("10.244.1.2")])],
        },
      ]),
    );
  const set = "affinity/d/s/tcp/web/10.244.1.2/8080";
  const endpoint = "endpoint/d/s/tcp/web/10.244.1.2/8080";
  assert.deepEqual(summary(changesBetween(sticky(10), sticky(20)).commands), [
    "flush chain service/d/s/tcp/web",
    `flush chain ${endpoint}`,
    `delete set ${set}`,
    `add set ${set}`,
    "add rule service/d/s/tcp/web",
    "add rule service/d/s/tcp/web",
    `add rule ${endpoint}`,
    `add rule ${endpoint}`,
  ]);
});

test("a full sync keeps the clients of Services, and empties what is no longer wanted", () => {
  const ruleset = rulesetOf(
    input([{ service: service("s", { sessionAffinity: "ClientIP" }), slices: [slice("s", [onThisNode("10.244.1.2")])] }]),
  );
  const set = "affinity/d/s/tcp/web/10.244.1.2/8080";
  const existing = {
    chains: new Set(["service/d/gone/tcp/web"]),
    sets: new Map([
      [set, 10_800],
      ["affinity/d/gone/tcp/web/10.244.1.3/8080", 10_800],
    ]),
    maps: new Set<string>(),
  };
  const { commands, staleChains } = fullSync(ruleset, existing);
  assert.deepEqual(
    summary(commands).filter((text) => text.includes("affinity") || text.includes("gone")),
    ["flush chain service/d/gone/tcp/web", "delete set affinity/d/gone/tcp/web/10.244.1.3/8080"],
  );
  assert.deepEqual(staleChains, ["service/d/gone/tcp/web"]);
});
