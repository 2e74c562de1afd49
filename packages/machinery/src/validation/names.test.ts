import assert from "node:assert/strict";
import { test } from "node:test";
import * as names from "./names.ts";

const long = (n: number): string => "a".repeat(n);

const cases: readonly { check: (value: string) => string[]; fine: readonly string[]; bad: Readonly<Record<string, RegExp>> }[] = [
  {
    check: names.validateDns1123Label,
    fine: ["a", "0", "a-1", long(63)],
    bad: {
      "": /RFC 1123 label/,
      "a.b": /^must not contain dots$/,
      "-a": /e\.g\. 'my-name', {2}or '123-abc', regex used/,
      [long(64)]: /no more than 63 characters/,
    },
  },
  {
    check: names.validateDns1123Subdomain,
    fine: ["a", "a.b-c.0", long(253)],
    bad: { A: /lowercase RFC 1123 subdomain/, "a..b": /subdomain/, "a\n": /subdomain/, [long(254)]: /253/ },
  },
  { check: names.validateDns1035Label, fine: ["a", "a-1"], bad: { "1a": /DNS-1035 label/, "a.b": /DNS-1035/ } },
  { check: names.validateWildcardDns1123Subdomain, fine: ["*.a.b"], bad: { "*": /wildcard/, "a.b": /wildcard/, "*.*.a": /wildcard/ } },
  {
    check: names.validateQualifiedName,
    fine: ["a", "A_b.c-9", "example.com/x", long(63)],
    bad: {
      "": /^name part must be non-empty$/,
      "/x": /^prefix part must be non-empty$/,
      "A/x": /^prefix part a lowercase RFC 1123 subdomain/,
      "a/b/c": /^a valid label key must consist .* with an optional DNS subdomain prefix/,
      [long(64)]: /^name part must be no more than 63 bytes$/,
      [`${long(254)}/x`]: /^prefix part must be no more than 253 bytes$/,
      ä: /^name part must consist/,
    },
  },
  {
    check: names.validateLabelValue,
    fine: ["", "a", "A_.b"],
    bad: { "a ": /a valid label must be an empty string or/, "-": /valid label/, [long(64)]: /^must be no more than 63 bytes$/ },
  },
  {
    check: names.validateConfigMapKey,
    fine: ["a", ".a", "A_b-c"],
    bad: { "": /valid config key/, "..": /^must not be '\.\.'$/, "..a": /must not start with '\.\.'/, "a/b": /config key/ },
  },
  { check: names.validateEnvVarName, fine: ["A", "_.a-1"], bad: { "1a": /must not start with a digit/, ".": /must not be '\.'/ } },
  {
    check: names.validateRelaxedEnvVarName,
    fine: ["1 a<>{}~"],
    bad: { "": /must be non-empty/, "a=b": /other than '='/, ä: /printable ASCII/ },
  },
  { check: names.validateCIdentifier, fine: ["_a1"], bad: { "1": /valid C identifier/ } },
  {
    check: names.validatePortName,
    fine: ["http", "a-1"],
    bad: {
      "12": /at least one letter/,
      "a--b": /consecutive hyphens/,
      "-a": /begin or end/,
      "": /alpha-numeric/,
      [long(16)]: /no more than 15/,
    },
  },
  { check: names.validatePercent, fine: ["0%", "101%"], bad: { "-1%": /valid percent/, "1": /valid percent/ } },
  { check: names.validateHttpHeaderName, fine: ["X-A"], bad: { "a b": /valid HTTP header/ } },
  {
    check: names.validatePathSegmentName,
    fine: ["", "system:x", "..."],
    bad: { ".": /^may not be '\.'$/, "a/b": /^may not contain '\/'$/, "a%": /may not contain '%'/ },
  },
];

for (const { check, fine, bad } of cases) {
  for (const value of fine) test(`${check.name} takes ${JSON.stringify(value)}`, () => assert.deepEqual(check(value), []));
  for (const [value, why] of Object.entries(bad)) {
    test(`${check.name} refuses ${JSON.stringify(value)}`, () => assert.match(check(value)[0] ?? "", why));
  }
}

test("a port is 1 to 65535", () => {
  assert.deepEqual(names.validatePortNumber(65535), []);
  assert.deepEqual(names.validatePortNumber(0), ["must be between 1 and 65535, inclusive"]);
});

test("lengths are bytes", () => assert.equal(names.validateDns1123Label("ä".repeat(32))[0], "must be no more than 63 characters"));

test("a hostile name is refused in no time", () => assert.equal(names.validateDns1123Subdomain(`${"a-".repeat(500_000)}!`).length, 2));
