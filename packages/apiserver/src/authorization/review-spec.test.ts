import assert from "node:assert/strict";
import { test } from "node:test";
import { parseFieldSelector, parseLabelSelector } from "@coxswain/machinery";
import type { AuthorizationAttributes } from "../contracts/authorizer.ts";
import { reviewSpecOf } from "./review-spec.ts";

const user = { name: "jane", uid: "", groups: ["devs"], extra: {} };
const asked: AuthorizationAttributes & { readonly kind: "resource" } = {
  ...{ kind: "resource", user, verb: "list", group: "", version: "v1", resource: "pods" },
  ...{ subresource: "", namespace: "", name: "" },
};

function selectorsOf(fields: string, labels: string): object {
  const fieldSelector = parseFieldSelector(fields).requirements;
  const labelSelector = parseLabelSelector(labels).requirements;
  const { resourceAttributes } = reviewSpecOf({ ...asked, fieldSelector, labelSelector }, "v1") as { resourceAttributes: object };
  const { verb: _, version: __, resource: ___, ...selectors } = resourceAttributes as Record<string, unknown>;
  return selectors;
}

test("a review has fields as requirements of one value", () => {
  const requirements = [
    { key: "metadata.name", operator: "In", values: ["a"] },
    { key: "spec.nodeName", operator: "NotIn", values: [""] },
  ];
  assert.deepEqual(selectorsOf("spec.nodeName!=,metadata.name==a", ""), { fieldSelector: { requirements } });
});

test("a review has labels as requirements, but for comparisons of numbers, which have no operator there", () => {
  const requirements = [
    { key: "a", operator: "In", values: ["1"] },
    { key: "b", operator: "In", values: ["1"] },
    { key: "c", operator: "In", values: ["1", "2"] },
    { key: "d", operator: "NotIn", values: ["1"] },
    { key: "e", operator: "NotIn", values: ["1", "2"] },
    { key: "f", operator: "Exists" },
    { key: "g", operator: "DoesNotExist" },
  ];
  const labels = "a=1,b==1,c in (2,1),d!=1,e notin (1,2),f,!g,h>1,i<1";
  assert.deepEqual(selectorsOf("", labels), { labelSelector: { requirements } });
  assert.deepEqual(selectorsOf("", "h>1"), {});
});

test("a review of v1beta1 calls the groups a group", () => {
  assert.deepEqual(reviewSpecOf({ kind: "path", user, verb: "get", path: "/x" }, "v1beta1"), {
    nonResourceAttributes: { path: "/x", verb: "get" },
    user: "jane",
    group: ["devs"],
  });
});
