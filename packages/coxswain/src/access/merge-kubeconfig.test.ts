import assert from "node:assert/strict";
import { existsSync, lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { ManualClock, systemClock } from "@coxswain/machinery";
import { quiescence } from "@coxswain/machinery/testing";
import { identityOf, ownIdentity, type ProcessIdentity } from "../process/process-identity.ts";
import { clusterOf, documentText, markOf, parseDocument } from "./kubeconfig-document.ts";
import { mergeIntoKubeconfig } from "./merge-kubeconfig.ts";

const facts = { server: "https://127.0.0.1:6443", authority: "PEM", token: "secret", name: "coxswain" };
const self = ownIdentity();
const dead = { pid: process.pid + 1, startTime: "never" };
const parent = identityOf(process.ppid) ?? dead;
const options = { facts, self, clock: systemClock };

const theirDocument = {
  apiVersion: "v1",
  kind: "Config",
  preferences: { colors: true },
  clusters: [{ name: "kind", cluster: { server: "https://kind", "certificate-authority-data": "eA==" } }],
  users: [{ name: "kind", user: { exec: { command: "login", args: ["yes", "007", "1e3"], env: null } } }],
  contexts: [{ name: "kind", context: { cluster: "kind", user: "kind", namespace: "on" } }],
  "current-context": "kind",
};
const theirs = (): Promise<string> => documentText(theirDocument);

function file(t: TestContext, text: string | undefined): string {
  const folder = mkdtempSync(join(tmpdir(), "coxswain-"));
  t.after(() => rmSync(folder, { recursive: true }));
  if (text !== undefined) writeFileSync(join(folder, "config"), text, { mode: 0o640 });
  return join(folder, "config");
}

const read = async (path: string) => await parseDocument(readFileSync(path, "utf8"), path);

/** As a server leaves it that is killed. */
async function leftBy(mark: ProcessIdentity, name = "coxswain"): Promise<string> {
  const document = theirDocument;
  const extension = { ...mark, merged: { previousContext: "kind" } };
  return await documentText({
    ...document,
    clusters: [...document.clusters, { name, cluster: { server: "https://old", extensions: [{ name: "coxswain", extension }] } }],
    users: [...document.users, { name: `${name}-admin`, user: { token: "old" } }],
    contexts: [...document.contexts, { name, context: { cluster: name, user: `${name}-admin`, namespace: "x" } }],
    "current-context": name,
  });
}

test("merge: the context is there and current while the server runs, and all is as before at its end", async (t) => {
  const path = file(t, await theirs());
  const merged = await mergeIntoKubeconfig(path, options);
  const during = await read(path);
  assert.equal(during["current-context"], "coxswain");
  assert.equal(clusterOf(during, "coxswain"), "coxswain");
  assert.equal(during.users.find(({ name }) => name === "coxswain-admin") !== undefined, true);
  await merged[Symbol.asyncDispose]();
  assert.equal(readFileSync(path, "utf8"), await theirs());
  assert.equal(statSync(path).mode & 0o777, 0o640);
  assert.deepEqual(readdirSync(join(path, "..")), ["config"]);
});

test("merge: a file that is not there is made, for its owner alone", async (t) => {
  const path = join(file(t, undefined), "..", "new", "config");
  await using _ = await mergeIntoKubeconfig(path, options);
  assert.equal(statSync(path).mode & 0o777, 0o600);
});

test("merge: a link stays a link", async (t) => {
  const path = file(t, await theirs());
  symlinkSync(path, `${path}-link`);
  await using _ = await mergeIntoKubeconfig(`${path}-link`, options);
  assert.ok(lstatSync(`${path}-link`).isSymbolicLink());
  assert.equal((await read(path))["current-context"], "coxswain");
});

for (const { name, left } of [
  { name: "the same name", left: "coxswain" },
  { name: "another name", left: "coxswain-old" },
])
  test(`merge: what a killed server of ${name} has left is replaced, and the context before it comes back`, async (t) => {
    const path = file(t, await leftBy(dead, left));
    const merged = await mergeIntoKubeconfig(path, options);
    const during = await read(path);
    assert.deepEqual(
      during.contexts.map((one) => one.name),
      ["kind", "coxswain"],
    );
    assert.deepEqual(markOf(during.clusters[1]), { ...self, merged: { previousContext: "kind" } });
    await merged[Symbol.asyncDispose]();
    assert.equal(readFileSync(path, "utf8"), await theirs());
  });

test("merge: another current context that was chosen meanwhile stays", async (t) => {
  const path = file(t, await theirs());
  const merged = await mergeIntoKubeconfig(path, options);
  const during = await read(path);
  writeFileSync(
    path,
    await documentText({ ...during, contexts: [...during.contexts, { name: "a", context: {} }], "current-context": "a" }),
  );
  await merged[Symbol.asyncDispose]();
  const after = await read(path);
  assert.deepEqual([after["current-context"], after.contexts.map(({ name }) => name)], ["a", ["kind", "a"]]);
});

test("merge: what another server has put in its place meanwhile stays", async (t) => {
  const path = file(t, await theirs());
  const merged = await mergeIntoKubeconfig(path, options);
  const others = await leftBy(parent);
  writeFileSync(path, others);
  await merged[Symbol.asyncDispose]();
  assert.equal(readFileSync(path, "utf8"), others);
});

const refused = [
  {
    name: "a server that runs",
    text: () => leftBy(parent),
    says: /has the context coxswain of a server that runs \(process \d+\); choose another --name/,
  },
  {
    name: "somebody else",
    text: async () => "clusters: [{name: coxswain, cluster: {server: 'https://x'}}]\n",
    says: /has a context or a cluster coxswain that coxswain did not write; choose another --name/,
  },
];
for (const { name, text, says } of refused)
  test(`merge: an entry of ${name} is never replaced`, async (t) => {
    const path = file(t, await text());
    await assert.rejects(mergeIntoKubeconfig(path, options), says);
    assert.equal(readFileSync(path, "utf8"), await text());
  });

test("merge: waits for kubectl's lock, and says what to do about one that stays", async (t) => {
  const path = file(t, await theirs());
  writeFileSync(`${path}.lock`, "");
  const clock = new ManualClock();
  const merging = mergeIntoKubeconfig(path, { ...options, clock });
  const failed = assert.rejects(merging, /config\.lock is there, so another program changes .*config; remove it if none does$/);
  for (let step = 0; step < 300; step++) {
    await quiescence({ clock });
    clock.advance(20);
  }
  await failed;
  assert.ok(existsSync(`${path}.lock`), "the lock of another program is gone");
  rmSync(`${path}.lock`);
  const taken = await mergeIntoKubeconfig(path, { ...options, clock });
  await taken[Symbol.asyncDispose]();
});
