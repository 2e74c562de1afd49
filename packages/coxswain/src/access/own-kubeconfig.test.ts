import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { systemClock } from "@coxswain/machinery";
import { identityOf, ownIdentity, type ProcessIdentity } from "../process/process-identity.ts";
import { kubeconfig } from "./kubeconfig.ts";
import { documentText, parseDocument } from "./kubeconfig-document.ts";
import { checkKubeconfig, updateKubeconfig } from "./own-kubeconfig.ts";

const facts = { server: "https://127.0.0.1:6443", authority: "PEM", token: "secret", name: "coxswain" };
const dead = { pid: process.pid, startTime: "0" };
const parent = identityOf(process.ppid) ?? dead;
const self = ownIdentity();

function file(t: TestContext, text: string | undefined): string {
  const folder = mkdtempSync(join(tmpdir(), "coxswain-"));
  t.after(() => rmSync(folder, { recursive: true }));
  if (text !== undefined) writeFileSync(join(folder, "config"), text);
  return join(folder, "config");
}

const marked = (mark: ProcessIdentity): string => kubeconfig({ ...facts, mark });

/** As kubectl writes it: without comments, with keys in order. */
const rewritten = async (text: string): Promise<string> => await documentText(await parseDocument(text, "config"));

const foreign = /config exists and coxswain did not write it; name another file with --kubeconfig$/;
const running = new RegExp(`config is the kubeconfig of a server that runs \\(process ${parent.pid}\\); name another`);
const present = [
  { name: "no file", text: undefined },
  { name: "an empty file", text: "\n" },
  { name: "its own file", text: marked(dead) },
  { name: "its own file of an earlier version", text: "# Written by coxswain at each start; changes are lost.\napiVersion: v1\n" },
  { name: "its own file, changed by kubectl", text: () => rewritten(marked(dead)) },
  { name: "its own file of an earlier version, changed by kubectl", text: () => rewritten(kubeconfig(facts)) },
  { name: "the file that this process has written", text: marked(self) },
  { name: "somebody's kubeconfig", text: "apiVersion: v1\nkind: Config\n", says: foreign },
  { name: "somebody's list", text: "- a\n", says: /config is not a kubeconfig$/ },
  { name: "what is no YAML", text: "a: [", says: /cannot read .*config: yaml: / },
  { name: "the file of a server that runs", text: marked(parent), says: running },
  { name: "the file of a server that runs, changed by kubectl", text: () => rewritten(marked(parent)), says: running },
];
for (const { name, text, says } of present)
  test(`kubeconfig: ${says === undefined ? "takes" : "refuses"} ${name}`, async (t) => {
    const checked = checkKubeconfig(file(t, typeof text === "function" ? await text() : text), self);
    await (says === undefined ? checked : assert.rejects(checked, says));
  });

test("kubeconfig: a further start writes what nobody has changed as the first one did", async (t) => {
  const path = file(t, marked(dead));
  await updateKubeconfig(path, { ...facts, server: "https://127.0.0.1:1", mark: self }, systemClock);
  assert.equal(readFileSync(path, "utf8"), kubeconfig({ ...facts, server: "https://127.0.0.1:1", mark: self }));
});

test("kubeconfig: a namespace, a context, a user and a cluster that somebody has added stay", async (t) => {
  const path = file(t, marked(dead));
  const before = await parseDocument(readFileSync(path, "utf8"), path);
  const added = {
    ...before,
    clusters: [...before.clusters, { name: "other", cluster: { server: "https://other" } }],
    users: [...before.users, { name: "jane", user: { token: "t", "x-more": ["yes", "1", 1] } }],
    contexts: [
      { name: "coxswain", context: { cluster: "coxswain", namespace: "x", user: "coxswain-admin" } },
      { name: "as-jane", context: { cluster: "coxswain", user: "jane" } },
    ],
    "current-context": "as-jane",
  };
  writeFileSync(path, await documentText(added));
  await updateKubeconfig(path, { ...facts, server: "https://127.0.0.1:2", mark: self }, systemClock);
  const cluster = added.clusters[0]?.cluster;
  const served = { ...(cluster as object), server: "https://127.0.0.1:2", extensions: [{ name: "coxswain", extension: { ...self } }] };
  assert.deepEqual(await parseDocument(readFileSync(path, "utf8"), path), {
    ...added,
    clusters: [{ name: "coxswain", cluster: served }, added.clusters[1]],
  });
  assert.ok(!existsSync(`${path}.lock`));
});

test("kubeconfig: the current context becomes the server's when another server's was", async (t) => {
  const path = file(t, kubeconfig({ ...facts, name: "coxswain-a", mark: dead }));
  await updateKubeconfig(path, { ...facts, name: "coxswain-b", mark: self }, systemClock);
  const document = await parseDocument(readFileSync(path, "utf8"), path);
  assert.deepEqual([document["current-context"], document.contexts.map(({ name }) => name)], ["coxswain-b", ["coxswain-a", "coxswain-b"]]);
});
