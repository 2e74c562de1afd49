/** CustomResourceDefinitions by which a client may try to block or confuse the server, and its answer to each. */

export interface HostileDefinition {
  readonly name: string;
  /** JSON. */
  readonly body: () => string;
  readonly status: number;
  /** Found in the message of a refusal. */
  readonly message?: RegExp;
}

type Schema = Readonly<Record<string, unknown>>;

export interface DefinitionParts {
  readonly plural?: string;
  readonly group?: string;
  /** Of the root. */
  readonly schema?: Schema;
  readonly version?: object;
  readonly spec?: object;
  readonly names?: object;
}

export function definition({
  plural = "things",
  group = "hostile.example.com",
  schema = free,
  version,
  spec,
  names,
}: DefinitionParts): string {
  return JSON.stringify({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { plural, kind: plural.replace(/^./, (letter) => letter.toUpperCase()), ...names },
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema }, ...version }],
      ...spec,
    },
  });
}

export const free: Schema = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
export const fields = (properties: Record<string, unknown>): Schema => ({ type: "object", properties });
export const spec = (schema: Schema): Schema => fields({ spec: schema });
const many = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
const named = (count: number, make: (i: number) => unknown): Schema => Object.fromEntries(many(count, (i) => [`p${i}`, make(i)]));
const text = { type: "string" };

function nested(depth: number): Schema {
  let schema: Schema = text;
  for (let i = 0; i < depth; i++) schema = fields({ a: schema });
  return schema;
}

function lists(depth: number, item: Schema): Schema {
  let schema = item;
  for (let i = 0; i < depth; i++) schema = { type: "array", items: schema };
  return schema;
}

const rule = (schema: Schema, text: string): Schema => ({ ...schema, "x-kubernetes-validations": [{ rule: text }] });
const megabyte = "x".repeat(1024 * 1024);

export const references: readonly HostileDefinition[] = [
  { name: "a reference to itself", body: () => definition({ schema: spec({ $ref: "#/spec" }) }), status: 422, message: /\$ref: Forbidden/ },
  {
    name: "references in definitions",
    body: () => definition({ schema: { ...free, definitions: { a: { $ref: "#/definitions/a" } } } }),
    status: 422,
    message: /definitions: Forbidden/,
  },
];

export const sizes: readonly HostileDefinition[] = [
  {
    name: "10 MB of schema",
    body: () => definition({ schema: fields(named(150_000, () => ({ type: "string", description: "a field" }))) }),
    status: 413,
  },
  {
    name: "100,000 properties",
    body: () => definition({ schema: fields(named(100_000, () => ({ type: "string" }))) }),
    status: 422,
    message: /may not contain more than 30000 schemas/,
  },
  { name: "100,000 empty properties", body: () => definition({ schema: fields(named(100_000, () => ({}))) }), status: 422 },
  {
    name: "40,000 properties with mistakes",
    body: () => definition({ schema: fields(named(40_000, () => ({ type: "strin" }))) }),
    status: 422,
    message: /may not contain more than 30000 schemas/,
  },
  {
    name: "30,000 properties",
    body: () => definition({ schema: fields(named(30_000, () => text)) }),
    status: 422,
    message: /may not contain more than 30000 schemas/,
  },
  {
    name: "15,000 properties",
    body: () => definition({ schema: fields(named(15_000, () => ({ type: "string", description: "d".repeat(150) }))) }),
    status: 201,
  },
  { name: "10,000 properties", body: () => definition({ schema: fields(named(10_000, () => text)) }), status: 201 },
  {
    name: "a description of 2.9 MB",
    body: () => definition({ schema: { ...free, description: megabyte.repeat(2) + megabyte.slice(0, 900_000) } }),
    status: 201,
  },
  { name: "schemas nested 250 deep", body: () => definition({ schema: nested(250) }), status: 422 },
  { name: "schemas nested 330 deep", body: () => definition({ schema: nested(330) }), status: 422 },
  {
    name: "schemas nested 400,000 deep",
    body: () => `{"metadata":{"name":"a"},"spec":${'{"a":'.repeat(400_000)}1${"}".repeat(400_000)}}`,
    status: 400,
  },
  {
    name: "an enum of 200,000",
    body: () => definition({ schema: spec({ type: "string", enum: many(200_000, (i) => `v${i}`) }) }),
    status: 201,
  },
  {
    name: "an enum of 200,000, all the same",
    body: () => definition({ schema: spec({ type: "string", enum: many(200_000, () => "same") }) }),
    status: 201,
  },
  {
    name: "200,000 required names",
    body: () => definition({ schema: { ...spec(text), required: many(200_000, (i) => `v${i}`) } }),
    status: 201,
  },
  {
    name: "an enum of a million empty lists",
    body: () => definition({ schema: spec({ ...free, enum: [many(1_000_000, () => [])] }) }),
    status: 422,
    message: /enums and required names may not contain more than 250000 values/,
  },
  { name: "a default of 1 MB", body: () => definition({ schema: spec({ type: "string", default: megabyte }) }), status: 201 },
  {
    name: "a default of 300,000 items",
    body: () => definition({ schema: spec({ type: "array", items: { type: "integer" }, default: many(300_000, () => 1) }) }),
    status: 422,
    message: /defaults may not contain more than 20000 values/,
  },
  {
    name: "a default of 300,000 wrong items",
    body: () => definition({ schema: spec({ type: "array", items: text, default: many(300_000, () => 1) }) }),
    status: 422,
    message: /defaults may not/,
  },
  {
    name: "a default of 100,000 unknown fields",
    body: () => definition({ schema: spec({ type: "object", default: named(100_000, () => 1) }) }),
    status: 422,
    message: /defaults may not/,
  },
  { name: "100 defaults inside of each other", body: () => definition({ schema: spec(nestedDefaults(60)) }), status: 201 },
  {
    name: "a set with a default of 50,000 items",
    body: () =>
      definition({ schema: spec({ type: "array", items: text, "x-kubernetes-list-type": "set", default: many(50_000, (i) => `v${i}`) }) }),
    status: 422,
    message: /defaults may not/,
  },
  {
    name: "5,000 anyOf",
    body: () => definition({ schema: spec({ type: "string", anyOf: many(5_000, () => ({ minLength: 1 })) }) }),
    status: 201,
  },
  { name: "anyOf nested", body: () => definition({ schema: spec({ type: "string", anyOf: nestedAny(12) }) }), status: 201 },
  {
    name: "10,000 printer columns",
    body: () =>
      definition({
        version: { additionalPrinterColumns: many(10_000, (i) => ({ name: `c${i}`, type: "string", jsonPath: `.spec.c${i}` })) },
      }),
    status: 201,
  },
  {
    name: "1,000 versions",
    body: () =>
      definition({
        spec: {
          versions: many(1_000, (i) => ({
            name: `v${i + 1}`,
            served: true,
            storage: i === 0,
            schema: { openAPIV3Schema: fields(named(10, () => text)) },
          })),
        },
      }),
    status: 422,
    message: /spec.versions: Too many: 1000: must have at most 100 items/,
  },
  {
    name: "90 versions, all different",
    body: () =>
      definition({
        spec: {
          versions: many(90, (i) => ({
            name: `v${i + 1}`,
            served: true,
            storage: i === 0,
            schema: { openAPIV3Schema: fields(named(i + 1, () => text)) },
          })),
        },
      }),
    status: 201,
  },
  {
    name: "60 versions of 1,000 schemas",
    body: () =>
      definition({
        spec: {
          versions: many(60, (i) => ({
            name: `v${i + 1}`,
            served: true,
            storage: i === 0,
            schema: { openAPIV3Schema: fields(named(1_000 + i, () => ({}))) },
          })),
        },
      }),
    status: 422,
    message: /spec.versions: Forbidden: may not contain more than 30000 schemas/,
  },
  {
    name: "1,000 versions, all different",
    body: () =>
      definition({
        spec: {
          versions: many(1_000, (i) => ({
            name: `v${i + 1}`,
            served: true,
            storage: i === 0,
            schema: { openAPIV3Schema: fields(named((i % 20) + 1, () => text)) },
          })),
        },
      }),
    status: 422,
    message: /must have at most 100 items/,
  },
  {
    name: "20,000 versions",
    body: () =>
      definition({
        spec: { versions: many(20_000, (i) => ({ name: `v${i + 1}`, served: true, storage: i === 0, schema: { openAPIV3Schema: free } })) },
      }),
    status: 422,
    message: /must have at most 100 items/,
  },
  { name: "10,000 short names", body: () => definition({ names: { shortNames: many(10_000, (i) => `s${i}`) } }), status: 201 },
  {
    name: "10,000 selectable fields",
    body: () => definition({ schema: spec(text), version: { selectableFields: many(10_000, () => ({ jsonPath: ".spec" })) } }),
    status: 422,
  },
  {
    name: "a list with 10,000 keys",
    body: () =>
      definition({
        schema: spec({
          type: "array",
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": many(10_000, (i) => `p${i}`),
          items: { ...fields(named(10_000, () => text)), required: many(10_000, (i) => `p${i}`) },
        }),
      }),
    status: 422,
  },
];

function nestedDefaults(depth: number): Schema {
  let schema: Schema = { type: "string", default: "x" };
  for (let i = 0; i < depth; i++) schema = { ...fields({ a: schema }), default: {} };
  return schema;
}

function nestedAny(depth: number): Schema[] {
  let inner: Schema[] = [{ minLength: 1 }];
  for (let i = 0; i < depth; i++) inner = [{ anyOf: inner }, { allOf: inner }];
  return inner;
}

const pattern = (text: string) => () => definition({ schema: spec({ type: "string", pattern: text }) });
export const patterns: readonly HostileDefinition[] = [
  { name: "a pattern that backtracks", body: pattern("^(a+)+$"), status: 201 },
  { name: "a backreference", body: pattern("(a)\\1"), status: 422, message: /pattern/ },
  { name: "a look-ahead", body: pattern("(?=a)b"), status: 422, message: /pattern/ },
  { name: "a pattern of 1,000 times 1,000", body: pattern("(a{1000}){1000}"), status: 422 },
  { name: "a pattern of 1 MB", body: pattern(megabyte), status: 422 },
  {
    name: "a pattern of 100,000 groups",
    body: pattern("(".repeat(100_000) + ")".repeat(100_000)),
    status: 422,
    message: /patterns are too large/,
  },
  { name: "a pattern of 100,000 alternatives", body: pattern(many(100_000, (i) => `a${i}`).join("|")), status: 422 },
  {
    name: "10,000 different patterns",
    body: () => definition({ schema: fields(named(10_000, (i) => ({ type: "string", pattern: `^a${i}$` }))) }),
    status: 422,
    message: /patterns are too large/,
  },
  {
    name: "a character class of 10,000 ranges",
    body: pattern(`[${many(10_000, (i) => String.fromCharCode(0x4e00 + i * 2)).join("")}]`),
    status: 201,
  },
  { name: "many unicode classes", body: pattern("\\pL".repeat(2_000)), status: 422, message: /patterns are too large/ },
];

const ruled =
  (text: string, schema: Schema = { type: "array", items: { type: "string" } }) =>
  () =>
    definition({ schema: spec(rule(schema, text)) });
const all = (depth: number): string => (depth === 0 ? "true" : `self.all(x${depth}, ${all(depth - 1)})`);
export const rules: readonly HostileDefinition[] = [
  { name: "comprehensions in comprehensions", body: ruled(all(4)), status: 422, message: /cost/ },
  { name: "12 comprehensions in each other", body: ruled(all(12)), status: 422 },
  { name: "200 comprehensions in each other", body: ruled(all(200)), status: 422 },
  {
    name: "a rule in unbounded lists of lists",
    body: () => definition({ schema: spec(lists(3, rule(text, "self.contains('a')"))) }),
    status: 422,
    message: /cost/,
  },
  { name: "text that grows", body: ruled(`${"self[0] + ".repeat(1_000)}'' == ''`), status: 422 },
  { name: "a rule in 10,000 parentheses", body: ruled(`${"(".repeat(10_000)}true${")".repeat(10_000)}`), status: 422 },
  { name: "a rule of 10,000 negations", body: ruled(`${"!".repeat(10_000)}true`), status: 201 },
  { name: "a rule of 10,000 lists", body: ruled(`${"[".repeat(10_000)}${"]".repeat(10_000)} == []`), status: 422 },
  { name: "a rule of 100,000 characters", body: ruled(`true${" || true".repeat(12_500)}`), status: 422 },
  { name: "a rule of 90,000 characters of fields", body: ruled(`self${".a".repeat(45_000)} == 1`), status: 422 },
  { name: "a rule of one literal of 99,000 characters", body: ruled(`'${"x".repeat(99_000)}' != self[0]`), status: 201 },
  { name: "a rule of 1 MB", body: ruled(`'${megabyte}' == ''`), status: 422 },
  { name: "a rule with a pattern of repeats", body: ruled("self.all(x, x.matches('((a{100}){100}){100}'))"), status: 422 },
  {
    name: "1,000 rules",
    body: () =>
      definition({
        schema: spec({ ...text, maxLength: 10, "x-kubernetes-validations": many(1_000, (i) => ({ rule: `self != 'a${i}'` })) }),
      }),
    status: 201,
  },
  {
    name: "10,000 rules",
    body: () =>
      definition({
        schema: spec({ ...text, maxLength: 10, "x-kubernetes-validations": many(10_000, (i) => ({ rule: `self != 'a${i}'` })) }),
      }),
    status: 422,
    message: /rules may not have more than 120000 characters together/,
  },
  {
    name: "1,000 wrong rules",
    body: () => definition({ schema: spec({ ...text, "x-kubernetes-validations": many(1_000, (i) => ({ rule: `self.a${i} != 1` })) }) }),
    status: 422,
  },
  {
    name: "1,000 rules of 2,000 characters",
    body: () =>
      definition({
        schema: spec({
          ...text,
          maxLength: 10,
          "x-kubernetes-validations": many(1_000, (i) => ({ rule: `self != 'a${i}'${" || true".repeat(250)}` })),
        }),
      }),
    status: 422,
    message: /rules may not have more/,
  },
  {
    name: "rules on 3,000 fields of one object",
    body: () =>
      definition({ schema: spec(rule(fields(named(3_000, () => rule({ ...text, maxLength: 5 }, "self != 'a'"))), "self.p1 != 'b'")) }),
    status: 422,
    message: /rules may not have more/,
  },
  { name: "rules on 100 levels", body: () => definition({ schema: spec(ruledLevels(100)) }), status: 201 },
];

function ruledLevels(depth: number): Schema {
  let schema: Schema = { type: "string", maxLength: 5 };
  for (let i = 0; i < depth; i++) schema = rule(fields({ a: schema, ...named(50, () => ({ type: "integer" })) }), "has(self.a)");
  return schema;
}

const column = (jsonPath: string) => () => definition({ version: { additionalPrinterColumns: [{ name: "C", type: "string", jsonPath }] } });
export const paths: readonly HostileDefinition[] = [
  { name: "a column of 1 MB", body: column(`.${megabyte}`), status: 201 },
  { name: "a column of 500,000 steps", body: column(".a".repeat(500_000)), status: 201 },
  { name: "a column of 100,000 descents", body: column("..a".repeat(100_000)), status: 201 },
  { name: "a column of 100,000 brackets", body: column(`.a${"[".repeat(100_000)}`), status: 201 },
  { name: "a column with filters in filters", body: column(`.a${"[?(@.a".repeat(1_000)}${")]".repeat(1_000)}`), status: 201 },
  { name: "a column with a range", body: column("{range .items[*]}{.a}{end}"), status: 422 },
  {
    name: "a scale path of 1 MB",
    body: () =>
      definition({ version: { subresources: { scale: { specReplicasPath: `.spec.${megabyte}`, statusReplicasPath: ".status.a" } } } }),
    status: 201,
  },
];
