import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { conflict, isUnauthorized, ManualClock, notFound, StatusError } from "@coxswain/machinery";
import { StorageError } from "@coxswain/store";
import type { Authentication, UserInfo } from "../../contracts/authenticator.ts";
import type { AuthorizationAttributes, Decision } from "../../contracts/authorizer.ts";
import type { Exchange } from "../../contracts/exchange.ts";
import type { Reply } from "../../contracts/http.ts";
import { textReply } from "../../http/exchange.ts";
import { Metrics } from "../../metrics/metrics.ts";
import { OffloadRequired } from "../../request/offload-required.ts";
import { EventLoop } from "../../storage/event-loop.ts";
import { answered, exchangeOf } from "../exchange-under-test.ts";
import type { Next, PipelineExchange, Stage } from "../stage.ts";
import { aggregation } from "./aggregation.ts";
import { authentication } from "./authentication.ts";
import { authorization } from "./authorization.ts";
import { conflictExplanation } from "./conflict-explanation.ts";
import { deadline } from "./deadline.ts";
import { errors } from "./errors.ts";
import { eventLoopYield } from "./event-loop-yield.ts";
import { offloading } from "./offload.ts";
import { requestInfo } from "./request-info.ts";
import { responseHeaders } from "./response-headers.ts";

const through = async (stage: Stage, exchange: PipelineExchange, next: Next = answered): Promise<Reply> => {
  assert.ok(stage.wrap !== undefined);
  return stage.wrap(next)(exchange);
};
const observed = { clock: new ManualClock(), log: { debug: () => undefined }, metrics: new Metrics({ startedAt: 0 }) };
const pods = "/api/v1/namespaces/a/pods";
const statusOf = (error: unknown): number | undefined => (error instanceof StatusError ? error.code : undefined);

describe("request info", () => {
  test("finds out the resource, also of a watch", async () => {
    const exchange = exchangeOf({ url: `${pods}?watch=true` }, false);
    await through(requestInfo, exchange);
    assert.ok(exchange.info.kind === "resource");
    assert.deepEqual([exchange.info.verb, exchange.info.resource, exchange.info.namespace], ["watch", "pods", "a"]);
  });
  test("refuses a path that cannot be decoded", async () => {
    await assert.rejects(through(requestInfo, exchangeOf({ url: "/api/v1/%zz" }, false)), (error) => statusOf(error) === 400);
  });
});

describe("authentication", () => {
  const jane: UserInfo = { name: "jane", uid: "", groups: [], extra: {} };
  const cases: readonly { readonly name: string; readonly answer: Authentication; readonly expect: string | undefined }[] = [
    { name: "credentials that an authenticator knows", answer: { kind: "authenticated", user: jane }, expect: "jane" },
    { name: "who does not say who they are", answer: { kind: "unclaimed" }, expect: "system:anonymous" },
    { name: "credentials that an authenticator rejects", answer: { kind: "rejected", reason: "" }, expect: undefined },
  ];
  for (const { name, answer, expect } of cases) {
    for (const [when, given] of [["at once", answer] as const, ["later", Promise.resolve(answer)] as const]) {
      test(`${name}, ${when}`, async () => {
        const exchange = exchangeOf({ url: pods });
        const reply = through(authentication({ authenticate: () => given, ...observed }), exchange);
        if (expect === undefined) await assert.rejects(reply, isUnauthorized);
        else {
          await reply;
          assert.equal(exchange.user.name, expect);
        }
      });
    }
  }
});

describe("requests without credentials", () => {
  const paths = ["/healthz", "/api/v1/namespaces/kube-public/configmaps/cluster-info"];
  const cases = [
    { name: "are anonymous where that is enabled", anonymous: { enabled: true }, url: pods, expect: true },
    { name: "are refused where it is not", anonymous: { enabled: false }, url: "/healthz", expect: false },
    { name: "are anonymous on a path that is named", anonymous: { enabled: true, paths }, url: "/healthz?verbose", expect: true },
    { name: "are anonymous on a resource that is named", anonymous: { enabled: true, paths }, url: paths[1] ?? "", expect: true },
    { name: "are anonymous on such a path in another spelling", anonymous: { enabled: true, paths }, url: "/%68ealthz", expect: true },
    { name: "are refused on others", anonymous: { enabled: true, paths }, url: pods, expect: false },
    { name: "are refused below such a path", anonymous: { enabled: true, paths }, url: "/healthz/ping", expect: false },
    { name: "are refused on what is no path", anonymous: { enabled: true, paths }, url: "/healthz%zz", expect: false },
  ];
  for (const { name, anonymous, url, expect } of cases) {
    test(name, async () => {
      const exchange = exchangeOf({ url }, false);
      const reply = through(authentication({ authenticate: () => ({ kind: "unclaimed" }), anonymous, ...observed }), exchange);
      if (!expect) return assert.rejects(reply, isUnauthorized);
      await reply;
      assert.equal(exchange.user.name, "system:anonymous");
    });
  }
});

describe("authorization", () => {
  const cases: readonly { readonly kind: Decision["kind"]; readonly expect: number | undefined }[] = [
    { kind: "allow", expect: undefined },
    { kind: "deny", expect: 403 },
    { kind: "noOpinion", expect: 403 },
  ];
  for (const { kind, expect } of cases) {
    for (const later of [false, true]) {
      test(`${kind}, ${later ? "later" : "at once"}`, async () => {
        const decision: Decision = { kind, reason: "" };
        const reply = through(
          authorization({ authorize: () => (later ? Promise.resolve(decision) : decision), ...observed }),
          exchangeOf({ url: pods }),
        );
        if (expect === undefined) assert.equal((await reply).status, 200);
        else await assert.rejects(reply, (error) => statusOf(error) === expect);
      });
    }
  }
  test("decides about the path of what is no resource", async () => {
    const asked: AuthorizationAttributes[] = [];
    const authorize = (attributes: AuthorizationAttributes): Decision => {
      asked.push(attributes);
      return { kind: "allow", reason: "" };
    };
    await through(authorization({ authorize, ...observed }), exchangeOf({ url: "/healthz" }));
    assert.deepEqual([asked[0]?.kind, asked[0]?.verb], ["path", "get"]);
  });
  for (const kind of ["deny", "noOpinion"] as const) {
    test(`${kind} for an error is 500, and told as Kubernetes tells it`, async () => {
      const metrics = new Metrics({ startedAt: 0 });
      const authorize = (): Decision => ({ kind, reason: "r", error: "no <answer>" });
      const reply = await through(authorization({ ...observed, authorize, metrics }), exchangeOf({ url: `${pods}?limit=1` }));
      assert.deepEqual([reply.status, reply.contentType], [500, "text/plain; charset=utf-8"]);
      assert.ok(reply.body.kind === "bytes");
      const text = 'Internal Server Error: "/api/v1/namespaces/a/pods?limit=1": no &lt;answer&gt;\n';
      assert.equal(Buffer.from(reply.body.bytes).toString(), text);
      assert.equal(metrics.access.authorizations.error.count, 1);
    });
  }
});

describe("deadline", () => {
  const never: Next = () => new Promise(() => undefined);
  test("ends a request that takes longer than it wants to wait", async () => {
    const clock = new ManualClock();
    const reply = through(deadline({ clock, maxMs: 60_000 }), exchangeOf({ url: `${pods}/b?timeout=2s` }), never);
    clock.advance(2_000);
    await assert.rejects(reply, (error) => statusOf(error) === 504);
  });
  test("takes no more than a minute", async () => {
    const clock = new ManualClock();
    const reply = through(deadline({ clock, maxMs: 60_000 }), exchangeOf({ url: `${pods}/b?timeout=1h` }), never);
    clock.advance(60_000);
    await assert.rejects(reply, (error) => statusOf(error) === 504);
  });
  test("refuses what is no duration", async () => {
    await assert.rejects(
      through(deadline({ clock: new ManualClock(), maxMs: 60_000 }), exchangeOf({ url: `${pods}/b?timeout=soon` })),
      (error) => statusOf(error) === 400,
    );
  });
  for (const url of [`${pods}/b`, `${pods}/b/exec?timeout=1s`]) {
    test(`hands on what the next stage returns for ${url}`, () => {
      const reply = answered();
      assert.equal(deadline({ clock: new ManualClock(), maxMs: 60_000 }).wrap?.(() => reply)(exchangeOf({ url })), reply);
    });
  }
});

describe("errors", () => {
  const logged: string[] = [];
  const stage = errors({ log: { error: (_fields, message) => void logged.push(message) } });
  const cases = [
    { name: "a Status", error: notFound({ group: "", resource: "pods" }, "b"), code: 404, log: [] },
    { name: "a failure of the store", error: new StorageError("disk full"), code: 500, log: ["the store failed"] },
    { name: "anything else", error: new TypeError("x is undefined"), code: 500, log: ["a request failed unexpectedly"] },
  ];
  for (const { name, error, code, log } of cases) {
    test(`${name} is answered with ${code}`, async () => {
      logged.length = 0;
      const reply = await stage.recover?.(error, exchangeOf({ url: pods }));
      assert.ok(reply?.body.kind === "bytes");
      const status = JSON.parse(Buffer.from(reply.body.bytes).toString());
      assert.deepEqual([reply.status, status.kind, status.code, logged], [code, "Status", code, log]);
      // What the error says of the server stays there.
      assert.doesNotMatch(status.message, /undefined|disk full/);
    });
  }
});

describe("conflict explanation", () => {
  const error = conflict({ group: "", resource: "pods" }, "b", "modified");
  const stage = conflictExplanation({ conflicts: { explain: async ({ status }) => ({ ...status, message: "explained" }) } });
  test("replaces a conflict by one that is explained", async () => {
    await assert.rejects(async () => stage.recover?.(error, exchangeOf({ url: `${pods}/b` })), /explained/);
  });
  const others = [
    { name: "other errors", error: notFound({ group: "", resource: "pods" }, "b"), url: `${pods}/b` },
    { name: "conflicts of what is no resource", error, url: "/coxswain/v1/conflicts" },
  ];
  for (const { name, error, url } of others)
    test(`leaves ${name} alone`, () => assert.equal(stage.recover?.(error, exchangeOf({ url })), undefined));
});

describe("offload", () => {
  const serve = async (_exchange: Exchange): Promise<Reply> => textReply(201, "elsewhere");
  const stage = offloading({ offload: { serve }, clock: new ManualClock(), maxMs: 60_000 });
  const large = new Uint8Array(65 * 1024);
  const cases = [
    { name: "a large body goes elsewhere", sent: { method: "POST", url: pods, body: large }, expect: 201 },
    { name: "a small one does not", sent: { method: "POST", url: pods }, expect: 200 },
    { name: "nor does one to a connection", sent: { method: "POST", url: `${pods}/b/exec`, body: large }, expect: 200 },
    { name: "nor one to what is no resource", sent: { method: "POST", url: "/version", body: large }, expect: 200 },
  ];
  for (const { name, sent, expect } of cases) test(name, async () => assert.equal((await through(stage, exchangeOf(sent))).status, expect));
  test("what turns out to cost too much begins again elsewhere", async () => {
    const reply = await stage.recover?.(new OffloadRequired(), exchangeOf({ method: "PUT", url: `${pods}/b` }));
    assert.equal(reply?.status, 201);
  });
  test("other errors are left alone", () => assert.equal(stage.recover?.(new Error("other"), exchangeOf({ url: pods })), undefined));
});

describe("event-loop yield", () => {
  const stage = eventLoopYield({ eventLoop: new EventLoop() });
  test("hands on a small request at once", () => {
    const reply = answered();
    assert.equal(stage.wrap?.(() => reply)(exchangeOf({ url: pods })), reply);
  });
  test("lets others go first before a large one", async () => {
    const order: string[] = [];
    const large = through(stage, exchangeOf({ method: "POST", url: pods, body: new Uint8Array(32 * 1024) }), (_exchange) => {
      order.push("large");
      return answered();
    });
    order.push("others");
    await large;
    assert.deepEqual(order, ["others", "large"]);
  });
});

test("aggregation answers for another server", async () => {
  const stage = aggregation({
    aggregated: { answer: ({ info }) => (info.kind === "path" ? Promise.resolve(textReply(503, "")) : undefined) },
  });
  assert.equal((await through(stage, exchangeOf({ url: "/apis/other/v1" }))).status, 503);
  assert.equal((await through(stage, exchangeOf({ url: pods }))).status, 200);
});

test("answers carry the id of the request and its warnings, and keep their own headers", () => {
  const exchange = exchangeOf({ url: pods });
  exchange.warnings.push("old field");
  const reply = responseHeaders.finish?.(exchange, { ...textReply(200, ""), headers: { etag: '"1"' } });
  assert.deepEqual(reply?.headers, { "audit-id": "1", warning: ['299 - "old field"'], etag: '"1"' });
});
