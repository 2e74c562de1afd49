/** kubectl says of a conflict what it says with Kubernetes; whoever looks closer learns more. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { runKubectl } from "./kubectl.ts";
import { check, eachKubectl, type Session } from "./session.ts";

const refused =
  /^Error from server \(Conflict\): error when replacing "STDIN": Operation cannot be fulfilled on configmaps "(small|large)": the object has been modified; please apply your changes to the latest version and try again\n$/;

eachKubectl("kubectl and conflicts", (session) => {
  test("replace with an old version says what it always says", () => losing(session(), "small", "0"));
  test("a conflict over a large object, which another thread serves", () => losing(session(), "large", "x".repeat(150_000)));
});

async function losing(session: Session, name: string, text: string): Promise<void> {
  const { kubectl, env } = session;
  const data = { n: "0", text };
  await check(session, { run: "create -f -", stdin: JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data }) });
  const read = JSON.parse(await check(session, { run: `get configmap ${name} -o json` }));
  await check(session, { run: ["patch", "configmap", name, "-p", '{"data":{"n":"1"}}', "--field-manager=winner"] });
  read.data.n = "2";
  const stdin = JSON.stringify(read);
  await check(session, { run: "replace -f -", stdin, code: 1, complains: refused });
  const { stderr } = await runKubectl(kubectl, ["replace", "-f", "-", "-v=8"], env, stdin);
  assert.match(stderr, /"?reason"?:\s*\\?"OverlappingChange|OverlappingChange.*changed by manager/s);
  assert.match(stderr, /this write changes it too/);
  const raw = await check(session, { run: ["get", "--raw", `/coxswain/v1/conflicts?resource=configmaps&name=${name}&limit=1`] });
  const [{ loser, causes }] = JSON.parse(raw).items;
  assert.equal(loser.manager, "kubectl-replace");
  assert.equal(causes.length, 1);
  assert.equal(causes[0].field, ".data.n");
  assert.match(causes[0].message, /^changed by manager "winner" \(user ".+"\) at .*; this write changes it too$/);
}
