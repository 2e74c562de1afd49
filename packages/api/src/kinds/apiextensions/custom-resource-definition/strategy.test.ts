/** The rules of definitions: a row is what differs from one that is fine. Schemas have tests of their own in machinery. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { CustomResourceDefinition } from "@coxswain/types/apiextensions-v1";
import { createdAs, statusUpdatedAs, updatedAs } from "../../kind-under-test.ts";
import { customResourceDefinition } from "./strategy.ts";

type Body = Record<string, unknown>;

const schema = { openAPIV3Schema: { type: "object", properties: { a: { type: "string" }, n: { type: "number" }, o: { type: "object" } } } };
const v1: Body = { name: "v1", served: true, storage: true, schema };
const v2: Body = { name: "v2", served: true, storage: false, schema };
const names = { plural: "seats", kind: "Seat" };
const plainSpec: Body = { group: "example.com", scope: "Namespaced", names, versions: [v1] };
const body = (spec: Body, metadata: Body = {}): Body => ({
  metadata: { name: "seats.example.com", ...metadata },
  spec: { ...plainSpec, ...spec },
});
const created = (spec: Body = {}, metadata?: Body) => createdAs<CustomResourceDefinition>(customResourceDefinition, body(spec, metadata));
const version = (more: Body): Body => ({ versions: [{ ...v1, ...more }] });
const webhook = (clientConfig: Body, conversionReviewVersions: readonly string[] = ["v1"]): Body => ({
  conversion: { strategy: "Webhook", webhook: { clientConfig, conversionReviewVersions } },
});
const pem = (content: string) => btoa(`-----BEGIN CERTIFICATE-----\n${content}\n-----END CERTIFICATE-----\n`);

interface Case {
  readonly name: string;
  readonly spec?: Body;
  readonly metadata?: Body;
  readonly expect: readonly string[];
}

const cases: readonly Case[] = [
  { name: "a plain definition is fine", expect: [] },
  {
    name: "its name is made of the plural and the group",
    metadata: { name: "chairs.example.com" },
    expect: ['metadata.name: Invalid value: "chairs.example.com": must be spec.names.plural+"."+spec.group'],
  },
  {
    name: "kind and list kind differ",
    spec: { names: { ...names, listKind: "Seat" } },
    expect: ['spec.names.listKind: Invalid value: "Seat": kind and listKind may not be the same'],
  },
  {
    name: "each version has a schema",
    spec: { versions: [v1, { ...v2, schema: undefined }] },
    expect: ["spec.versions[1].schema.openAPIV3Schema: Required value"],
  },
  {
    name: "an empty list of versions and no list have different errors",
    spec: { versions: [] },
    expect: [
      "spec.versions: Invalid value: []: must have exactly one version marked as storage version",
      "status.storedVersions: Invalid value: null: must have at least one stored version",
    ],
  },
  {
    name: "exactly one version is stored, and names differ",
    spec: {
      versions: [
        { name: "v1", served: true, storage: false, schema },
        { name: "v1", served: true, storage: false, schema },
      ],
    },
    expect: ["must contain unique version names", "must have exactly one version marked as storage version"]
      .map(
        (why) =>
          `spec.versions: Invalid value: [${Array(2).fill('{"Name":"v1","Served":true,"Storage":false,"Deprecated":false,"DeprecationWarning":null,"Schema":null,"Subresources":null,"AdditionalPrinterColumns":null,"SelectableFields":null}').join()}]: ${why}`,
      )
      .concat("status.storedVersions: Invalid value: null: must have at least one stored version"),
  },
  {
    name: "an invalid version name is reported twice, as there is a deprecated field for it too",
    spec: version({ name: "V1" }),
    expect: ["spec.versions[0].name", "spec.version"].map(
      (path) =>
        `${path}: Invalid value: "V1": a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')`,
    ),
  },
  {
    name: "what versions say alike is checked once, and named so",
    spec: { versions: [v1, v2].map((each) => ({ ...each, schema: { openAPIV3Schema: { type: "object", properties: { x: {} } } } })) },
    expect: ["spec.validation.openAPIV3Schema.properties[x].type: Required value: must not be empty for specified object fields"],
  },
  {
    name: "what they say differently is checked for each",
    spec: { versions: [v1, { ...v2, schema: { openAPIV3Schema: { type: "object", properties: { x: {} } } } }] },
    expect: ["spec.versions[1].schema.openAPIV3Schema.properties[x].type: Required value: must not be empty for specified object fields"],
  },
  {
    name: "a warning is for deprecated versions",
    spec: version({ deprecationWarning: "gone" }),
    expect: ['spec.versions[0].deprecationWarning: Invalid value: "gone": can only be set for deprecated versions'],
  },
  {
    name: "a warning can be printed",
    spec: version({ deprecated: true, deprecationWarning: "é\n" }),
    expect: [
      'spec.versions[0].deprecationWarning: Invalid value: "é\\n": must only contain printable UTF-8 characters; non-printable character found at index 2',
    ],
  },
  {
    name: "scale follows spec and status",
    spec: version({ subresources: { scale: { specReplicasPath: ".status.n", statusReplicasPath: "n", labelSelectorPath: ".n" } } }),
    expect: [
      'spec.subresources.scale.specReplicasPath: Invalid value: ".status.n": should be a json path under .spec',
      'spec.subresources.scale.statusReplicasPath: Invalid value: "n": must be a simple json path starting with .',
      'spec.subresources.scale.labelSelectorPath: Invalid value: ".n": should be a json path under either .spec or .status',
    ],
  },
  {
    name: "columns have names, types and paths",
    spec: version({ additionalPrinterColumns: [{ name: "N", type: "text", jsonPath: "a" }, { type: "" }] }),
    expect: [
      'spec.additionalPrinterColumns[0].type: Invalid value: "text": must be one of boolean,date,integer,number,string',
      'spec.additionalPrinterColumns[0].JSONPath: Invalid value: "a": must be a simple json path starting with .',
      "spec.additionalPrinterColumns[1].name: Required value",
      "spec.additionalPrinterColumns[1].type: Required value: must be one of boolean,date,integer,number,string",
      "spec.additionalPrinterColumns[1].JSONPath: Required value",
    ],
  },
  {
    name: "selectable fields are scalars of the schema",
    spec: version({ selectableFields: [".a", ".a", ".n", ".x", "a", ".a[0]", ""].map((jsonPath) => ({ jsonPath })) }),
    expect: [
      'spec.selectableFields[1].jsonPath: Duplicate value: ".a"',
      'spec.selectableFields[2].jsonPath: Invalid value: ".n": must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.',
      'spec.selectableFields[3].jsonPath: Invalid value: ".x": is an invalid path: does not refer to a valid field',
      'spec.selectableFields[4].jsonPath: Invalid value: "a": is an invalid path: expected [ or . but got: a',
      'spec.selectableFields[5].jsonPath: Invalid value: ".a[0]": is an invalid path: array notation is not allowed',
      "spec.selectableFields[6].jsonPath: Required value",
    ],
  },
  {
    name: "eight of them are enough",
    spec: version({
      schema: {
        openAPIV3Schema: { type: "object", properties: Object.fromEntries([..."abcdefghi"].map((name) => [name, { type: "string" }])) },
      },
      selectableFields: [..."abcdefghi"].map((name) => ({ jsonPath: `.${name}` })),
    }),
    expect: ["spec.selectableFields: Too many: 9: must have at most 8 items"],
  },
  {
    name: "conversion by webhook needs one, and a review that is known",
    spec: { conversion: { strategy: "Webhook", webhook: { conversionReviewVersions: ["v2", "v2"] } } },
    expect: [
      "spec.conversion.webhookClientConfig: Required value: required when strategy is set to Webhook",
      'spec.conversion.conversionReviewVersions[1]: Invalid value: "v2": duplicate version',
      'spec.conversion.conversionReviewVersions: Invalid value: ["v2","v2"]: must include at least one of v1, v1beta1',
    ],
  },
  {
    name: "a webhook is reached by HTTPS, at one place",
    spec: webhook({ url: "http://u@h/?q#f" }),
    expect: [
      `spec.conversion.webhookClientConfig.url: Invalid value: "http": 'https' is the only allowed URL scheme; desired format: https://host[/path]`,
      'spec.conversion.webhookClientConfig.url: Invalid value: "u": user information is not permitted in the URL',
      'spec.conversion.webhookClientConfig.url: Invalid value: "f": fragments are not permitted in the URL',
      'spec.conversion.webhookClientConfig.url: Invalid value: "q": query parameters are not permitted in the URL',
    ],
  },
  {
    name: "a URL that cannot be read",
    spec: webhook({ url: "https://h:x/" }),
    expect: [
      'spec.conversion.webhookClientConfig.url: Required value: url must be a valid URL: parse "https://h:x/": invalid port ":x" after host; desired format: https://host[/path]',
    ],
  },
  {
    name: "without a webhook there is none",
    spec: { conversion: { strategy: "None", webhook: { clientConfig: {}, conversionReviewVersions: ["v1"] } } },
    expect: [
      "spec.conversion.webhookClientConfig: Forbidden: should not be set when strategy is not set to Webhook",
      "spec.conversion.conversionReviewVersions: Forbidden: should not be set when strategy is not set to Webhook",
    ],
  },
  {
    name: "a bundle that cannot be read may come before anything is served",
    spec: webhook({ url: "https://h", caBundle: pem("AAAA") }),
    expect: [],
  },
  {
    name: "unknown fields are kept by schemas, not by the definition",
    spec: { preserveUnknownFields: true },
    expect: [
      "spec.preserveUnknownFields: Invalid value: true: cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead",
    ],
  },
  {
    name: "a definition of a protected group needs the annotation with its approval",
    spec: { group: "seats.k8s.io" },
    metadata: { name: "seats.seats.k8s.io" },
    expect: [
      'metadata.annotations[api-approved.kubernetes.io]: Required value: protected groups must have approval annotation "api-approved.kubernetes.io", see https://github.com/kubernetes/enhancements/pull/1111',
    ],
  },
];

for (const { name, spec, metadata, expect } of cases)
  test(name, () => {
    assert.deepEqual(created(spec, metadata).problems, expect);
  });

const immutable = "field is immutable";
const established: Body = { type: "Established", status: "True" };

interface Update {
  readonly name: string;
  readonly before?: Body;
  readonly conditions?: readonly Body[];
  readonly stored?: readonly string[];
  readonly after: Body;
  readonly expect: readonly string[];
}

const updates: readonly Update[] = [
  { name: "names may change before anything is served", after: { scope: "Cluster", names: { ...names, kind: "Chair" } }, expect: [] },
  {
    name: "but not once it is established",
    conditions: [established],
    after: { scope: "Cluster", names: { ...names, kind: "Chair" } },
    expect: [`spec.scope: Invalid value: "Cluster": ${immutable}`, `spec.names.kind: Invalid value: "Chair": ${immutable}`],
  },
  {
    name: "a version that was stored stays",
    stored: ["v1", "v0"],
    after: {},
    expect: [
      'status.storedVersions[1]: Invalid value: "v0": missing from spec.versions; v0 was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in v0 and removes v0 from status.storedVersions',
    ],
  },
  {
    name: "a bundle that cannot be read is refused where one is served",
    conditions: [established],
    after: webhook({ url: "https://h", caBundle: pem("AAAA") }),
    expect: [
      `spec.conversion.webhookClientConfig.caBundle: Invalid value: "${pem("AAAA")}": unable to load root certificates: failed to parse certificate: x509: malformed certificate`,
    ],
  },
  {
    name: "unless it was so before",
    before: webhook({ url: "https://h", caBundle: pem("AAAA") }),
    conditions: [established],
    after: webhook({ url: "https://h", caBundle: pem("AAAB") }),
    expect: [],
  },
  {
    name: "reviews that were unknown before may stay so",
    before: webhook({ url: "https://h" }, ["v9"]),
    after: webhook({ url: "https://i" }, ["v9"]),
    expect: [],
  },
];

for (const { name, before = {}, conditions = [], stored = ["v1"], after, expect } of updates)
  test(name, () => {
    const { object } = created(before);
    const prev: CustomResourceDefinition = JSON.parse(JSON.stringify({ ...object, status: { storedVersions: stored, conditions } }));
    assert.deepEqual(updatedAs(customResourceDefinition, prev, body(after)).problems, expect);
  });

test("what is not said follows from what is", () => {
  const { object } = created({ ...webhook({ service: { name: "s", namespace: "n" } }) });
  assert.deepEqual(object.spec.names, { ...names, singular: "seat", listKind: "SeatList" });
  assert.equal(object.spec.conversion?.webhook?.clientConfig?.service?.port, 443);
  assert.deepEqual(created().object.spec.conversion, { strategy: "None" });
  assert.deepEqual(object.status, { conditions: null, acceptedNames: { plural: "", kind: "" }, storedVersions: ["v1"] });
});

test("a new storage version is noted, and trimming old ones is left to the status", () => {
  const { object: prev } = created();
  const { object } = updatedAs(
    customResourceDefinition,
    prev,
    body({
      versions: [
        { ...v1, storage: false },
        { ...v2, storage: true },
      ],
    }),
  );
  assert.deepEqual(object.status?.storedVersions, ["v1", "v2"]);
  assert.deepEqual(statusUpdatedAs(customResourceDefinition, object, { storedVersions: ["v2"] }).problems, []);
});

test("a new format that is not validated has a warning", () => {
  const odd = (format: string) =>
    version({ schema: { openAPIV3Schema: { type: "object", properties: { a: { type: "string", format } } } } });
  const { object: prev, warnings } = created(odd("odd"));
  assert.deepEqual(warnings, ['unrecognized format "odd"']);
  assert.deepEqual(updatedAs(customResourceDefinition, prev, body(odd("odd"))).warnings, []);
  assert.deepEqual(updatedAs(customResourceDefinition, prev, body(odd("ipv4"))).warnings, []);
});
