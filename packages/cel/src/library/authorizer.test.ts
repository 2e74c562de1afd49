import assert from "node:assert/strict";
import { test } from "node:test";
import { createEnvironment } from "../compile/create-environment.ts";
import { CelError } from "../values/value.ts";
import {
  type AuthorizerQuestion,
  authorizerType,
  authorizerValue,
  type ExpressionAuthorizer,
  resourceCheckType,
  resourceCheckValue,
} from "./authorizer.ts";
import { kubernetesLibraries } from "./kubernetes.ts";

const environment = createEnvironment({
  variables: new Map([
    ["authorizer", authorizerType],
    ["authorizer.requestResource", resourceCheckType],
  ]),
  libraries: kubernetesLibraries,
});

/** Allows whatever reads, and keeps what it was asked. */
function recordingAuthorizer(user: string, asked: { user: string; question: AuthorizerQuestion }[]): ExpressionAuthorizer {
  return {
    check: (question) => {
      asked.push({ user, question });
      if (question.verb === "fail") return { allowed: false, reason: "", error: "no connection" };
      return { allowed: question.verb === "get", reason: `${user} said ${question.verb}` };
    },
    serviceAccount: (namespace, name) => recordingAuthorizer(`system:serviceaccount:${namespace}:${name}`, asked),
  };
}

function evaluate(expr: string) {
  const asked: { user: string; question: AuthorizerQuestion }[] = [];
  const authorizer = recordingAuthorizer("ann", asked);
  const compilation = environment.compile(expr);
  assert.ok(compilation.ok, compilation.ok ? "" : compilation.message);
  const resource = { group: "apps", resource: "deployments", namespace: "prod", name: "web" };
  const { value, cost } = compilation.compiled.program().evaluate(
    new Map([
      ["authorizer", authorizerValue(authorizer)],
      ["authorizer.requestResource", resourceCheckValue(authorizer, resource)],
    ]),
  );
  return { value, cost, asked };
}

const unset = { group: "", subresource: "", namespace: "", name: "", fieldSelector: "", labelSelector: "" };
const pods = { kind: "resource", ...unset, resource: "pods", verb: "get" } as const;

const cases: readonly { readonly expr: string; readonly value: unknown; readonly question: AuthorizerQuestion; readonly user?: string }[] =
  [
    { expr: "authorizer.group('').resource('pods').check('get').allowed()", value: true, question: pods },
    { expr: "authorizer.group('').resource('pods').check('delete').allowed()", value: false, question: { ...pods, verb: "delete" } },
    { expr: "authorizer.group('').resource('pods').check('get').reason()", value: "ann said get", question: pods },
    { expr: "authorizer.group('').resource('pods').check('fail').errored()", value: true, question: { ...pods, verb: "fail" } },
    { expr: "authorizer.group('').resource('pods').check('fail').error()", value: "no connection", question: { ...pods, verb: "fail" } },
    { expr: "authorizer.group('').resource('pods').check('get').error()", value: "", question: pods },
    {
      expr: "authorizer.group('g').resource('r').subresource('s').namespace('ns').name('n').fieldSelector('a=b').labelSelector('c').check('get').allowed()",
      value: true,
      question: {
        kind: "resource",
        group: "g",
        resource: "r",
        subresource: "s",
        namespace: "ns",
        name: "n",
        fieldSelector: "a=b",
        labelSelector: "c",
        verb: "get",
      },
    },
    { expr: "authorizer.path('/healthz').check('get').allowed()", value: true, question: { kind: "path", path: "/healthz", verb: "get" } },
    {
      expr: "authorizer.serviceAccount('ns', 'robot').group('').resource('pods').check('get').allowed()",
      value: true,
      question: pods,
      user: "system:serviceaccount:ns:robot",
    },
    {
      expr: "authorizer.requestResource.check('get').allowed()",
      value: true,
      question: { ...pods, group: "apps", resource: "deployments", namespace: "prod", name: "web" },
    },
  ];

for (const { expr, value, question, user = "ann" } of cases) {
  test(`asks for ${expr}`, () => {
    const { value: answer, asked } = evaluate(expr);
    assert.equal(answer, value);
    assert.deepEqual(asked, [{ user, question }]);
  });
}

const refusals = [
  ["authorizer.path(' ')", "path must not be empty"],
  ["authorizer.group('').resource('')", "resource must not be empty"],
  ["authorizer.serviceAccount('ns', '-')", "Invalid service account name"],
  ["authorizer.serviceAccount('a.b', 'x')", "Invalid service account namespace"],
] as const;

for (const [expr, message] of refusals) {
  test(`refuses ${expr}`, () => assert.throws(() => evaluate(expr), new CelError(message)));
}

test("a check costs 350,000, so that an expression can afford two", () => {
  assert.equal(evaluate("authorizer.group('').resource('pods').check('get').allowed()").cost, 350_004);
});

test("an authorizer's own error ends the evaluation, and nothing absorbs it", () => {
  const compilation = environment.compile("authorizer.path('/').check('get').allowed() || true");
  assert.ok(compilation.ok);
  const waiting: ExpressionAuthorizer = {
    check: () => {
      throw new RangeError("not known yet");
    },
    serviceAccount: () => waiting,
  };
  const program = compilation.compiled.program();
  assert.throws(() => program.evaluate(new Map([["authorizer", authorizerValue(waiting)]])), RangeError);
});
