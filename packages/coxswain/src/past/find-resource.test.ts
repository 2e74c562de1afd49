import assert from "node:assert/strict";
import { test } from "node:test";
import type { DiscoveredResource } from "@coxswain/client";
import { findResource } from "./find-resource.ts";

const resource = (apiVersion: string, kind: string, shortNames: readonly string[] = [], preferred = true): DiscoveredResource => {
  const [version = "", group = ""] = apiVersion.split("/").reverse();
  const singular = kind.toLowerCase();
  return {
    ...{ group, version, kind, singular, resource: `${singular}s`, shortNames, preferred },
    ...{ namespaced: true, categories: [], verbs: ["get", "list"], subresources: [] },
  };
};

const served = [
  resource("v1", "Event", ["ev"]),
  { ...resource("v1", "Binding"), verbs: ["create"] },
  resource("apps/v1", "Deployment", ["deploy"]),
  resource("apps/v1beta2", "Deployment", ["deploy"], false),
  resource("events.k8s.io/v1", "Event", ["ev"]),
  resource("cinema.example/v1alpha1", "Deploy", [], false),
];

const cases = [
  { word: "deployments", expect: "apps/v1" },
  { word: "Deployment", expect: "apps/v1" },
  { word: "deploys", expect: "cinema.example/v1alpha1" },
  { word: "deploy", expect: "cinema.example/v1alpha1", name: "a singular name goes before a short one" },
  { word: "deploy.apps", expect: "apps/v1" },
  { word: "deployments.v1beta2.apps", expect: "apps/v1beta2" },
  { word: "ev", expect: "/v1", name: "the first of the server's order" },
  { word: "events.events.k8s.io", expect: "events.k8s.io/v1" },
  { word: "bindings", expect: undefined, name: "what cannot be read is none" },
  { word: "deployments.batch", expect: undefined },
  { word: "", expect: undefined },
];
for (const { word, expect, name } of cases)
  test(name ?? `${JSON.stringify(word)} is ${expect}`, () => {
    const found = findResource(served, word);
    assert.equal(found && `${found.group}/${found.version}`, expect);
  });
