import assert from "node:assert/strict";
import { test } from "node:test";
import { loadEncryptionConfiguration } from "./configuration/load.ts";
import { Encryption } from "./encryption.ts";

const secret = (letter: string): string => Buffer.alloc(32, letter).toString("base64");

const openKms = (): never => {
  throw new Error("there is no such service");
};

async function encryptionOf(resources: object, prefix?: string): Promise<Encryption> {
  const text = JSON.stringify({ apiVersion: "apiserver.config.k8s.io/v1", kind: "EncryptionConfiguration", resources });
  return new Encryption(await loadEncryptionConfiguration({ path: "e.yaml", text, reload: false, openKms }), prefix);
}

const keys = (...letters: string[]) => ({ keys: letters.map((letter) => ({ name: `k-${letter}`, secret: secret(letter) })) });
const identity = { identity: {} };
const plain = Buffer.from('{"kind":"Secret","apiVersion":"v1"}');
const key = "/registry/secrets/default/s";
const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString("utf8");

/** Written by kube-apiserver 1.36.3 into etcd, with the key `k1` of 32 times the letter a. */
const written = [
  {
    provider: "aescbc",
    resource: "configmaps",
    stored:
      "azhzOmVuYzphZXNjYmM6djE6azE6wTAqlKWE8o88DCN03GLAU0N90fM6twZS+Ad95myhC9E0Z8Mn4WnAgjNuQxnYjXxd3NkH+NpIbGaGsXykp6Yaizo8dFQlmv/VEorch7Rg+zVknUpP5Vcz8Q/78CSR5HdYEwK5tymb1TtniE7s8mVSa8RqWo9IyeBB6azau0t8myga4nAMFafKfqHVbGZZX/c95Drfxn5WjS/jx7DAvMKlzO/K1m/USKFNvxhP0vCw/xyBN0ORaeca4/Yqa65ExTWWguJ3FElxhR/ShWD+eHBDZTWKSfi5znu6PNQrjmkkYSxNkykLXm/l0ymo53Z4deyQHDMjhi9B7bRUkHFfB8wq81o3k17nhlrYPjSmL9THTG0q4nCV+RtCh876N8dSGLkPu0RCixUtP8ETlw/KtBscff7b+kYhUlf/iUUowKCHPXsrk15+Icb2ahMmh2swpLnhx8jLj/j7zs9Gl+/HqDS3Z6U0QR+0hAu2zcxGAIQKNasgB4iPqXsBH8yhr/SMnaHq",
  },
  {
    provider: "aesgcm",
    resource: "serviceaccounts",
    stored:
      "azhzOmVuYzphZXNnY206djE6azE64ttUAQ20kS2GoBxfP1NRjaQjmRtYfhFnof11eiKg0gedMlHE2KBC0tHYpXZEa3POeD9XiLo0GxxWe+oz3N/n/Azt59v2P+ocFd9Tvqr9Seb8GW/R5b9pmqDABVHVSv92XEge3avcvA9eCNmAb2cpP862x6xQHxHGzk20KchwBhVbWjht4ktwBEE8a4jLm1q8J39pW6AopTrqqOxnGCVOcs0EkUEXswH1GqVCovgVLmqcNp83raf0n2sa9BuGxVGAsD5UCIAOtmRxJZcWFaE=",
  },
  {
    provider: "secretbox",
    resource: "limitranges",
    stored:
      "azhzOmVuYzpzZWNyZXRib3g6djE6azE6KvKvCkN7JXWITucFj5oGMdKkXDqVDGCzE3PXd58FydU1wo/WQcziE8tgiw+WEzHitRlBnGlOCLHIoFfTqEjXFUjD1UuRd3mPe6VTapbgnFc08gSXqmQnFJdKBlUaAZmbivcg3Ac9XT5PtSyQuH/VYnLlR30xGuAw6EcGbHnXrLb9q6lV3grzPjtcp3Pis4UfqU9iY+GivAR5ILH0P9tlpcvrY8S1NBaPTuDY48WT3dsaP43SMUhJuLq4E9PboUbfeOt8u6TL0b0JRKmPQdMVBcNhNKexaa7vKMfYfCfO36uVhCZOpKsze68gvQzz",
  },
];

for (const { provider, resource, stored } of written)
  test(`what kube-apiserver has written with ${provider} is read`, async () => {
    const one = { [provider]: { keys: [{ name: "k1", secret: secret("a") }] } };
    const encryption = await encryptionOf([{ resources: [resource], providers: [one, identity] }]);
    const { value, stale } = encryption.fromStorage(`/registry/${resource}/default/v`, Buffer.from(stored, "base64"));
    assert.equal(JSON.parse(text(value)).metadata.name, "v");
    assert.equal(stale, false);
  });

for (const provider of ["aesgcm", "aescbc", "secretbox"]) {
  test(`${provider} reads what it has written, and no flipped bit passes unnoticed where it authenticates`, async () => {
    const encryption = await encryptionOf([{ resources: ["secrets"], providers: [{ [provider]: keys("a") }] }]);
    const stored = encryption.toStorage(key, plain);
    assert.ok(text(stored).startsWith(`k8s:enc:${provider}:v1:k-a:`));
    assert.equal(text(stored).includes("Secret"), false);
    assert.deepEqual(encryption.fromStorage(key, stored), { value: new Uint8Array(plain), stale: false });
    if (provider === "aescbc") return;
    for (let bit = 0; bit < stored.byteLength * 8; bit++) {
      const flipped = Uint8Array.from(stored);
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      assert.throws(() => encryption.fromStorage(key, flipped), { name: "TransformError" });
    }
  });

  test(`${provider}: the first key writes, all read, and what another has written is stale`, async () => {
    const before = await encryptionOf([{ resources: ["secrets"], providers: [{ [provider]: keys("a") }] }]);
    const after = await encryptionOf([{ resources: ["secrets"], providers: [{ [provider]: keys("b", "a") }, identity] }]);
    const stored = before.toStorage(key, plain);
    assert.deepEqual(after.fromStorage(key, stored), { value: new Uint8Array(plain), stale: true });
    assert.equal(after.fromStorage(key, after.toStorage(key, plain)).stale, false);
    assert.equal(after.fromStorage(key, plain).stale, true);
    const what = provider === "secretbox" ? "Secretbox" : "AES";
    assert.throws(() => before.fromStorage(key, after.toStorage(key, plain)), {
      message: `no matching key was found for the provided ${what} transformer`,
    });
    assert.throws(() => before.fromStorage(key, plain), { message: "no matching prefix found" });
  });
}

test("a value that is moved to another key is not read with aesgcm", async () => {
  const encryption = await encryptionOf([{ resources: ["secrets"], providers: [{ aesgcm: keys("a") }] }]);
  const stored = encryption.toStorage(key, plain);
  assert.throws(() => encryption.fromStorage("/registry/secrets/default/t", stored), { message: "cipher: message authentication failed" });
});

test("a value is bound to the prefix under which it is stored, whatever its key is called here", async () => {
  const resources = [{ resources: ["secrets"], providers: [{ aesgcm: keys("a") }] }];
  const [own, other] = [await encryptionOf(resources), await encryptionOf(resources, "/other/place")];
  const stored = other.toStorage(key, plain);
  assert.deepEqual(other.fromStorage(key, stored).value, new Uint8Array(plain));
  assert.throws(() => own.fromStorage(key, stored), { message: "cipher: message authentication failed" });
});

const matches = [
  { rule: "secrets", key: "/registry/secrets/default/s", encrypted: true },
  { rule: "secrets", key: "/registry/configmaps/default/s", encrypted: false },
  { rule: "deployments.apps", key: "/registry/deployments/default/s", encrypted: true },
  { rule: "*.", key: "/registry/services/specs/default/s", encrypted: true },
  { rule: "endpoints", key: "/registry/services/specs/default/s", encrypted: false },
  { rule: "replicationcontrollers", key: "/registry/controllers/default/s", encrypted: true },
  { rule: "events", key: "/registry/events/default/s", encrypted: true },
  { rule: "*.apps", key: "/registry/secrets/default/s", encrypted: false },
  { rule: "*.*", key: "/registry/example.com/widgets/default/s", encrypted: true },
  { rule: "widgets.example.com", key: "/registry/example.com/widgets/default/s", encrypted: true },
  { rule: "*.example.com", key: "/registry/example.com/gadgets/s", encrypted: true },
  { rule: "ingresses.networking.k8s.io", key: "/registry/ingress/default/s", encrypted: true },
];

for (const { rule, key: at, encrypted } of matches)
  test(`${rule} ${encrypted ? "covers" : "leaves out"} ${at}`, async () => {
    const encryption = await encryptionOf([{ resources: [rule], providers: [{ aesgcm: keys("a") }] }]);
    assert.equal(text(encryption.toStorage(at, plain)).startsWith("k8s:enc:aesgcm:v1:"), encrypted);
  });
