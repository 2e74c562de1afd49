import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { ManualClock } from "@coxswain/machinery";
import { chooseAccess } from "../kubeconfig/choose.ts";
import { followedCredentials } from "./followed-credentials.ts";
import { loadKubeconfig } from "./load-kubeconfig.ts";

const base64 = (text: string): string => Buffer.from(text).toString("base64");

async function setUp(t: TestContext, user: object) {
  const directory = await mkdtemp(join(tmpdir(), "coxswain-client-"));
  t.after(() => rm(directory, { recursive: true }));
  const path = join(directory, "kubeconfig");
  const write = (next: object): Promise<void> =>
    writeFile(
      path,
      JSON.stringify({
        clusters: [{ name: "c", cluster: { server: "https://127.0.0.1:1" } }],
        users: [{ name: "u", user: next }],
        contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
        "current-context": "x",
      }),
    );
  await write(user);
  const clock = new ManualClock();
  const reload = async () => chooseAccess(await loadKubeconfig({ paths: [path] }));
  const credentials = followedCredentials(reload, ({ token }) => (token === "" ? undefined : `Bearer ${token}`), clock);
  return { path, write, clock, credentials };
}

const certificate = (name: string) => ({ "client-certificate-data": base64(name), "client-key-data": base64(`${name} key`) });
const certOf = (cert: string | Uint8Array | undefined): string => Buffer.from(cert ?? "").toString();

test("what a kubeconfig says of its user counts after a minute, and when the server knows the user no more", async (t) => {
  const { write, clock, credentials } = await setUp(t, { ...certificate("a"), token: "one" });
  const first = await credentials.current();
  assert.deepEqual([certOf(first.certificate?.cert), certOf(first.certificate?.key)], ["a", "a key"]);
  await write({ ...certificate("b"), token: "one" });
  assert.equal(await credentials.current(), first);
  clock.advance(60_000);
  const second = await credentials.current();
  assert.equal(certOf(second.certificate?.cert), "b");
  await write({ ...certificate("b"), token: "two" });
  await credentials.renew?.(second);
  const third = await credentials.current();
  assert.equal(third.authorization, "Bearer two");
  assert.equal(third.certificate, second.certificate, "no connection is given up for it");
});

test("a kubeconfig that cannot be read leaves the last credential as it is; without one there is an error", async (t) => {
  const { path, write, clock, credentials } = await setUp(t, certificate("a"));
  const first = await credentials.current();
  await writeFile(path, "{");
  clock.advance(60_000);
  assert.equal(await credentials.current(), first);
  await write(certificate("b"));
  clock.advance(60_000);
  assert.equal(certOf((await credentials.current()).certificate?.cert), "b");

  const broken = await setUp(t, { "client-certificate": "/nowhere", "client-key": "/nowhere" });
  await assert.rejects(broken.credentials.current(), /ENOENT/);
});
