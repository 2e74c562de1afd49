import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { KubeObject } from "@coxswain/machinery";
import fc from "fast-check";
import { propertyRuns } from "../../../../tests/scope.ts";
import type { RecordedObject } from "./format.ts";
import { Redactor } from "./redactor.ts";

const base64 = (text: string): string => Buffer.from(text).toString("base64");
const recorded = (object: KubeObject): RecordedObject => ({
  kind: "object",
  resourceVersion: 1,
  ref: { group: "", version: "v1", resource: "secrets", kind: object.kind ?? "", namespace: "default", name: "a" },
  object,
});
const secret = (data: Readonly<Record<string, string>>, more: object = {}): KubeObject => ({
  ...{ kind: "Secret", apiVersion: "v1", metadata: { name: "a" } },
  ...{ data: Object.fromEntries(Object.entries(data).map(([name, value]) => [name, base64(value)])), ...more },
});

suite("the redactor", () => {
  test("puts the same for the same value, and another for another", () => {
    const redactor = new Redactor();
    const [first, second] = [secret({ a: "12", b: "34", c: "12" }), secret({ a: "56" })].map(
      (one) => redactor.redacted(recorded(one)).object,
    );
    assert.deepEqual(first?.data, { a: base64("redacted-1"), b: base64("redacted-2"), c: base64("redacted-1") });
    assert.deepEqual(second?.data, { a: base64("redacted-3") });
    assert.deepEqual(redactor.redacted(recorded(secret({}, { stringData: { a: "34" } }))).object.stringData, { a: "redacted-2" });
  });

  test("keeps nothing of what was applied", () => {
    const annotations = {
      "kubectl.kubernetes.io/last-applied-configuration": JSON.stringify({ stringData: { a: "open-sesame" } }),
      other: "x open-sesame y",
    };
    const { object } = new Redactor().redacted(recorded(secret({}, { metadata: { name: "a", annotations } })));
    assert.deepEqual(object.metadata?.annotations, {
      "kubectl.kubernetes.io/last-applied-configuration": "redacted",
      other: "x redacted-1 y",
    });
  });

  test("leaves other objects as they are, and short values of Secrets in them", () => {
    const redactor = new Redactor();
    redactor.learn(secret({ a: "true", b: "12" }));
    const map = recorded({ kind: "ConfigMap", apiVersion: "v1", metadata: { name: "a" }, data: { on: "true", seat: "12" } } as KubeObject);
    assert.equal(redactor.redacted(map), map);
  });

  test("finds a value wherever it stands, in whatever form", () => {
    const odd = fc.string({
      unit: fc.constantFrom("a", "n", "\n", '"', "\\", "é", "/", "$&", "😀", " ", "="),
      minLength: 6,
      maxLength: 40,
    });
    fc.assert(
      fc.property(odd, odd, fc.string(), (value, key, around) => {
        const redactor = new Redactor();
        redactor.learn(secret({ value }));
        const forms = [value, base64(value), encodeURIComponent(value), Buffer.from(value).toString("base64url")];
        const texts = forms.flatMap((form) => [form, `${around}${form}${around}`]);
        const object = {
          kind: "ConfigMap",
          apiVersion: "v1",
          metadata: { name: "a", annotations: { [key]: value } },
          data: texts,
          [value]: 1,
        };
        const { object: found } = redactor.redacted(recorded(object as unknown as KubeObject));
        const strings = stringsOf(found).filter((one) => one !== key);
        for (const form of forms)
          for (const one of strings) assert.ok(!one.includes(form) || "redacted-1".includes(form), `${form} in ${one}`);
      }),
      { numRuns: propertyRuns(300) },
    );
  });
});

function stringsOf(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, one]) => [...(Array.isArray(value) ? [] : [name]), ...stringsOf(one)]);
}
