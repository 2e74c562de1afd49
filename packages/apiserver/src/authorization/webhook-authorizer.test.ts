import assert from "node:assert/strict";
import { test } from "node:test";
import { ManualClock } from "@coxswain/machinery";
import { quiescence } from "@coxswain/machinery/testing";
import type { AuthorizationAttributes, Decision } from "../contracts/authorizer.ts";
import type { ReviewWebhook } from "../contracts/review-webhook.ts";
import { AuthorizationSeries } from "../metrics/authorization.ts";
import { webhookAuthorizer } from "./webhook-authorizer.ts";

interface Answer {
  readonly status: number;
  readonly text: string;
}

type Failure = Error | "never";

function start(answers: readonly (Answer | Failure)[], onFailure: "noOpinion" | "deny" = "noOpinion") {
  const clock = new ManualClock();
  const asked: unknown[] = [];
  const metrics = new AuthorizationSeries();
  const log: string[] = [];
  const note = (fields: object, message: string): void => void log.push(`${message} ${JSON.stringify(fields)}`);
  const webhook: ReviewWebhook = {
    async post(body, signal) {
      asked.push(JSON.parse(Buffer.from(body).toString()));
      const answer = answers[Math.min(asked.length, answers.length) - 1];
      if (answer === undefined || answer instanceof Error) throw answer;
      if (answer === "never") {
        return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));
      }
      return { status: answer.status, body: Buffer.from(answer.text), retryAfter: undefined };
    },
  };
  const authorize = webhookAuthorizer(
    { webhook, version: "v1", timeoutMs: 30_000, authorizedMs: 300_000, unauthorizedMs: 30_000, onFailure },
    { clock, random: { next: () => 0 }, name: "hook", metrics, log: { debug: note, info: note, warn: note, error: note } },
  );
  return { clock, asked, log, metrics, authorize };
}

const apiVersion = "authorization.k8s.io/v1";
const answer = (status: unknown): Answer => ({
  status: 200,
  text: JSON.stringify({ kind: "SubjectAccessReview", apiVersion, status }),
});
const jane = { name: "jane", uid: "", groups: ["devs"], extra: { k: ["v"] } };
const path = (path: string): AuthorizationAttributes => ({ kind: "path", user: jane, verb: "get", path });
const pods: AuthorizationAttributes = {
  ...{ kind: "resource", user: jane, verb: "get", group: "", version: "v1", resource: "pods" },
  ...{ subresource: "log", namespace: "ns", name: "p" },
};

test("authorization webhook: is asked as kube-apiserver asks", async () => {
  const { asked, authorize } = start([answer({ allowed: true })]);
  await authorize(pods);
  await authorize(path("/metrics"));
  const user = { user: "jane", groups: ["devs"], extra: { k: ["v"] } };
  const resourceAttributes = { namespace: "ns", verb: "get", version: "v1", resource: "pods", subresource: "log", name: "p" };
  const review = { kind: "SubjectAccessReview", apiVersion, metadata: {}, status: { allowed: false } };
  assert.deepEqual(asked, [
    { ...review, spec: { resourceAttributes, ...user } },
    { ...review, spec: { nonResourceAttributes: { path: "/metrics", verb: "get" }, ...user } },
  ]);
});

const decisions: readonly { readonly status: unknown; readonly expect: Decision }[] = [
  { status: { allowed: true, reason: "ok" }, expect: { kind: "allow", reason: "ok" } },
  { status: { allowed: false, denied: true, reason: "no" }, expect: { kind: "deny", reason: "no" } },
  {
    status: { allowed: true, denied: true },
    expect: { kind: "deny", reason: "", error: "webhook subject access review returned both allow and deny response" },
  },
  { status: { allowed: false, reason: "unknown" }, expect: { kind: "noOpinion", reason: "unknown" } },
  { status: null, expect: { kind: "noOpinion", reason: "" } },
];
for (const { status, expect } of decisions) {
  test(`authorization webhook: ${JSON.stringify(status)} is ${expect.kind}`, async () =>
    assert.deepEqual(await start([answer(status)]).authorize(pods), expect));
}

const noReview = `the webhook did not answer with a SubjectAccessReview of ${apiVersion}`;
const failures: readonly { readonly name: string; readonly answer: Answer | Failure; readonly error: string }[] = [
  { name: "no JSON", answer: { status: 200, text: "<html>" }, error: "the webhook did not answer with JSON" },
  {
    name: "another version",
    answer: { status: 200, text: '{"kind":"SubjectAccessReview","apiVersion":"v9","status":{"allowed":true}}' },
    error: noReview,
  },
  {
    name: "another kind",
    answer: { status: 200, text: `{"kind":"TokenReview","apiVersion":"${apiVersion}","status":{"allowed":true}}` },
    error: noReview,
  },
  { name: "a word for a bool", answer: answer({ allowed: "true" }), error: "the webhook answered with a status that cannot be read" },
  { name: "a list for a status", answer: answer([true]), error: "the webhook answered with a status that is no object" },
  { name: "a redirection", answer: { status: 302, text: answer({ allowed: true }).text }, error: "the webhook answered 302" },
  { name: "a refusal", answer: { status: 403, text: answer({ allowed: true }).text }, error: "the webhook answered 403" },
  { name: "no answer", answer: new Error("connection refused"), error: "connection refused" },
];
for (const { name, answer, error } of failures) {
  for (const onFailure of ["noOpinion", "deny"] as const) {
    test(`authorization webhook: ${name} is ${onFailure} where failures are, and is not remembered`, async () => {
      const { asked, log, authorize } = start([answer], onFailure);
      assert.deepEqual(await authorize(pods), { kind: onFailure, reason: "", error });
      await authorize(pods);
      assert.equal(asked.length, 2);
      assert.equal(log.length, 2);
    });
  }
}

test("authorization webhook: one that never answers is given up after 30 seconds", async () => {
  const { clock, authorize } = start(["never"]);
  const decision = authorize(pods);
  await quiescence();
  clock.advance(30_000);
  assert.deepEqual(await decision, { kind: "noOpinion", reason: "", error: "no answer within 30 seconds" });
});

test("authorization webhook: is asked again after an error of its own", async () => {
  const { clock, asked, authorize } = start([{ status: 500, text: "" }, answer({ allowed: true })]);
  const decision = authorize(pods);
  await quiescence();
  clock.advance(500);
  assert.equal((await decision).kind, "allow");
  assert.equal(asked.length, 2);
});

for (const { allowed, ms } of [
  { allowed: true, ms: 300_000 },
  { allowed: false, ms: 30_000 },
]) {
  test(`authorization webhook: allowed ${allowed} counts for ${ms / 1000} seconds, and is then known at once`, async () => {
    const { clock, asked, authorize } = start([answer({ allowed })]);
    await authorize(pods);
    clock.advance(ms - 1);
    assert.equal(authorize(pods) instanceof Promise, false);
    clock.advance(1);
    await authorize(pods);
    assert.equal(asked.length, 2);
  });
}

test("authorization webhook: others' answers and long paths are not taken from what is remembered", async () => {
  const { asked, authorize } = start([answer({ allowed: true })]);
  await authorize(pods);
  await authorize({ ...pods, user: { ...jane, name: "joe" } });
  const long = path(`/${"a".repeat(10_000)}`);
  await authorize(long);
  await authorize(long);
  assert.equal(asked.length, 4);
});

test("authorization webhook: remembers 8192 decisions and forgets the least used", async () => {
  const { asked, authorize } = start([answer({ allowed: true })]);
  for (let i = 0; i < 8_192; i++) await authorize(path(`/${i}`));
  assert.equal(authorize(path("/0")) instanceof Promise, false);
  await authorize(path("/more"));
  assert.equal(authorize(path("/0")) instanceof Promise, false);
  assert.equal(authorize(path("/1")) instanceof Promise, true);
  await quiescence();
  assert.equal(asked.length, 8_194);
});
