import assert from "node:assert/strict";
import { test } from "node:test";
import type { AuthorizationAttributes } from "../../contracts/authorizer.ts";
import { exchangeOf } from "../exchange-under-test.ts";
import { attributesOf } from "./authorization.ts";

type Asked = Partial<Pick<AuthorizationAttributes & { readonly kind: "resource" }, "name" | "fieldSelector" | "labelSelector">>;

const pods = "/api/v1/namespaces/ns/pods";
const named = { field: "metadata.name", operator: "=", value: "a" } as const;
const onNode = { field: "spec.nodeName", operator: "!=", value: "n" } as const;

const cases: readonly { readonly name: string; readonly method?: string; readonly url: string; readonly expect: Asked }[] = [
  { name: "a list without selectors", url: `${pods}?limit=500`, expect: {} },
  { name: "a list with fields", url: `${pods}?fieldSelector=spec.nodeName!%3Dn`, expect: { fieldSelector: [onNode] } },
  {
    name: "a list with labels",
    url: `${pods}?labelSelector=b%20in%20(y,x),!a`,
    expect: {
      labelSelector: [
        { key: "a", operator: "!", values: [] },
        { key: "b", operator: "in", values: ["x", "y"] },
      ],
    },
  },
  { name: "a list of one name", url: `${pods}?fieldSelector=metadata.name%3Da`, expect: { name: "a", fieldSelector: [named] } },
  {
    name: "a list of what no object is called",
    url: `${pods}?fieldSelector=metadata.name%3Da/b`,
    expect: { fieldSelector: [{ ...named, value: "a/b" }] },
  },
  {
    name: "a deletion of many",
    method: "DELETE",
    url: `${pods}?fieldSelector=metadata.name%3Da&labelSelector=c`,
    expect: { fieldSelector: [named], labelSelector: [{ key: "c", operator: "exists", values: [] }] },
  },
  { name: "selectors that cannot be read", url: `${pods}?fieldSelector=a&labelSelector=!!`, expect: {} },
  { name: "selectors of everything", url: `${pods}?fieldSelector=,&labelSelector=`, expect: {} },
  { name: "one object", url: `${pods}/p?fieldSelector=spec.nodeName!%3Dn&labelSelector=c`, expect: { name: "p" } },
  { name: "a watch by an older path", url: `/api/v1/watch/namespaces/ns/pods?fieldSelector=metadata.name%3Da&labelSelector=c`, expect: {} },
  { name: "a watch of the apps by an older path", url: "/apis/apps/v1/%77atch/deployments?labelSelector=c", expect: {} },
  { name: "a creation", method: "POST", url: `${pods}?fieldSelector=spec.nodeName!%3Dn`, expect: {} },
];
for (const { name, method = "GET", url, expect } of cases)
  test(`authorizers are asked about ${name}`, () => {
    const asked = attributesOf(exchangeOf({ method, url }));
    assert.ok(asked.kind === "resource");
    const { name: object, fieldSelector, labelSelector } = asked;
    assert.deepEqual(
      { object, fieldSelector, labelSelector },
      { object: expect.name ?? "", fieldSelector: expect.fieldSelector, labelSelector: expect.labelSelector },
    );
  });
