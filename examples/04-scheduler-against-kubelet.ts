/** One Pod, and all who write to it: two schedulers of which one is late, a kubelet, a user. A table of who did what when. */
import { conflictChanges, isConflict, type KubeObject, pods } from "@coxswain/client";
import { startCluster, virtualClock } from "coxswain/testing";

const clock = virtualClock({ now: Date.UTC(2026, 0, 1) });
await using cluster = await startCluster({ clock });
const as = (name: string) => cluster.clientFor({ name }, { fieldManager: name }).resource(pods);
const [user, scheduler, lateScheduler, kubelet] = [as("user"), as("scheduler"), as("late-scheduler"), as("kubelet")];

/** One line of the table: at this moment, a component writes. A conflict is an answer like any other. */
const versions: string[] = [];
async function at<T extends KubeObject>(ms: number, who: string, what: string, action: () => Promise<T>): Promise<T | undefined> {
  await clock.advance({ ms: ms - (clock.now() - Date.UTC(2026, 0, 1)) });
  const line = `${String(ms).padStart(5)} ms  ${who.padEnd(14)}  ${what.padEnd(48)}`;
  try {
    const answer = await action();
    console.log(`${line}  ${version((await user.get("web")).metadata?.resourceVersion)}`);
    return answer;
  } catch (error) {
    if (!isConflict(error)) throw error;
    console.log(`${line}  409 Conflict`);
    if (conflictChanges(error).length === 0) console.log(`${" ".repeat(10)}${error.message}`);
    for (const { reason, field, message } of conflictChanges(error))
      console.log(`${" ".repeat(10)}${reason.padEnd(18)}${field} ${message}`);
    return undefined;
  }
}
/** v1, v2 …: the versions of this one object, in the order in which they came about. */
function version(resourceVersion = ""): string {
  if (!versions.includes(resourceVersion)) versions.push(resourceVersion);
  return `v${versions.indexOf(resourceVersion) + 1}`;
}
const bind = (by: typeof user, node: string) =>
  by.subresource("web", "binding").create({ metadata: { name: "web" }, target: { apiVersion: "v1", kind: "Node", name: node } });
/** Changes the status only if the Pod is still as it was read: the patch names that version. */
const setStatus = (by: typeof user, read: KubeObject | undefined, status: object) =>
  by.patch(
    "web",
    { type: "strategic", patch: { metadata: { resourceVersion: read?.metadata?.resourceVersion }, status } },
    { subresource: "status" },
  );
const unschedulable = { conditions: [{ type: "PodScheduled", status: "False", reason: "Unschedulable" }] };
const containers = [{ name: "web", image: "nginx" }];

console.log("    time  who             does                                              the Pod is then at");
await at(0, "user", "creates the Pod", () => user.create({ metadata: { name: "web" }, spec: { containers } }));
const old = await at(4, "late-scheduler", "reads it, and thinks for long", () => lateScheduler.get("web"));
await at(5, "scheduler", "reads it", () => scheduler.get("web"));
await at(9, "scheduler", "binds it to node-a", () => bind(scheduler, "node-a"));

// A binding is exclusive by itself: whoever comes second is refused, and no version is needed for that.
await at(12, "late-scheduler", "binds it to node-b", () => bind(lateScheduler, "node-b"));

const bound = await at(20, "kubelet", "sees that it is on its node", () => kubelet.get("web"));
const running = await at(800, "kubelet", "says that it runs", () => setStatus(kubelet, bound, { phase: "Running" }));

// The late scheduler would now say that no node has room. Its picture of the Pod is 896 ms old.
await at(900, "late-scheduler", "says that no node has room, based on v1", () => setStatus(lateScheduler, old, unschedulable));
const now = await at(901, "late-scheduler", "reads again", () => lateScheduler.get("web"));
console.log(`          it is on ${now?.spec?.nodeName}: nothing is left to do, so nothing is written`);

// The kubelet meets the same with the user's label in between, and tries again: its news still holds.
await at(1000, "user", "labels it", () => user.patch("web", { type: "merge", patch: { metadata: { labels: { tier: "front" } } } }));
await at(1010, "kubelet", "tells its address, based on v3", () => setStatus(kubelet, running, { podIP: "10.0.0.7" }));
const labelled = await at(1011, "kubelet", "reads again", () => kubelet.get("web"));
await at(1012, "kubelet", "tells its address, based on v4", () => setStatus(kubelet, labelled, { podIP: "10.0.0.7" }));

const { metadata, spec, status } = await user.get("web");
console.log(`\nall that was true stands: on ${spec?.nodeName}, ${status?.phase}, ${status?.podIP}, tier ${metadata?.labels?.tier}`);
