import assert from "node:assert/strict";
import { test } from "node:test";
import { ManualClock } from "@coxswain/machinery";
import type { AuthorizationAttributes, Authorizer } from "../contracts/authorizer.ts";
import { staticContent } from "../contracts/content-provider.ts";
import { Metrics } from "../metrics/metrics.ts";
import { type AuthorizerOptions, createAuthorizer } from "./create-authorizer.ts";

const note = (): void => undefined;
const parts = (node: Authorizer, rbac: Authorizer) => ({
  ...{ node, rbac, clock: new ManualClock(), random: { next: () => 0 } },
  log: { debug: note, info: note, warn: note, error: note },
  metrics: new Metrics({ startedAt: 0 }),
});
const named = (...types: readonly AuthorizerOptions["type"][]) =>
  staticContent(() => types.map((type) => ({ type, name: type.toLowerCase() })));
const noOpinion: Authorizer = () => ({ kind: "noOpinion", reason: "none" });
const allow: Authorizer = () => ({ kind: "allow", reason: "rbac" });
const asks = (group: string): AuthorizationAttributes => ({
  ...{ kind: "path", verb: "get", path: "/metrics" },
  user: { name: "jane", uid: "", groups: [group], extra: {} },
});

const cases: readonly { readonly modes?: readonly AuthorizerOptions["type"][]; readonly kind: string; readonly reason: string }[] = [
  { kind: "allow", reason: "rbac" },
  { modes: ["AlwaysAllow"], kind: "allow", reason: "" },
  { modes: ["AlwaysDeny"], kind: "noOpinion", reason: "Everything is forbidden." },
  { modes: ["AlwaysDeny", "RBAC"], kind: "allow", reason: "rbac" },
  { modes: ["Node"], kind: "noOpinion", reason: "none" },
  { modes: ["RBAC", "AlwaysAllow"], kind: "allow", reason: "rbac" },
];
for (const { modes, kind, reason } of cases) {
  test(`authorization modes: ${modes?.join() ?? "those by default"}`, async () => {
    const { authorize } = createAuthorizer(modes && named(...modes), parts(noOpinion, allow));
    assert.deepEqual(await authorize(asks("devs")), { kind, reason });
    assert.equal((await authorize(asks("system:masters"))).kind, "allow");
  });
}

test("authorization modes: Webhook needs one", () =>
  assert.throws(() => createAuthorizer(named("Webhook"), parts(noOpinion, allow)), {
    message: "authorization-mode Webhook's authorization config file not passed",
  }));

test("authorization: another chain counts from the next question on, and decisions are counted by authorizer", async () => {
  const listeners = new Set<(value: readonly AuthorizerOptions[]) => void>();
  const subscribe = (listener: (value: readonly AuthorizerOptions[]) => void): Disposable => {
    listeners.add(listener);
    return { [Symbol.dispose]: () => void listeners.delete(listener) };
  };
  const given = parts(noOpinion, allow);
  const followed = createAuthorizer({ current: named("Node", "RBAC").current, subscribe }, given);
  assert.equal((await followed.authorize(asks("devs"))).kind, "allow");
  for (const listener of listeners) listener(named("Node", "AlwaysDeny").current);
  assert.equal((await followed.authorize(asks("devs"))).kind, "noOpinion");
  assert.deepEqual(
    [...given.metrics.authorization.decisions.values()].filter(({ allowed }) => allowed > 0),
    [{ type: "RBAC", name: "rbac", allowed: 1, denied: 0 }],
  );
  followed[Symbol.dispose]();
  assert.equal(listeners.size, 0);
});
