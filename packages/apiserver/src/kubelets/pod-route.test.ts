import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { type coreV1, createResourceRegistry } from "@coxswain/api";
import { ManualClock } from "@coxswain/machinery";
import { createMemoryStore, type Revision, StorageError, type Store } from "@coxswain/store";
import { keyOf, servedResources } from "../storage/served-resource.ts";
import { encodeObject, ObjectCache } from "../storage/stored-object.ts";
import { PodAddresses } from "./pod-addresses.ts";
import { endpointRoute, podRoute } from "./pod-route.ts";

const served = servedResources(createResourceRegistry());
const resources = { Pod: served.find("", "v1", "pods"), Node: served.find("", "v1", "nodes") };

let store: Store;
let lists: number;
let reader: { store: Store; cache: ObjectCache; served: typeof served; podAddresses: PodAddresses };

beforeEach(() => {
  store = createMemoryStore({ clock: new ManualClock() });
  lists = 0;
  const list = store.list.bind(store);
  store.list = (...args) => {
    lists++;
    return list(...args);
  };
  const parts = { store, cache: new ObjectCache(), served };
  reader = { ...parts, podAddresses: new PodAddresses(parts) };
});

interface Stored {
  readonly kind: "Pod" | "Node";
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly uid?: string };
  readonly spec?: object;
  readonly status: object;
}

const keyIn = ({ kind, metadata }: Stored): string => keyOf(resources[kind]!, metadata.namespace ?? "", metadata.name);

async function put(object: Stored): Promise<void> {
  const key = keyIn(object);
  const { entry } = await store.get(key);
  const value = encodeObject({ apiVersion: "v1", ...object, metadata: { ...object.metadata } });
  assert.ok((await store.write({ op: "put", key, value, expect: entry?.modified ?? "absent" })).ok);
}

async function remove(object: Stored): Promise<void> {
  const key = keyIn(object);
  const { entry } = await store.get(key);
  assert.ok((await store.write({ op: "delete", key, expect: entry?.modified ?? (0 as Revision) })).ok);
}

const node = (name: string, containerRuntimeVersion: string): Stored => ({
  kind: "Node",
  metadata: { name },
  status: { nodeInfo: { containerRuntimeVersion }, addresses: [{ type: "InternalIP", address: "10.0.0.1" }] },
});

const pod = (name: string, podIP: string, { nodeName = "simulated", hostNetwork = false, runtime = "simulated" } = {}): Stored => ({
  kind: "Pod",
  metadata: { name, namespace: "ops", uid: `uid-${name}` },
  spec: { nodeName, hostNetwork },
  status: { podIP, podIPs: [{ ip: podIP }], containerStatuses: [{ name: "main", containerID: `${runtime}://1` }] },
});

const pathTo = async (host: string): Promise<string | undefined> => (await endpointRoute(reader, { host, port: 443 }))?.path;

test("addresses of Pods are known from one list, and followed", async () => {
  await put(node("simulated", "simulated://1.0.0"));
  await put(node("real", "containerd://2.0.0"));
  await put(pod("a", "10.1.0.1"));
  await put(pod("b", "10.1.0.2", { nodeName: "real" }));
  await put(pod("c", "10.0.0.1", { hostNetwork: true }));
  using _addresses = reader.podAddresses;
  const [first, ...others] = await Promise.all(["10.1.0.1", "10.1.0.2", "10.0.0.1", "8.8.8.8"].map(pathTo));
  assert.equal(first, "/portForward/ops/a/uid-a?port=443");
  assert.deepEqual(others, [undefined, undefined, undefined]);
  await put(pod("a", "10.1.0.3"));
  await put(pod("d", "10.1.0.1"));
  assert.equal(await pathTo("10.1.0.3"), "/portForward/ops/a/uid-a?port=443");
  assert.equal(await pathTo("10.1.0.1"), "/portForward/ops/d/uid-d?port=443");
  await remove(pod("d", ""));
  assert.equal(await pathTo("10.1.0.1"), undefined);
  assert.equal(lists, 1);
});

test("addresses are read again where that has failed", async () => {
  const { list } = store;
  store.list = () => Promise.reject(new StorageError("the disk is away"));
  await assert.rejects(pathTo("10.1.0.1"), { message: "the disk is away" });
  store.list = list;
  assert.equal(await pathTo("10.1.0.1"), undefined);
});

test("loopback addresses and names belong to no Pod", async () => {
  assert.deepEqual([await pathTo("127.0.0.1"), await pathTo("hook.example")], [undefined, undefined]);
  assert.equal(lists, 0);
});

test("a Pod whose Node is gone is reached over the network, unless it was simulated", async () => {
  const real = pod("a", "10.1.0.1", { runtime: "containerd" });
  const played = pod("b", "10.1.0.2");
  await put(real);
  await put(played);
  assert.equal(await podRoute(reader, real as coreV1.Pod, 80), undefined);
  assert.equal(await pathTo("10.1.0.1"), undefined);
  const refusal = { status: { code: 503 }, message: 'error trying to reach service: nodes "simulated" not found' };
  const isRefusal = (error: Error & { status?: { code?: number } }): boolean =>
    error.message === refusal.message && error.status?.code === refusal.status.code;
  await assert.rejects(podRoute(reader, played as coreV1.Pod, 80), isRefusal);
  await assert.rejects(pathTo("10.1.0.2"), isRefusal);
});
