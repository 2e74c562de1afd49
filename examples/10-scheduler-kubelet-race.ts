/** THE RACE: scheduler and kubelet hold the same version of a Pod, and both write. One loses, looks again, and nothing is lost. */
import { type api, explainConflict, isConflict, nodes, pods, priorityClasses, startControllers } from "@coxswain/client";
import { createScheduler, defaultProfile } from "@coxswain/scheduler";
import { startCluster, virtualClock } from "coxswain/testing";

type Pod = api.coreV1.Pod;

await using cluster = await startCluster({ clock: virtualClock({ autoAdvance: true }) });
const { client } = cluster;
const scheduler = createScheduler({ profiles: [defaultProfile()] });
const asScheduler = cluster.clientFor({ name: "system:kube-scheduler" }, { fieldManager: "kube-scheduler" });
await using _ = startControllers([scheduler], { client: asScheduler });
const kubelet = cluster.clientFor({ name: "system:node:node-1" }, { fieldManager: "kubelet" }).resource(pods);

const print = (who: string, what: string): void => console.log(`${who.padEnd(10)} ${what}`);
const pod = (name: string, more: object = {}): Pod => ({
  metadata: { name },
  spec: { containers: [{ name: "main", image: "nginx", resources: { requests: { cpu: "1" } } }], ...more },
});

// A node with room for one of them.
await client.resource(nodes).create({ metadata: { name: "node-1" }, status: { allocatable: { cpu: "1", pods: "10" } } });
await client.resource(nodes).modify("node-1", (node) => ({ ...node, spec: {} }));
await client.resource(priorityClasses).create({ metadata: { name: "important" }, value: 1000 });

print("user", "creates the Pod web");
await client.resource(pods).create(pod("web"));
const bound = await cluster.waitFor(pods, "web", ({ spec }) => (spec?.nodeName ?? "") !== "");
print("scheduler", `binds it to ${bound.spec?.nodeName}: a new version`);

// The kubelet works from what its watch has brought, and starting a container takes a while.
const seen = await kubelet.get("web");
print("kubelet", "sees that it is on its node, and starts the container");

print("user", "creates an important Pod");
await client.resource(pods).create(pod("urgent", { priorityClassName: "important" }));
await cluster.waitFor(pods, "web", ({ metadata }) => metadata?.deletionTimestamp !== undefined);
print("scheduler", "has to make room: it marks web, and deletes it gracefully. Two new versions");

/** What the kubelet has to say, on top of whatever the Pod says already. */
const started = (now: Pod): Pod => ({
  ...now,
  status: { ...now.status, phase: "Running", podIPs: [{ ip: "10.0.0.7" }], podIP: "10.0.0.7" },
});

print("kubelet", "says that it runs, based on the version that it has seen");
for (let read = seen, attempt = 1; ; attempt++) {
  try {
    await kubelet.updateStatus(started(read));
    print("kubelet", `is heard, at attempt ${attempt}`);
    break;
  } catch (error) {
    if (!isConflict(error)) throw error;
    print("", "409 Conflict");
    for (const line of explainConflict(error).split("\n")) print("", line);
    read = await kubelet.get("web");
    print("kubelet", "reads it again: what it has to say still holds, and now it knows that web has to go");
  }
}

const { metadata, spec, status } = await client.resource(pods).get("web");
const mark = status?.conditions?.find(({ type }) => type === "DisruptionTarget");
console.log(`\nboth stand: on ${spec?.nodeName}, ${status?.phase} at ${status?.podIP}, ${mark?.reason} (${mark?.message})`);

print("kubelet", "stops the container, and takes the Pod away");
await kubelet.delete("web", { gracePeriodSeconds: 0, preconditions: { uid: metadata?.uid ?? "" } });
const urgent = await cluster.waitFor(pods, "urgent", ({ spec }) => (spec?.nodeName ?? "") !== "");
print("scheduler", `binds urgent to ${urgent.spec?.nodeName}`);
