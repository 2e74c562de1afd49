/** Objects of a schema: what a TypeProvider says of their types, and CelObject of their values. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { TypeProvider } from "../environment/environment.ts";
import { optionals } from "../standard/optional.ts";
import { type CelType, intType, listOf, objectType, stringType } from "../types/type.ts";
import { fromJson } from "../values/json.ts";
import { CelObject, type CelValue } from "../values/value.ts";
import { createEnvironment } from "./create-environment.ts";

const fields: Readonly<Record<string, Readonly<Record<string, CelType>>>> = {
  "shop.Order": { count: intType, note: stringType, items: listOf(objectType("shop.Item")) },
  "shop.Item": { name: stringType },
};

class Row extends CelObject {
  readonly type: CelType;
  readonly #name: string;
  readonly #values: ReadonlyMap<string, CelValue>;

  constructor(name: string, values: ReadonlyMap<string, CelValue>) {
    super();
    this.type = objectType(name);
    this.#name = name;
    this.#values = values;
  }

  get(field: string): CelValue | undefined {
    return this.#values.get(field);
  }

  has(field: string): boolean {
    return this.#values.has(field);
  }

  equals(other: CelValue, equal: (a: CelValue, b: CelValue) => boolean): boolean {
    if (!(other instanceof Row) || other.#name !== this.#name || other.#values.size !== this.#values.size) return false;
    return [...this.#values].every(([name, value]) => other.has(name) && equal(value, other.get(name) ?? null));
  }
}

const rowOf = (name: string, json: Readonly<Record<string, unknown>>): Row =>
  new Row(name, new Map(Object.entries(json).map(([field, value]) => [field, fromJson(value, fields[name]?.[field], adapt)])));
const adapt = (name: string, json: unknown): CelValue => rowOf(name, json as Record<string, unknown>);

const types: TypeProvider = {
  hasType: (name) => Object.hasOwn(fields, name),
  fieldType: (name, field) => fields[name]?.[field],
  create: (name, values) => new Row(name, values),
};

const environment = createEnvironment({
  variables: new Map([["self", objectType("shop.Order")]]),
  libraries: [optionals],
  types,
  container: "shop",
});
const self = rowOf("shop.Order", { count: 2, items: [{ name: "a" }, { name: "b" }] });

const truths = [
  "self.count == 2",
  "has(self.count) && !has(self.note)",
  "self.?note.orValue('none') == 'none'",
  "self.items.map(x, x.name) == ['a', 'b']",
  "self.items[0] == Item{name: 'a'}",
  "self.items[0] != shop.Item{name: 'b'}",
  "Order{count: 1, ?note: self.?note} == .shop.Order{count: 1}",
  "type(self) == Order",
];
for (const source of truths)
  test(`${source} is true`, () => {
    const compilation = environment.compile(source);
    assert.ok(compilation.ok, compilation.ok ? "" : compilation.message);
    assert.equal(compilation.compiled.program().evaluate(new Map([["self", self]])).value, true);
  });

const issues = [
  { source: "self.foo", message: "1:5: undefined field 'foo'" },
  { source: "self.items[0].foo", message: "1:14: undefined field 'foo'" },
  { source: "Order{foo: 1}", message: "1:10: undefined field 'foo'" },
  { source: "Order{count: 'a'}", message: "1:12: expected type of field 'count' is 'int' but provided type is 'string'" },
  { source: "Nothing{}", message: "1:8: undeclared reference to 'Nothing' (in container 'shop')" },
  { source: "self + 1", message: "1:6: found no matching overload for '_+_' applied to '(shop.Order, int)'" },
];
for (const { source, message } of issues)
  test(`${source} is refused`, () => {
    const compilation = environment.compile(source);
    assert.ok(!compilation.ok);
    assert.equal(compilation.message.split("\n")[0], `ERROR: <input>:${message}`);
  });

test("what an absent field lacks is a key", () => {
  const compilation = environment.compile("self.note == ''");
  assert.ok(compilation.ok);
  const program = compilation.compiled.program();
  assert.throws(() => program.evaluate(new Map([["self", self]])), { name: "CelError", message: "no such key: note" });
});

test("an environment with more variables knows the old ones too", () => {
  const wider = environment.extend(new Map([["limit", intType]]));
  assert.ok(wider.compile("self.count < limit").ok);
  assert.ok(!environment.compile("self.count < limit").ok);
});
