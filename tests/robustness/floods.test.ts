/**
 * Many requests from clients that may do little: an administrator is served meanwhile, nodes keep their leases, and memory is
 * bounded. `SECONDS=60 OBJECTS=10000 npm test -- tests/robustness/floods.test.ts` floods for longer, lists more, and
 * reports what the administrator waited.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { after, before, type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { FloodPlan, FloodResult } from "./floods/flood.ts";
import { startMeasured, workOf } from "./latency.ts";
import { type Answer, configMaps, send, type Target, until } from "./target.ts";

const seconds = Number(process.env.SECONDS ?? 3);
const objects = Number(process.env.OBJECTS ?? 2_000);
/** As in heavy-requests.test.ts: in times that 100 kB of JSON take. */
const maxTurn = 250;
const nodes = 3;

let target: Target;
let account: string;
before(async () => {
  target = await startMeasured("--runtime=simulated", `--nodes=${nodes}`);
  await until("the nodes", async () => (await readyNodes()) === nodes);
  account = `Bearer ${await tokenOfAccount()}`;
  await fill(objects);
  // What is loaded once is loaded, and memory that load takes is taken.
  for (const { floods } of scenarios()) await Promise.all(floods.map((plan) => flood({ ...plan, seconds: 1 })));
});
after(() => target[Symbol.asyncDispose]());

const asAdmin = (method: string, path: string, body?: object): Promise<Answer> =>
  target.fresh(method, path, body === undefined ? {} : { body: JSON.stringify(body) });

/** It may read and write ConfigMaps, and is of the level workload-low. */
async function tokenOfAccount(): Promise<string> {
  const rbac = "/apis/rbac.authorization.k8s.io/v1";
  const rules = [{ apiGroups: [""], resources: ["configmaps"], verbs: ["*"] }];
  await asAdmin("POST", `${rbac}/clusterroles`, { metadata: { name: "flood" }, rules });
  const subjects = [{ kind: "ServiceAccount", namespace: "default", name: "default" }];
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "flood" };
  await asAdmin("POST", `${rbac}/clusterrolebindings`, { metadata: { name: "flood" }, roleRef, subjects });
  const path = "/api/v1/namespaces/default/serviceaccounts/default/token";
  await until("the account", async () => (await asAdmin("GET", path.replace("/token", ""))).status === 200);
  return (await asAdmin("POST", path, { spec: { expirationSeconds: 86_400 } })).body.status.token;
}

async function fill(count: number): Promise<void> {
  const session = await target.http2();
  const data = { filler: "x".repeat(500) };
  for (let i = 0; i < count; i += 100)
    await Promise.all(
      Array.from({ length: 100 }, (_, n) =>
        send({ session, authorization: target.authorization }, "POST", configMaps, {
          body: JSON.stringify({ metadata: { name: `filler-${i + n}` }, data }),
        }),
      ),
    );
  session.destroy();
}

async function readyNodes(): Promise<number> {
  const { body } = await asAdmin("GET", "/api/v1/nodes");
  type Node = { readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] } };
  return (body.items as readonly Node[]).filter(({ status }) =>
    status?.conditions?.some((condition) => condition.type === "Ready" && condition.status === "True"),
  ).length;
}

type Flood = Omit<FloodPlan, "server" | "seconds"> & { readonly seconds?: number };

const program = fileURLToPath(new URL("./floods/flood.ts", import.meta.url));

async function flood(plan: Flood): Promise<FloodResult> {
  const asked = JSON.stringify({ server: target.command.server, seconds, ...plan });
  const { stdout } = await promisify(execFile)(process.execPath, [program, asked]);
  return JSON.parse(stdout) as FloodResult;
}

interface Scenario {
  readonly name: string;
  readonly floods: readonly Flood[];
}

const scenarios = (): readonly Scenario[] => [
  {
    name: "5,000 requests a second that prove nothing, and 2,000 of an account",
    floods: [
      { authorization: "Bearer wrong", path: "/api/v1/namespaces/default", connections: 50, http1: true, rate: 5_000 },
      { authorization: account, path: `${configMaps}/filler-0`, connections: 10, rate: 2_000 },
    ],
  },
  {
    name: "50 clients that list all the time",
    floods: [{ authorization: account, path: "/api/v1/configmaps", connections: 50 }],
  },
  {
    name: "5,000 watches at once",
    floods: [
      {
        authorization: account,
        path: `${configMaps}?watch=true&resourceVersion=1&fieldSelector=metadata.name%3Dnone`,
        connections: 25,
        perConnection: 200,
        heedsRetryAfter: true,
      },
    ],
  },
  {
    name: "bodies of 3 MB of one user",
    floods: [
      {
        authorization: account,
        path: configMaps,
        method: "POST",
        bodyBytes: 3_000_000,
        connections: 10,
        perConnection: 4,
        heedsRetryAfter: true,
      },
    ],
  },
  {
    name: "clients that come again at once when they are refused",
    floods: [{ authorization: account, path: "/api/v1/configmaps?limit=2000", connections: 20, perConnection: 50 }],
  },
];

for (const [i, name] of scenarioNames().entries())
  test(`${name}: others are served`, async (t) => {
    const { floods } = scenarios()[i] ?? { floods: [] };
    const memory = target.residentKb();
    await workOf(target);
    const probe = flood({ authorization: target.authorization, path: "/api/v1/namespaces/default", connections: 1, pauseMs: 20 });
    const [admin, ...flooded] = await Promise.all([probe, ...floods.map(flood)]);
    const { observedTurn } = await workOf(target);
    report(t, admin, flooded, observedTurn);
    assert.deepEqual(Object.keys(admin.statuses), ["200"]);
    for (const { withoutRetryAfter } of flooded) assert.equal(withoutRetryAfter, 0);
    assert.ok(observedTurn < maxTurn, `a turn as long as ${observedTurn} times 100 kB of JSON`);
    assert.equal(await readyNodes(), nodes);
    const { body } = await asAdmin("GET", "/api/v1/events?fieldSelector=reason=NodeNotReady");
    assert.deepEqual(body.items, []);
    assertBounded(t, memory);
  });

/** Tests are named before there is a server. */
function scenarioNames(): readonly string[] {
  return scenarios().map(({ name }) => name);
}

function report(t: TestContext, admin: FloodResult, flooded: readonly FloodResult[], observedTurn: number): void {
  t.diagnostic(`an administrator waited ${admin.p50Ms} ms, 1 % longer than ${admin.p99Ms} ms, at most ${admin.maxMs} ms`);
  for (const { statuses } of flooded) t.diagnostic(`answers: ${JSON.stringify(statuses)}`);
  t.diagnostic(`the longest turn was as long as ${observedTurn.toFixed(1)} times 100 kB of JSON`);
}

function assertBounded(t: TestContext, before: number | undefined): void {
  const after = target.residentKb();
  if (before === undefined || after === undefined) {
    t.diagnostic("memory was not measured");
    return;
  }
  t.diagnostic(`memory: ${Math.round(before / 1024)} MB before, ${Math.round(after / 1024)} MB after`);
  assert.ok(after < before * 1.3, `${before} kB before, ${after} kB after`);
}
