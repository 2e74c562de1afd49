/** What Kubernetes 1.36.3 says of expressions when they are written. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { field } from "@coxswain/machinery";
import { mutatingAdmissionPolicy } from "../../kinds/admissionregistration/mutating-admission-policy/strategy.ts";
import { validatingAdmissionPolicy } from "../../kinds/admissionregistration/validating-admission-policy/strategy.ts";
import { validatingWebhookConfiguration } from "../../kinds/admissionregistration/validating-webhook-configuration/strategy.ts";
import { createdAs, updatedAs } from "../../kinds/kind-under-test.ts";
import type { Errors } from "../checks.ts";
import { createExpressionCompiler, type ExpressionScope, type ExpressionUse } from "./expressions.ts";

const variables = {
  one: "1",
  list: "[1, 2]",
  amount: "quantity('1')",
  wrong: "foo",
  next: "variables.one + 1",
};

function problemOf(expression: string, use: ExpressionUse, scope: Partial<ExpressionScope> = {}): string | undefined {
  const compiler = createExpressionCompiler({ params: false, variables: false, ...scope });
  const out: Errors = [];
  for (const [name, text] of scope.variables ? Object.entries(variables) : []) compiler.declare([], "", name, text);
  compiler.check(out, "", expression, use);
  return out.map(({ message }) => message.split("\n")[0]?.replace(/^Invalid value: ".*?": /, ""))[0];
}

const undeclared = (name: string, column = 1) =>
  `compilation failed: ERROR: <input>:1:${column}: undeclared reference to '${name}' (in container '')`;

const good: readonly (readonly [string, ExpressionUse, Partial<ExpressionScope>?])[] = [
  ["object.spec.replicas > 3 && oldObject == null", "condition"],
  ["request.userInfo.groups.exists(g, g == 'admins') && request.options.force == true", "condition"],
  ["namespaceObject.metadata.labels['a'] == 'b' && namespaceObject.metadata.UID != ''", "condition"],
  ["authorizer.group('').resource('pods').check('get').allowed()", "condition"],
  ["authorizer.requestResource.check('delete').allowed()", "condition"],
  ["params.max > 3", "condition", { params: true }],
  ["variables.next == 2 && variables.wrong == 'unknown'", "condition", { variables: true }],
  ["variables.amount.isGreaterThan(quantity('0'))", "condition", { variables: true }],
  ["'not ' + object.metadata.name", "message"],
  ["object.x ? 'x' : 'y'", "auditAnnotation"],
  ["null", "auditAnnotation"],
  ["Object{spec: Object.spec{replicas: 3}}", "applyConfiguration"],
  ["[JSONPatch{op: 'add', path: '/metadata/labels/' + jsonpatch.escapeKey('a/b'), value: 'x'}]", "jsonPatch"],
];
for (const [expression, use, scope] of good)
  test(`${expression} is a ${use}`, () => assert.equal(problemOf(expression, use, scope), undefined));

const bad: readonly (readonly [string, ExpressionUse, string, Partial<ExpressionScope>?])[] = [
  ["object.spec.replicas", "condition", "must evaluate to bool but got dyn"],
  ["duration('1h')", "condition", "must evaluate to bool but got google.protobuf.Duration"],
  ["null", "condition", "must evaluate to bool but got null_type"],
  ["{'a': [1]}", "condition", "must evaluate to bool but got map(string, list(int))"],
  ["variables.amount", "condition", "must evaluate to bool but got dyn", { variables: true }],
  ["variables.list", "condition", "must evaluate to bool but got list(int)", { variables: true }],
  ["1", "message", "must evaluate to string but got int"],
  ["1", "auditAnnotation", "must evaluate to one of [string null_type] but got int"],
  ["[]", "jsonPatch", "must evaluate to list(JSONPatch) but got list(dyn)"],
  ["Object.spec{}", "applyConfiguration", "must evaluate to Object but got Object.spec"],
  ["request.uid == ''", "condition", "compilation failed: ERROR: <input>:1:8: undefined field 'uid'"],
  ["params.max > 3", "condition", undeclared("params")],
  ["variables.one == 1", "condition", undeclared("variables")],
  ["variables.two == 2", "condition", "compilation failed: ERROR: <input>:1:10: undefined field 'two'", { variables: true }],
  ["string(authorizer)", "message", undeclared("authorizer", 8)],
  ["Object{} == object", "condition", undeclared("Object", 7)],
  ["int('x') == 1", "condition", "Internal error: program instantiation failed: type conversion error from 'string' to 'int'"],
];
for (const [expression, use, problem, scope] of bad)
  test(`${expression} is no ${use}: ${problem}`, () => assert.equal(problemOf(expression, use, scope), problem));

const matchConstraints = { resourceRules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["pods"] }] };
const policy = (spec: object) => ({ metadata: { name: "p.example.com" }, spec: { matchConstraints, ...spec } });
const wrong = [{ name: "c", expression: " 1 " }];

test("the errors of a policy come in the order of its parts", () => {
  const { problems } = createdAs(
    validatingAdmissionPolicy,
    policy({
      matchConditions: wrong,
      variables: [{ name: "v", expression: "foo" }],
      validations: [{ expression: "1", messageExpression: " 1" }],
      auditAnnotations: [{ key: "k", valueExpression: " 1" }],
    }),
  );
  assert.deepEqual(problems, [
    'spec.matchConditions[0].expression: Invalid value: "1": must evaluate to bool but got int',
    `spec.variables[0].expression: Invalid value: "foo": ${undeclared("foo")}\n | foo\n | ^`,
    'spec.validations[0].expression: Invalid value: "1": must evaluate to bool but got int',
    'spec.validations[0].messageExpression: Invalid value: " 1": must evaluate to string but got int',
    'spec.auditAnnotations[0].valueExpression: Invalid value: " 1": must evaluate to one of [string null_type] but got int',
  ]);
});

test("variables that are made of variables nest only so deep", () => {
  const expression = (i: number) => (i === 0 ? "1" : `${"[".repeat(100)}variables.v${i - 1}${"]".repeat(100)}`);
  const variables = Array.from({ length: 200 }, (_, i) => ({ name: `v${i}`, expression: expression(i) }));
  assert.deepEqual(createdAs(validatingAdmissionPolicy, policy({ variables, validations: [{ expression: "true" }] })).problems, []);
});

test("a mutation has the patch of its type, and no other", () => {
  const mutations = [
    { patchType: "JSONPatch", jsonPatch: {}, applyConfiguration: { expression: "1" } },
    { patchType: "ApplyConfiguration", applyConfiguration: { expression: " 1" } },
  ];
  const { problems } = createdAs(mutatingAdmissionPolicy, policy({ reinvocationPolicy: "Never", mutations }));
  assert.deepEqual(problems, [
    "spec.mutations[0].jsonPatch.expression: Required value",
    'spec.mutations[0].applyConfiguration: Invalid value: "{applyConfiguration}": must not be specified when patchType is JSONPatch',
    'spec.mutations[1].applyConfiguration.expression: Invalid value: "1": must evaluate to Object but got int',
  ]);
});

test("conditions that an update does not change are not looked at again, unless the kind of parameters changes", () => {
  const spec = { validations: [{ expression: "true" }], matchConditions: wrong };
  const { object } = createdAs(validatingAdmissionPolicy, policy(spec));
  assert.deepEqual(updatedAs(validatingAdmissionPolicy, object, policy(spec)).problems, []);
  const paramKind = { apiVersion: "v1", kind: "ConfigMap" };
  assert.equal(updatedAs(validatingAdmissionPolicy, object, policy({ ...spec, paramKind })).problems.length, 1);
});

test("what a webhook had wrong before it may keep", () => {
  const hook = { name: "a.example.com", sideEffects: "Some", admissionReviewVersions: ["v9"], clientConfig: { url: "https://x" } };
  const body = { metadata: { name: "w" }, webhooks: [{ ...hook, matchConditions: wrong }, hook] };
  const { object, problems } = createdAs(validatingWebhookConfiguration, body);
  assert.equal(problems.length, 6);
  assert.deepEqual(updatedAs(validatingWebhookConfiguration, object, body).problems, []);
});

test("a status has warnings about places in the spec", () => {
  const expressionWarnings = [
    { fieldRef: " ", warning: "" },
    { fieldRef: "spec.validations[", warning: "w" },
  ];
  const errors = [
    ...(validatingAdmissionPolicy.subresources?.status?.validateUpdate?.({ status: { typeChecking: { expressionWarnings } } }, {}) ?? []),
  ];
  assert.deepEqual(errors.map(field.formatFieldError), [
    "status.typeChecking.expressionWarnings[0].warning: Required value",
    "status.typeChecking.expressionWarnings[0].fieldRef: Required value",
    'status.typeChecking.expressionWarnings[1].fieldRef: Invalid value: "spec.validations[": invalid JSONPath: unterminated array',
  ]);
});
