/** Services made at the same time through two servers on one etcd, coxswain beside coxswain and beside kube-apiserver. */
import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, suite, test } from "node:test";
import { type Client, StatusError, services } from "@coxswain/client";
import { clientFromKubeconfig } from "@coxswain/client/node";
import { systemClock, systemRandom } from "@coxswain/machinery";
import { waitUntil } from "@coxswain/machinery/testing";
import type { Store } from "@coxswain/store";
import { openEtcdStore } from "@coxswain/store/etcd";
import { startCommand } from "../conformance/command-under-test.ts";
import { type EtcdUnderTest, startEtcd, whyNoEtcd } from "../etcd-server.ts";
import { ServiceInvariants } from "../service-invariants.ts";
import { type Server, startKubeApiserver, whyNoKubeApiserver } from "./kube-apiserver.ts";

const namespace = "default";
const ranges = ["--service-cluster-ip-range=10.0.0.0/25", "--service-node-port-range=30000-30049"];
/** But for that of default/kubernetes. */
const [freeIps, freePorts] = [125, 50];
const isFull = /failed to allocate a (serviceIP|nodePort).*: range is full$/;
const isTaken = /provided (IP|port) is already allocated$/;

type Spec = Parameters<typeof createOne>[2];

const createOne = (
  client: Client,
  name: string,
  spec: { readonly type?: "NodePort"; readonly clusterIP?: string; readonly nodePort?: number },
) =>
  client.resource(services).create({
    metadata: { name, namespace },
    spec: {
      ...(spec.type === undefined ? {} : { type: spec.type }),
      ...(spec.clusterIP === undefined ? {} : { clusterIP: spec.clusterIP }),
      ports: [{ port: 80, ...(spec.nodePort === undefined ? {} : { nodePort: spec.nodePort }) }],
    },
  });

/** So many at a time through each of the two. @returns how many there are, and what the others were refused with */
async function createAll(clients: readonly Client[], count: number, specOf: (i: number) => Spec) {
  const pending = Array.from({ length: count }, (_, i) => i).values();
  const messages: string[] = [];
  let created = 0;
  const work = async (client: Client): Promise<void> => {
    for (const i of pending)
      try {
        await createOne(client, `s-${i}`, specOf(i));
        created++;
      } catch (error) {
        messages.push(error instanceof StatusError ? error.message : String(error));
      }
  };
  await Promise.all(clients.flatMap((client) => Array.from({ length: 8 }, () => work(client))));
  return { created, messages };
}

/** Through both, at the same time. */
async function deleteAll(clients: readonly Client[]): Promise<void> {
  const { items } = await (clients[0] as Client).resource(services, namespace).list();
  const pending = items.filter(({ metadata }) => metadata?.name !== "kubernetes").values();
  const work = async (client: Client): Promise<void> => {
    for (const { metadata } of pending) await client.resource(services).delete({ name: metadata?.name ?? "", namespace });
  };
  await Promise.all(clients.flatMap((client) => Array.from({ length: 4 }, () => work(client))));
}

function testTwo(start: (etcd: string) => Promise<readonly [Server, Server]>, isExact: boolean): void {
  let etcd: EtcdUnderTest;
  let servers: readonly [Server, Server];
  let clients: readonly Client[];
  let store: Store;
  let invariants: ServiceInvariants;
  before(async () => {
    etcd = await startEtcd();
    servers = await start(etcd.url);
    clients = await Promise.all(servers.map(({ kubeconfig }) => clientFromKubeconfig({ paths: [kubeconfig] })));
  });
  after(async () => {
    for (const client of clients) await client[Symbol.asyncDispose]();
    for (const server of servers) await server.stop();
    await etcd[Symbol.asyncDispose]();
  });
  beforeEach(async () => {
    store = await openEtcdStore({ clock: systemClock, random: systemRandom, servers: [etcd.url] });
    invariants = new ServiceInvariants(store, { isExact, byRevision: true });
  });
  afterEach(async () => {
    invariants[Symbol.dispose]();
    await store[Symbol.asyncDispose]();
  });

  /** kube-apiserver frees a moment after it has answered. */
  const emptied = async (): Promise<void> => {
    await deleteAll(clients);
    await waitUntil("nothing to be left", async () => {
      await store.freshen?.();
      return invariants.addresses.join() === "10.0.0.1" && invariants.bits.length === 0;
    });
    invariants.assertHeld();
  };

  test("as many get an address as there are, and none is given twice at any revision", async () => {
    const { created, messages } = await createAll(clients, 200, () => ({}));
    assert.deepEqual([created, messages.length, messages.filter((text) => !isFull.test(text))], [freeIps, 200 - freeIps, []]);
    await store.freshen?.();
    assert.equal(new Set(invariants.used.ips).size, freeIps + 1);
    await emptied();
    assert.ok(invariants.states > 2 * freeIps);
  });

  test("as many get a node port as there are, and none is given twice at any revision", async () => {
    const { created, messages } = await createAll(clients, 80, () => ({ type: "NodePort" }));
    assert.deepEqual([created, messages.length, messages.filter((text) => !isFull.test(text))], [freePorts, 80 - freePorts, []]);
    await store.freshen?.();
    assert.equal(new Set(invariants.used.ports).size, freePorts);
    await emptied();
  });

  test("an address or a port that is asked for through both is given once", async () => {
    const ips = await createAll(clients, 40, (i) => ({ clusterIP: `10.0.0.${20 + (i >> 1)}` }));
    assert.deepEqual([ips.created, ips.messages.filter((text) => !isTaken.test(text))], [20, []]);
    await deleteAll(clients);
    const ports = await createAll(clients, 40, (i) => ({ type: "NodePort", nodePort: 30_010 + (i >> 1) }));
    assert.deepEqual([ports.created, ports.messages.filter((text) => !isTaken.test(text))], [20, []]);
    await emptied();
  });
}

const missing = whyNoEtcd();
const startOwn = (etcd: string, ip: string) =>
  startCommand("--ephemeral", `--etcd-servers=${etcd}`, `--advertise-address=${ip}`, ...ranges);

suite("Services of two servers of coxswain", { skip: missing ?? false }, () =>
  testTwo(async (etcd) => [await startOwn(etcd, "192.0.2.1"), await startOwn(etcd, "192.0.2.2")], true),
);

suite("Services of coxswain and kube-apiserver", { skip: missing ?? whyNoKubeApiserver ?? false }, () =>
  testTwo(
    async (etcd) => [await startKubeApiserver({ etcdUrl: etcd, media: "json", flags: ranges }), await startOwn(etcd, "192.0.2.2")],
    false,
  ),
);
