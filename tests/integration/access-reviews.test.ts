/** What may be asked about permissions. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Json, startApi } from "./api.ts";

const group = "/apis/authorization.k8s.io/v1";
const paths = {
  subject: `${group}/subjectaccessreviews`,
  local: `${group}/namespaces/default/localsubjectaccessreviews`,
  self: `${group}/selfsubjectaccessreviews`,
};
const resourceAttributes = { namespace: "default", verb: "get", resource: "pods" };
const nonResourceAttributes = { path: "/x", verb: "get" };
const requirements = [{ key: "a", operator: "In", values: ["b"] }];
const path = "spec.resourceAttributes";

const refused: readonly {
  readonly name: string;
  readonly of: keyof typeof paths;
  readonly body: object;
  readonly causes: readonly string[];
}[] = [
  {
    name: "neither a user nor attributes",
    of: "subject",
    body: { spec: {} },
    causes: [
      "spec.resourceAttributes: Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must be specified",
      'spec.user: Invalid value: "": at least one of user or group must be specified',
    ],
  },
  {
    name: "both forms of a selector",
    of: "self",
    body: { spec: { resourceAttributes: { ...resourceAttributes, labelSelector: { rawSelector: "a=b", requirements } } } },
    causes: [`${path}.labelSelector.rawSelector: Invalid value: "a=b": may not specified at the same time as requirements`],
  },
  {
    name: "neither form of a selector",
    of: "self",
    body: { spec: { resourceAttributes: { ...resourceAttributes, fieldSelector: {} } } },
    causes: [
      `${path}.fieldSelector.requirements: Required value: when ${path}.fieldSelector is specified, requirements or rawSelector is required`,
    ],
  },
  {
    name: "another namespace than the review's",
    of: "local",
    body: { spec: { user: "u", resourceAttributes: { ...resourceAttributes, namespace: "other" } } },
    causes: [`${path}.namespace: Invalid value: "other": must match metadata.namespace`],
  },
  {
    name: "a path in a namespace",
    of: "local",
    body: { spec: { user: "u", nonResourceAttributes } },
    causes: ['spec.nonResourceAttributes: Invalid value: {"Path":"/x","Verb":"get"}: disallowed on this kind of request'],
  },
];
for (const { name, of, body, causes } of refused)
  test(`a review is refused for ${name}`, async () => {
    const api = await startApi();
    const answer = await api.send("POST", paths[of], { body });
    assert.equal(answer.status, 422, answer.text);
    assert.deepEqual(
      answer.body.details.causes.map(({ field, message }: Json) => `${field}: ${message}`),
      causes,
    );
    assert.match(answer.body.message, /^\.authorization\.k8s\.io "" is invalid: /);
  });

test("a name in a review's metadata is refused", async () => {
  const api = await startApi();
  const { body } = await api.send("POST", paths.self, { body: { metadata: { name: "x" }, spec: { resourceAttributes } } });
  assert.deepEqual(
    body.details.causes.map(({ field }: Json) => field),
    ["metadata"],
  );
});

test("a selector that cannot be read is ignored, and the answer says so", async () => {
  const api = await startApi();
  const spec = { resourceAttributes: { ...resourceAttributes, labelSelector: { rawSelector: "!!" } } };
  const { status, body } = await api.send("POST", paths.self, { body: { spec } });
  assert.deepEqual([status, body.status.allowed], [201, true]);
  assert.equal(body.status.evaluationError, "spec.resourceAttributes.labelSelector ignored due to parse error");
  assert.deepEqual(Object.keys(body.metadata.managedFields[0].fieldsV1), ["f:spec"]);
});
