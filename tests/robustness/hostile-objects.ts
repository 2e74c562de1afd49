/** Custom objects by which a client may try to block the server, each with the definition that exists before it. */
import { definition, fields, free, spec } from "./hostile-definitions.ts";

export interface HostileObject {
  readonly name: string;
  /** JSON. */
  readonly definition: string;
  /** The value of spec, in JSON. */
  readonly spec: () => string;
  readonly status: number;
  /** Found in the message of a refusal. */
  readonly message?: RegExp;
}

type Schema = Readonly<Record<string, unknown>>;
const text = { type: "string" };
const many = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
const json = (make: () => unknown) => (): string => JSON.stringify(make());
const list = (items: Schema, more: Schema = {}): Schema => ({ type: "array", items, ...more });
const rule = (schema: Schema, expression: string): Schema => ({ ...schema, "x-kubernetes-validations": [{ rule: expression }] });
const of = (schema: Schema) => definition({ schema: spec(schema) });
const deep = (depth: number): string => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;
const named = (count: number, make: (i: number) => unknown): Schema => Object.fromEntries(many(count, (i) => [`p${i}`, make(i)]));

function nested(depth: number, inner: Schema): Schema {
  let schema = inner;
  for (let i = 0; i < depth; i++) schema = fields({ a: schema });
  return schema;
}

function nestedAny(depth: number): Schema[] {
  let inner: Schema[] = [{ minLength: 1 }];
  for (let i = 0; i < depth; i++) inner = [{ anyOf: inner }, { allOf: inner }];
  return inner;
}

export const shapes: readonly HostileObject[] = [
  { name: "980 deep where anything may be", definition: of(free), spec: () => deep(980), status: 201 },
  { name: "980 deep where nothing is declared", definition: of(fields({})), spec: () => deep(980), status: 201 },
  { name: "2,000 deep", definition: of(free), spec: () => deep(2_000), status: 400 },
  { name: "150 declared levels", definition: of(nested(150, { type: "integer" })), spec: () => deep(150), status: 201 },
  { name: "150 declared levels, wrong at the end", definition: of(nested(150, text)), spec: () => deep(150), status: 422 },
  { name: "100,000 unknown fields", definition: of(fields({})), spec: json(() => named(100_000, () => 1)), status: 201 },
  { name: "100,000 fields where anything may be", definition: of(free), spec: json(() => named(100_000, () => 1)), status: 201 },
  {
    name: "100,000 keys of a map",
    definition: of({ type: "object", additionalProperties: { type: "integer" } }),
    spec: json(() => named(100_000, () => 1)),
    status: 201,
  },
  {
    name: "100,000 wrong keys of a map",
    definition: of({ type: "object", additionalProperties: text }),
    spec: json(() => named(100_000, () => 1)),
    status: 422,
  },
  { name: "300,000 wrong items", definition: of(list(text)), spec: json(() => many(300_000, () => 1)), status: 422 },
  { name: "300,000 nulls", definition: of(list(text)), spec: json(() => many(300_000, () => null)), status: 422 },
  {
    name: "300,000 items of a set, all the same",
    definition: of(list(text, { "x-kubernetes-list-type": "set" })),
    spec: json(() => many(300_000, () => "a")),
    status: 422,
  },
  {
    name: "200,000 items of a set",
    definition: of(list(text, { "x-kubernetes-list-type": "set" })),
    spec: json(() => many(200_000, (i) => `a${i}`)),
    status: 201,
  },
  {
    name: "50,000 items of a map list",
    definition: of(
      list({ ...fields({ k: text }), required: ["k"] }, { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"] }),
    ),
    spec: json(() => many(50_000, (i) => ({ k: `a${i}` }))),
    status: 201,
  },
  {
    name: "50,000 items of a map list, all the same",
    definition: of(
      list({ ...fields({ k: text }), required: ["k"] }, { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"] }),
    ),
    spec: json(() => many(50_000, () => ({ k: "a" }))),
    status: 422,
  },
  {
    name: "a set of large objects",
    definition: of(list({ ...fields({ a: text }), "x-kubernetes-map-type": "atomic" }, { "x-kubernetes-list-type": "set" })),
    spec: json(() => many(50_000, (i) => ({ a: `${i}` }))),
    status: 201,
  },
  {
    name: "items that are defaulted, 20,000 times 60",
    definition: of(list(fields(named(60, () => ({ type: "string", default: "some text that takes room" }))))),
    spec: json(() => many(20_000, () => ({}))),
    status: 400,
    message: /the defaults of all fields together take too much room/,
  },
];

export const values: readonly HostileObject[] = [
  {
    name: "a pattern that would backtrack",
    definition: of({ type: "string", pattern: "^(a+)+$" }),
    spec: json(() => `${"a".repeat(1_000_000)}!`),
    status: 422,
  },
  {
    name: "a pattern on much text",
    definition: of({ type: "string", pattern: "(x+x+)+y" }),
    spec: json(() => "x".repeat(2_000_000)),
    status: 422,
  },
  {
    name: "a pattern with many states on much text",
    definition: of({ type: "string", pattern: "^(a?){500}a{500}$" }),
    spec: json(() => "a".repeat(1_000_000)),
    status: 422,
  },
  {
    name: "a wrong value of a large enum",
    definition: of({ type: "string", enum: many(100_000, (i) => `v${i}`) }),
    spec: json(() => "w"),
    status: 422,
  },
  {
    name: "a list of wrong values of a large enum",
    definition: of(list({ type: "string", enum: many(10_000, (i) => `v${i}`) })),
    spec: json(() => many(1_000, (i) => `w${i}`)),
    status: 422,
  },
  {
    name: "3,000 alternatives",
    definition: of({ type: "string", anyOf: many(3_000, (i) => ({ minLength: i + 10 })) }),
    spec: json(() => "a"),
    status: 422,
  },
  {
    name: "1,000 alternatives of 1,000 items",
    definition: of(list({ type: "string", oneOf: many(1_000, (i) => ({ minLength: i + 10 })) })),
    spec: json(() => many(1_000, () => "a")),
    status: 422,
  },
  { name: "alternatives in each other", definition: of({ type: "string", anyOf: nestedAny(10) }), spec: json(() => ""), status: 422 },
  {
    name: "alternatives in each other, 1,000 items",
    definition: of(list({ type: "string", anyOf: nestedAny(9) })),
    spec: json(() => many(1_000, () => "")),
    status: 422,
  },
  ...[
    "email",
    "date-time",
    "date",
    "duration",
    "uri",
    "hostname",
    "ipv4",
    "ipv6",
    "cidr",
    "mac",
    "uuid",
    "byte",
    "isbn",
    "creditcard",
    "hexcolor",
    "rgbcolor",
    "datetime",
    "password",
  ].map(
    (format): HostileObject => ({
      name: `2 MB of ${format}`,
      definition: of({ type: "string", format }),
      spec: json(() => "1a:.@/-".repeat(300_000)),
      status: format === "password" ? 201 : 422,
    }),
  ),
  { name: "a number of 100,000 digits", definition: of({ type: "number" }), spec: () => "1".repeat(100_000), status: 400 },
  { name: "an integer of 1e400", definition: of({ type: "integer" }), spec: () => "1e400", status: 400 },
  { name: "multipleOf of a tiny number", definition: of({ type: "number", multipleOf: 1e-300 }), spec: () => "1e300", status: 422 },
];

export const rules: readonly HostileObject[] = [
  {
    name: "a rule with 900 steps",
    definition: of(rule(list({ ...text, maxLength: 5 }, { maxItems: 30 }), "self.all(a, self.all(b, a == b || a != b))")),
    spec: json(() => many(30, (i) => `${i}`)),
    status: 201,
  },
  {
    name: "a rule that takes all that it may",
    definition: of(rule(list({ type: "integer" }, { maxItems: 450 }), "self.all(a, self.all(b, a + b >= 0))")),
    spec: json(() => many(450, (i) => i)),
    status: 422,
    message: /operation cancelled: actual cost limit exceeded|call cost exceeds limit/,
  },
  {
    name: "rules that take all that one object may",
    definition: of({
      ...list({ type: "integer" }, { maxItems: 400 }),
      "x-kubernetes-validations": many(20, () => ({ rule: "self.all(a, self.all(b, a + b >= 0))" })),
    }),
    spec: json(() => many(340, (i) => i)),
    status: 422,
    message: /validation failed due to running out of cost budget/,
  },
  {
    name: "a pattern of the object's own",
    definition: of(
      rule(
        { type: "object", properties: { p: { type: "string", maxLength: 1_000 }, t: { type: "string", maxLength: 1_000 } } },
        "self.t.matches(self.p)",
      ),
    ),
    spec: json(() => ({ p: "(a{100}){10}(b?){900}".slice(0, 900), t: "a".repeat(1_000) })),
    status: 201,
  },
  {
    name: "a transition rule on many items",
    definition: of(list(rule(fields({ k: { type: "string", maxLength: 5 }, v: { type: "integer" } }), "self.v >= 0"), { maxItems: 5_000 })),
    spec: json(() => many(5_000, (i) => ({ k: "a", v: i }))),
    status: 201,
  },
];
