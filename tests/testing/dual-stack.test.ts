import assert from "node:assert/strict";
import { isIPv6 } from "node:net";
import { test } from "node:test";
import { deployments, endpointSlices, endpoints, pods, services } from "@coxswain/client";
import { startCluster, type TestCluster, virtualClock } from "coxswain/testing";

const both = ["10.96.0.0/12", "fd00:10:96::/112"];
const labels = { app: "web" };
const web = {
  metadata: { name: "web" },
  spec: {
    replicas: 2,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: "c", image: "web:1" }] } },
  },
};
const service = (name: string, spec: object = {}) => ({
  metadata: { name },
  spec: { selector: labels, ports: [{ port: 80 }], ipFamilyPolicy: "PreferDualStack", ...spec },
});

/** `IPv4 2`: the type of addresses of a slice, and how many. */
async function slicesOf(cluster: TestCluster, name: string): Promise<readonly string[]> {
  const { items } = await cluster.client.resource(endpointSlices, "default").list({ labelSelector: `kubernetes.io/service-name=${name}` });
  for (const { addressType, endpoints: all } of items)
    for (const { addresses } of all ?? []) assert.deepEqual(addresses.map(isIPv6), [addressType === "IPv6"]);
  return items.map(({ addressType, endpoints: all }) => `${addressType} ${all?.length ?? 0}`).sort();
}

for (const ranges of [both, both.toReversed()])
  test(`in a cluster with ${ranges.join(" and ")}, simulated Pods and the endpoints of Services have both families`, async () => {
    await using cluster = await startCluster({ clock: virtualClock(), serviceClusterIpRange: ranges });
    await using _ = await cluster.run({ controllers: true, scheduler: true, nodes: 2 });
    const isFirst6 = isIPv6(ranges[0]?.split("/")[0] ?? "");
    const { spec } = await cluster.client.resource(services, "default").create(service("web"));
    assert.deepEqual(spec?.clusterIPs?.map(isIPv6), [isFirst6, !isFirst6]);
    await cluster.client.resource(deployments, "default").create(web);
    await cluster.advance({ minutes: 1 });
    await cluster.waitFor(deployments, "web", "condition=Available");
    const { items } = await cluster.client.resource(pods, "default").list();
    assert.deepEqual(
      items.map(({ status }) => status?.podIPs?.map(({ ip }) => isIPv6(ip ?? ""))),
      Array(2).fill([isFirst6, !isFirst6]),
    );
    assert.deepEqual(await slicesOf(cluster, "web"), ["IPv4 2", "IPv6 2"]);
    const { subsets = [] } = await cluster.client.resource(endpoints, "default").get("web");
    assert.deepEqual(
      subsets[0]?.addresses?.map(({ ip }) => isIPv6(ip)),
      [isFirst6, isFirst6],
    );
  });

test("Endpoints that a user writes are mirrored by family, and a fork has the ranges of its cluster", async () => {
  await using first = await startCluster({ clock: virtualClock(), serviceClusterIpRange: both });
  await using cluster = await first.fork();
  await using _ = await cluster.run({ controllers: ["endpointslice-mirroring-controller"] });
  const { spec } = await cluster.client
    .resource(services, "default")
    .create(service("own", { selector: undefined, ipFamilyPolicy: "RequireDualStack" }));
  assert.deepEqual(spec?.ipFamilies, ["IPv4", "IPv6"]);
  const addresses = [{ ip: "192.0.2.1" }, { ip: "192.0.2.2" }, { ip: "2001:db8::1" }];
  await cluster.client
    .resource(endpoints, "default")
    .create({ metadata: { name: "own" }, subsets: [{ addresses, ports: [{ port: 80 }] }] });
  await cluster.advance({ seconds: 30 });
  assert.deepEqual(await slicesOf(cluster, "own"), ["IPv4 2", "IPv6 1"]);
});
