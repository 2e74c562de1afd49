import assert from "node:assert/strict";
import { test } from "node:test";
import type { rbacV1 } from "@coxswain/api";
import { joinVerbs, missingRules } from "./covers.ts";
import { describeRule } from "./policy-rule.ts";

const on = (resources: string, verbs: string, more: Partial<rbacV1.PolicyRule> = {}): rbacV1.PolicyRule => ({
  apiGroups: [""],
  resources: resources.split(","),
  verbs: verbs.split(","),
  ...more,
});

const cases: readonly {
  readonly name: string;
  readonly held: readonly rbacV1.PolicyRule[];
  readonly wanted: readonly rbacV1.PolicyRule[];
  readonly missing: readonly string[];
}[] = [
  { name: "the same rule", held: [on("pods", "get")], wanted: [on("pods", "get")], missing: [] },
  { name: "pieces from several rules", held: [on("pods", "get"), on("secrets", "get")], wanted: [on("pods,secrets", "get")], missing: [] },
  {
    name: "verbs that are not held, joined for each resource",
    held: [on("pods", "get")],
    wanted: [on("pods,secrets", "get,list,watch")],
    missing: [
      '{APIGroups:[""], Resources:["pods"], Verbs:["list" "watch"]}',
      '{APIGroups:[""], Resources:["secrets"], Verbs:["get" "list" "watch"]}',
    ],
  },
  { name: "a verb by the star", held: [on("pods", "*")], wanted: [on("pods", "get,escalate")], missing: [] },
  {
    name: "a star by verbs",
    held: [on("pods", "get,list")],
    wanted: [on("pods", "*")],
    missing: ['{APIGroups:[""], Resources:["pods"], Verbs:["*"]}'],
  },
  { name: "a subresource by */subresource", held: [on("*/log", "get")], wanted: [on("pods/log", "get")], missing: [] },
  {
    name: "a resource by */subresource",
    held: [on("*/log", "get")],
    wanted: [on("pods", "get")],
    missing: ['{APIGroups:[""], Resources:["pods"], Verbs:["get"]}'],
  },
  {
    name: "all objects by some",
    held: [on("pods", "get", { resourceNames: ["a"] })],
    wanted: [on("pods", "get")],
    missing: ['{APIGroups:[""], Resources:["pods"], Verbs:["get"]}'],
  },
  {
    name: "an object that is not named",
    held: [on("pods", "get", { resourceNames: ["a"] })],
    wanted: [on("pods", "get", { resourceNames: ["a", "b"] })],
    missing: ['{APIGroups:[""], Resources:["pods"], ResourceNames:["b"], Verbs:["get"]}'],
  },
  {
    name: "paths",
    held: [{ nonResourceURLs: ["/logs/*"], verbs: ["get"] }],
    wanted: [{ nonResourceURLs: ["/logs/a", "/logs/*", "/log"], verbs: ["get"] }],
    missing: ['{NonResourceURLs:["/log"], Verbs:["get"]}'],
  },
];
for (const { name, held, wanted, missing } of cases) {
  test(`covers: ${name}`, () => assert.deepEqual(joinVerbs(missingRules(held, wanted)).map(describeRule).sort(), missing));
}
