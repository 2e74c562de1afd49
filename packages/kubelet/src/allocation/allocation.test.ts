import assert from "node:assert/strict";
import { test } from "node:test";
import type { coreV1 } from "@coxswain/api";
import type { Pod } from "../pod/pod.ts";
import { containerUnderTest, podUnderTest, stateUnderTest } from "../pod-workers/pod-under-test.ts";
import { Allocation } from "./allocation.ts";

const asking = (cpu: string, more: Partial<coreV1.Container> = {}): Pod =>
  podUnderTest({ containers: [containerUnderTest("main", { resources: { requests: { cpu } }, ...more })] });
const cpuOf = ({ spec }: Pod): string | undefined => spec?.containers[0]?.resources?.requests?.cpu;
const [running] = stateUnderTest(asking("1"), ["main:running"]).containers;
const of = (pod: Pod): coreV1.Container => pod.spec?.containers[0] ?? containerUnderTest("main");

test("a Pod runs with what it was given until it is granted more", () => {
  const allocation = new Allocation(asking("1"));
  const wanted = asking("2");
  assert.ok(allocation.covers(asking("1000m")), "the same amount in other words");
  assert.ok(!allocation.covers(wanted));
  assert.equal(cpuOf(allocation.apply(wanted)), "1");
  allocation.grant(wanted);
  assert.ok(allocation.covers(wanted));
  assert.equal(cpuOf(allocation.apply(wanted)), "2");
});

test("allocated resources are applied to running containers once", () => {
  const allocation = new Allocation(asking("1"));
  const wanted = asking("2");
  allocation.grant(wanted);
  assert.ok(running !== undefined);
  assert.equal(allocation.resizing(of(wanted), running), "inPlace");
  assert.equal(allocation.resizing(of(wanted), { ...running, state: "exited" }), "none");
  allocation.markActuated(of(wanted));
  assert.equal(allocation.resizing(of(wanted), running), "none");
});

test("a container that says so is started again for it", () => {
  const policy = (resourceName: string) => ({ resizePolicy: [{ resourceName, restartPolicy: "RestartContainer" }] });
  for (const [resource, expect] of [
    ["cpu", "restart"],
    ["memory", "inPlace"],
  ] as const) {
    const allocation = new Allocation(asking("1", policy(resource)));
    const wanted = asking("2", policy(resource));
    allocation.grant(wanted);
    assert.ok(running !== undefined);
    assert.equal(allocation.resizing(of(wanted), running), expect);
  }
});

test("another kubelet goes on from what the API says of what runs", () => {
  const wanted = asking("3");
  const status = { name: "main", image: "", imageID: "", ready: true, restartCount: 0, state: { running: {} } };
  const recorded = { ...status, allocatedResources: { cpu: "2" }, resources: { requests: { cpu: "1" } } };
  const allocation = new Allocation({ ...wanted, status: { containerStatuses: [recorded] } });
  assert.ok(!allocation.covers(wanted));
  const pod = allocation.apply(wanted);
  assert.equal(cpuOf(pod), "2");
  assert.ok(running !== undefined);
  assert.equal(allocation.resizing(of(pod), running), "inPlace");
  assert.ok(allocation.isUnderWay(pod, stateUnderTest(pod, ["main:running"])));
});
