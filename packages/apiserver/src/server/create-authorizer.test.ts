import assert from "node:assert/strict";
import { test } from "node:test";
import { ManualClock } from "@coxswain/machinery";
import type { AuthorizationAttributes, Authorizer } from "../contracts/authorizer.ts";
import { type AuthorizationMode, createAuthorizer } from "./create-authorizer.ts";

const note = (): void => undefined;
const parts = (node: Authorizer, rbac: Authorizer) => ({
  ...{ node, rbac, clock: new ManualClock(), random: { next: () => 0 } },
  log: { debug: note, info: note, warn: note, error: note },
});
const noOpinion: Authorizer = () => ({ kind: "noOpinion", reason: "none" });
const allow: Authorizer = () => ({ kind: "allow", reason: "rbac" });
const asks = (group: string): AuthorizationAttributes => ({
  ...{ kind: "path", verb: "get", path: "/metrics" },
  user: { name: "jane", uid: "", groups: [group], extra: {} },
});

const cases: readonly { readonly modes?: readonly AuthorizationMode[]; readonly kind: string; readonly reason: string }[] = [
  { kind: "allow", reason: "rbac" },
  { modes: ["AlwaysAllow"], kind: "allow", reason: "" },
  { modes: ["AlwaysDeny"], kind: "noOpinion", reason: "Everything is forbidden." },
  { modes: ["AlwaysDeny", "RBAC"], kind: "allow", reason: "rbac" },
  { modes: ["Node"], kind: "noOpinion", reason: "none" },
  { modes: ["RBAC", "AlwaysAllow"], kind: "allow", reason: "rbac" },
];
for (const { modes, kind, reason } of cases) {
  test(`authorization modes: ${modes?.join() ?? "those by default"}`, async () => {
    const authorize = createAuthorizer({ modes }, parts(noOpinion, allow));
    assert.deepEqual(await authorize(asks("devs")), { kind, reason });
    assert.equal((await authorize(asks("system:masters"))).kind, "allow");
  });
}

test("authorization modes: Webhook needs one", () =>
  assert.throws(() => createAuthorizer({ modes: ["Webhook"] }, parts(noOpinion, allow)), {
    message: "authorization-mode Webhook's authorization config file not passed",
  }));
