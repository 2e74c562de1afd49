/** The proxy with an API server, in namespaces of its own: it follows what changes, cuts no connection and repairs what was flushed. */
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { promisify } from "node:util";
import { endpointSlices, namespaces, nodes, services, startControllers } from "@coxswain/client";
import { waitUntil } from "@coxswain/machinery/testing";
import { conntrackProgram, createProxy, ipFamilies, nftProgram, removeTables, tableName } from "@coxswain/proxy";
import { startCluster, type TestCluster } from "coxswain/testing";
import { binary } from "../kubelet/containerd/why-no-containers.ts";
import { clusterCidrs, type Network, type ProbePlace, type ProbeResult, startNetwork, whyNoNetwork } from "./network.ts";
import { configuration, writeRules } from "./own-rules.ts";
import { nodeName, type Shape, shapes } from "./shapes.ts";

const execute = promisify(execFile);
const skip = whyNoNetwork() ?? (binary("conntrack") === undefined ? "not installed: conntrack" : false);

interface World {
  readonly cluster: TestCluster;
  readonly network: Network;
  /** Where the address leads from there now: names of Pods, or that it leads nowhere. */
  reaches(place: ProbePlace, address: string, port: number): Promise<string>;
}

/** A node that has a proxy, and Services as `shapes` has them. */
async function withProxy(name: string, run: (world: World) => Promise<void>): Promise<void> {
  await using network = await startNetwork(name);
  await using cluster = await startCluster();
  const { client } = cluster;
  await client.resource(namespaces).create({ metadata: { name: "shapes" } });
  await client.resource(nodes).create({ metadata: { name: nodeName }, spec: {} });
  const inNode = network.inside("node");
  const proxy = createProxy({
    configuration: { ...configuration, detectLocal: { mode: "ClusterCIDR", cidrs: clusterCidrs } },
    nft: nftProgram([...inNode, "nft"]),
    conntrack: conntrackProgram([...inNode, "conntrack"]),
    interfaceAddresses: () => [],
    healthz: { host: "127.0.0.1", port: 0 },
    syncMs: 200,
    minSyncMs: 10,
  });
  await using _ = startControllers([proxy], { client: cluster.clientFor({ name: "system:kube-proxy" }) });
  await proxy.ready;
  const reaches = async (place: ProbePlace, address: string, port: number): Promise<string> => {
    const [result] = await network.probe(place, [{ protocol: "tcp", address, port }], { attempts: 20 });
    const { outcome, answers } = result as ProbeResult;
    return outcome === "answered" ? answers.join(", ") : outcome;
  };
  await run({ cluster, network, reaches });
}

const shape = (name: string): Shape => shapes.find((one) => one.name === name) as Shape;

/** Of IPv4 alone, which is what the API server gives to Services. */
async function create({ client }: TestCluster, name: string): Promise<void> {
  const { service, slices } = shape(name);
  const { ipFamilies: _families, ipFamilyPolicy: _policy, clusterIPs: _ips, ...spec } = service.spec ?? {};
  await client.resource(services, "shapes").create({ ...service, spec });
  for (const slice of slices) if (slice.addressType === "IPv4") await client.resource(endpointSlices, "shapes").create(slice);
}

const endpointsTo = ({ client }: TestCluster, name: string, ...addresses: readonly string[]) =>
  client.resource(endpointSlices, "shapes").modify(`${name}-ipv4-0`, (slice) => ({
    ...slice,
    endpoints: addresses.map((address) => ({ addresses: [address], nodeName })),
  }));

test("Services are reached, follow their endpoints, and are gone with their objects", { skip }, () =>
  withProxy("follow", async ({ cluster, reaches }) => {
    await create(cluster, "node-port");
    const { address, port } = shape("node-port").targets["node port tcp ipv4"] as { address: string; port: number };
    const clusterIp = shape("node-port").service.spec?.clusterIP ?? "";
    const becomes = (place: ProbePlace, at: readonly [string, number], expected: string) =>
      waitUntil(`${at.join(":")} leads ${place} to ${expected}`, async () => (await reaches(place, ...at)) === expected);
    await becomes("outside", [address, port], "a, remote");
    await becomes("a", [clusterIp, 80], "a, remote");
    await endpointsTo(cluster, "node-port", "10.244.1.3");
    await becomes("outside", [address, port], "b");
    await endpointsTo(cluster, "node-port");
    await becomes("a", [clusterIp, 80], "refused");
    await endpointsTo(cluster, "node-port", "10.244.1.2");
    await becomes("node", [clusterIp, 80], "a");
    await cluster.client.resource(services, "shapes").delete("node-port");
    await becomes("a", [clusterIp, 80], "dropped");
  }),
);

test("a connection goes on when its endpoint is removed and when all rules are written again", { skip }, () =>
  withProxy("stand", async ({ cluster, network, reaches }) => {
    await create(cluster, "cluster-ip-one-local");
    const clusterIp = shape("cluster-ip-one-local").service.spec?.clusterIP ?? "";
    await waitUntil("the Service is reached", async () => (await reaches("b", clusterIp, 80)) === "a");
    const child = spawn(
      "ip",
      [...network.inside("b").slice(1), process.execPath, join(import.meta.dirname, "talk.mjs"), "tcp", clusterIp, "80"],
      {
        stdio: ["pipe", "pipe", "inherit"],
      },
    );
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
    const ask = async (): Promise<string | undefined> => {
      child.stdin.write("?\n");
      return (await lines.next()).value?.split(" ")[0];
    };
    assert.equal((await lines.next()).value, "a 10.244.1.3");
    await endpointsTo(cluster, "cluster-ip-one-local", "10.244.1.3");
    await waitUntil("new connections go elsewhere", async () => (await reaches("node", clusterIp, 80)) === "b");
    assert.equal(await ask(), "a");
    await execute("ip", [...network.inside("node").slice(1), "nft", "flush", "ruleset"]);
    await waitUntil("the rules are back", async () => (await reaches("node", clusterIp, 80)) === "b");
    assert.equal(await ask(), "a");
    child.stdin.end();
    await removeTables(nftProgram([...network.inside("node"), "nft"]), ipFamilies);
    assert.equal((await lines.next()).done, true);
  }),
);

test("rules, elements and tables that somebody has removed or added are put right", { skip }, () =>
  withProxy("repair", async ({ cluster, network, reaches }) => {
    await create(cluster, "cluster-ip-one-local");
    const clusterIp = shape("cluster-ip-one-local").service.spec?.clusterIP ?? "";
    const isRight = async () => (await reaches("b", clusterIp, 80)) === "a";
    await waitUntil("the Service is reached", isRight);
    const nft = (...words: readonly string[]) => execute("ip", [...network.inside("node").slice(1), "nft", ...words]);
    const { stdout } = await nft("list", "chains", "ip");
    const [own = ""] = stdout.split("\n").flatMap((line) => /chain (service\/shapes\/\S+)/.exec(line)?.[1] ?? []);
    assert.ok(own.startsWith("service/shapes/cluster-ip-one-local/"), stdout);
    for (const words of [
      ["flush", "table", "ip", tableName],
      ["flush", "chain", "ip", tableName, own],
      ["flush", "map", "ip", tableName, "service-ips"],
      ["insert", "rule", "ip", tableName, own, "drop"],
      ["delete", "table", "ip", tableName],
    ]) {
      await nft(...words);
      await waitUntil(`${words.join(" ")} is put right`, isRight);
    }
  }),
);

test("a UDP client of an endpoint that is removed comes to another one", { skip }, () =>
  withProxy("udp", async ({ cluster, network }) => {
    await create(cluster, "udp");
    await endpointsTo(cluster, "udp", "10.244.1.2");
    const clusterIp = shape("udp").service.spec?.clusterIP ?? "";
    const child = spawn(
      "ip",
      [...network.inside("outside").slice(1), process.execPath, join(import.meta.dirname, "talk.mjs"), "udp", clusterIp, "80"],
      {
        stdio: ["pipe", "pipe", "inherit"],
      },
    );
    const answered: string[] = [];
    createInterface(child.stdout).on("line", (line) => answered.push(line.split(" ")[0] ?? ""));
    const answers = async (name: string) =>
      waitUntil(`${name} answers`, () => {
        child.stdin.write("?\n");
        return answered.at(-1) === name;
      });
    await answers("a");
    await endpointsTo(cluster, "udp", "10.244.1.3");
    await answers("b");
    child.stdin.end();
  }),
);

test("cleanup removes the tables of both families and nothing else", { skip }, async () => {
  await using network = await startNetwork("cleanup");
  const inNode = network.inside("node");
  const nft = nftProgram([...inNode, "nft"]);
  const tables = async () =>
    (await execute("ip", [...inNode.slice(1), "nft", "list", "tables"])).stdout.split("\n").filter((line) => line !== "");
  await execute("ip", [...inNode.slice(1), "nft", "add", "table", "ip", "other"]);
  await writeRules(network, shapes);
  // A proxy that starts again writes over what is there.
  await writeRules(network, shapes);
  assert.deepEqual(new Set(await tables()), new Set([`table ip ${tableName}`, `table ip6 ${tableName}`, "table ip other"]));
  await removeTables(nft, ipFamilies);
  assert.deepEqual(await tables(), ["table ip other"]);
  await removeTables(nft, ipFamilies);
  assert.deepEqual(await tables(), ["table ip other"]);
});
