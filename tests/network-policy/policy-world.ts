/** A node whose NetworkPolicies are enforced, with Pods that are network namespaces, and who reaches whom. */
import assert from "node:assert/strict";
import type { api } from "@coxswain/client";
import { namespaces, networkPolicies, nodes, pods, startControllers } from "@coxswain/client";
import { waitUntil } from "@coxswain/machinery/testing";
import { createNetworkPolicyAgent, tableName } from "@coxswain/network-policy";
import { nftProgram } from "@coxswain/proxy";
import { startCluster, type TestCluster } from "coxswain/testing";
import { type Network, type ProbePlace, type ProbeTarget, places, startNetwork } from "../proxy/network.ts";

const nodeName = "n1";

type Spec = api.networkingV1.NetworkPolicySpec;
type Place = keyof typeof places;

/** `a b:8080`, `outside b:8081/udp`, `node a:8080/ipv6`, `a 10.96.0.20:80`: from where to where. */
export type Way = `${ProbePlace} ${Place | `${number}.${number}.${number}.${number}`}:${string}`;

const policyNft = (network: Network) => nftProgram([...network.inside("node"), "nft"], tableName);

export interface PolicyWorld {
  readonly cluster: TestCluster;
  readonly network: Network;
  /** In namespace x, where Pods a and b are; `remote` is in y, on another node. */
  policy(name: string, spec: Spec, namespace?: string): Promise<void>;
  change(name: string, spec: Partial<Spec>): Promise<void>;
  remove(name: string): Promise<void>;
  /** Waits until packets pass on these ways, and on those do not. */
  becomes(passing: readonly Way[], dropped: readonly Way[]): Promise<void>;
}

export async function withPolicies(name: string, run: (world: PolicyWorld) => Promise<void>): Promise<void> {
  await using network = await startNetwork(name);
  await using cluster = await startCluster();
  await createPods(cluster);
  const agent = createNetworkPolicyAgent({
    nodeName,
    nft: policyNft(network),
    nodeAddresses: { IPv4: [], IPv6: [] },
    syncMs: 200,
    minSyncMs: 10,
  });
  await using _ = startControllers([agent], { client: cluster.client });
  await agent.ready;
  assert.equal(agent.healthy(), true);
  await run({
    cluster,
    network,
    policy: async (name, spec, namespace = "x") => {
      await cluster.client.resource(networkPolicies, namespace).create({ metadata: { name }, spec });
    },
    change: async (name, spec) => {
      await cluster.client.resource(networkPolicies, "x").modify(name, (one) => ({ ...one, spec: { ...one.spec, ...spec } as Spec }));
    },
    remove: async (name) => {
      await cluster.client.resource(networkPolicies, "x").delete(name);
    },
    becomes: async (passing, dropped) => {
      const expected = { ...outcomes(passing, "answered"), ...outcomes(dropped, "dropped") };
      let found: Record<string, string> = {};
      const isRight = async (): Promise<boolean> => {
        found = await reached(network, [...passing, ...dropped]);
        return JSON.stringify(found) === JSON.stringify(expected);
      };
      await waitUntil("packets pass as the policies say", isRight).catch((error: unknown) => {
        assert.deepEqual(found, expected);
        throw error;
      });
    },
  });
}

const outcomes = (ways: readonly Way[], outcome: string) => Object.fromEntries(ways.map((way) => [way, outcome]));

async function reached(network: Network, ways: readonly Way[]): Promise<Record<string, string>> {
  const found = new Map<string, string>();
  const byPlace = Map.groupBy(ways, (way) => way.split(" ")[0] as ProbePlace);
  await Promise.all(
    [...byPlace].map(async ([place, itsWays]) => {
      const results = await network.probe(place, itsWays.map(targetOf), { attempts: 1 });
      for (const [at, way] of itsWays.entries()) found.set(way, results[at]?.outcome ?? "");
    }),
  );
  return Object.fromEntries(ways.map((way) => [way, found.get(way) ?? ""]));
}

function targetOf(way: Way): ProbeTarget {
  const [, place = "", port = "", how = ""] = /^\S+ ([\w.]+):(\d+)(.*)$/.exec(way) ?? [];
  const { ipv4, ipv6 } = places[place as Place] ?? { ipv4: place, ipv6: place };
  return { protocol: how.includes("udp") ? "udp" : "tcp", address: how.includes("ipv6") ? ipv6 : ipv4, port: Number(port) };
}

async function createPods({ client }: TestCluster): Promise<void> {
  for (const name of ["x", "y"]) await client.resource(namespaces).create({ metadata: { name, labels: { team: name } } });
  for (const name of [nodeName, "n2"]) await client.resource(nodes).create({ metadata: { name }, spec: {} });
  for (const [name, namespace, node] of [
    ["a", "x", nodeName],
    ["b", "x", nodeName],
    ["remote", "y", "n2"],
  ] as const) {
    const { ipv4, ipv6 } = places[name];
    const ports = [
      { name: "http", containerPort: 8080 },
      { name: "talk", containerPort: 8081, protocol: "UDP" },
    ];
    const ofNamespace = client.resource(pods, namespace);
    await ofNamespace.create({
      metadata: { name, labels: { app: name } },
      spec: { nodeName: node, containers: [{ name: "c", image: "i", ports }] },
    });
    await ofNamespace.modify(name, (pod) => ({ ...pod, status: { phase: "Running", podIP: ipv4, podIPs: [{ ip: ipv4 }, { ip: ipv6 }] } }), {
      subresource: "status",
    });
  }
}
