import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import { attributeTypes } from "../x509/name.ts";
import { parseSigningRequest, SigningRequestError } from "./signing-request.ts";
import { encodedRequest, signingRequest, signingRequestDer, type Wanted } from "./signing-request-under-test.ts";

test("a signing request contains subject, key and names", () => {
  const ip = [Uint8Array.of(10, 0, 0, 9), new Uint8Array(16)];
  const wanted = { commonName: "jané", organizations: ["a", "b"], dns: ["x.example.com"], email: ["a@b"], uri: ["urn:x"], ip };
  const { subject, names, publicKey } = parseSigningRequest(signingRequest(wanted));
  assert.deepEqual(subject, [
    { type: attributeTypes.organization, value: "a" },
    { type: attributeTypes.organization, value: "b" },
    { type: attributeTypes.commonName, value: "jané" },
  ]);
  assert.deepEqual(
    { ...names, ip: names.ip.map((bytes) => [...bytes]) },
    {
      dns: ["x.example.com"],
      email: ["a@b"],
      uri: ["urn:x"],
      ip: ip.map((bytes) => [...bytes]),
    },
  );
  assert.equal(publicKey.asymmetricKeyType, "ec");
});

for (const key of ["ec", "rsa", "ed25519"] as const) {
  test(`a signing request may have a key of type ${key}`, () => {
    assert.equal(parseSigningRequest(signingRequest({ commonName: "x", key })).publicKey.asymmetricKeyType, key);
  });
}

const strange = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
const refused: readonly { name: string; wanted: Wanted; says: RegExp }[] = [
  { name: "signed with another key", wanted: { signedWith: strange }, says: /^x509: signature verification failure$/ },
  { name: "an unknown algorithm", wanted: { algorithm: "1.2.3" }, says: /algorithm unimplemented/ },
  { name: "an algorithm of another sort of key", wanted: { algorithm: "1.3.101.112" }, says: /another type of public key/ },
  { name: "a curve that is not in use", wanted: { key: "unusual" }, says: /^x509: unsupported elliptic curve$/ },
  { name: "a key that is too short", wanted: { key: "short" }, says: /^crypto\/rsa: 512-bit keys are insecure$/ },
  { name: "an address of three bytes", wanted: { ip: [new Uint8Array(3)] }, says: /cannot parse IP address/ },
  { name: "a name that is not ASCII", wanted: { dns: ["é"] }, says: /SAN is malformed/ },
];
for (const { name, wanted, says } of refused) {
  test(`no signing request: ${name}`, () => {
    assert.throws(
      () => parseSigningRequest(signingRequest(wanted)),
      (error) => error instanceof SigningRequestError && says.test(error.message),
    );
  });
}

test("bytes of any sort are a signing request or a SigningRequestError", () => {
  const good = signingRequestDer({ commonName: "x", organizations: ["a"], dns: ["b"] });
  const changed = fc
    .array(fc.tuple(fc.nat(good.byteLength - 1), fc.nat(255)), { maxLength: 4 })
    .map((changes) => changes.reduce((bytes, [at, byte]) => bytes.with(at, byte), Uint8Array.from(good)));
  const cut = fc.nat(good.byteLength).map((end) => good.slice(0, end));
  fc.assert(
    fc.property(fc.oneof(fc.uint8Array({ maxLength: 200 }), changed, cut), (bytes) => {
      try {
        parseSigningRequest(encodedRequest(bytes));
      } catch (error) {
        if (!(error instanceof SigningRequestError)) throw error;
      }
    }),
    { numRuns: 500 },
  );
});
