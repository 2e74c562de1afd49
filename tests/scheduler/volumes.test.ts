/** Claims that wait for their first consumer: scheduler, volume controller and a provisioner together. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Client, persistentVolumeClaims, persistentVolumes, pods, storageClasses } from "@coxswain/client";
import { manageControllers, persistentVolumeBinderController } from "@coxswain/controllers";
import { addNode, pod, startScheduling, timeoutMs } from "./scheduler-under-test.ts";

const claimed = (name: string, claimName: string) => pod(name, "100m", { volumes: [{ name: "v", persistentVolumeClaim: { claimName } }] });

const createClaim = (client: Client, name: string, storageClassName: string) =>
  client.resource(persistentVolumeClaims).create({
    metadata: { name },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, storageClassName },
  });

const createVolume = (client: Client, name: string, node: string, more: object = {}) =>
  client.resource(persistentVolumes).create({
    metadata: { name },
    spec: {
      capacity: { storage: "1Gi" },
      accessModes: ["ReadWriteOnce"],
      storageClassName: "local",
      local: { path: "/data" },
      nodeAffinity: {
        required: { nodeSelectorTerms: [{ matchExpressions: [{ key: "kubernetes.io/hostname", operator: "In", values: [node] }] }] },
      },
      ...more,
    },
  });

const createClass = (client: Client, name: string, provisioner: string) =>
  client.resource(storageClasses).create({ metadata: { name }, provisioner, volumeBindingMode: "WaitForFirstConsumer" });

async function binder(client: Client): Promise<AsyncDisposable> {
  const manager = manageControllers([persistentVolumeBinderController], { client, settings: {} });
  const stop = new AbortController();
  const running = manager.run(stop.signal).catch(() => undefined);
  await manager.ready;
  return {
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await running;
    },
  };
}

test("Pods are placed on the nodes of their local volumes, each with a volume of its own", async () => {
  await using scheduling = await startScheduling();
  const { client, cluster } = scheduling;
  await using _ = await binder(cluster.clientFor({ name: "system:kube-controller-manager" }));
  await createClass(client, "local", "kubernetes.io/no-provisioner");
  for (const name of ["a", "b", "c"]) await addNode(client, name);
  await createVolume(client, "on-b", "b");
  await createVolume(client, "on-c", "c");
  for (const name of ["on-b", "on-c"])
    await cluster.waitFor(persistentVolumes, name, ({ status }) => status?.phase === "Available", { timeoutMs });
  for (const name of ["one", "two"]) {
    await createClaim(client, name, "local");
    await client.resource(pods).create(claimed(name, name));
  }
  const placed = await Promise.all(["one", "two"].map((name) => scheduling.placed(name)));
  assert.deepEqual(placed.toSorted(), ["b", "c"]);
  for (const [i, name] of ["one", "two"].entries()) {
    const claim = await cluster.waitFor(persistentVolumeClaims, name, ({ status }) => status?.phase === "Bound", { timeoutMs });
    assert.equal(claim.spec?.volumeName, `on-${placed[i]}`);
  }
});

test("a claim gets the selected node, and the Pod waits until the volume is provisioned", async () => {
  await using scheduling = await startScheduling();
  const { client, cluster } = scheduling;
  await using _ = await binder(cluster.clientFor({ name: "system:kube-controller-manager" }));
  await createClass(client, "made", "x.io/p");
  await addNode(client, "a");
  await createClaim(client, "c", "made");
  await client.resource(pods).create(claimed("p", "c"));
  const claim = await cluster.waitFor(
    persistentVolumeClaims,
    "c",
    ({ metadata }) => metadata?.annotations?.["volume.kubernetes.io/storage-provisioner"] !== undefined,
    { timeoutMs },
  );
  assert.equal(claim.metadata?.annotations?.["volume.kubernetes.io/selected-node"], "a");
  assert.equal((await client.resource(pods).get("p")).spec?.nodeName, undefined);
  const { namespace, name, uid } = claim.metadata;
  assert.ok(namespace !== undefined && name !== undefined && uid !== undefined);
  await createVolume(client, "made-for-c", "a", { storageClassName: "made", claimRef: { namespace, name, uid } });
  assert.equal(await scheduling.placed("p"), "a");
});

test("a provisioner that gives up has the Pod look for another node", async () => {
  await using scheduling = await startScheduling();
  const { client, cluster } = scheduling;
  await createClass(client, "made", "x.io/p");
  await addNode(client, "a");
  await createClaim(client, "c", "made");
  await client.resource(pods).create(claimed("p", "c"));
  const selected = ({ metadata }: { metadata?: { annotations?: Record<string, string> } }) =>
    metadata?.annotations?.["volume.kubernetes.io/selected-node"];
  const chosen = () => cluster.waitFor(persistentVolumeClaims, "c", (claim) => selected(claim) !== undefined, { timeoutMs });
  assert.equal(selected(await chosen()), "a");
  await client.resource(persistentVolumeClaims).modify("c", (draft) => {
    draft.metadata = { ...draft.metadata, annotations: { failed: "yes" } };
  });
  assert.equal(selected(await chosen()), "a");
  assert.ok(
    (await scheduling.eventsOf("p")).includes(
      'FailedScheduling: running PreBind plugin "VolumeBinding": binding volumes: provisioning failed for PVC "c"',
    ),
  );
});
