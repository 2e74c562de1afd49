/** Whole races, on the real server that each has. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { isBadRequest, isInvalid, type RaceReport, type RaceRequest, StatusError } from "@coxswain/machinery";
import { Sandbox } from "./sandbox.ts";

async function after(request: RaceRequest, actions: readonly string[]): Promise<RaceReport> {
  await using sandbox = await Sandbox.begin(request);
  for (const action of actions) await sandbox.act(action);
  return sandbox.report("race");
}

const classic = async (request: RaceRequest): Promise<RaceReport> => {
  await using sandbox = await Sandbox.begin(request);
  for (const action of sandbox.report("race").classic.actions) await sandbox.act(action);
  return sandbox.report("race");
};

const codes = ({ steps }: RaceReport) => steps.map(({ actor, request, answer }) => `${actor} ${request.method} ${answer.code}`);
const copyOf = (report: RaceReport, name: string) => report.actors.find((one) => one.name === name)?.copy;

test("the seat: the second booking is refused and explained, and who reads again goes on the waiting list", async () => {
  const report = await classic({ race: "seat" });
  assert.deepEqual(codes(report), ["Ann GET 200", "Bob GET 200", "Ann PUT 200", "Bob PUT 409", "Bob GET 200", "Bob PUT 200"]);
  const refused = report.steps[3];
  assert.match(refused?.explanation[0] ?? "", /the object has been modified; please apply your changes to the latest version/);
  assert.match(refused?.explanation[1] ?? "", /^\.data\.bookedBy: changed by manager "Ann" \(user "Ann"\) .*; this write changes it too$/);
  assert.deepEqual((report.object as { data?: object }).data, { row: "k", bookedBy: "Ann", waiting: "Bob" });
  assert.equal(copyOf(report, "Ann")?.isStale, true);
  assert.equal(copyOf(report, "Bob")?.isStale, false);
  assert.equal(report.classic.done, 5);
  assert.equal(report.versions.length, 3);
});

const ways = [
  { name: "a write without a version", action: "bob-overwrites", code: 200, lost: [".data.bookedBy"], winner: "Bob" },
  { name: "a patch without a version", action: "bob-patches", code: 200, lost: [".data.bookedBy"], winner: "Bob" },
  { name: "a patch with the version", action: "bob-patches-version", code: 409, lost: [], winner: "Ann" },
  { name: "a write with the version", action: "bob-writes", code: 409, lost: [], winner: "Ann" },
];
for (const { name, action, code, lost, winner } of ways)
  test(`${name} that comes second is answered with ${code}, and ${lost.length === 0 ? "nothing is lost" : "the first one is lost"}`, async () => {
    const report = await after({ race: "seat" }, ["ann-reads", "bob-reads", "ann-writes", action]);
    const last = report.steps.at(-1);
    assert.equal(last?.answer.code, code);
    assert.deepEqual(last?.lost, lost);
    assert.equal(report.value, winner);
    assert.equal(report.classic.done, action === "bob-writes" ? 4 : undefined);
  });

test("a custom resource refuses an update without a version", async () => {
  const yaml = "apiVersion: cinema.example/v1\nkind: Seat\nmetadata:\n  name: k-7\nspec: {}\n";
  const report = await after({ race: "seat", yaml, field: ".spec.bookedBy" }, ["ann-reads", "ann-overwrites"]);
  assert.equal(report.steps.at(-1)?.answer.code, 422);
  assert.match(report.steps.at(-1)?.explanation[0] ?? "", /metadata\.resourceVersion/);
});

test("appliers: a field of another is a conflict that names the owner; force takes it; who leaves it out gives it up", async () => {
  const report = await classic({ race: "apply" });
  assert.deepEqual(
    report.steps.map(({ answer }) => answer.code),
    [200, 409, 200, 409, 200, 200],
  );
  assert.match(report.steps[1]?.explanation[0] ?? "", /conflict with "Team-A": \.spec\.replicas/);
  const owners = report.steps.flatMap(({ ownership }) =>
    ownership.filter(({ field }) => field === ".spec.replicas").map(({ to }) => to.join()),
  );
  assert.deepEqual(owners, ["Team-A", "Team-B", "Team-A,Team-B", "Team-B"]);
  assert.equal(report.value, 2);
});

test("two controllers fight: hardly a write is refused, and their detector finds the hot loop", async () => {
  const report = await classic({ race: "loop" });
  assert.equal(report.steps.filter(({ answer }) => answer.code === 409).length, 1);
  assert.deepEqual(report.hotLoop?.writers, ["autoscaler", "deployer"]);
  assert.equal(report.hotLoop?.field, ".spec.replicas");
});

test("a controller that is stopped ends the fight", async () => {
  const report = await after({ race: "loop" }, ["autoscaler-stop", "deployer-write"]);
  assert.deepEqual(
    report.actors.map(({ waiting }) => waiting),
    [undefined, undefined],
  );
  assert.equal(report.value, 3);
  assert.equal(report.hotLoop, undefined);
});

test("scheduler and kubelet: patches of their own fields stand in any order; who names an old version is refused, the scheduler as well", async () => {
  const report = await classic({ race: "pod" });
  const step = (summary: RegExp) => report.steps.find((one) => summary.test(one.summary));
  assert.equal(step(/^scheduler binds it to node-1/)?.answer.code, 201);
  assert.match(step(/^agent is refused/)?.explanation.join("\n") ?? "", /\.spec\.nodeName: added by manager "scheduler"/);
  assert.match(step(/^scheduler is refused/)?.explanation.join("\n") ?? "", /\.metadata\.labels\.step: added by manager "user"/);
  assert.equal(step(/^kubelet patches the status/)?.answer.code, 200);
  assert.equal(report.steps.at(-1)?.answer.code, 200);
});

test("the kubelet's request waits as long as one wants, and is marked as made of an old version", async () => {
  const report = await after({ race: "pod" }, ["scheduler-request", "user-labels", "user-waits"]);
  const kubelet = report.actors.find(({ name }) => name === "kubelet");
  assert.equal(kubelet?.waiting?.method, "PATCH");
  assert.equal(kubelet?.copy?.isStale, true);
});

const configMap = (more = "") => `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: mine\n${more}`;
test("a visitor's own object is raced for", async () => {
  const mine: RaceRequest = { race: "seat", yaml: configMap("data: {}\n"), field: ".data.colour", values: ['"red"', "blue"] };
  const report = await after(mine, ["ann-reads", "bob-reads", "ann-writes", "bob-writes"]);
  assert.equal(report.value, "red");
  assert.equal(report.steps.at(-1)?.answer.code, 409);
});

test("a visitor's Pod reaches neither files nor addresses of the machine", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "coxswain-race-"));
  const asked: unknown[] = [];
  const server = createServer((request, response) => response.end(asked.push(request.url)));
  await once(server.listen(0, "127.0.0.1"), "listening");
  t.after(() => {
    server.close();
    rmSync(folder, { recursive: true });
  });
  const { port } = server.address() as AddressInfo;
  const probe = { httpGet: { host: "127.0.0.1", port, path: "/probe" }, periodSeconds: 1 };
  const hook = { postStart: { httpGet: { host: "127.0.0.1", port, path: "/hook" } } };
  const volumes = [{ name: "v", hostPath: { path: join(folder, "made"), type: "DirectoryOrCreate" } }];
  const container = { name: "c", image: "i", livenessProbe: probe, lifecycle: hook, volumeMounts: [{ name: "v", mountPath: "/v" }] };
  const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "web" }, spec: { containers: [container], volumes } };
  const actions = ["scheduler-request", "kubelet-request", "user-waits", "user-waits"];
  const report = await after({ race: "pod", yaml: JSON.stringify(pod) }, actions);
  assert.equal((report.object as { status?: { phase?: string } }).status?.phase, "Running");
  assert.deepEqual([asked, readdirSync(folder)], [[], []]);
});

const webhook = "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingWebhookConfiguration\nmetadata: {name: w}\nwebhooks: []\n";
const refused: readonly { name: string; request: RaceRequest; message: RegExp }[] = [
  { name: "no YAML", request: { race: "seat", yaml: "a: [" }, message: /yaml/ },
  { name: "no object", request: { race: "seat", yaml: "- a" }, message: /apiVersion and a kind/ },
  { name: "an unknown kind", request: { race: "seat", yaml: "apiVersion: v1\nkind: Nothing" }, message: /Nothing/ },
  { name: "what reaches beyond the sandbox", request: { race: "seat", yaml: webhook }, message: /of a whole cluster/ },
  { name: "another namespace", request: { race: "seat", yaml: configMap("  namespace: kube-system\n") }, message: /namespace/ },
  {
    name: "a field that it does not have",
    request: { race: "seat", yaml: configMap(), field: ".spec.a" },
    message: /unknown field "spec"/,
  },
  { name: "no field", request: { race: "seat", yaml: configMap(), field: "a b" }, message: /no path of a field/ },
  { name: "a value of another type", request: { race: "apply", values: ['"many"', "2"] }, message: /replicas/ },
  { name: "no Pod where a Pod is raced for", request: { race: "pod", yaml: configMap() }, message: /kind Pod/ },
];
for (const { name, request, message } of refused)
  test(`a race is refused for ${name}, in the server's words`, async () => {
    await assert.rejects(Sandbox.begin(request), (error) => error instanceof StatusError && message.test(error.message));
  });

test("what is invalid comes with its causes", async () => {
  await assert.rejects(Sandbox.begin({ race: "seat", yaml: configMap().replace("mine", "No_Name") }), isInvalid);
});

test("what cannot be done now, or at all, is refused and is no step", async () => {
  await using sandbox = await Sandbox.begin({ race: "seat" });
  for (const action of ["bob-writes", "__proto__", "constructor", "", "x".repeat(10_000)])
    await assert.rejects(sandbox.act(action), isBadRequest);
  assert.deepEqual(sandbox.report("race").steps, []);
});

test("a race ends being driven after 200 steps", async () => {
  await using sandbox = await Sandbox.begin({ race: "seat" });
  for (let step = 0; step < 200; step++) await sandbox.act("ann-reads");
  await assert.rejects(sandbox.act("ann-reads"), isBadRequest);
  assert.equal(sandbox.report("race", 198).steps.length, 2);
});
