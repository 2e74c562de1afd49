import assert from "node:assert/strict";
import { test } from "node:test";
import type { api } from "@coxswain/client";
import { type IpFamily, ipFamilies } from "@coxswain/proxy";
import { type NodeRules, nodeRules } from "../rules/pod-rules.ts";
import { ObservedCluster } from "./observed-cluster.ts";
import { type StartingPod, StartingPods } from "./starting-pods.ts";

type Pod = api.coreV1.Pod;

const podOf = (name: string, status: Pod["status"] = {}, metadata: Pod["metadata"] = {}): Pod => ({
  metadata: { namespace: "x", name, uid: `uid-${name}`, labels: { app: name }, ...metadata },
  spec: { nodeName: "n1", containers: [] },
  status,
});
const policyAbout = (app: string): api.networkingV1.NetworkPolicy => ({
  metadata: { namespace: "x", name: `about-${app}` },
  spec: { podSelector: { matchLabels: { app } }, policyTypes: ["Ingress"] },
});
const announced = (name: string, ...addresses: readonly string[]): StartingPod => ({ uid: `uid-${name}`, namespace: "x", name, addresses });

/** A cluster in which rules are written when `write` is called. */
function world() {
  const starting = new StartingPods();
  const cluster = new ObservedCluster(starting);
  let changes = 0;
  const noteChange = (): void => void changes++;
  const attach = () => starting.attach({ selectionOf: (pod) => cluster.selectionOf(pod), noteChange });
  const add = (object: Pod): void => {
    cluster.onPod({ type: "added", initial: false, object });
    starting.update();
  };
  const update = (previous: Pod, object: Pod): boolean => cluster.onPod({ type: "updated", resync: false, object, previous });
  const addPolicy = (app: string): void => {
    cluster.onPolicy({ type: "added", initial: false, object: policyAbout(app) });
    starting.update();
  };
  const rules = (): NodeRules => nodeRules(cluster.inputOf("n1"));
  const write = (families: readonly IpFamily[] = ipFamilies): readonly string[] => {
    const settle = starting.snapshot();
    const { pods } = rules();
    settle(families);
    return pods.map(({ pod }) => `${pod.name} ${Object.values(pod.addresses).join(" ")}`);
  };
  /** What a kubelet is told, in order. */
  const start = (pod: StartingPod, signal = new AbortController().signal): string[] => {
    const reported: string[] = [];
    starting.isolated(pod, { onSelected: () => void reported.push("selected"), signal }).then(
      () => void reported.push("isolated"),
      (error: Error) => void reported.push(error.message),
    );
    return reported;
  };
  return { starting, cluster, attach, add, update, addPolicy, write, start, changes: () => changes };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test("a Pod that no policy is about starts at once, and writes nothing", async () => {
  const { attach, add, addPolicy, start, changes } = world();
  using _ = attach();
  addPolicy("other");
  add(podOf("a"));
  const reported = start(announced("a", "10.0.0.1"));
  await turn();
  assert.deepEqual([reported, changes()], [["isolated"], 0]);
});

test("a Pod that a policy is about starts when its rules are written, with the addresses that its kubelet knows", async () => {
  const { attach, add, addPolicy, start, write, changes } = world();
  using _ = attach();
  addPolicy("a");
  add(podOf("a"));
  assert.deepEqual(write(), []);
  const reported = start(announced("a", "10.0.0.1", "FD00::1"));
  await turn();
  assert.deepEqual([reported, changes()], [["selected"], 1]);
  assert.deepEqual(write(), ["a 10.0.0.1 fd00::1"]);
  await turn();
  assert.deepEqual(reported, ["selected", "isolated"]);
});

test("a Pod that is not known yet waits until it is, as does one that nobody writes rules for", async () => {
  const { attach, add, addPolicy, start, write } = world();
  addPolicy("a");
  add(podOf("a"));
  const [known, unknown] = [start(announced("a", "10.0.0.1")), start(announced("b", "10.0.0.2"))];
  await turn();
  assert.deepEqual([known, unknown], [[], []]);
  using _ = attach();
  write();
  await turn();
  assert.deepEqual([known, unknown], [["selected", "isolated"], []]);
  add(podOf("b"));
  await turn();
  assert.deepEqual(unknown, ["isolated"]);
});

test("a Pod waits for the rules of the families that it has, and for no other", async () => {
  const { attach, add, addPolicy, start, write } = world();
  using _ = attach();
  for (const app of ["single", "dual"]) {
    addPolicy(app);
    add(podOf(app));
  }
  const [single, dual] = [start(announced("single", "10.0.0.1")), start(announced("dual", "10.0.0.2", "fd00::2"))];
  write(["IPv4"]);
  await turn();
  assert.deepEqual([single, dual], [["selected", "isolated"], ["selected"]]);
  write();
  await turn();
  assert.deepEqual(dual, ["selected", "isolated"]);
});

test("what comes while rules are computed is not in them", async () => {
  const { starting, attach, add, addPolicy, start } = world();
  using _ = attach();
  addPolicy("a");
  add(podOf("a"));
  const settle = starting.snapshot();
  const reported = start(announced("a", "10.0.0.1"));
  settle(ipFamilies);
  await turn();
  assert.deepEqual(reported, ["selected"]);
});

test("a Pod whose policy goes meanwhile starts, and one that is given up is told so", async () => {
  const { starting, cluster, attach, add, addPolicy, start } = world();
  using _ = attach();
  for (const app of ["a", "b"]) {
    addPolicy(app);
    add(podOf(app));
  }
  const end = new AbortController();
  const [a, b] = [start(announced("a", "10.0.0.1")), start(announced("b", "10.0.0.2"), end.signal)];
  cluster.onPolicy({ type: "deleted", unseen: false, object: policyAbout("a") });
  starting.update();
  end.abort(new Error("the Pod is to end"));
  await turn();
  assert.deepEqual(
    [a, b],
    [
      ["selected", "isolated"],
      ["selected", "the Pod is to end"],
    ],
  );
});

test("an address that a kubelet announces is nobody else's, and the status counts once it has other ones than before", async () => {
  const { attach, add, update, addPolicy, start, write } = world();
  using _ = attach();
  for (const app of ["a", "former"]) addPolicy(app);
  add(podOf("former", { podIP: "10.0.0.1" }));
  const first = podOf("a", { podIP: "10.0.0.9" });
  add(first);
  start(announced("a", "10.0.0.1"));
  assert.deepEqual(write(), ["a 10.0.0.1"]);
  await turn();
  const second = podOf("a", { podIP: "10.0.0.1" });
  assert.equal(update(first, second), true);
  const third = podOf("a", { podIP: "10.0.0.7" });
  update(second, third);
  assert.deepEqual(write(), ["a 10.0.0.7", "former 10.0.0.1"]);
});

test("a static Pod is known by its mirror, and by nobody's who only says to be one", async () => {
  const { attach, add, addPolicy, start, write } = world();
  using _ = attach();
  addPolicy("web");
  const annotations = { "kubernetes.io/config.mirror": "uid-static" };
  add(podOf("other", {}, { annotations, labels: { app: "web" } }));
  const reported = start({ uid: "uid-static", namespace: "x", name: "web", addresses: ["10.0.0.1"] });
  await turn();
  assert.deepEqual(reported, []);
  add(podOf("web", {}, { annotations, uid: "uid-mirror" }));
  assert.deepEqual(write(), ["web 10.0.0.1"]);
  await turn();
  assert.deepEqual(reported, ["selected", "isolated"]);
});
