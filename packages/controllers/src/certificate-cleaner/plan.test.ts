import assert from "node:assert/strict";
import { test } from "node:test";
import { certificateEndMs } from "@coxswain/pki";
import { certificate } from "../shared/certificates/requests-under-test.ts";
import { expiryOf, plan } from "./plan.ts";

const created = Date.UTC(2026, 0, 1);
const at = "2026-01-02T00:00:00Z";
const csr = (types: readonly string[], certificate = "") => ({
  metadata: { creationTimestamp: "2026-01-01T00:00:00Z" },
  spec: { request: "", signerName: "" },
  status: { conditions: types.map((type) => ({ type, status: "True", lastUpdateTime: at })), ...(certificate && { certificate }) },
});
const hours = (ms: number | undefined): number | undefined => (ms === undefined ? undefined : (ms - created) / 3_600_000);

const cases = [
  { name: "a pending request expires a day after it was created", given: csr([]), expect: 24 },
  { name: "an issued request expires an hour after its approval", given: csr(["Approved"], "x"), expect: 25 },
  { name: "an approved request that was not issued expires a day later", given: csr(["Approved"]), expect: 48 },
  { name: "a denied request expires an hour later", given: csr(["Denied"]), expect: 25 },
  { name: "a failed request expires an hour later", given: csr(["Approved", "Failed"]), expect: 25 },
  {
    name: "a request whose certificate ends sooner expires then",
    given: csr(["Approved"], "x"),
    end: created + 24.5 * 3_600_000,
    expect: 24.5,
  },
  { name: "a request with another condition never expires", given: csr(["Other"]), expect: undefined },
];
for (const { name, given, end, expect } of cases) test(name, () => assert.equal(hours(expiryOf(given, end)), expect));

test("the end of a certificate is read, and is undefined where there is none", () => {
  assert.equal(certificateEndMs(certificate.base64), Date.parse(certificate.end));
  for (const text of [undefined, "", "x", btoa("-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----")])
    assert.equal(certificateEndMs(text), undefined);
});

const plans = [
  { name: "a request without an expiry stays", given: csr(["Other"]), nowMs: created, expect: { do: "nothing" } },
  { name: "a request waits until after its expiry", given: csr([]), nowMs: created, expect: { do: "wait", afterMs: 86_400_001 } },
  { name: "a request at its expiry waits a millisecond", given: csr([]), nowMs: created + 86_400_000, expect: { do: "wait", afterMs: 1 } },
  { name: "a request after its expiry is deleted", given: csr([]), nowMs: created + 86_400_001, expect: { do: "delete" } },
];
for (const { name, given, nowMs, expect } of plans)
  test(name, () => assert.deepEqual(plan({ csr: given, certificateEndMs: undefined, nowMs }), expect));
