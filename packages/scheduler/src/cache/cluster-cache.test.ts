import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { newNodeInfo } from "../framework/new-node-info.ts";
import { newPodInfo } from "../framework/new-pod-info.ts";
import type { Node, NodeInfo } from "../framework/node-info.ts";
import type { Pod } from "../framework/pod-info.ts";
import { ClusterCache } from "./cluster-cache.ts";

const nodeNames = ["n1", "n2", "n3"];

const nodeObject = (name: string, cpu: number, zone: string, image: string): Node => ({
  metadata: { name, labels: { "topology.kubernetes.io/zone": zone } },
  status: { allocatable: { cpu: String(cpu), pods: "10" }, images: [{ names: [image], sizeBytes: 7 }] },
});

const podObject = (id: number, cpu: number, nodeName: string | undefined): Pod => ({
  metadata: { name: `p${id}`, namespace: "default", uid: String(id), labels: { cpu: String(cpu) } },
  spec: {
    containers: [
      {
        name: "c",
        resources: { requests: { cpu: `${cpu}m`, "example.com/gpu": "1" } },
        ports: [{ containerPort: 1, hostPort: 1000 + id }],
      },
    ],
    volumes: [{ name: "v", persistentVolumeClaim: { claimName: `c${id % 2}` } }],
    ...(id % 3 === 0 ? { affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [anyOther] } } } : {}),
    ...(nodeName === undefined ? {} : { nodeName }),
  },
});

const anyOther = { topologyKey: "kubernetes.io/hostname", labelSelector: {} };

/** What a node shows, with lists whose order means nothing in order. */
const shown = ({ name, labels, pods, podsWithAffinity, podsWithRequiredAntiAffinity, ...rest }: NodeInfo) => ({
  name,
  labels,
  pods: pods.map(({ uid }) => uid).sort(),
  withAffinity: podsWithAffinity.map(({ uid }) => uid).sort(),
  withAntiAffinity: podsWithRequiredAntiAffinity.map(({ uid }) => uid).sort(),
  requested: withScalars(rest.requested),
  nonZero: withScalars(rest.nonZeroRequested),
  allocatable: withScalars(rest.allocatable),
  ports: rest.usedPorts.map(({ port }) => port).sort(),
  claims: [...rest.claimUsers].sort(),
  images: [...rest.images],
});

/** What is no longer needed may be an empty entry. */
const withScalars = ({ scalars, ...amounts }: NodeInfo["requested"]) => ({
  ...amounts,
  scalars: [...(scalars ?? [])].filter(([, amount]) => amount !== 0),
});

type Step =
  | { readonly do: "setNode"; readonly node: string; readonly cpu: number; readonly zone: string; readonly image: string }
  | { readonly do: "removeNode"; readonly node: string }
  | { readonly do: "setPod" | "assume"; readonly id: number; readonly cpu: number; readonly node: string }
  | { readonly do: "removePod" | "forget"; readonly id: number }
  | { readonly do: "snapshot" };

const node = fc.constantFrom(...nodeNames);
const id = fc.nat(5);
const cpu = fc.constantFrom(100, 200);
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant("setNode" as const), node, cpu, zone: fc.constantFrom("a", "b"), image: fc.constantFrom("x", "y") }),
  fc.record({ do: fc.constant("removeNode" as const), node }),
  fc.record({ do: fc.constantFrom("setPod" as const, "assume" as const), id, cpu, node }),
  fc.record({ do: fc.constantFrom("removePod" as const, "forget" as const), id }),
  fc.record({ do: fc.constant("snapshot" as const) }),
);

test("a snapshot after any changes in any order equals one built from scratch", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const cache = new ClusterCache();
      const nodes = new Map<string, Node>();
      const pods = new Map<number, { readonly pod: Pod; readonly assumed: boolean }>();
      for (const one of steps) {
        switch (one.do) {
          case "setNode": {
            const object = nodeObject(one.node, one.cpu, one.zone, one.image);
            nodes.set(one.node, object);
            cache.setNode(object);
            break;
          }
          case "removeNode":
            nodes.delete(one.node);
            cache.removeNode(one.node);
            break;
          case "setPod": {
            const pod = podObject(one.id, one.cpu, one.node);
            pods.set(one.id, { pod, assumed: false });
            cache.setPod(pod);
            break;
          }
          case "assume":
            if (pods.has(one.id)) break;
            pods.set(one.id, { pod: podObject(one.id, one.cpu, one.node), assumed: true });
            cache.assume(newPodInfo(podObject(one.id, one.cpu, one.node)), one.node);
            break;
          case "removePod":
            pods.delete(one.id);
            cache.removePod(String(one.id));
            break;
          case "forget": {
            const known = pods.get(one.id);
            if (known?.assumed === true) pods.delete(one.id);
            assert.equal(cache.forget(String(one.id)) !== undefined, known?.assumed === true);
            break;
          }
          case "snapshot":
            cache.snapshot();
        }
      }
      const snapshot = cache.snapshot();
      const expected = Array.from(nodes.values(), (object) =>
        newNodeInfo(
          object,
          Array.from(pods.values(), ({ pod }) => pod).filter(({ spec }) => spec?.nodeName === object.metadata?.name),
        ),
      );
      const byName = (a: NodeInfo, b: NodeInfo): number => (a.name < b.name ? -1 : 1);
      assert.deepEqual(snapshot.nodes.toSorted(byName).map(shown), expected.toSorted(byName).map(shown));
      for (const { name } of expected) assert.equal(snapshot.get(name)?.name, name);
      const antiAffine = expected.filter(({ podsWithRequiredAntiAffinity }) => podsWithRequiredAntiAffinity.length > 0);
      assert.deepEqual(snapshot.nodesWithRequiredAntiAffinity.map(({ name }) => name).sort(), antiAffine.map(({ name }) => name).sort());
      for (const image of ["x", "y"]) {
        const count = expected.filter(({ images }) => images.has(image)).length;
        assert.equal(snapshot.imageNodes.get(image) ?? 0, count);
      }
      assert.deepEqual(cache.sizes, {
        nodes: nodes.size,
        pods: pods.size,
        assumed: [...pods.values()].filter(({ assumed }) => assumed).length,
      });
    }),
    { numRuns: 300 },
  );
});

test("returns the nodes that changed since an earlier snapshot, as far as they are kept", () => {
  const cache = new ClusterCache();
  for (const name of nodeNames) cache.setNode(nodeObject(name, 1, "a", "x"));
  const { generation: first, nodes } = cache.snapshot();
  const changed = (since: number) =>
    cache
      .snapshot()
      .changesSince?.(since)
      ?.map(({ name }) => name);
  assert.deepEqual(changed(first), []);
  cache.setPod(podObject(1, 100, "n1"));
  const { generation: second } = cache.snapshot();
  cache.setPod(podObject(2, 100, "n2"));
  assert.deepEqual([changed(first), changed(second)], [["n1", "n2"], ["n2"]]);
  assert.equal(cache.snapshot().nodes, nodes);
  for (let i = 0; i < 3_000; i++) {
    cache.setPod(podObject(3, 100 + (i % 2), "n3"));
    cache.snapshot();
  }
  const { generation: third } = cache.snapshot();
  assert.equal(changed(second), undefined);
  assert.deepEqual(changed(third), []);
  cache.removeNode("n3");
  assert.equal(changed(third), undefined, "another list");
});

test("a snapshot does not change while a Pod is placed", () => {
  const cache = new ClusterCache();
  cache.setNode(nodeObject("n1", 1, "a", "x"));
  const [before] = cache.snapshot().nodes;
  cache.assume(newPodInfo(podObject(1, 100, undefined)), "n1");
  assert.equal(before?.pods.length, 0);
  assert.equal(cache.snapshot().nodes[0]?.pods.length, 1);
});

test("a change of a Pod's status alone copies no node", () => {
  const cache = new ClusterCache();
  cache.setNode(nodeObject("n1", 1, "a", "x"));
  cache.setPod(podObject(1, 100, "n1"));
  const [before] = cache.snapshot().nodes;
  cache.setPod({ ...podObject(1, 100, "n1"), status: { phase: "Running" } });
  assert.equal(cache.snapshot().nodes[0], before);
  assert.equal(before?.pods[0]?.pod.status?.phase, "Running");
});

test("nodes of different zones take turns", () => {
  const cache = new ClusterCache();
  const zones = { a1: "a", a2: "a", a3: "a", b1: "b", c1: "c", c2: "c" };
  for (const [name, zone] of Object.entries(zones)) cache.setNode(nodeObject(name, 1, zone, "x"));
  assert.deepEqual(
    cache.snapshot().nodes.map(({ name }) => name),
    ["a1", "b1", "c1", "a2", "c2", "a3"],
  );
});
