import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { clusterSteps } from "./cluster-steps.ts";
import { Follower } from "./kubectl.ts";
import { check, eachKubectl, type Session, testSteps } from "./session.ts";
import { steps } from "./steps.ts";

const manifestFile = join(import.meta.dirname, "manifest.yaml");
const objects = readFileSync(manifestFile, "utf8").match(/^kind:/gm)?.length ?? 0;

eachKubectl("kubectl", (session) => {
  testSteps(steps, session);
  testSteps(clusterSteps, session);
  test("get -w follows what others change", () => watching(session()));
  test(`apply of ${objects} objects: again, compared, and taken away`, () => applying(session()));
});

async function watching(session: Session): Promise<void> {
  await check(session, { run: "create configmap watched --from-literal=n=0" });
  using watch = new Follower(session.kubectl, ["get", "configmap", "watched", "-w", "-o", "jsonpath={.data.n}{'\\n'}"], session.env);
  assert.equal(await watch.next(), "0");
  for (const n of ["1", "2"]) {
    await check(session, { run: ["patch", "configmap", "watched", "-p", JSON.stringify({ data: { n } })] });
    assert.equal(await watch.next(), n);
  }
}

async function applying(session: Session): Promise<void> {
  const inShop = ["--namespace", "shop"];
  const everyObject = (outcome: string) => new RegExp(`^(\\S+ ${outcome}\\n?){${objects}}$`);
  await check(session, { run: [...inShop, "apply", "-f", manifestFile], prints: everyObject("created") });
  await check(session, { run: [...inShop, "apply", "-f", manifestFile], prints: everyObject("unchanged") });
  await check(session, { run: [...inShop, "diff", "-f", manifestFile], prints: "" });
  const changed = readFileSync(manifestFile, "utf8").replace("currency: EUR", "currency: SEK");
  await check(session, {
    run: [...inShop, "diff", "-f", "-"],
    stdin: changed,
    code: 1,
    prints: /-\s+currency: EUR\n\+\s+currency: SEK/,
  });
  const applied = await check(session, { run: [...inShop, "apply", "-f", "-"], stdin: changed });
  assert.deepEqual(applied.match(/^.* configured$/gm), ["configmap/settings configured"]);
  await check(session, { run: [...inShop, "delete", "--wait", "-f", manifestFile], prints: everyObject(".*deleted.*") });
  await check(session, { run: [...inShop, "get", "-f", manifestFile, "--ignore-not-found", "-o", "name"], prints: "" });
}
