import assert from "node:assert/strict";
import { test } from "node:test";
import type { coreV1 } from "@coxswain/api";
import type { AuthorizationAttributes } from "../../contracts/authorizer.ts";
import { nodeAuthorizer } from "./node-authorizer.ts";
import { NodeGraph } from "./node-graph.ts";

const user = (node: string) => ({ name: `system:node:${node}`, uid: "", groups: ["system:nodes"], extra: {} });
const secretOf = (name: string, node: string): AuthorizationAttributes => ({
  user: user(node),
  verb: "get",
  kind: "resource",
  group: "",
  version: "v1",
  resource: "secrets",
  subresource: "",
  namespace: "ns",
  name,
});
const pod = (nodeName: string, secret: string, annotations = {}): coreV1.Pod => ({
  metadata: { annotations },
  spec: { nodeName, containers: [], imagePullSecrets: [{ name: secret }] },
});
const at = (name: string) => ({ namespace: "ns", name });

function started() {
  const graph = new NodeGraph();
  const authorize = nodeAuthorizer(graph, []);
  const may = async (name: string, node: string) => (await authorize(secretOf(name, node))).kind === "allow";
  return { graph, may };
}

test("access ends with the last Pod that gives it", async () => {
  const { graph, may } = started();
  graph.setPod(at("a"), pod("n1", "s"));
  graph.setPod(at("b"), pod("n1", "s"));
  graph.setPod(at("a"), undefined);
  assert.ok(await may("s", "n1"));
  graph.setPod(at("b"), undefined);
  assert.ok(!(await may("s", "n1")));
});

test("a Pod that changes its references takes the old ones away", async () => {
  const { graph, may } = started();
  graph.setPod(at("a"), pod("n1", "s"));
  graph.setPod(at("a"), pod("n1", "t"));
  assert.deepEqual([await may("s", "n1"), await may("t", "n1")], [false, true]);
});

test("a Pod without a node, and a mirror Pod, give no access", async () => {
  const { graph, may } = started();
  graph.setPod(at("a"), pod("", "s"));
  graph.setPod(at("b"), pod("n1", "s", { "kubernetes.io/config.mirror": "x" }));
  assert.ok(!(await may("s", "n1")));
});

test("a Secret of a volume is for the nodes whose Pods have its claim, until the volume goes", async () => {
  const { graph, may } = started();
  const claimed = { spec: { nodeName: "n1", containers: [], volumes: [{ name: "v", persistentVolumeClaim: { claimName: "c" } }] } };
  const csi = { driver: "d", volumeHandle: "h", nodePublishSecretRef: { name: "s", namespace: "ns" } };
  graph.setVolume({ namespace: "", name: "pv" }, { spec: { claimRef: { namespace: "ns", name: "c" }, csi } } as coreV1.PersistentVolume);
  assert.ok(!(await may("s", "n1")));
  graph.setPod(at("a"), claimed);
  assert.deepEqual([await may("s", "n1"), await may("s", "n2")], [true, false]);
  graph.setVolume({ namespace: "", name: "pv" }, undefined);
  assert.ok(!(await may("s", "n1")));
});

const reference = { secretRef: { name: "s" } };
const sources = [
  { source: { cephfs: { monitors: [], ...reference } }, fallsBack: true },
  { source: { flexVolume: { driver: "d", ...reference } }, fallsBack: true },
  { source: { rbd: { monitors: [], image: "i", ...reference } }, fallsBack: true },
  { source: { scaleIO: { gateway: "g", system: "s", ...reference } }, fallsBack: true },
  { source: { iscsi: { targetPortal: "t", iqn: "i", lun: 0, ...reference } }, fallsBack: true },
  { source: { azureFile: { secretName: "s", shareName: "x" } }, fallsBack: true },
  { source: { cinder: { volumeID: "v", ...reference } }, fallsBack: false },
  { source: { storageos: reference }, fallsBack: false },
  { source: { csi: { driver: "d", volumeHandle: "h", nodePublishSecretRef: { name: "s" } } }, fallsBack: false },
  { source: { csi: { driver: "d", volumeHandle: "h", nodeStageSecretRef: { name: "s" } } }, fallsBack: false },
  { source: { csi: { driver: "d", volumeHandle: "h", nodeExpandSecretRef: { name: "s" } } }, fallsBack: false },
  { source: { csi: { driver: "d", volumeHandle: "h", controllerPublishSecretRef: { name: "s", namespace: "ns" } } }, fallsBack: false },
];
for (const { source, fallsBack } of sources) {
  const [kind = ""] = Object.keys(source);
  test(`a Secret without a namespace of a ${kind} volume is ${fallsBack ? "in that of the claim" : "nobody's"}`, async () => {
    const { graph, may } = started();
    const claimed = { spec: { nodeName: "n1", containers: [], volumes: [{ name: "v", persistentVolumeClaim: { claimName: "c" } }] } };
    graph.setPod(at("a"), claimed);
    const spec = { claimRef: { namespace: "ns", name: "c" }, ...source };
    graph.setVolume({ namespace: "", name: "pv" }, { spec } as coreV1.PersistentVolume);
    assert.equal(await may("s", "n1"), fallsBack);
  });
}
