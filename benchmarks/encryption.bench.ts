/**
 * What encryption at rest costs for each value that is written or read, by provider. A read is one from the store: what is
 * cached is not decrypted again. Prints one JSON line per measurement; the argument is how many values (20,000 unless given).
 */
import { hash } from "node:crypto";
import { Encryption, KmsProvider, type KmsService, loadEncryptionConfiguration } from "@coxswain/apiserver";
import { systemClock } from "@coxswain/machinery";

const values = Number(process.argv[2] ?? 20_000);
const key = "/registry/secrets/default/s";

/** A service that costs nothing: it is asked for a key once. */
const service: KmsService = {
  status: async () => ({ version: "v2", healthz: "ok", keyId: "1" }),
  encrypt: async (plaintext) => ({ ciphertext: plaintext, keyId: "1", annotations: {} }),
  decrypt: async ({ encryptedSeed }) => encryptedSeed,
};

const keys = { keys: [{ name: "k", secret: hash("sha256", "k", "base64") }] };
const providers = {
  identity: {},
  aesgcm: keys,
  aescbc: keys,
  secretbox: keys,
  kms: { apiVersion: "v2", name: "k", endpoint: "unix:///k" },
};

for (const [provider, configuration] of Object.entries(providers)) {
  const resources = [{ resources: ["secrets"], providers: [{ [provider]: configuration }] }];
  const text = JSON.stringify({ apiVersion: "apiserver.config.k8s.io/v1", kind: "EncryptionConfiguration", resources });
  using kms = new KmsProvider("k", service, { clock: systemClock, onFailure: (error) => console.error(error) });
  await kms.start();
  const encryption = new Encryption(await loadEncryptionConfiguration({ path: "e", text, reload: false, openKms: async () => kms }));
  for (const bytes of [1_500, 100_000]) {
    const value = Buffer.alloc(bytes, "v");
    const stored = encryption.toStorage(key, value);
    const write = microseconds(() => encryption.toStorage(key, value));
    const read = microseconds(() => encryption.fromStorage(key, stored));
    console.log(JSON.stringify({ name: `encryption, ${provider}`, bytes, writeMicroseconds: write, readMicroseconds: read }));
  }
}

function microseconds(act: () => unknown): number {
  for (let i = 0; i < values / 10; i++) act();
  const startedAt = process.hrtime.bigint();
  for (let i = 0; i < values; i++) act();
  return Math.round(Number(process.hrtime.bigint() - startedAt) / 10 / values) / 100;
}
