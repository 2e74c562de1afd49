/** The CustomResourceDefinitions and objects that the benchmarks of custom resources use. */

/** A definition as real projects have them: some forty fields with descriptions, two columns, status and scale. */
export function definition(plural: string, { group = "bench.example.com", rules = false } = {}): object {
  const kind = plural.replace(/^./, (letter) => letter.toUpperCase());
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { plural, kind, listKind: `${kind}List` },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: "object", properties: { spec: specOf(rules), status } } },
          subresources: { status: {}, scale: { specReplicasPath: ".spec.count", statusReplicasPath: ".status.count" } },
          additionalPrinterColumns: [
            { name: "Row", type: "string", jsonPath: ".spec.row" },
            { name: "Count", type: "integer", jsonPath: ".spec.count", priority: 1 },
          ],
        },
      ],
    },
  };
}

const described = (name: string, schema: object): object => ({
  description: `The ${name} of a seat, as it was asked for; who changes it has to book the seat anew.`,
  ...schema,
});

const text = (name: string) => described(name, { type: "string", maxLength: 4096 });

const specOf = (rules: boolean): object => ({
  type: "object",
  required: ["row"],
  properties: {
    row: described("row", { type: "string", pattern: "^[A-Z]$" }),
    count: described("count", { type: "integer", minimum: 1, maximum: 9, default: 1 }),
    mode: described("mode", { type: "string", enum: ["corner", "aisle"] }),
    port: described("port", { "x-kubernetes-int-or-string": true }),
    tags: described("tags", { type: "array", maxItems: 100, items: { type: "string" }, "x-kubernetes-list-type": "set" }),
    free: described("free part", { type: "object", "x-kubernetes-preserve-unknown-fields": true }),
    selector: described("selector", {
      type: "object",
      properties: {
        matchLabels: { type: "object", additionalProperties: { type: "string" } },
        matchExpressions: {
          type: "array",
          items: {
            type: "object",
            required: ["key", "operator"],
            properties: { key: text("key"), operator: text("operator"), values: { type: "array", items: { type: "string" } } },
          },
        },
      },
    }),
    guests: described("guests", {
      type: "array",
      maxItems: 20,
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["name"],
      items: { type: "object", required: ["name"], properties: { name: text("name"), age: { type: "integer" }, meal: text("meal") } },
    }),
    ...Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`note${i}`, text(`note ${i}`)])),
  },
  ...(rules
    ? {
        "x-kubernetes-validations": [
          { rule: "self.row != 'Z' || self.count < 3", message: "row Z is short" },
          { rule: "self.row == oldSelf.row", message: "row is immutable" },
        ],
      }
    : {}),
});

const status = {
  type: "object",
  properties: {
    count: { type: "integer" },
    booked: { type: "boolean" },
    conditions: {
      type: "array",
      items: {
        type: "object",
        required: ["type", "status"],
        properties: {
          type: text("type"),
          status: { type: "string", enum: ["True", "False", "Unknown"] },
          reason: text("reason"),
          message: text("message"),
          lastTransitionTime: { type: "string", format: "date-time" },
        },
      },
    },
  },
};

const filler = "abcdefghijklmnopqrstuvwxyz012345".repeat(28);

/** About as large as the load generator's ConfigMaps. */
export const instance = (kind: string, name: string): object => ({
  apiVersion: "bench.example.com/v1",
  kind,
  metadata: { name, labels: { app: "bench" } },
  spec: {
    row: "A",
    count: 2,
    mode: "aisle",
    port: 80,
    tags: ["window", "quiet"],
    free: { a: 1 },
    guests: [{ name: "ada", age: 36 }],
    note0: filler,
  },
});

export const configMap = (name: string): object => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, labels: { app: "bench" } },
  data: { k: filler.repeat(2).slice(0, 1024) },
});
