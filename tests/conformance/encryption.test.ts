/** The real command keeps what an EncryptionConfiguration names encrypted in its data directory or in etcd, with kubectl as the client. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { after, before, describe, test } from "node:test";
import { waitUntil } from "@coxswain/machinery/testing";
import { etcdOptions } from "../store-options.ts";
import { storedBytes } from "../stored-bytes.ts";
import { type CommandUnderTest, startCommand } from "./command-under-test.ts";

const directory = mkdtempSync(join(tmpdir(), "coxswain-encryption-"));
const configFile = join(directory, "encryption.yaml");
const dataDir = join(directory, "data");
/** In base64 without padding, so that it looks the same wherever it stands in a Secret's data. */
const plain = "what-nobody-may-read";
const large = `${plain}${"0".repeat(300_000)}`;

const key = (letter: string) => ({ name: letter, secret: Buffer.alloc(32, letter).toString("base64") });
const aesgcm = (...letters: readonly string[]) => ({ aesgcm: { keys: letters.map(key) } });
const configure = (...providers: readonly object[]): void =>
  writeFileSync(
    configFile,
    JSON.stringify({
      apiVersion: "apiserver.config.k8s.io/v1",
      kind: "EncryptionConfiguration",
      resources: [{ resources: ["secrets", "*.example.com"], providers }],
    }),
  );

describe("--encryption-provider-config", { concurrency: 1 }, () => {
  let command: CommandUnderTest;

  const start = async (...options: readonly string[]): Promise<void> => {
    command = await startCommand(`--data-dir=${dataDir}`, ...options);
  };
  const encrypting = [`--encryption-provider-config=${configFile}`, "--encryption-provider-config-automatic-reload"];

  before(async () => {
    configure(aesgcm("a"), { identity: {} });
    await start(...encrypting);
  });
  after(async () => {
    assert.equal(await command.stop(), 0);
    rmSync(directory, { recursive: true });
  });

  /** What it prints, also when it fails. */
  async function kubectl(args: readonly string[], input = ""): Promise<string> {
    const flags = ["--server", command.server, "--token", command.token, "--insecure-skip-tls-verify", "--kubeconfig", "/dev/null"];
    const child = spawn("kubectl", [...args, ...flags]);
    child.stdin.end(input);
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
    return `${stdout}${stderr}`;
  }

  const versionOf = (name: string): Promise<string> => kubectl(["get", "secret", name, "-o", "jsonpath={.metadata.resourceVersion}"]);

  async function reconfigure(...providers: readonly object[]): Promise<void> {
    const reloads = (): number => command.log().split("reloaded --encryption-provider-config").length;
    const seen = reloads();
    configure(...providers);
    await waitUntil("the file is read again", () => reloads() > seen);
  }

  test("nothing of a Secret is stored as it was sent, however large it is", async () => {
    assert.match(await kubectl(["create", "secret", "generic", "small", `--from-literal=p=${plain}`]), /created/);
    const object = { apiVersion: "v1", kind: "Secret", metadata: { name: "large" }, stringData: { p: large } };
    assert.match(await kubectl(["create", "-f", "-"], JSON.stringify(object)), /created/);
    assert.match(await kubectl(["create", "configmap", "plain", `--from-literal=p=${plain}-`]), /created/);
    const bytes = await storedBytes(dataDir);
    assert.ok(bytes.includes(`${plain}-`), "a ConfigMap is there as it was sent");
    assert.equal(bytes.includes(Buffer.from(plain).toString("base64").slice(0, 24)), false);
    assert.ok(bytes.includes("k8s:enc:aesgcm:v1:a:"));
    assert.equal(
      (await kubectl(["get", "secret", "large", "-o", "jsonpath={.data.p}"])).length,
      Buffer.from(large).toString("base64").length,
    );
  });

  test("an update without changes writes what an older key has encrypted, and nothing else", async () => {
    const before = await versionOf("small");
    await kubectl(["replace", "-f", "-"], await kubectl(["get", "secret", "small", "-o", "json"]));
    assert.equal(await versionOf("small"), before);
    await reconfigure(aesgcm("b", "a"));
    assert.equal(await versionOf("small"), before);
    const all = await kubectl(["get", "secrets", "-A", "-o", "json"]);
    assert.match(await kubectl(["replace", "-f", "-"], all), /secret\/large replaced\nsecret\/small replaced/);
    assert.notEqual(await versionOf("small"), before);
    const after = await versionOf("small");
    await kubectl(["replace", "-f", "-"], await kubectl(["get", "secret", "small", "-o", "json"]));
    assert.equal(await versionOf("small"), after);
    await reconfigure(aesgcm("b"));
    assert.equal(await versionOf("small"), after);
  });

  const noKey = "no matching key was found for the provided AES transformer";
  const inKey = `unable to transform key "${etcdOptions(dataDir)?.prefix ?? "/registry"}/secrets/default/large": `;

  test("what no key is there for is an error, alone and in lists, until the key is back", async () => {
    await reconfigure(aesgcm("a"));
    assert.equal(await versionOf("small"), `Error from server (InternalError): Internal error occurred: ${noKey}\n`);
    assert.equal(await kubectl(["get", "secrets"]), `Error from server (InternalError): Internal error occurred: ${inKey}${noKey}\n`);
    assert.match(await kubectl(["delete", "secret", "small"]), /no matching key was found/);
    assert.match(await kubectl(["get", "configmaps"]), /plain/);
    await reconfigure(aesgcm("a", "b"));
    assert.match(await versionOf("small"), /^\d+$/);
  });

  test("a file that cannot be used changes nothing", async () => {
    writeFileSync(configFile, "{}");
    await waitUntil("the file is found wrong", () => command.log().includes("failed to reload --encryption-provider-config"));
    assert.match(await versionOf("small"), /^\d+$/);
  });

  test("after a restart the same holds: with the keys, without them, and without encryption", async () => {
    const version = await versionOf("small");
    await command.stop();
    configure(aesgcm("c"));
    await start(...encrypting);
    assert.match(await versionOf("small"), new RegExp(`Internal error occurred: ${noKey}`));
    assert.match(await kubectl(["get", "secrets", "-A"]), new RegExp(`unable to transform key .*${noKey}`));
    await reconfigure(aesgcm("c", "b"));
    assert.equal(await versionOf("small"), version);
    await command.stop();
    await start();
    assert.match(await versionOf("small"), /Internal error occurred: identity transformer tried to read encrypted data/);
    await command.stop();
    configure(aesgcm("b"));
    await start(...encrypting);
    assert.equal(await versionOf("small"), version);
  });

  test("a start without the key of what the server itself needs ends with a sentence that says so", async () => {
    const resources = (letter: string) => [{ resources: ["clusterroles.rbac.authorization.k8s.io"], providers: [aesgcm(letter)] }];
    const own = join(directory, "own.yaml");
    const write = (letter: string): void =>
      writeFileSync(
        own,
        JSON.stringify({ apiVersion: "apiserver.config.k8s.io/v1", kind: "EncryptionConfiguration", resources: resources(letter) }),
      );
    const options = [`--data-dir=${join(directory, "own")}`, `--encryption-provider-config=${own}`];
    write("a");
    assert.equal(await (await startCommand(...options)).stop(), 0);
    write("b");
    await assert.rejects(
      startCommand(...options),
      /^Error: coxswain ended with 1:\n.*what the server needs of its data cannot be read: .*no matching key was found for the provided AES transformer/s,
    );
    write("a");
    assert.equal(await (await startCommand(...options)).stop(), 0);
  });
});
