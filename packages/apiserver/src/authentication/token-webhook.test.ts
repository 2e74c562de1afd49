import assert from "node:assert/strict";
import { test } from "node:test";
import { ManualClock } from "@coxswain/machinery";
import { quiescence } from "@coxswain/machinery/testing";
import type { Authentication } from "../contracts/authenticator.ts";
import type { ReviewWebhook, ReviewWebhookAnswer } from "../contracts/review-webhook.ts";
import { TokenCacheSeries } from "../metrics/access.ts";
import { tokenWebhookAuthenticator } from "./token-webhook.ts";

type Answer = object | string | Error | Partial<ReviewWebhookAnswer>;

function start(answers: readonly Answer[], { cacheMs = 120_000, version = "v1" as const } = {}) {
  const clock = new ManualClock();
  const log: string[] = [];
  const asked: unknown[] = [];
  const note = (fields: object, message: string): void => void log.push(`${message} ${JSON.stringify(fields)}`);
  const webhook: ReviewWebhook = {
    async post(body) {
      asked.push(JSON.parse(Buffer.from(body).toString()));
      const answer = answers[Math.min(asked.length, answers.length) - 1] ?? "";
      if (answer instanceof Error) throw answer;
      if (typeof answer === "object" && "status" in answer && typeof answer.status === "number") {
        return { body: Buffer.from(""), retryAfter: undefined, ...answer, status: answer.status };
      }
      const text = typeof answer === "string" ? answer : JSON.stringify(answer);
      return { status: 200, body: Buffer.from(text), retryAfter: undefined };
    },
  };
  const metrics = new TokenCacheSeries();
  const authenticate = tokenWebhookAuthenticator(
    { webhook, version, cacheMs },
    {
      ...{ clock, random: { next: () => 0 }, log: { debug: note, info: note, warn: note, error: note } },
      ...{ metrics, apiAudiences: ["here"] },
    },
  );
  const check = (token = "t0ken", audiences?: readonly string[]) =>
    authenticate({ headers: { authorization: `Bearer ${token}` }, ...(audiences === undefined ? {} : { audiences }) });
  return { clock, log, asked, check, metrics };
}

const review = (status: object): object => ({ kind: "TokenReview", apiVersion: "authentication.k8s.io/v1", status });
const rejected = (reason: string): Authentication => ({ kind: "rejected", reason });
const invalid = rejected("invalid bearer token");
const jane = (more: object = {}): Authentication => ({
  kind: "authenticated",
  user: { name: "jane", uid: "", groups: ["system:authenticated"], extra: {}, ...more },
  audiences: ["here"],
});

const cases: readonly { name: string; answer: Answer; audiences?: readonly string[]; expect: Authentication }[] = [
  { name: "a user", answer: review({ authenticated: true, user: { username: "jane" } }), expect: jane() },
  {
    name: "all of a user",
    answer: review({ authenticated: true, user: { username: "jane", uid: "7", groups: ["a"], extra: { k: ["v"] } }, audiences: ["here"] }),
    expect: jane({ uid: "7", groups: ["a", "system:authenticated"], extra: { k: ["v"] } }),
  },
  { name: "that it does not know the token", answer: review({ authenticated: false }), expect: invalid },
  { name: "why it does not", answer: review({ error: "revoked" }), expect: rejected("revoked") },
  { name: "with the token itself", answer: review({ error: "t0ken is revoked" }), expect: rejected("<token> is revoked") },
  { name: "a token of others", answer: review({ authenticated: true, user: { username: "jane" }, audiences: ["there"] }), expect: invalid },
  {
    name: "a token for a server that asks here",
    answer: review({ authenticated: true, user: { username: "jane" }, audiences: ["there", "x"] }),
    audiences: ["there"],
    expect: { ...jane(), audiences: ["there"] } as Authentication,
  },
  {
    name: "nothing of audiences to a server that asks here",
    answer: review({ authenticated: true, user: { username: "jane" } }),
    audiences: ["there"],
    expect: invalid,
  },
  {
    name: "no review",
    answer: { kind: "Pod" },
    expect: rejected("the webhook did not answer with a TokenReview of authentication.k8s.io/v1"),
  },
  {
    name: "a review of another version",
    answer: { ...review({ authenticated: true }), apiVersion: "authentication.k8s.io/v1beta1" },
    expect: rejected("the webhook did not answer with a TokenReview of authentication.k8s.io/v1"),
  },
  { name: "no JSON", answer: "<html>t0ken", expect: rejected("the webhook did not answer with JSON") },
  {
    name: "groups that are none",
    answer: review({ authenticated: true, user: { username: "jane", groups: "system:masters" } }),
    expect: rejected("the webhook answered with groups that are no list of texts"),
  },
  { name: "`true` as a text", answer: review({ authenticated: "true", user: { username: "jane" } }), expect: invalid },
  { name: "a redirect", answer: { status: 302 }, expect: rejected("the webhook answered 302") },
  { name: "that it forbids it", answer: { status: 403 }, expect: rejected("the webhook answered 403") },
  { name: "nothing", answer: new Error("connect ECONNREFUSED"), expect: rejected("connect ECONNREFUSED") },
];
for (const { name, answer, audiences, expect } of cases) {
  test(`a webhook for tokens answers ${name}`, async () => {
    const { check, asked, log } = start([answer]);
    assert.deepEqual(await check("t0ken", audiences), expect);
    const spec = { token: "t0ken", audiences: audiences ?? ["here"] };
    assert.deepEqual(asked, [{ kind: "TokenReview", apiVersion: "authentication.k8s.io/v1", metadata: {}, spec, status: { user: {} } }]);
    assert.doesNotMatch(log.join(), /t0ken/);
  });
}

test("a webhook for tokens is asked once for a while, whatever it says, by all who come meanwhile", async () => {
  const { check, asked, clock, metrics } = start([review({ authenticated: true, user: { username: "jane" } }), review({})]);
  const both = Promise.all([check(), check()]);
  assert.deepEqual(metrics.active, { in_flight: 1, blocked: 2 });
  const [one, two] = await both;
  assert.deepEqual([one, two], [jane(), jane()]);
  assert.deepEqual(check(), jane());
  assert.equal(asked.length, 1);
  clock.advance(120_000);
  assert.deepEqual(await check(), invalid);
  assert.deepEqual(check(), invalid);
  assert.equal(asked.length, 2);
  assert.deepEqual([metrics.hits.count, metrics.misses.count], [2, 3]);
  assert.deepEqual(
    [metrics.fetched, metrics.active],
    [
      { ok: 1, error: 1 },
      { in_flight: 0, blocked: 0 },
    ],
  );
  await check("t0ken", ["there"]);
  assert.equal(asked.length, 3);
});

test("a webhook for tokens is asked each time where nothing is to be remembered", async () => {
  const { check, asked } = start([review({ authenticated: true, user: { username: "jane" } })], { cacheMs: 0 });
  await check();
  await check();
  assert.equal(asked.length, 2);
});

test("a webhook for tokens that fails is asked again, five times at most, and nothing of it is remembered", async () => {
  const { check, asked, clock } = start([{ status: 500 }]);
  const answer = Promise.resolve(check());
  for (const pauseMs of [500, 750, 1_125, 1_687.5]) {
    await quiescence({ observe: () => asked.length });
    clock.advance(pauseMs);
  }
  assert.deepEqual(await answer, rejected("the webhook answered 500"));
  assert.equal(asked.length, 5);
  void check();
  await quiescence({ observe: () => asked.length });
  assert.equal(asked.length, 6);
});
