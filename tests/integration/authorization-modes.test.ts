/** Who decides, as `--authorization-mode` says it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Authenticator, type AuthorizerOptions, staticContent } from "@coxswain/apiserver";
import { startApi } from "./api.ts";

/** `Bearer NAME`; `admin` is of `system:masters`. */
const authenticator: Authenticator = ({ headers }) => {
  const name = String(headers.authorization ?? "").replace("Bearer ", "");
  const groups = name === "admin" ? ["system:masters"] : [];
  return name === "" ? { kind: "unclaimed" } : { kind: "authenticated", user: { name, uid: "", groups, extra: {} } };
};

const pods = "/api/v1/namespaces/default/pods";

type Mode = AuthorizerOptions["type"];

async function start(modes: readonly Mode[] | undefined, webhook?: AuthorizerOptions["webhook"]) {
  const authorization = modes && staticContent(() => modes.map((type) => ({ type, name: type.toLowerCase(), webhook })));
  const api = await startApi({ authenticators: [authenticator], ...(authorization === undefined ? {} : { authorization }) });
  return (as: string) => api.send("GET", pods, { headers: { authorization: `Bearer ${as}` } });
}

const asked: unknown[] = [];
const webhook: NonNullable<AuthorizerOptions["webhook"]> = {
  webhook: {
    post: async (body) => {
      const { spec } = JSON.parse(Buffer.from(body).toString());
      asked.push(spec.user);
      const status = { allowed: spec.user === "jane", denied: spec.user === "eve", reason: "says the webhook" };
      const answer = { kind: "SubjectAccessReview", apiVersion: "authorization.k8s.io/v1", status };
      return { status: 200, body: Buffer.from(JSON.stringify(answer)), retryAfter: undefined };
    },
  },
  version: "v1",
  timeoutMs: 1_000,
  authorizedMs: 1_000,
  unauthorizedMs: 1_000,
  onFailure: "noOpinion",
};

const cases: readonly { modes?: readonly Mode[]; as: string; status: number; says?: RegExp }[] = [
  { as: "jane", status: 403 },
  { modes: ["AlwaysAllow"], as: "jane", status: 200 },
  { modes: ["AlwaysDeny"], as: "jane", status: 403, says: /Everything is forbidden\.$/ },
  { modes: ["AlwaysDeny"], as: "admin", status: 200 },
  { modes: ["RBAC", "Webhook"], as: "jane", status: 200 },
  { modes: ["RBAC", "Webhook"], as: "joe", status: 403, says: /says the webhook$/ },
  { modes: ["Webhook", "AlwaysAllow"], as: "eve", status: 403, says: /says the webhook$/ },
  { modes: ["Webhook", "AlwaysAllow"], as: "joe", status: 200 },
];
for (const { modes, as, status, says } of cases) {
  test(`--authorization-mode=${modes?.join(",") ?? ""}: ${as} gets ${status}`, async () => {
    const get = await start(modes, webhook);
    const answer = await get(as);
    assert.equal(answer.status, status, answer.text);
    if (says !== undefined) assert.match(answer.body.message, says);
  });
}

test("the members of system:masters are not asked about", async () => {
  asked.length = 0;
  const get = await start(["Webhook"], webhook);
  assert.equal((await get("admin")).status, 200);
  assert.deepEqual(asked, []);
});

test("the mode Webhook needs a webhook", async () => {
  await assert.rejects(start(["Webhook"]), { message: "authorization-mode Webhook's authorization config file not passed" });
});
