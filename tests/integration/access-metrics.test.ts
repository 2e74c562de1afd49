/** What is counted about who asks and whether they may, under the names that kube-apiserver has for it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Metrics } from "@coxswain/apiserver";
import { ManualClock } from "@coxswain/machinery";
import { type Api, startApi } from "./api.ts";

const as = (user: string) => ({ headers: { authorization: `Bearer ${user}` } });

/** `Bearer NAME` after a quarter of a second; all but `eve` are known. */
async function start() {
  const clock = new ManualClock();
  const api = await startApi({
    clock,
    metrics: new Metrics({ startedAt: 0 }),
    authentication: { anonymous: { enabled: false } },
    authenticators: [
      ({ headers: { authorization } }) => {
        const name = String(authorization ?? "").replace("Bearer ", "");
        if (name === "" || name.startsWith("ey")) return { kind: "unclaimed" };
        clock.advance(250);
        if (name === "eve") return { kind: "rejected", reason: "nobody knows eve" };
        const groups = name === "admin" ? ["system:masters"] : [];
        return { kind: "authenticated", user: { name, uid: "", groups, extra: {} } };
      },
    ],
  });
  return { api, clock };
}

async function linesOf(api: Api, pattern: RegExp): Promise<string[]> {
  const { text } = await api.send("GET", "/metrics", as("admin"));
  return text.split("\n").filter((line) => pattern.test(line));
}

test("requests are counted by what authentication and authorization came to, and by no name that could be a person's", async () => {
  const { api } = await start();
  const list = "/api/v1/namespaces/default/pods";
  const users = ["admin", "jane", "joe@example.com", "eve", ""];
  const answers = await Promise.all(users.map((user) => api.send("GET", list, user === "" ? {} : as(user))));
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 403, 403, 401, 401],
  );
  assert.deepEqual(await linesOf(api, /^(authenticated_user_requests|authentication_attempts|authorization_attempts_total)/), [
    'authenticated_user_requests{username="admin"} 2',
    'authenticated_user_requests{username="other"} 1',
    'authenticated_user_requests{username="email_id"} 1',
    'authentication_attempts{result="error"} 1',
    'authentication_attempts{result="failure"} 1',
    'authentication_attempts{result="success"} 4',
    'authorization_attempts_total{result="allowed"} 2',
    'authorization_attempts_total{result="no-opinion"} 2',
  ]);
  assert.deepEqual(await linesOf(api, /^authentication_duration_seconds.*(0\.128|0\.256|16\.384|sum|count)/), [
    'authentication_duration_seconds_bucket{result="error",le="0.128"} 0',
    'authentication_duration_seconds_bucket{result="error",le="0.256"} 1',
    'authentication_duration_seconds_bucket{result="error",le="16.384"} 1',
    'authentication_duration_seconds_sum{result="error"} 0.25',
    'authentication_duration_seconds_count{result="error"} 1',
    'authentication_duration_seconds_bucket{result="failure",le="0.128"} 1',
    'authentication_duration_seconds_bucket{result="failure",le="0.256"} 1',
    'authentication_duration_seconds_bucket{result="failure",le="16.384"} 1',
    'authentication_duration_seconds_sum{result="failure"} 0',
    'authentication_duration_seconds_count{result="failure"} 1',
    'authentication_duration_seconds_bucket{result="success",le="0.128"} 0',
    'authentication_duration_seconds_bucket{result="success",le="0.256"} 5',
    'authentication_duration_seconds_bucket{result="success",le="16.384"} 5',
    'authentication_duration_seconds_sum{result="success"} 1.25',
    'authentication_duration_seconds_count{result="success"} 5',
  ]);
});

test("tokens of service accounts that are to be renewed are counted by whether the time for that is over", async () => {
  const { api, clock } = await start();
  const account = "/api/v1/namespaces/default/serviceaccounts";
  await api.send("POST", account, { ...as("admin"), body: { metadata: { name: "robot" } } });
  const pod = { metadata: { name: "p" }, spec: { serviceAccountName: "robot", containers: [{ name: "c", image: "i" }] } };
  assert.equal((await api.send("POST", "/api/v1/namespaces/default/pods", { ...as("admin"), body: pod })).status, 201);
  // The lifetime with which kubelets ask for it; it becomes a year.
  const spec = { expirationSeconds: 3_607, boundObjectRef: { kind: "Pod", apiVersion: "v1", name: "p" } };
  const { body } = await api.send("POST", `${account}/robot/token`, { ...as("admin"), body: { spec } });
  await api.send("GET", "/version", as(body.status.token));
  clock.advance(3_608_000);
  await api.send("GET", "/version", as(body.status.token));
  assert.deepEqual(await linesOf(api, /^serviceaccount_/), ["serviceaccount_stale_tokens_total 1", "serviceaccount_valid_tokens_total 1"]);
});

test("tokens of service accounts are counted by whether their signature was known", async () => {
  const { api } = await start();
  const account = "/api/v1/namespaces/default/serviceaccounts";
  await api.send("POST", account, { ...as("admin"), body: { metadata: { name: "robot" } } });
  const { body } = await api.send("POST", `${account}/robot/token`, { ...as("admin"), body: { spec: {} } });
  const { token } = body.status;
  const forged = token.replace(/.{8}$/, "AAAAAAAA");
  for (const given of [token, token, forged]) await api.send("GET", "/version", as(given));
  assert.deepEqual(await linesOf(api, /^authentication_token_cache_(request_total|fetch_total|active_fetch_count)/), [
    'authentication_token_cache_active_fetch_count{status="in_flight"} 0',
    'authentication_token_cache_active_fetch_count{status="blocked"} 0',
    'authentication_token_cache_fetch_total{status="ok"} 1',
    'authentication_token_cache_fetch_total{status="error"} 1',
    'authentication_token_cache_request_total{status="hit"} 1',
    'authentication_token_cache_request_total{status="miss"} 2',
  ]);
});
