/** Requests take turns: priority and fairness through the whole server, and the plain limits. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Authenticator, FlowControlOptions, HttpRequest } from "@coxswain/apiserver";
import { quiescence } from "@coxswain/machinery/testing";
import { type Answer, type Api, type Json, startApi } from "./api.ts";

const authenticator: Authenticator = ({ headers }) => {
  const name = String(headers.authorization ?? "").replace("Bearer ", "");
  const groups = name === "admin" ? ["system:masters"] : ["system:authenticated"];
  return { kind: "authenticated", user: { name, uid: "", groups, extra: {} } };
};

/** Everybody may do everything: this is about turns. */
async function start(flowControl: FlowControlOptions): Promise<Api> {
  const authorizer = () => ({ kind: "allow" as const, reason: "" });
  return startApi({ authenticators: [authenticator], authorizer, flowControl });
}

const send = (api: Api, as: string, target: string, { method = "GET", body }: { method?: string; body?: unknown } = {}): Promise<Answer> =>
  api.send(method, target, { headers: { authorization: `Bearer ${as}` }, body });

const post = (api: Api, as: string, target: string, body: unknown): Promise<Answer> => send(api, as, target, { method: "POST", body });

const flows = "/apis/flowcontrol.apiserver.k8s.io/v1";
const maps = "/api/v1/namespaces/default/configmaps";
/** Waits until the store has a version that it never gets: for as long as the test likes. */
const endless = `${maps}?resourceVersion=${2 ** 50}`;

const queues = { type: "Limited", limited: { nominalConcurrencyShares: 1, limitResponse: limitOf(1, 1) } };
function limitOf(count: number, queueLengthLimit: number) {
  return { type: "Queue", queuing: { queues: count, handSize: 1, queueLengthLimit } };
}

/** A level with one seat and room for one that waits, for `slow`. */
async function narrowLevel(api: Api): Promise<void> {
  const limited = { ...queues.limited, nominalConcurrencyShares: 1, borrowingLimitPercent: 0 };
  await post(api, "admin", `${flows}/prioritylevelconfigurations`, { metadata: { name: "narrow" }, spec: { ...queues, limited } });
  const rule = { verbs: ["*"], apiGroups: ["*"], resources: ["*"], namespaces: ["*"], clusterScope: true };
  const spec = {
    matchingPrecedence: 3,
    priorityLevelConfiguration: { name: "narrow" },
    rules: [{ subjects: [{ kind: "User", user: { name: "slow" } }], resourceRules: [rule] }],
  };
  const made = await post(api, "admin", `${flows}/flowschemas`, { metadata: { name: "narrow" }, spec });
  assert.equal(made.status, 201, made.text);
}

async function uidOf(api: Api, kind: string, name: string): Promise<string> {
  return (await send(api, "admin", `${flows}/${kind}/${name}`)).body.metadata.uid;
}

test("answers say of which FlowSchema and level their requests are", async () => {
  const api = await start({});
  const { headers } = await send(api, "jane", maps);
  assert.equal(headers["x-kubernetes-pf-flowschema-uid"], await uidOf(api, "flowschemas", "global-default"));
  assert.equal(headers["x-kubernetes-pf-prioritylevel-uid"], await uidOf(api, "prioritylevelconfigurations", "global-default"));
  const missing = await send(api, "admin", `${maps}/missing`);
  assert.equal(missing.headers["x-kubernetes-pf-flowschema-uid"], await uidOf(api, "flowschemas", "exempt"));
});

test("a request waits while its level is full, and is refused when too many wait; others do not notice", async () => {
  const api = await start({ maxRequestsInflight: 10, maxMutatingRequestsInflight: 0 });
  await narrowLevel(api);
  const running = send(api, "slow", endless);
  const waiting = send(api, "slow", maps);
  const refused = await send(api, "slow", maps);
  assert.equal(refused.status, 429);
  assert.equal(refused.text, "Too many requests, please try again later.\n");
  assert.equal(refused.type, "text/plain; charset=utf-8");
  assert.equal(refused.headers["retry-after"], "1");
  assert.equal(refused.headers["x-kubernetes-pf-flowschema-uid"], await uidOf(api, "flowschemas", "narrow"));
  assert.equal((await send(api, "jane", maps)).status, 200);
  await quiescence({ clock: api.clock });
  api.clock.advance(3_000);
  assert.deepEqual([(await running).status, (await waiting).status], [504, 200]);
});

test("a request whose deadline passes while it waits never runs, and takes nobody's seat", async () => {
  const api = await start({ maxRequestsInflight: 10, maxMutatingRequestsInflight: 0 });
  await narrowLevel(api);
  const running = send(api, "slow", endless);
  const waiting = post(api, "slow", `${maps}?timeout=1s`, { metadata: { name: "late" } });
  await quiescence({ clock: api.clock });
  api.clock.advance(1_000);
  assert.equal((await waiting).status, 504);
  api.clock.advance(3_000);
  await running;
  assert.equal((await send(api, "slow", `${maps}/late`)).status, 404);
});

const requestOf = (as: string, path: string, query = ""): HttpRequest => {
  const headers = { authorization: `Bearer ${as}`, accept: "application/json" };
  return { method: "GET", path, query, headers, remoteAddress: "", http1: false };
};

test("a watch gives its seat back as soon as what was there is written, or its client has gone", async () => {
  const api = await start({ maxRequestsInflight: 10, maxMutatingRequestsInflight: 0 });
  await narrowLevel(api);
  await post(api, "admin", maps, { metadata: { name: "one" } });
  for (const reads of [true, true, false]) {
    const { body } = await api.server.handle(requestOf("slow", maps, "watch=true"), new Uint8Array(0));
    assert.ok(body.kind === "stream");
    const leave = Promise.withResolvers<void>();
    const close: (() => void)[] = [];
    void body.start({
      write: () => reads,
      end: () => undefined,
      abort: () => undefined,
      buffered: 0,
      closed: false,
      onClose: (fn) => void close.push(fn),
      drained: () => leave.promise,
    });
    if (!reads) for (const fn of close) fn();
  }
  assert.equal((await send(api, "slow", maps)).status, 200);
});

test("lists in pieces give their seats back, read to the end or not", async () => {
  const api = await start({ maxRequestsInflight: 10, maxMutatingRequestsInflight: 0 });
  await narrowLevel(api);
  for (let i = 0; i < 5; i++) assert.equal((await send(api, "slow", maps)).status, 200);
  const { body } = await api.server.handle(requestOf("slow", maps), new Uint8Array(0));
  assert.ok(body.kind === "chunks");
  const waiting = send(api, "slow", maps);
  body.chunks[Symbol.iterator]().return?.();
  assert.equal((await waiting).status, 200);
});

test("the queues can be looked into by who may", async () => {
  const api = await start({});
  await send(api, "jane", maps);
  const shown = await send(api, "admin", "/debug/api_priority_and_fairness/dump_priority_levels");
  assert.equal(shown.type, "text/plain; charset=utf-8");
  assert.match(shown.text, /^global-default, +0, +true, +false, +0, +0, +1, /m);
  assert.equal((await send(api, "admin", "/debug/api_priority_and_fairness/other")).status, 404);
  const metrics = (await send(api, "admin", "/metrics")).text;
  assert.match(
    metrics,
    /^apiserver_flowcontrol_dispatched_requests_total\{priority_level="global-default",flow_schema="global-default"\} 1$/m,
  );
  assert.match(metrics, /^apiserver_flowcontrol_nominal_limit_seats\{priority_level="workload-low"\} 245$/m);
});

test("without priority and fairness so many read at a time, and so many write; members of system:masters always", async () => {
  const api = await start({ enablePriorityAndFairness: false, maxRequestsInflight: 1, maxMutatingRequestsInflight: 1 });
  const running = send(api, "jane", endless);
  const refused = await send(api, "joe", maps);
  assert.deepEqual([refused.status, refused.headers["retry-after"]], [429, "1"]);
  assert.equal(refused.headers["x-kubernetes-pf-flowschema-uid"], undefined);
  assert.equal((await send(api, "admin", maps)).status, 200);
  assert.equal((await post(api, "joe", maps, { metadata: { name: "made" } })).status, 201);
  await quiescence({ clock: api.clock });
  api.clock.advance(3_000);
  await running;
  assert.equal((await send(api, "joe", maps)).status, 200);
});

async function eventually(api: Api, target: string, isRight: (body: Json) => boolean): Promise<Json> {
  for (let i = 0; i < 1_000; i++) {
    const { body } = await send(api, "admin", target);
    if (isRight(body)) return body;
    await new Promise((resolve) => setImmediate(resolve));
  }
  throw new Error(`${target} was not put right`);
}

const merge = (api: Api, target: string, body: unknown): Promise<Answer> =>
  api.send("PATCH", target, { type: "application/merge-patch+json", headers: { authorization: "Bearer admin" }, body });

test("what every cluster has comes back when it is deleted", async () => {
  const api = await start({});
  for (const target of [`${flows}/flowschemas/exempt`, `${flows}/flowschemas/probes`, `${flows}/prioritylevelconfigurations/system`]) {
    const before = (await send(api, "admin", target)).body;
    assert.equal((await send(api, "admin", target, { method: "DELETE" })).status, 200);
    const after = await eventually(api, target, ({ metadata }) => metadata?.uid !== undefined && metadata.uid !== before.metadata.uid);
    assert.deepEqual(after.spec, before.spec);
  }
});

test("what nobody has taken over follows the server; what is mandatory always does", async () => {
  const api = await start({});
  const suggested = `${flows}/flowschemas/global-default`;
  const { spec } = (await send(api, "admin", suggested)).body;
  await merge(api, suggested, { spec: { matchingPrecedence: 9_000 } });
  await eventually(api, suggested, (body) => body.spec.matchingPrecedence === spec.matchingPrecedence);
  await merge(api, suggested, { metadata: { annotations: { "apf.kubernetes.io/autoupdate-spec": "false" } } });
  await merge(api, suggested, { spec: { matchingPrecedence: 9_000 } });
  await merge(api, `${flows}/flowschemas/exempt`, { metadata: { annotations: { "apf.kubernetes.io/autoupdate-spec": null } } });
  await eventually(
    api,
    `${flows}/flowschemas/exempt`,
    ({ metadata }) => metadata.annotations?.["apf.kubernetes.io/autoupdate-spec"] === "true",
  );
  assert.equal((await send(api, "admin", suggested)).body.spec.matchingPrecedence, 9_000);
});

test("how much the exempt level has is for administrators to say", async () => {
  const api = await start({});
  const exempt = `${flows}/prioritylevelconfigurations/exempt`;
  await merge(api, exempt, { spec: { exempt: { nominalConcurrencyShares: 7 } } });
  await merge(api, `${flows}/prioritylevelconfigurations/system`, {
    metadata: { annotations: { "apf.kubernetes.io/autoupdate-spec": "x" } },
  });
  const settled = `${flows}/prioritylevelconfigurations/system`;
  await eventually(api, settled, ({ metadata }) => metadata.annotations?.["apf.kubernetes.io/autoupdate-spec"] === "true");
  assert.equal((await send(api, "admin", exempt)).body.spec.exempt.nominalConcurrencyShares, 7);
});
