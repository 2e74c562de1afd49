import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { formatRule, supportedFormat } from "./format.ts";
import { Work } from "./work.ts";

/** What Kubernetes 1.36 takes and does not take. */
const cases: Readonly<Record<string, readonly [valid: readonly string[], invalid: readonly string[]]>> = {
  bsonobjectid: [["507f1f77bcf86cd799439011"], ["507f1f77bcf86cd79943901", "507f1f77bcf86cd79943901g"]],
  byte: [
    ["aGk=", "YQ==", "YWJj"],
    ["", "aGk", "a=k=", "aGk=\n"],
  ],
  cidr: [
    ["10.0.0.0/8", "::/0", "010.0.0.1/8"],
    ["10.0.0.0", "10.0.0.0/33"],
  ],
  creditcard: [
    ["4111 1111-1111 1111", "378282246310005"],
    ["4111111111111112", "1"],
  ],
  date: [
    ["2020-02-29", "0000-01-01"],
    ["2021-02-29", "2020-13-01", "2020-1-1", "2020-02-29T"],
  ],
  "date-time": [
    ["2020-02-29T10:11:12Z", "2020-01-01t23:59:59.123+01:00", "2020-01-01T10:00:00ZTea"],
    ["2020-02-29", "2020-01-01T24:00:00Z", "2020-01-01T10:00:00"],
  ],
  duration: [
    ["5m", "1h30m", "-1.5s", "2 days", "3 wk", "about 3 hours", "0"],
    ["", "5", "1.5", "99999999999999999999 s", "five minutes"],
  ],
  email: [
    ["a@b.c", "Go Pher <g@x.y>", '"a b"@c.d', "a@[127.0.0.1]", "g: a@b;", "a@b (c (d) e)", "é@ü.x", "Q. <a@b>", '"Q" x <a@b>'],
    ["", "a", "a@", "@b", "a.@b", "a..b@c", "a@b, c@d", "g: a@b, c@d;", "g:;", "a@[b]", "<a@b", "a@b (c", '""@b', "a b@c"],
  ],
  hexcolor: [
    ["#FFFFFF", "abc"],
    ["#ffff", "ggg"],
  ],
  hostname: [
    ["a.b.com", "localhost", "é.com", `${"a".repeat(63)}.com`],
    ["-a.b", "a_b.c", "a..b", `${"a".repeat(64)}.com`],
  ],
  ipv4: [
    ["1.2.3.4", "01.2.3.4", "::ffff:1.2.3.4"],
    ["::1", "256.1.1.1"],
  ],
  ipv6: [
    ["::1", "::ffff:1.2.3.4"],
    ["1.2.3.4", "fe80::1%eth0", "::ffff:01.2.3.4"],
  ],
  isbn: [
    ["0321751043", "978-0321751041"],
    ["0321751044", "978-0321751042"],
  ],
  isbn10: [["0-8044-2957-X"], ["978-0321751041"]],
  isbn13: [["978 0321751041"], ["0321751043"]],
  "k8s-long-name": [["a.b-c.d"], ["a..b", "A", "a".repeat(254)]],
  "k8s-short-name": [["a-b"], ["-a", "a.b", "a".repeat(64)]],
  mac: [
    ["00:11:22:33:44:55", "00-11-22-33-44-55-66-77", "0011.2233.4455", "001122334455"],
    ["00:11:22:33:44", "00:11-22:33:44:55", "00112233445", "0022334\n556677"],
  ],
  password: [[""], []],
  rgbcolor: [["rgb(1, 20,255)"], ["rgb(1,2,256)", "rgb(1,2)"]],
  ssn: [["123-45-6789"], ["123456789"]],
  uri: [
    ["http://a.b/c?d#e", "/a", "mailto:a@b", "*", "//x"],
    ["", "a/b", ":x", "/%zz", "http://a b/", "http://[::1"],
  ],
  uuid: [["01234567-89AB-cdef-0123-456789abcdef", "0123456789abcdef0123456789abcdef"], ["0123"]],
  uuid3: [["01234567-89ab-3def-0123-456789abcdef"], ["01234567-89ab-4def-0123-456789abcdef"]],
  uuid4: [["01234567-89ab-4def-8123-456789abcdef"], ["01234567-89ab-4def-0123-456789abcdef"]],
  uuid5: [["01234567-89ab-5def-b123-456789abcdef"], ["01234567-89ab-5def-c123-456789abcdef"]],
};

describe("formats", () => {
  for (const [format, [valid, invalid]] of Object.entries(cases))
    test(format, () => {
      const rule = formatRule(format);
      assert.deepEqual(
        valid.filter((text) => !rule?.holds(text, new Work())),
        [],
        "taken",
      );
      assert.deepEqual(
        invalid.filter((text) => rule?.holds(text, new Work())),
        [],
        "not taken",
      );
    });

  test("belong to types", () => {
    assert.equal(supportedFormat("date-time", ["string"]), "date-time");
    assert.equal(supportedFormat("date-time", []), "date-time");
    assert.equal(supportedFormat("date-time", ["integer"]), "");
    assert.equal(supportedFormat("int32", ["integer"]), "int32");
    assert.equal(supportedFormat("int32", ["number"]), "");
    assert.equal(supportedFormat("nonsense", ["string"]), "");
    assert.equal(supportedFormat("uuid", ["array"]), "");
    assert.equal(supportedFormat("ipv4", ["integer", "string"]), "ipv4");
  });
});
