/** Whatever happens in the cluster, a Pod that fits somewhere does not stay behind: no event is missed that could help it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type api, type Client, nodes, pods, startControllers } from "@coxswain/client";
import { createScheduler, defaultProfile } from "@coxswain/scheduler";
import { everyFault, type FaultRule, FaultScript, seededRandom, startCluster, virtualClock } from "coxswain/testing";
import fc from "fast-check";
import { addNode, pod } from "./scheduler-under-test.ts";

type Node = api.coreV1.Node;
type Pod = api.coreV1.Pod;

const nodeNames = ["n1", "n2", "n3"];
const podNames = Array.from({ length: 8 }, (_, i) => `p${i}`);
const zones = ["a", "b"];

type Step =
  | { readonly do: "add node"; readonly node: string; readonly cpu: number; readonly zone: string }
  | { readonly do: "delete node" | "cordon" | "uncordon" | "taint" | "untaint"; readonly node: string }
  | { readonly do: "resize" | "relabel"; readonly node: string; readonly cpu: number; readonly zone: string }
  | { readonly do: "add pod"; readonly pod: string; readonly cpu: number; readonly zone: string | undefined; readonly alone: boolean }
  | { readonly do: "delete pod"; readonly pod: string }
  | { readonly do: "wait"; readonly seconds: number };

const node = fc.constantFrom(...nodeNames);
const name = fc.constantFrom(...podNames);
const cpu = fc.constantFrom(1, 2, 3);
const zone = fc.constantFrom(...zones);
const step: fc.Arbitrary<Step> = fc.oneof(
  { arbitrary: fc.record({ do: fc.constant("add node" as const), node, cpu, zone }), weight: 3 },
  fc.record({
    do: fc.constantFrom("delete node" as const, "cordon" as const, "uncordon" as const, "taint" as const, "untaint" as const),
    node,
  }),
  fc.record({ do: fc.constantFrom("resize" as const, "relabel" as const), node, cpu, zone }),
  {
    arbitrary: fc.record({
      do: fc.constant("add pod" as const),
      pod: name,
      cpu,
      zone: fc.option(zone, { nil: undefined }),
      alone: fc.boolean(),
    }),
    weight: 6,
  },
  { arbitrary: fc.record({ do: fc.constant("delete pod" as const), pod: name }), weight: 2 },
  { arbitrary: fc.record({ do: fc.constant("wait" as const), seconds: fc.constantFrom(0, 1, 5, 40) }), weight: 2 },
);

const apart = { topologyKey: "kubernetes.io/hostname", labelSelector: { matchLabels: { kind: "alone" } } };

const specOf = ({ zone, alone }: { readonly zone: string | undefined; readonly alone: boolean }): Partial<NonNullable<Pod["spec"]>> => ({
  ...(zone === undefined ? {} : { nodeSelector: { zone } }),
  ...(alone ? { affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [apart] } } } : {}),
});

/** Nothing that is not there can be changed. */
const ifThere = (work: Promise<unknown>): Promise<unknown> => work.catch(() => undefined);

async function take(client: Client, step: Exclude<Step, { readonly do: "wait" }>): Promise<unknown> {
  const all = client.resource(nodes);
  const change = (node: string, fn: (node: Node) => Node): Promise<unknown> => ifThere(all.modify(node, fn));
  const withSpec = (node: string, spec: Partial<NonNullable<Node["spec"]>>) =>
    change(node, (one) => ({ ...one, spec: { ...one.spec, ...spec } }));
  switch (step.do) {
    case "add node":
      return await ifThere(addNode(client, step.node, String(step.cpu), { zone: step.zone }));
    case "delete node":
      return await ifThere(all.delete(step.node));
    case "cordon":
      return await withSpec(step.node, { unschedulable: true });
    case "uncordon":
      return await withSpec(step.node, { unschedulable: false, taints: [] });
    case "taint":
      return await withSpec(step.node, { taints: [{ key: "k", effect: "NoSchedule" }] });
    case "untaint":
      return await withSpec(step.node, { taints: [] });
    case "relabel":
      return await change(step.node, (one) => ({
        ...one,
        metadata: { ...one.metadata, labels: { ...one.metadata?.labels, zone: step.zone } },
      }));
    case "resize": {
      const allocatable = { cpu: String(step.cpu), memory: "8Gi", pods: "110" };
      const resized = (one: Node): Node => ({ ...one, status: { ...one.status, allocatable } });
      return await ifThere(all.modify(step.node, resized, { subresource: "status" }));
    }
    case "add pod":
      return await ifThere(
        client.resource(pods).create(pod(step.pod, String(step.cpu), specOf(step), step.alone ? { kind: "alone" } : {})),
      );
    case "delete pod":
      return await ifThere(client.resource(pods).delete(step.pod, { gracePeriodSeconds: 0 }));
  }
}

const cpuOf = ({ spec }: Pod): number => Number(spec?.containers[0]?.resources?.requests?.cpu ?? 0);
const isAlone = ({ metadata }: Pod): boolean => metadata?.labels?.kind === "alone";

function fits(one: Pod, { metadata, spec, status }: Node, there: readonly Pod[]): boolean {
  if (spec?.unschedulable === true || (spec?.taints?.length ?? 0) > 0) return false;
  const zone = one.spec?.nodeSelector?.zone;
  if (zone !== undefined && metadata?.labels?.zone !== zone) return false;
  if (isAlone(one) && there.some(isAlone)) return false;
  const used = there.reduce((sum, other) => sum + cpuOf(other), 0);
  return used + cpuOf(one) <= Number(status?.allocatable?.cpu ?? 0);
}

/** @throws AssertionError naming the Pod that has stayed behind */
async function checkNoneIsLeft(client: Client): Promise<void> {
  const [{ items: allPods }, { items: allNodes }] = await Promise.all([client.resource(pods).list(), client.resource(nodes).list()]);
  for (const one of allPods) {
    if (one.spec?.nodeName) continue;
    const free = allNodes.filter((node) =>
      fits(
        one,
        node,
        allPods.filter(({ spec }) => spec?.nodeName === node.metadata?.name),
      ),
    );
    assert.deepEqual(
      free.map(({ metadata }) => metadata?.name),
      [],
      `${one.metadata?.name} (${cpuOf(one)} CPU) waits, and could be there`,
    );
  }
}

/** Requests that fail, or whose answers are lost: one in five of the first hundred. */
function faultsOf(seed: number): FaultScript {
  const random = seededRandom(seed);
  const chosen = ["conflict", "unavailable", "lose-request", "lose-answer"].flatMap((name) => everyFault[name] ?? []);
  const rules = Array.from({ length: 100 }, (_, i): FaultRule[] => {
    const fault = chosen[Math.floor(random.next() * chosen.length * 5)];
    return fault === undefined ? [] : [{ fault, step: i + 1 }];
  });
  return new FaultScript(rules.flat(), { seed });
}

const cases = [
  { name: "nothing goes wrong", faulty: false, numRuns: 40 },
  { name: "much goes wrong", faulty: true, numRuns: 25 },
];
for (const { name, faulty, numRuns } of cases)
  test(`a Pod that fits somewhere is placed without waiting for the flush: ${name}`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), fc.nat(1000), async (steps, seed) => {
        await using cluster = await startCluster({ clock: virtualClock({ autoAdvance: true }), seed: seed + 1 });
        const faults = faulty ? faultsOf(seed) : undefined;
        const client = cluster.clientFor({ name: "scheduler" }, faults === undefined ? {} : { faults });
        const scheduler = createScheduler({ profiles: [defaultProfile()] });
        await using _running = startControllers([scheduler], { client, component: "default-scheduler" });
        await scheduler.ready;
        for (const one of steps) {
          if (one.do === "wait") await cluster.advance({ seconds: one.seconds });
          else await take(cluster.client, one);
        }
        // Pauses are of eleven seconds at most; the flush comes after five minutes.
        await cluster.advance({ seconds: faulty ? 120 : 15 });
        await checkNoneIsLeft(cluster.client);
      }),
      { numRuns },
    );
  });
