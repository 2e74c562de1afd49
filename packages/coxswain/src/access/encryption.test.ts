import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { Metrics } from "@coxswain/apiserver";
import { ManualClock } from "@coxswain/machinery";
import { waitUntil } from "@coxswain/machinery/testing";
import { type KmsUnderTest, startKms } from "../../../../tests/kms-server.ts";
import { openEncryption } from "./encryption.ts";

const key = "/registry/secrets/default/s";
const plain = new TextEncoder().encode('{"kind":"Secret"}');

interface Surroundings {
  readonly kms: KmsUnderTest;
  readonly clock: ManualClock;
  /** What was logged of them. */
  readonly failures: readonly string[];
  readonly metrics: Metrics;
  readonly configFile: string;
  open(): ReturnType<typeof openEncryption>;
}

async function setUp(t: TestContext, kmsFields: object = {}, reload = false): Promise<Surroundings> {
  const metrics = new Metrics({ startedAt: 0 });
  const directory = mkdtempSync(join(tmpdir(), "coxswain-"));
  const [socket, configFile] = [join(directory, "kms.sock"), join(directory, "encryption.yaml")];
  const kms = await startKms(socket);
  const clock = new ManualClock();
  const failures: string[] = [];
  const log = { debug() {}, info() {}, warn() {}, error: (_fields: object, message: string) => void failures.push(message) };
  const provider = { kms: { apiVersion: "v2", name: "k", endpoint: `unix://${socket}`, ...kmsFields } };
  const resources = [{ resources: ["secrets"], providers: [provider] }];
  writeFileSync(configFile, JSON.stringify({ apiVersion: "apiserver.config.k8s.io/v1", kind: "EncryptionConfiguration", resources }));
  t.after(() => {
    kms.close();
    rmSync(directory, { recursive: true });
  });
  return { kms, clock, failures, metrics, configFile, open: () => openEncryption({ configFile, reload }, { clock, log, metrics }) };
}

const canWrite = (check: () => void): boolean => {
  try {
    check();
    return true;
  } catch {
    return false;
  }
};

const transformerOf = ({ transformer }: Awaited<ReturnType<typeof openEncryption>>) => {
  assert.ok(transformer);
  return transformer;
};

test("KMS v2: values are encrypted by keys that the service has encrypted, which a later start asks it to decrypt", async (t) => {
  const { kms, open } = await setUp(t);
  await using first = await open();
  const stored = transformerOf(first).toStorage(key, plain);
  assert.ok(Buffer.from(stored).toString("latin1").startsWith("k8s:enc:kms:v2:k:"));
  assert.equal(Buffer.from(stored).includes("Secret"), false);
  assert.deepEqual(transformerOf(first).fromStorage(key, stored), { value: plain, stale: false });
  assert.equal(kms.decrypted, 0);
  await using later = await open();
  const transformer = transformerOf(later);
  assert.throws(() => transformer.fromStorage(key, stored), { message: "failed to decrypt DEK, error: not asked yet" });
  await transformer.prepare?.(key, stored);
  await transformer.prepare?.(key, stored);
  assert.equal(kms.decrypted, 1);
  assert.deepEqual(transformer.fromStorage(key, stored), { value: plain, stale: false });
  assert.throws(() => transformer.fromStorage("/registry/secrets/default/t", stored), { message: "cipher: message authentication failed" });
});

/** Written by kube-apiserver 1.36.3 into etcd, with the keys of the service under test. */
const written =
  "azhzOmVuYzprbXM6djI6azoKhgJ4JU2BZnkX+36Qy1+860l07YV+B6+UnPok0HSoodVnnBy/DGfEFLuTIBF1ID8Qh8PmFBDy/ksYsYQX0Xq2Jof7ZRBY1Rr1zkLtcr0cp91tT6WYY5fGTgsYx99x2rPCXhIM4mShCF5oQjjnfPwxaoSUTWcMEK7jJsS2h+JkMrDpRe039t8mgy/Eox5WI5dfhjyXTx7jvC2OK7e4P6hQn2xrX4JKkt72a52bOt6uMBf6zhk145u2wUeD0zGD0qrNH7Id0j8Q7I0W2iJv/IQc9jGt1zz9fIK+ARfk1anF8wcwngx2mSAyEYhZX7fF1ZkkW94A4Sr/Ue6v0Eg2K+Zd0+ElFQxRTIGiEgExGjDTegxL8Gxtm3SoKjsgwyyLSdsZSrzfXa+YknRBSdik6npgpjbI0bTTlrAgyU+ivVYiIQoRbm9uY2UuZXhhbXBsZS5jb20SDNQAt3nfeG+FCqTqGygB";

test("KMS v2: what kube-apiserver has written is read, and not stale", async (t) => {
  const { open } = await setUp(t);
  await using encryption = await open();
  const transformer = transformerOf(encryption);
  const [at, stored] = ["/registry/secrets/default/v", Buffer.from(written, "base64")];
  await transformer.prepare?.(at, stored);
  const { value, stale } = transformer.fromStorage(at, stored);
  assert.match(Buffer.from(value).toString("latin1"), /^k8s\0\n\f\n\x02v1\x12\x06Secret/);
  assert.equal(stale, false);
});

test("KMS v2: calls of the service are counted by how they end", async (t) => {
  const { kms, clock, metrics, open } = await setUp(t);
  const seen = (): readonly string[] =>
    [...metrics.kms.calls].map(
      ({ labels, seconds }) => `${labels.provider_name} ${labels.method_name} ${labels.grpc_status_code} ${seconds.count}`,
    );
  await using _encryption = await open();
  assert.deepEqual(seen(), ["k /v2.KeyManagementService/Status OK 1", "k /v2.KeyManagementService/Encrypt OK 1"]);
  kms.close();
  clock.advance(60_000);
  await waitUntil("the failed call is counted", () => seen().includes("k /v2.KeyManagementService/Status Unavailable 1"));
});

test("KMS v2: no flipped bit of a stored value is read as another value", async (t) => {
  const { open } = await setUp(t);
  await using encryption = await open();
  const transformer = transformerOf(encryption);
  const stored = transformer.toStorage(key, plain);
  let read = 0;
  for (let bit = 0; bit < stored.byteLength * 8; bit++) {
    const flipped = Uint8Array.from(stored);
    flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    try {
      const { value } = transformer.fromStorage(key, flipped);
      assert.deepEqual(value, plain);
      read++;
    } catch (error) {
      assert.equal((error as Error).name, "TransformError");
    }
  }
  assert.equal(read, 0);
});

test("KMS v2: a new key of the service makes older values stale within a minute", async (t) => {
  const { kms, clock, open } = await setUp(t);
  await using encryption = await open();
  const transformer = transformerOf(encryption);
  const stored = transformer.toStorage(key, plain);
  kms.keyId = "2";
  clock.advance(60_000);
  await waitUntil("the key is another", () => transformer.fromStorage(key, stored).stale);
  const again = transformer.toStorage(key, plain);
  assert.deepEqual(transformer.fromStorage(key, again), { value: plain, stale: false });
});

test("KMS v2: three minutes without the service, nothing is written until it is back; what is known is read", async (t) => {
  const { kms, clock, failures, open } = await setUp(t);
  await using encryption = await open();
  const transformer = transformerOf(encryption);
  const stored = transformer.toStorage(key, plain);
  kms.healthz = "broken";
  clock.advance(180_001);
  assert.throws(
    () => transformer.checkWrite(key),
    /^TransformError: encryptedDEKSource with keyID hash "sha256:[0-9a-f]{64}" expired at \S+Z/,
  );
  assert.deepEqual(transformer.fromStorage(key, stored).value, plain);
  await waitUntil("it is found broken", () => failures.length > 0);
  kms.healthz = "ok";
  clock.advance(10_000);
  await waitUntil("it can be written again", () => canWrite(() => transformer.checkWrite(key)));
});

test("KMS v2: without the service a server starts, and can write nothing", async (t) => {
  const { kms, open } = await setUp(t);
  kms.close();
  await using encryption = await open();
  assert.throws(() => transformerOf(encryption).checkWrite(key), { message: "got unexpected nil transformer" });
});

test("KMS v2: the service may be at an abstract socket", async (t) => {
  const name = `coxswain-kms-${process.pid}`;
  const kms = await startKms(`\0${name}`);
  t.after(() => kms.close());
  const { open } = await setUp(t, { endpoint: `unix:///@${name}` });
  await using encryption = await open();
  transformerOf(encryption).checkWrite(key);
});

const refused = [
  { fields: { apiVersion: "v1" }, says: /error while building transformers: KMSv1 is deprecated/ },
  { fields: { name: "a:b" }, says: /kms\.name: Invalid value: "a:b": invalid KMS provider name a:b, must not contain ':'$/ },
  { fields: { endpoint: "tcp://a" }, says: /kms\.endpoint: Invalid value: "tcp:\/\/a": unsupported scheme "tcp" for KMS provider/ },
  { fields: { cachesize: 5 }, says: /kms\.cachesize: Invalid value: 5: cachesize is not supported in v2$/ },
  { fields: { timeout: "0s" }, says: /kms\.timeout: Invalid value: "0s": timeout should be a positive value$/ },
];
for (const { fields, says } of refused)
  test(`KMS: refuses ${JSON.stringify(fields)}`, async (t) => {
    const { open } = await setUp(t, fields);
    await assert.rejects(open(), says);
  });

const healthOf = ({ healthChecks }: Awaited<ReturnType<typeof openEncryption>>) =>
  healthChecks.map(({ name, only = "", ok }) => [name, only, ok()]);

const health = (ok: boolean) => ["healthz", "readyz"].map((only) => ["kms-providers", only, ok]);

test("KMS v2: a service that fails its probes fails the server's health, under Kubernetes' name", async (t) => {
  const { kms, clock, open } = await setUp(t);
  await using opened = await open();
  assert.deepEqual(healthOf(opened), health(true));
  kms.healthz = "down";
  clock.advance(60_000);
  await waitUntil("the probe", () => healthOf(opened)[0]?.[2] === false);
  kms.healthz = "ok";
  clock.advance(10_000);
  await waitUntil("the next probe", () => healthOf(opened)[0]?.[2] === true);
});

test("where the file is followed reloads are counted", async (t) => {
  const { clock, metrics, configFile, open } = await setUp(t, {}, true);
  await using opened = await open();
  assert.deepEqual(healthOf(opened), health(true));
  const { counts } = metrics.access.encryptionConfig;
  const before = metrics.access.encryptionConfig.applied;
  writeFileSync(configFile, readFileSync(configFile, "utf8").replace("secrets", "configmaps"));
  clock.advance(1_000);
  await waitUntil("the file is read again", () => counts.success === 1);
  assert.notEqual(metrics.access.encryptionConfig.applied, before);
  writeFileSync(configFile, "{}");
  // The next look is planned when this one is over.
  await waitUntil("the next look at the file", () => clock.due !== undefined);
  clock.advance(1_000);
  await waitUntil("the file is refused", () => counts.failure > 0);
  assert.equal(counts.success, 1);
});
