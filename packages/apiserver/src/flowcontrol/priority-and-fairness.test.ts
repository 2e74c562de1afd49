import assert from "node:assert/strict";
import { test } from "node:test";
import { flowSchemas, priorityLevels } from "@coxswain/api";
import { ManualClock } from "@coxswain/machinery";
import type { UserInfo } from "../contracts/authenticator.ts";
import type { Flow } from "../contracts/flow-control.ts";
import { FlowControlSeries } from "../metrics/flow-control.ts";
import { parseRequest } from "../request/request-info.ts";
import type { FlowSchemaObject } from "./flow-schemas.ts";
import type { ObjectStats } from "./object-stats.ts";
import { PriorityAndFairness } from "./priority-and-fairness.ts";
import type { PriorityLevelObject } from "./priority-level.ts";

interface Setup {
  readonly totalSeats?: number;
  readonly stats?: ObjectStats;
  readonly isDefault?: boolean;
}

function server({ totalSeats = 600, stats, isDefault = true }: Setup = {}) {
  const clock = new ManualClock();
  const series = new FlowControlSeries();
  const flows = new PriorityAndFairness({ clock, totalSeats, maxWaitMs: 15_000, series, stats: { of: () => stats }, turns });
  if (isDefault) {
    for (const object of flowSchemas("")) flows.setSchema(object.metadata?.name ?? "", withUid(object));
    for (const object of priorityLevels()) flows.setLevel(object.metadata?.name ?? "", withUid(object));
  }
  const begin = (user: UserInfo, method = "GET", target = "/api/v1/namespaces/a/pods/x"): Flow => {
    const [path = "", query = ""] = target.split("?");
    const params = new URLSearchParams(query);
    const info = parseRequest(method, path, params.get("watch") === "true");
    return flows.begin({ info, user, query: params, startedAt: clock.monotonic(), request: {} });
  };
  const level = (name: string) => {
    const found = series.levels.get(name);
    assert.ok(found !== undefined, name);
    return found;
  };
  return { clock, series, flows, begin, level };
}

/** Virtual time passes within a round of the event loop. */
const turns = { isOpen: () => true, wait: () => undefined };

const withUid = <T extends FlowSchemaObject | PriorityLevelObject>(object: T): T => ({
  ...object,
  metadata: { ...object.metadata, uid: `uid of ${object.kind} ${object.metadata?.name}` },
});

const jane: UserInfo = { name: "jane", uid: "", groups: ["system:authenticated"], extra: {} };
const root: UserInfo = { name: "root", uid: "", groups: ["system:masters", "system:authenticated"], extra: {} };
const unknown: UserInfo = { name: "unknown", uid: "", groups: [], extra: {} };

const schemaOf = (flow: Flow) => flow.headers?.["x-kubernetes-pf-flowschema-uid"];
const levelOf = (flow: Flow) => flow.headers?.["x-kubernetes-pf-prioritylevel-uid"];
const waits = (flow: Flow): boolean => flow.mayRun instanceof Promise;

test("seats are shared out as Kubernetes shares out 600", () => {
  const { begin, level } = server();
  begin(jane);
  const seats = Object.fromEntries(
    ["catch-all", "global-default", "leader-election", "node-high", "system", "workload-high", "workload-low", "exempt"].map((name) => {
      const { nominal, lower } = level(name);
      return [name, [nominal, lower]];
    }),
  );
  assert.deepEqual(seats, {
    "catch-all": [13, 13],
    "global-default": [49, 24],
    "leader-election": [25, 25],
    "node-high": [98, 73],
    system: [74, 50],
    "workload-high": [98, 49],
    "workload-low": [245, 24],
    exempt: [0, 0],
  });
});

test("a request says which FlowSchema and which level it is of, by their UIDs", () => {
  const { begin } = server();
  assert.deepEqual(begin(jane).headers, {
    "x-kubernetes-pf-flowschema-uid": "uid of FlowSchema global-default",
    "x-kubernetes-pf-prioritylevel-uid": "uid of PriorityLevelConfiguration global-default",
  });
});

test("without any objects there is what is mandatory", () => {
  const { begin, level } = server({ isDefault: false, totalSeats: 3 });
  assert.equal(begin(root).mayRun, true);
  const flows = Array.from({ length: 5 }, () => begin(jane));
  assert.equal(level("catch-all").nominal, 3);
  assert.deepEqual(
    flows.map(({ mayRun }) => mayRun),
    [true, true, true, false, false],
  );
  assert.equal(begin(root).mayRun, true);
});

test("who matches nothing is of the last FlowSchema", () => {
  const { begin } = server();
  assert.equal(schemaOf(begin(unknown)), "uid of FlowSchema catch-all");
});

test("requests of a user wait when the level is full, and go on in turn", async () => {
  const { begin, level } = server();
  const running: Flow[] = [];
  for (let flow = begin(jane); !waits(flow); flow = begin(jane)) running.push(flow);
  assert.ok(running.length >= level("global-default").lower);
  const waiting = begin(jane);
  assert.ok(waiting.mayRun instanceof Promise);
  for (const flow of running) flow.end();
  assert.equal(await waiting.mayRun, true);
});

test("a request that is given up while it waits never runs", async () => {
  const { begin } = server();
  const running: Flow[] = [];
  let waiting = begin(jane);
  for (; !waits(waiting); waiting = begin(jane)) running.push(waiting);
  waiting.end();
  for (const flow of running) flow.end();
  assert.equal(await waiting.mayRun, false);
});

test("seats that are not used are lent to who could use them, and come back when they are needed", () => {
  const { begin, level, clock } = server();
  const flows = Array.from({ length: 200 }, () => begin(jane));
  const before = level("global-default").current;
  for (let i = 0; i < 6; i++) {
    clock.advance(10_000);
    begin(root).end();
  }
  const lent = level("global-default").current;
  assert.ok(lent > before && lent >= 200, `${before}, then ${lent}`);
  assert.ok(level("leader-election").current >= level("leader-election").lower);
  for (const flow of flows) flow.end();
  const account: UserInfo = { ...jane, name: "system:serviceaccount:a:b", groups: ["system:serviceaccounts"] };
  for (let i = 0; i < 3; i++) {
    for (let n = 0; n < 400; n++) begin(account);
    clock.advance(10_000);
  }
  const { current, nominal } = level("workload-low");
  assert.ok(current >= nominal, `${current} of ${nominal}`);
});

test("a level that is deleted serves what it has, and then goes", () => {
  const { begin, flows, series } = server();
  const own: PriorityLevelObject = {
    kind: "PriorityLevelConfiguration",
    metadata: { name: "own", uid: "o" },
    spec: { type: "Limited", limited: { nominalConcurrencyShares: 30, limitResponse: { type: "Reject" } } },
  };
  flows.setLevel("own", own);
  flows.setSchema("mine", schemaFor("own", 50));
  const flow = begin(jane);
  assert.equal(levelOf(flow), "o");
  flows.setLevel("own", undefined);
  assert.equal(levelOf(begin(jane)), "uid of PriorityLevelConfiguration global-default");
  assert.equal(series.levels.has("own"), true);
  flow.end();
  begin(jane);
  assert.equal(series.levels.has("own"), false);
});

const schemaFor = (level: string, matchingPrecedence: number): FlowSchemaObject => ({
  kind: "FlowSchema",
  metadata: { name: "mine", uid: "m" },
  spec: {
    matchingPrecedence,
    priorityLevelConfiguration: { name: level },
    rules: [
      {
        subjects: [{ kind: "User", user: { name: "jane" } }],
        resourceRules: [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"], namespaces: ["*"], clusterScope: true }],
      },
    ],
  },
});

test("a FlowSchema counts from the next request on, one without its level not at all", () => {
  const { begin, flows } = server();
  flows.setSchema("mine", schemaFor("missing", 50));
  assert.equal(schemaOf(begin(jane)), "uid of FlowSchema global-default");
  flows.setSchema("mine", schemaFor("workload-low", 50));
  assert.equal(schemaOf(begin(jane)), "m");
  flows.setSchema("mine", schemaFor("workload-low", 9_950));
  assert.equal(schemaOf(begin(jane)), "uid of FlowSchema global-default");
  flows.setSchema("mine", undefined);
  assert.equal(schemaOf(begin(jane)), "uid of FlowSchema global-default");
});

test("a list takes as many seats as it is long, up to a bound; what it selects does not make it short", () => {
  const { begin, flows } = server({ stats: { count: 1_000, averageBytes: 1_000 } });
  const seatsOf = (target: string): number => {
    const flow = begin({ ...jane, groups: ["system:serviceaccounts"] }, "GET", target);
    const columns = flows.dump("dump_requests", new URLSearchParams())?.trim().split("\n").at(-1)?.split(/,\s+/) ?? [];
    flow.end();
    return Number(columns[6]);
  };
  const pods = "/api/v1/namespaces/a/pods";
  assert.deepEqual(
    [pods, `${pods}?limit=100`, `${pods}?limit=500`, `${pods}?limit=1&labelSelector=a`, `${pods}/x`].map(seatsOf),
    [10, 1, 5, 5, 1],
  );
  assert.deepEqual([`${pods}?watch=true`, `${pods}?watch=true&resourceVersion=7`].map(seatsOf), [10, 1]);
});

test("a write holds seats for those who watch what it changes", () => {
  const { begin, flows, clock } = server();
  const watched = { info: parseRequest("GET", "/api/v1/pods", true), user: root, query: new URLSearchParams(), startedAt: 0, request: {} };
  const ends = Array.from({ length: 100 }, () => flows.watching(watched));
  const running: Flow[] = [];
  for (let i = 0; i < 100; i++) {
    const flow = begin(jane, "POST", "/api/v1/namespaces/a/pods");
    if (flow.mayRun !== true) break;
    running.push(flow);
  }
  assert.ok(running.length < 49, `${running.length}`);
  for (const end of ends) end();
  for (const flow of running) flow.end();
  clock.advance(60_000);
  let count = 0;
  while (begin(jane, "POST", "/api/v1/namespaces/a/pods").mayRun === true) count++;
  assert.ok(count > 2 * running.length, `${count}`);
});

test("the dumps have Kubernetes' columns", () => {
  const { begin, flows } = server();
  begin(jane);
  const lines = (name: string, query = ""): string[] => (flows.dump(name, new URLSearchParams(query)) ?? "").split("\n");
  assert.match(lines("dump_priority_levels")[0] ?? "", /^PriorityLevelName, ActiveQueues, IsIdle, .*CancelledRequests$/);
  assert.equal(lines("dump_queues").length, 128 + 128 + 64 + 64 + 16 + 128 + 2);
  assert.match(lines("dump_requests")[1] ?? "", /^global-default, +global-default, +\d+, +-1, +jane, +2026-01-01T00:00:00\.000Z, /);
  assert.match(lines("dump_requests", "includeRequestDetails=1")[1] ?? "", /jane, +get, +, +a, +x, +v1, +pods, +$/);
  assert.equal(flows.dump("other", new URLSearchParams()), undefined);
});
