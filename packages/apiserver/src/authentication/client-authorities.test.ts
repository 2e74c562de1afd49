import assert from "node:assert/strict";
import { test } from "node:test";
import { ManualClock } from "@coxswain/machinery";
import { newKeys } from "@coxswain/pki/node";
import type { ContentProvider } from "../contracts/content-provider.ts";
import { staticContent } from "../contracts/content-provider.ts";
import { authority, client, connectedWith } from "./certificates-under-test.ts";
import { ClientAuthorities } from "./client-authorities.ts";
import { clientCertificateAuthenticator } from "./client-certificate.ts";

const clock = new ManualClock();
const given = { now: clock.now() };
const root = authority("root", given);
const middle = authority("middle", given, root);
const impostor = authority("root", given);
const { cert } = client("jane", [], root, given);
const { cert: deep } = client("jane", [], middle, given);
const { cert: forged } = client("jane", [], impostor, given);
/** Signed with the key of a client, who may sign nothing. */
const keys = newKeys();
const plain = client("mallory", [], root, { ...given, keys });
const { cert: byClient } = client("jane", [], { subject: authority("mallory", { ...given, keys }).subject, ...keys }, given);

const cases = [
  { name: "one that an authority signed", trusted: [root], sent: [cert], expect: true },
  { name: "one of several authorities", trusted: [impostor, root], sent: [cert], expect: true },
  { name: "an authority of the same name with another key", trusted: [root], sent: [forged], expect: false },
  { name: "another authority", trusted: [impostor], sent: [cert], expect: false },
  { name: "no authority at all", trusted: [], sent: [cert], expect: false },
  { name: "an intermediate that is sent along", trusted: [root], sent: [deep, middle.pem], expect: true },
  { name: "an intermediate that is not sent", trusted: [root], sent: [deep], expect: false },
  { name: "an intermediate that is trusted itself", trusted: [middle], sent: [deep], expect: true },
  { name: "a root that is sent along and not trusted", trusted: [root], sent: [forged, impostor.pem], expect: false },
  { name: "a client that signs another", trusted: [root], sent: [byClient, plain.cert], expect: false },
];
for (const { name, trusted, sent, expect } of cases) {
  test(`authorities: ${name}`, () => {
    const authorities = new ClientAuthorities(trusted.map(({ pem }) => staticContent(() => pem)));
    assert.equal(authorities.hasSigned(connectedWith(...sent).certificate, clock.now()), expect);
  });
}

test("authorities: a resumed session has the certificate alone, and is known all the same", () => {
  const authorities = new ClientAuthorities([staticContent(() => root.pem)]);
  assert.equal(authorities.hasSigned(connectedWith(deep, middle.pem).certificate, clock.now()), true);
  assert.equal(authorities.hasSigned(connectedWith(deep).certificate, clock.now()), true);
});

test("authorities: one that expired has signed nothing", () => {
  const authorities = new ClientAuthorities([staticContent(() => root.pem)]);
  assert.equal(authorities.hasSigned(connectedWith(cert).certificate, clock.now() + 601_000), false);
});

test("authorities: a change counts on open connections", async () => {
  let changed: (pem: string) => void = () => undefined;
  let current = root.pem;
  const source: ContentProvider<string> = {
    get current() {
      return current;
    },
    subscribe: (listener) => {
      changed = listener;
      return { [Symbol.dispose]: () => undefined };
    },
  };
  const authenticate = clientCertificateAuthenticator(clock, new ClientAuthorities([source]));
  const clientCertificate = connectedWith(cert);
  const known = async (): Promise<string> => (await authenticate({ headers: {}, clientCertificate })).kind;
  assert.equal(await known(), "authenticated");
  current = impostor.pem;
  changed(current);
  assert.equal(await known(), "rejected");
  current = impostor.pem + root.pem;
  changed(current);
  assert.equal(await known(), "authenticated");
});
