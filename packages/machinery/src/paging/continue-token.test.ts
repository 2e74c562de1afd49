import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { decodeContinue, encodeContinue } from "./continue-token.ts";

const prefix = "/registry/configmaps/";
const base64 = (text: string): string => new TextEncoder().encode(text).toBase64({ alphabet: "base64url", omitPadding: true });
const token = (fields: object): string => base64(JSON.stringify({ v: "meta.k8s.io/v1", rv: 5, start: "ns/a\0", ...fields }));

/** Messages of k8s.io/apiserver 0.36.3, but for the last ones: there, every negative revision means the newest. */
const hostile: readonly [name: string, token: string, message: string][] = [
  ["no JSON", "garbage", "invalid character '\\u0081' looking for beginning of value"],
  ["no JSON but text", base64("ab"), "invalid character 'a' looking for beginning of value"],
  ["a quote", base64("'"), "invalid character '\\'' looking for beginning of value"],
  ["half of it", base64('{"v":'), "unexpected end of JSON input"],
  ["more than JSON", base64("truex"), "invalid character 'x' after top-level value"],
  ["a strange letter", "ab+d", "illegal base64 data at input byte 2"],
  ["padding", "ab=", "illegal base64 data at input byte 2"],
  ["a letter too many", "abcde", "illegal base64 data at input byte 4"],
  ["a number", base64("12"), "json: cannot unmarshal number into Go value of type storage.continueToken"],
  ["nothing", base64("null"), "server does not recognize this encoded version "],
  ["an empty object", base64("{}"), "server does not recognize this encoded version "],
  ["another version", token({ v: "meta.k8s.io/v2" }), "server does not recognize this encoded version meta.k8s.io/v2"],
  ["a version that is a number", token({ v: 1 }), "json: cannot unmarshal number into Go struct field continueToken.v of type string"],
  ["a revision that is text", token({ rv: "x" }), "json: cannot unmarshal string into Go struct field continueToken.rv of type int64"],
  ["a fraction", token({ rv: 1.5 }), "json: cannot unmarshal number 1.5 into Go struct field continueToken.rv of type int64"],
  ["no revision", token({ rv: 0 }), "incorrect encoded start resourceVersion (version meta.k8s.io/v1)"],
  ["no start", token({ start: "" }), "encoded start key empty (version meta.k8s.io/v1)"],
  ["a way out", token({ start: "../secrets/a" }), "../secrets/a"],
  ["a way out, further on", token({ start: "/a/../../secrets" }), "/a/../../secrets"],
  ["a dot", token({ start: "./a" }), "./a"],
  ["two slashes", token({ start: "a//b" }), "a//b"],
  ["a slash alone", token({ start: "/" }), "/"],
  ["a slash at the end", token({ start: "a/" }), "a/"],
  ["a negative revision", token({ rv: -2 }), "incorrect encoded start resourceVersion (version meta.k8s.io/v1)"],
  ["a huge revision", token({ rv: 2 ** 60 }), "incorrect encoded start resourceVersion (version meta.k8s.io/v1)"],
];
for (const [name, text, why] of hostile)
  test(`refuses ${name}`, () =>
    assert.throws(() => decodeContinue(text, prefix), { code: 400, message: `invalid continue token: continue key is not valid: ${why}` }));

test("goes on from where it was, at the same revision", () => {
  const start = `${prefix}ns/größe`;
  assert.deepEqual(decodeContinue(encodeContinue({ revision: 7, start }, prefix), prefix), { revision: 7, start });
  assert.equal(encodeContinue({ revision: 7, start: `${prefix}ns/a` }, prefix), token({ rv: 7 }));
});

test("means the newest revision with -1", () =>
  assert.deepEqual(decodeContinue(token({ rv: -1 }), prefix), { revision: -1, start: `${prefix}ns/a` }));

test("stays inside its prefix whatever it says", () =>
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.string().map((start) => token({ start })),
        fc.base64String(),
      ),
      (text) => {
        try {
          assert.ok(decodeContinue(text, prefix).start.startsWith(prefix));
        } catch (error) {
          assert.equal((error as { code?: number }).code, 400);
        }
      },
    ),
  ));

test("round trip", () => {
  const segment = fc
    .string({ minLength: 1, unit: "grapheme" })
    .filter((s) => !/[/\0]/.test(s) && s !== "." && s !== ".." && s.isWellFormed());
  fc.assert(
    fc.property(
      fc.array(segment, { minLength: 1, maxLength: 3 }),
      fc.oneof(fc.constant(-1), fc.integer({ min: 1 })),
      (segments, revision) => {
        const start = prefix + segments.join("/");
        assert.deepEqual(decodeContinue(encodeContinue({ revision, start }, prefix), prefix), { revision, start });
      },
    ),
  );
});
