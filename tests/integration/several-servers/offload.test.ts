/** What the thread for heavy requests does is as if the server had done it. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type IncomingRequest, makeServiceAccountKey } from "@coxswain/apiserver";
import { createSharedMemory } from "@coxswain/store/testing";
import { type Server, startOn } from "./two-servers.ts";

const events = "/api/v1/namespaces/default/events";
const accounts = "/api/v1/namespaces/default/serviceaccounts";
const reviews = "/apis/authentication.k8s.io/v1/tokenreviews";
/** More than the server itself reads of a body. */
const padding = "x".repeat(100_000);

const adminWithoutToken = ({ headers }: IncomingRequest) =>
  headers.authorization === undefined
    ? ({ kind: "authenticated", user: { name: "admin", uid: "", groups: ["system:masters"], extra: {} } } as const)
    : ({ kind: "rejected", reason: "invalid bearer token" } as const);

const shared = createSharedMemory();
let one: Server;
let two: Server;
before(async () => {
  const options = { authenticators: [adminWithoutToken], serviceAccountKey: makeServiceAccountKey() };
  one = await startOn(shared, { ...options, offload: "thread" });
  two = await startOn(shared, options);
});
after(async () => {
  for (const { server } of [one, two]) await server.close();
});

test("an Event ends after an hour, whoever wrote it", async () => {
  const ttls: (number | undefined)[] = [];
  one.store.beforeWrite = (op) => {
    if (op.op === "put" && op.key.startsWith("/registry/events/")) ttls.push(op.ttlSeconds);
  };
  for (const annotations of [{}, { padding }]) {
    const metadata = { name: `e-${ttls.length}`, namespace: "default", annotations };
    const event = { metadata, involvedObject: { namespace: "default" }, reason: "R", type: "Normal" };
    const { status, text } = await one.send("POST", events, { body: event });
    assert.equal(status, 201, text.slice(0, 500));
  }
  one.store.beforeWrite = undefined;
  assert.deepEqual(ttls, [3_600, 3_600]);
});

test("a token that a heavy request asks about is known, and what another server has acknowledged counts", async () => {
  one.store.hold();
  await two.send("POST", accounts, { body: { metadata: { name: "robot" } } });
  const issued = await one.send("POST", `${accounts}/robot/token`, { body: { spec: {} } });
  const review = { apiVersion: "authentication.k8s.io/v1", kind: "TokenReview", spec: { token: issued.body.status.token } };
  const ask = () => one.send("POST", reviews, { body: { ...review, metadata: { annotations: { padding } } } });
  const { body, text } = await ask();
  assert.equal(body.status.user?.username, "system:serviceaccount:default:robot", text.slice(0, 500));
  await two.send("DELETE", `${accounts}/robot`);
  assert.equal((await ask()).body.status.authenticated, undefined);
});
