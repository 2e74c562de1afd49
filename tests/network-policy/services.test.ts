/** NetworkPolicies about what comes by Services, and by ports of the host: addresses and ports count that these lead to. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { promisify } from "node:util";
import { type api, endpointSlices, services, startControllers } from "@coxswain/client";
import { conntrackProgram, createProxy, nftProgram } from "@coxswain/proxy";
import { binary } from "../kubelet/containerd/why-no-containers.ts";
import { clusterCidrs, nodeAddress, places, whyNoNetwork } from "../proxy/network.ts";
import { configuration } from "../proxy/own-rules.ts";
import { type PolicyWorld, withPolicies } from "./policy-world.ts";

const execute = promisify(execFile);
const skip = whyNoNetwork() ?? (binary("conntrack") === undefined ? "not installed: conntrack" : false);
const app = (name: string) => ({ podSelector: { matchLabels: { app: name } } });
const ports = [
  { name: "http", port: 80, targetPort: 8080 },
  { name: "dns", port: 53, protocol: "UDP", targetPort: 8081 },
];

/** With the Service proxy of the node, and a Service of Pod b and of Pod `remote` each. */
const withServices = (name: string, run: (world: PolicyWorld) => Promise<void>): Promise<void> =>
  withPolicies(name, async (world) => {
    const { cluster, network } = world;
    const inNode = network.inside("node");
    const proxy = createProxy({
      configuration: { ...configuration, nodeName: "n1", detectLocal: { mode: "ClusterCIDR", cidrs: clusterCidrs } },
      nft: nftProgram([...inNode, "nft"]),
      conntrack: conntrackProgram([...inNode, "conntrack"]),
      interfaceAddresses: () => [],
      healthz: undefined,
      syncMs: 200,
      minSyncMs: 10,
    });
    await using _ = startControllers([proxy], { client: cluster.clientFor({ name: "system:kube-proxy" }) });
    await proxy.ready;
    await createService(world, { name: "b", namespace: "x", clusterIP: "10.96.0.20", address: places.b.ipv4, nodeName: "n1" });
    await createService(world, { name: "remote", namespace: "y", clusterIP: "10.96.0.21", address: places.remote.ipv4, nodeName: "n2" });
    await run(world);
  });

interface ServiceOfPod {
  readonly name: string;
  readonly namespace: string;
  readonly clusterIP: string;
  readonly address: string;
  readonly nodeName: string;
}

async function createService(
  { cluster: { client } }: PolicyWorld,
  { name, namespace, clusterIP, address, nodeName }: ServiceOfPod,
): Promise<void> {
  await client.resource(services, namespace).create({ metadata: { name }, spec: { clusterIP, ports } });
  const slice: api.discoveryV1.EndpointSlice = {
    metadata: { name, labels: { "kubernetes.io/service-name": name } },
    addressType: "IPv4",
    endpoints: [{ addresses: [address], nodeName, conditions: { ready: true } }],
    ports: ports.map(({ name, protocol = "TCP", targetPort }) => ({ name, protocol, port: targetPort })),
  };
  await client.resource(endpointSlices, namespace).create(slice);
}

test("egress to a Service is about the Pod and the port that it leads to", { skip }, () =>
  withServices("service", async ({ policy, change, becomes }) => {
    await becomes(["a 10.96.0.20:80", "a 10.96.0.21:80", "a 10.96.0.21:53/udp"], []);
    await policy("out", { ...app("a"), policyTypes: ["Egress"] });
    await becomes([], ["a 10.96.0.20:80", "a 10.96.0.21:80", "a 10.96.0.21:53/udp"]);
    // The port of the Service is nobody's.
    await change("out", { egress: [{ to: [app("b")], ports: [{ port: 80 }] }] });
    await becomes(["b 10.96.0.21:80"], ["a 10.96.0.20:80"]);
    await change("out", { egress: [{ to: [app("b")], ports: [{ port: 8080 }] }] });
    await becomes(["a 10.96.0.20:80"], ["a 10.96.0.21:80", "a b:8081"]);
    // Its address neither: an ipBlock of it allows nothing.
    await change("out", { egress: [{ to: [{ ipBlock: { cidr: "10.96.0.0/16" } }] }] });
    await becomes(["b 10.96.0.21:80"], ["a 10.96.0.20:80", "a 10.96.0.21:80"]);
    // What lets a Pod ask for names, and nothing else.
    const toNames = { namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "y" } }, ...app("remote") };
    await change("out", { egress: [{ to: [toNames], ports: [{ port: "talk", protocol: "UDP" }] }] });
    await becomes(["a 10.96.0.21:53/udp"], ["a 10.96.0.21:80", "a 10.96.0.20:53/udp"]);
  }),
);

test("ingress by a Service is about the client, and a Pod that comes back to itself is let in", { skip }, () =>
  withServices("client", async ({ policy, change, becomes }) => {
    await policy("in", { ...app("b"), policyTypes: ["Ingress"] });
    await becomes(["b 10.96.0.20:80", "b 10.96.0.20:53/udp"], ["a 10.96.0.20:80", "outside b:8080"]);
    await change("in", { ingress: [{ from: [app("a")] }] });
    await becomes(["a 10.96.0.20:80", "a 10.96.0.20:53/udp"], ["remote b:8080", "outside b:8080"]);
  }),
);

test("ingress by a port of the host is about the client, too", { skip }, () =>
  withPolicies("hostport", async ({ network, policy, change, becomes }) => {
    const rules = `table ip portmap {
      chain prerouting {
        type nat hook prerouting priority dstnat;
        ip daddr ${nodeAddress.ipv4} tcp dport 18080 dnat to ${places.b.ipv4}:8080
      }
    }`;
    const [, ...inNode] = network.inside("node");
    await execute("ip", [...inNode, "nft", rules]);
    const byHost = ["outside", "remote", "a"].map((from) => `${from} ${nodeAddress.ipv4}:18080` as `outside 192.168.77.1:18080`);
    const [fromOutside, ...fromPods] = byHost;
    assert.ok(fromOutside !== undefined);
    await becomes(byHost, []);
    await policy("in", { ...app("b"), policyTypes: ["Ingress"] });
    await becomes([], byHost);
    await change("in", { ingress: [{ from: [{ ipBlock: { cidr: `${places.outside.ipv4}/32` } }], ports: [{ port: 8080 }] }] });
    await becomes([fromOutside], fromPods);
  }),
);
