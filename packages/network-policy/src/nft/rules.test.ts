import assert from "node:assert/strict";
import { test } from "node:test";
import { ipFamilies } from "@coxswain/proxy";
import fc from "fast-check";
import { policyPod } from "../contracts/policy-pod.ts";
import type { PolicyTable } from "../contracts/policy-table.ts";
import { nodeRules } from "../rules/pod-rules.ts";
import { readPolicy } from "../rules/read-policy.ts";
import { changesBetween, deleteChains, wholeTable } from "./changes.ts";
import { type Cluster, clusters, mayPass, packets } from "./cluster-under-test.ts";
import { KernelTable, type Packet } from "./kernel-under-test.ts";
import { policyTable } from "./rules.ts";

/** Of both families, at node n1. */
function tablesOf({ namespaces, pods, policies }: Cluster): readonly PolicyTable[] {
  const rules = nodeRules({
    nodeName: "n1",
    pods: pods.flatMap((pod) => policyPod(pod) ?? []),
    namespaces: new Map(namespaces.map(({ metadata }) => [metadata?.name ?? "", metadata?.labels ?? {}])),
    policies: policies.map(readPolicy),
  });
  return ipFamilies.map((family) => policyTable(family, rules, { IPv4: [], IPv6: [] }));
}

const written = (tables: readonly PolicyTable[]): readonly KernelTable[] =>
  tables.map((table) => {
    const kernel = new KernelTable();
    kernel.run(wholeTable(table));
    return kernel;
  });

const kernelOf = ([ipv4, ipv6]: readonly KernelTable[], { to }: Packet): KernelTable => (to.includes(":") ? ipv6 : ipv4) as KernelTable;

const numRuns = Number(process.env.COXSWAIN_RUNS ?? 300);

test("the rules let through what the policies allow, and nothing else", () => {
  fc.assert(
    fc.property(clusters, fc.array(packets, { minLength: 20, maxLength: 40 }), (cluster, sent) => {
      const kernels = written(tablesOf(cluster));
      for (const packet of sent) assert.equal(kernelOf(kernels, packet).accepts(packet), mayPass(cluster, packet), JSON.stringify(packet));
    }),
    { numRuns },
  );
});

test("from any rules to any others by what differs comes to the same as writing all", () => {
  fc.assert(
    fc.property(clusters, clusters, fc.array(packets, { minLength: 20, maxLength: 20 }), (first, second, sent) => {
      // Most of what is there stays, as it mostly does.
      const next: Cluster = { ...first, policies: [...first.policies.slice(1), ...second.policies.slice(0, 1)], pods: second.pods };
      const before = tablesOf(first);
      const kernels = written(before);
      const after = tablesOf(next);
      for (const [at, table] of after.entries()) {
        const { commands, staleChains } = changesBetween(before[at] as PolicyTable, table);
        kernels[at]?.run(commands);
        kernels[at]?.run(deleteChains(table.family, staleChains));
        assert.deepEqual(kernels[at]?.names, written([table])[0]?.names);
      }
      for (const packet of sent) assert.equal(kernelOf(kernels, packet).accepts(packet), mayPass(next, packet), JSON.stringify(packet));
    }),
    { numRuns },
  );
});
