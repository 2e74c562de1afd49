import assert from "node:assert/strict";
import { test } from "node:test";
import type { CustomResourceDefinition } from "@coxswain/types/apiextensions-v1";
import { apiApprovalCondition, validateApproval } from "./api-approval.ts";

const definition = (annotation: string, group = "x.kubernetes.io"): CustomResourceDefinition => ({
  metadata: { annotations: annotation === "" ? {} : { "api-approved.kubernetes.io": annotation } },
  spec: { group, scope: "Cluster", names: { plural: "xs", kind: "X" }, versions: [] },
});

const approvals = [
  { annotation: "", expect: "False MissingAnnotation", errors: 1 },
  { annotation: "unapproved, for a test", expect: "False UnapprovedAnnotation", errors: 0 },
  { annotation: "https://example.com/pull/1", expect: "True ApprovedAnnotation", errors: 0 },
  { annotation: "yes", expect: "False InvalidAnnotation", errors: 1 },
  { annotation: "https://a b", expect: "False InvalidAnnotation", errors: 1 },
  { annotation: "/pull/1", expect: "False InvalidAnnotation", errors: 1 },
];
for (const { annotation, expect, errors } of approvals)
  test(`an approval by "${annotation}" is ${expect}`, () => {
    const crd = definition(annotation);
    const condition = apiApprovalCondition(crd);
    assert.equal(`${condition?.status} ${condition?.reason}`, expect);
    assert.equal(validateApproval(crd).length, errors);
    assert.deepEqual(validateApproval(crd, crd), [], "what was so before may stay");
    assert.equal(apiApprovalCondition(definition(annotation, "example.com")), undefined, "others' groups have none");
  });
