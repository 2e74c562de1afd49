import assert from "node:assert/strict";
import { test } from "node:test";
import { ipAddresses, isNotFound, serviceCIDRs, services } from "@coxswain/client";
import { startCluster, virtualClock } from "coxswain/testing";

const range = { metadata: { name: "more" }, spec: { cidrs: ["10.200.0.0/28", "fd00:200::/124"] } };
const web = (name: string, spec: object) => ({ metadata: { name }, spec: { ...spec, ports: [{ port: 80 }] } });
const both = { clusterIP: "10.200.0.1", clusterIPs: ["10.200.0.1", "fd00:200::1"], ipFamilyPolicy: "RequireDualStack" };

test("a ServiceCIDR gives addresses of both families, and stays until none is used", async () => {
  await using cluster = await startCluster({
    clock: virtualClock(),
    serviceClusterIpRange: ["10.96.0.0/12", "fd00:10:96::/112"],
  });
  await using _ = await cluster.run({ controllers: ["service-cidr-controller"] });
  const [ranges, ofServices] = [cluster.client.resource(serviceCIDRs), cluster.client.resource(services, "default")];
  await ranges.create(range);
  const { metadata } = await cluster.waitFor(serviceCIDRs, "more", "condition=Ready");
  assert.deepEqual(metadata?.finalizers, ["networking.k8s.io/service-cidr-finalizer"]);
  assert.deepEqual((await ofServices.create(web("a", both))).spec?.clusterIPs, both.clusterIPs);
  await cluster.waitFor(ipAddresses, "fd00:200::1", ({ spec }) => spec?.parentRef?.name === "a");
  await ranges.delete("more");
  await cluster.waitFor(serviceCIDRs, "more", ({ status }) => status?.conditions?.some(({ reason }) => reason === "Terminating") === true);
  await assert.rejects(ofServices.create(web("b", { clusterIP: "10.200.0.2" })), /the provided network does not match the current range/);
  await ofServices.delete("a");
  await cluster.advance({ seconds: 30 });
  await cluster.waitFor(serviceCIDRs, "more", "delete");
  await assert.rejects(cluster.client.resource(ipAddresses).get("10.200.0.1"), isNotFound);
});

test("one that is contained in another goes though it is used", async () => {
  await using cluster = await startCluster({ clock: virtualClock() });
  await using _ = await cluster.run({ controllers: ["service-cidr-controller"] });
  const [ranges, ofServices] = [cluster.client.resource(serviceCIDRs), cluster.client.resource(services, "default")];
  await ranges.create({ metadata: { name: "small" }, spec: { cidrs: ["10.200.0.0/28"] } });
  await cluster.waitFor(serviceCIDRs, "small", "condition=Ready");
  await ofServices.create(web("a", { clusterIP: "10.200.0.1" }));
  await ranges.delete("small");
  await cluster.waitFor(serviceCIDRs, "small", "condition=Ready=False");
  await ranges.create({ metadata: { name: "large" }, spec: { cidrs: ["10.200.0.0/24"] } });
  await cluster.advance({ seconds: 30 });
  await cluster.waitFor(serviceCIDRs, "small", "delete");
  assert.equal((await ofServices.get("a")).spec?.clusterIP, "10.200.0.1");
});
