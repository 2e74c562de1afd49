import assert from "node:assert/strict";
import { test } from "node:test";
import type { ResourceRef } from "../contracts/resource-ref.ts";
import { configMaps, deployments, namespaces } from "../resources/built-in.ts";
import { checkScope, collectionPath, objectPath, type ResourceScope, withQuery } from "./path.ts";

const scope = (ref: ResourceRef, namespace?: string): ResourceScope => ({ ref, namespace, defaultNamespace: "home" });

const collections: readonly [name: string, scope: ResourceScope, path: string][] = [
  ["all of the cluster", scope(deployments), "/apis/apps/v1/deployments"],
  ["those of one namespace", scope(deployments, "shop"), "/apis/apps/v1/namespaces/shop/deployments"],
  ["what is in no namespace", scope(namespaces), "/api/v1/namespaces"],
];
for (const [name, at, path] of collections) test(`a collection: ${name}`, () => assert.equal(collectionPath(at), path));

const objects: readonly [name: string, path: string, expected: string][] = [
  ["the client's own namespace", objectPath(scope(configMaps), "a"), "/api/v1/namespaces/home/configmaps/a"],
  ["the ResourceClient's namespace", objectPath(scope(configMaps, "shop"), "a"), "/api/v1/namespaces/shop/configmaps/a"],
  ["the object's namespace", objectPath(scope(configMaps), { namespace: "shop", name: "a" }), "/api/v1/namespaces/shop/configmaps/a"],
  ["an empty namespace", objectPath(scope(configMaps), { namespace: "", name: "a" }), "/api/v1/namespaces/home/configmaps/a"],
  ["no namespace", objectPath(scope(namespaces), { namespace: "shop", name: "a" }), "/api/v1/namespaces/a"],
  ["a subresource", objectPath(scope(deployments, "shop"), "web", "scale"), "/apis/apps/v1/namespaces/shop/deployments/web/scale"],
  ["a name that must be escaped", objectPath(scope(namespaces), "system:a b?#ü"), "/api/v1/namespaces/system%3Aa%20b%3F%23%C3%BC"],
];
for (const [name, path, expected] of objects) test(`an object: ${name}`, () => assert.equal(path, expected));

const refused: readonly [name: string, find: () => unknown, message: RegExp][] = [
  ["an empty name", () => objectPath(scope(configMaps), ""), /the name is empty/],
  ["a name that leads elsewhere", () => objectPath(scope(configMaps), "a/status"), /the name "a\/status" may/],
  ["an escaped slash", () => objectPath(scope(configMaps), "a%2Fb"), /the name/],
  ["the way up", () => objectPath(scope(configMaps), ".."), /the name/],
  ["an empty subresource", () => objectPath(scope(configMaps), "a", ""), /the subresource is empty/],
  ["an empty namespace", () => checkScope(scope(configMaps, "")), /the namespace is empty/],
  ["a namespace for what has none", () => checkScope(scope(namespaces, "shop")), /namespaces are in no namespace/],
  ["another namespace", () => objectPath(scope(configMaps, "shop"), { namespace: "home", name: "a" }), /is in namespace home/],
];
for (const [name, find, message] of refused)
  test(`refuses ${name}`, () => assert.throws(find, (e) => e instanceof TypeError && message.test(e.message)));

test("leaves out parameters that say nothing", () =>
  assert.equal(withQuery("/p", { a: undefined, b: "", c: false, d: 0, e: true, f: "x=y,z" }), "/p?d=0&e=true&f=x%3Dy%2Cz"));
