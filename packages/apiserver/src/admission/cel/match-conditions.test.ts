/** What match conditions say of requests: Kubernetes' results, limits and sentences. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createResourceRegistry } from "@coxswain/api";
import type { AdmissionRequest } from "../../contracts/admission.ts";
import type { Authorizer } from "../../contracts/authorizer.ts";
import { servedResources } from "../../storage/served-resource.ts";
import { lazyMatchConditions } from "./load-expressions.ts";
import type { MatchOutcome } from "./match-conditions.ts";

const registry = createResourceRegistry();
const served = servedResources(registry);
const definition = registry.byKind("", "v1", "ConfigMap");
if (definition === undefined) throw new Error("there are no ConfigMaps");
const resource = served.of(definition);

const request: AdmissionRequest = {
  operation: "create",
  resource,
  subresource: "",
  namespace: "team",
  name: "settings",
  user: { name: "jane", uid: "7", groups: ["devs"], extra: { scopes: ["a"] } },
  dryRun: false,
  object: JSON.parse('{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"settings"},"data":{"__proto__":"own","count":"3"}}'),
  previous: undefined,
  options: new URLSearchParams("fieldManager=tests"),
  warnings: [],
};

const allowsPods: Authorizer = (attributes) => ({
  kind: attributes.kind === "resource" && attributes.resource === "pods" && attributes.user.name === "jane" ? "allow" : "noOpinion",
  reason: "as it is",
});

function outcomeOf(expressions: readonly string[], failurePolicy = "Fail", authorize: Authorizer = allowsPods): Promise<MatchOutcome> {
  const given = expressions.map((expression, i) => ({ name: `c${i}`, expression }));
  const { object, previous } = request;
  return lazyMatchConditions(given, { failurePolicy }).evaluate({ request, resource, object, previous, authorize });
}

const holding = [
  "object.data.count == '3' && oldObject == null && namespaceObject == null",
  "request.kind.kind == 'ConfigMap' && request.resource.resource == 'configmaps' && !has(request.subResource)",
  "request.requestKind.version == 'v1' && request.namespace == 'team' && request.name == 'settings' && request.operation == 'CREATE'",
  "request.userInfo.username == 'jane' && 'devs' in request.userInfo.groups && request.userInfo.extra['scopes'] == ['a']",
  "request.options.fieldManager == 'tests' && request.options.kind == 'CreateOptions' && !request.dryRun",
  "object.data.exists(k, k == '__proto__') && object.data['__proto__'] == 'own' && !has(object.constructor) && !has(object.data.toString)",
  "authorizer.group('').resource('pods').namespace('team').check('get').allowed()",
  "!authorizer.requestResource.check('get').allowed() && authorizer.requestResource.check('get').reason() == 'as it is'",
  "!authorizer.serviceAccount('team', 'robot').group('').resource('pods').check('get').allowed()",
  "quantity('1k') == quantity('1000') && ip('127.0.0.1').isLoopback() && cidr('10.0.0.0/8').containsIP('10.1.1.1') && isSemver('1.0.0')",
];
for (const expression of holding) test(expression, async () => assert.deepEqual(await outcomeOf([expression]), { type: "matches" }));

test("an authorizer that has to ask is waited for, and asked once", async () => {
  let asked = 0;
  const slow: Authorizer = async () => {
    asked += 1;
    await Promise.resolve();
    return { kind: "allow", reason: "" };
  };
  const check = "authorizer.group('').resource('pods').check('get').allowed()";
  assert.deepEqual(await outcomeOf([`${check} && ${check}`, check], "Fail", slow), { type: "matches" });
  assert.equal(asked, 1);
});

test("an authorizer that fails is an error of the decision", async () => {
  const broken: Authorizer = () => Promise.reject(new Error("no answer"));
  const check = "authorizer.path('/healthz').check('get')";
  assert.deepEqual(await outcomeOf([`${check}.errored() && ${check}.error() == 'no answer'`], "Fail", broken), { type: "matches" });
});

const wrong = "object.spec.replicas > 1";
const error = "expression 'object.spec.replicas > 1' resulted in error: no such key: spec";
const other = "expression 'object.foo' resulted in error: no such key: foo";
const outcomes: readonly { name: string; given: readonly string[]; failurePolicy?: string; expected: MatchOutcome }[] = [
  { name: "a condition that is false is named", given: ["true", "false", "false"], expected: { type: "skips", condition: "c1" } },
  { name: "an error fails", given: ["true", wrong], expected: { type: "error", message: error } },
  { name: "an error and a false one skip", given: [wrong, "false"], expected: { type: "skips", condition: "c1" } },
  { name: "equal errors are one", given: [wrong, wrong], expected: { type: "error", message: error } },
  { name: "errors that are ignored skip", given: [wrong], failurePolicy: "Ignore", expected: { type: "skips", condition: undefined } },
  {
    name: "errors are listed",
    given: [wrong, "object.foo == 1"],
    expected: { type: "error", message: `[${error}, ${other.replace("object.foo", "object.foo == 1")}]` },
  },
];
for (const { name, given, failurePolicy, expected } of outcomes)
  test(name, async () => assert.deepEqual(await outcomeOf(given, failurePolicy), expected));

/** Tens of thousands of evaluations. */
const costly =
  "[0,1,2,3,4,5,6,7,8,9].all(a, [0,1,2,3,4,5,6,7,8,9].all(b, [0,1,2,3,4,5,6,7,8,9].all(c, [0,1,2,3,4,5,6,7,8,9].all(d, a + b + c + d >= 0))))";
const tooCostly = `[0,1,2,3,4,5,6,7,8,9].all(e, [0,1,2,3,4,5,6,7,8,9].all(f, ${costly}))`;

test("an expression may cost a million", async () => {
  const message = `expression '${tooCostly}' resulted in error: operation cancelled: actual cost limit exceeded`;
  assert.deepEqual(await outcomeOf([tooCostly]), { type: "error", message });
  assert.deepEqual(await outcomeOf([costly]), { type: "matches" });
});

test("all conditions of a webhook or policy may cost two and a half million, and one that is false does not help then", async () => {
  const message = "validation failed due to running out of cost budget, no further validation rules will be run";
  assert.deepEqual(await outcomeOf(["false", ...Array(64).fill(costly)]), { type: "error", message });
});
