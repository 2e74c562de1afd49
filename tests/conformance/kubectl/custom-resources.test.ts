import assert from "node:assert/strict";
import { test } from "node:test";
import { customResourceSteps, removalSteps } from "./custom-resource-steps.ts";
import { Follower } from "./kubectl.ts";
import { check, eachKubectl, type Session, testSteps } from "./session.ts";

eachKubectl("kubectl on custom resources", (session) => {
  testSteps(customResourceSteps, session);
  test("get -w prints the columns of what others change", () => watching(session()));
  testSteps(removalSteps, session);
});

async function watching(session: Session): Promise<void> {
  using watch = new Follower(session.kubectl, ["get", "tel", "near", "-w", "--no-headers"], session.env);
  const [name, site, mirrors] = (await watch.next()).split(/ +/);
  assert.deepEqual([name, site, mirrors], ["near", "hill", "2"]);
  for (const n of ["7", "8"]) {
    await check(session, { run: `scale tel near --replicas=${n}` });
    assert.equal((await watch.next()).split(/ +/)[2], n);
  }
}
