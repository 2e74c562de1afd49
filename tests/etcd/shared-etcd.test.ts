/** Servers on one etcd: coxswain beside coxswain, and beside kube-apiserver where `COXSWAIN_KUBE_APISERVER` names that program. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { type Client, configMaps, isConflict } from "@coxswain/client";
import { clientFromKubeconfig } from "@coxswain/client/node";
import { waitUntil } from "@coxswain/machinery/testing";
import { type CommandUnderTest, startCommand } from "../conformance/command-under-test.ts";
import { type EtcdUnderTest, startEtcd, whyNoEtcd } from "../etcd-server.ts";
import { kubectl, type Server, startKubeApiserver, whyNoKubeApiserver } from "./kube-apiserver.ts";

const missing = whyNoEtcd();
/** By each of two clients. */
const increments = Number(process.env.COXSWAIN_INCREMENTS ?? 50);
const endpoints = ["get", "--raw", "/api/v1/namespaces/default/endpoints/kubernetes"];

async function addressesOf(server: Server): Promise<string[]> {
  const { subsets = [] } = JSON.parse(await kubectl(server, ...endpoints)) as { subsets?: { addresses: { ip: string }[] }[] };
  return subsets.flatMap(({ addresses }) => addresses.map(({ ip }) => ip));
}

/** Through the one as through the other: creates, patches, watches, deletes, and a counter on which both race. */
function testTwo(servers: () => readonly [Server, Server]): void {
  const clients = (): Promise<[Client, Client]> =>
    Promise.all(servers().map(({ kubeconfig }) => clientFromKubeconfig({ paths: [kubeconfig] }))) as Promise<[Client, Client]>;

  test("what one has acknowledged the other shows", async () => {
    const [one, two] = await clients();
    await using _ = one;
    await using __ = two;
    for (let i = 0; i < 30; i++) {
      const [writer, reader] = i % 2 === 0 ? [one, two] : [two, one];
      const made = await writer.resource(configMaps).create({ metadata: { name: `seen-${i}`, namespace: "default" }, data: { i: `${i}` } });
      const read = await reader.resource(configMaps).get({ name: `seen-${i}`, namespace: "default" });
      assert.deepEqual(read, made);
    }
  });

  test("a version that is old on one is a conflict on the other, and no increment is lost", async () => {
    const both = await clients();
    await using _ = both[0];
    await using __ = both[1];
    const ref = { name: "counter", namespace: "default" };
    await both[0].resource(configMaps).create({ metadata: ref, data: { n: "0" } });
    let conflicts = 0;
    const increment = async (client: Client): Promise<void> => {
      for (let done = 0; done < increments; ) {
        const read = await client.resource(configMaps).get(ref);
        try {
          await client.resource(configMaps).update({ ...read, data: { n: `${Number(read.data?.n) + 1}` } });
          done++;
        } catch (error) {
          if (!isConflict(error)) throw error;
          conflicts++;
        }
      }
    };
    await Promise.all(both.map(increment));
    for (const client of both) assert.equal((await client.resource(configMaps).get(ref)).data?.n, `${2 * increments}`);
    assert.ok(conflicts > 0);
  });

  test("fields that are applied through one have their owner on the other", async () => {
    const [one, two] = servers();
    const folder = mkdtempSync(join(tmpdir(), "coxswain-shared-"));
    try {
      const file = join(folder, "a.yaml");
      writeFileSync(file, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: applied, namespace: default}\ndata: {z: '1'}\n");
      await kubectl(one, "apply", "--server-side", "--field-manager=first", "-f", file);
      writeFileSync(file, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: applied, namespace: default}\ndata: {z: '2'}\n");
      await assert.rejects(
        kubectl(two, "apply", "--server-side", "--field-manager=second", "-f", file),
        /conflict with "first": \.data\.z/,
      );
      await kubectl(two, "apply", "--server-side", "--field-manager=second", "--force-conflicts", "-f", file);
      const [seen, same] = await Promise.all(
        servers().map((server) => kubectl(server, "get", "cm", "applied", "-o", "yaml", "--show-managed-fields")),
      );
      assert.equal(seen, same);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  test("the Service kubernetes leads to both", async () => {
    for (const server of servers())
      await waitUntil("both addresses", async () => (await addressesOf(server)).sort().join() === "192.0.2.1,192.0.2.2");
  });
}

suite("two servers of coxswain on one etcd", { skip: missing ?? false }, () => {
  let etcd: EtcdUnderTest;
  let servers: [CommandUnderTest, CommandUnderTest];
  before(async () => {
    etcd = await startEtcd();
    const start = (ip: string) => startCommand("--ephemeral", `--etcd-servers=${etcd.url}`, `--advertise-address=${ip}`);
    servers = [await start("192.0.2.1"), await start("192.0.2.2")];
  });
  after(async () => {
    for (const server of servers) await server.stop();
    await etcd[Symbol.asyncDispose]();
  });

  testTwo(() => servers);

  test("the Service kubernetes leads to one no more that has ended", async () => {
    await servers[1].stop();
    assert.deepEqual(await addressesOf(servers[0]), ["192.0.2.1"]);
  });
});

const why = missing ?? whyNoKubeApiserver;
for (const media of ["json", "vnd.kubernetes.protobuf"])
  suite(`coxswain beside kube-apiserver, which stores ${media}`, { skip: why ?? false }, () => {
    let etcd: EtcdUnderTest;
    let servers: [Server, Server];
    before(async () => {
      etcd = await startEtcd();
      const original = await startKubeApiserver({ etcdUrl: etcd.url, media });
      const own = await startCommand("--ephemeral", `--etcd-servers=${etcd.url}`, "--advertise-address=192.0.2.2");
      servers = [original, own];
    });
    after(async () => {
      for (const server of servers) await server.stop();
      await etcd[Symbol.asyncDispose]();
    });

    testTwo(() => servers);

    test("both list all resources to the last byte alike", async () => {
      const names = await kubectl(servers[1], "api-resources", "--verbs=list", "-o", "name");
      // What is measured or asked of etcd is not stored.
      const stored = names.split("\n").filter((name) => name !== "" && name !== "componentstatuses" && !name.endsWith("metrics.k8s.io"));
      for (const name of stored.filter((one) => !one.startsWith("leases"))) {
        const [one, two] = await Promise.all(servers.map((server) => kubectl(server, "get", name, "-A", "-o", "json")));
        assert.equal(one, two, name);
      }
    });
  });
