import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type FieldError,
  field,
  validateConfigMapKey,
  validateDns1035Label,
  validateDns1123Label,
  validateLabelValue,
  validateQualifiedName,
} from "@coxswain/machinery";
import fc from "fast-check";
import { validateKeys } from "../key-value-data.ts";
import { utf8Length } from "../utf8-length.ts";
import { validateName } from "./names.ts";
import { validateLabels } from "./parts.ts";

const nameLike = (alphabet: string, maxLength = 70) => fc.string({ unit: fc.constantFrom(...alphabet), maxLength });
const keys = fc.oneof(
  nameLike("aZ9-_./"),
  fc.tuple(nameLike("a9-.A"), nameLike("aZ9-_.")).map((parts) => parts.join("/")),
  fc.string(),
);
const invalid = (path: string, value: string, problems: readonly string[]) =>
  problems.map((problem) => field.invalid(path, value, problem));

test("the short way for labels lets nothing pass that the rules refuse", () => {
  fc.assert(
    fc.property(keys, fc.oneof(nameLike("aZ9-_."), fc.string()), (key, value) => {
      const errors: FieldError[] = [];
      validateLabels(errors, Object.fromEntries([[key, value]]), "labels");
      assert.deepEqual(errors, [
        ...invalid("labels", key, validateQualifiedName(key)),
        ...invalid("labels", value, validateLabelValue(value)),
      ]);
    }),
  );
});

test("the short way for names lets nothing pass that the rules refuse", () => {
  fc.assert(
    fc.property(fc.oneof(nameLike("az9-."), fc.string()), (name) => {
      assert.deepEqual(validateName("dns1123Label", name), validateDns1123Label(name));
      assert.deepEqual(validateName("dns1035Label", name), validateDns1035Label(name));
    }),
  );
});

test("the short way for data keys lets nothing pass that the rules refuse", () => {
  fc.assert(
    fc.property(fc.oneof(nameLike("aZ9-_.", 260), fc.string()), (key) => {
      const errors: FieldError[] = [];
      validateKeys(errors, "data", Object.fromEntries([[key, ""]]));
      assert.deepEqual(errors, invalid(`data[${key}]`, key, validateConfigMapKey(key)));
    }),
  );
});

test("a text takes as many bytes as its UTF-8", () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom("a", "ä", "€", "😀", "\ud800", "\udc00") }), (text) =>
      assert.equal(utf8Length(text), Buffer.byteLength(text)),
    ),
  );
});
