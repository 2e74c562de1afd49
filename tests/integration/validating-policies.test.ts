/** ValidatingAdmissionPolicies in force; what they answer in every case is compared with Kubernetes in tests/golden. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { waitUntil } from "@coxswain/machinery/testing";
import { startApi } from "./api.ts";
import { definitions } from "./conversion-webhook.ts";
import { definitionOf, widgets } from "./custom-resources.ts";
import { addPolicy, configMap, configMaps, removeBinding } from "./policies.ts";

const denied = (message: string, name = "p.example.com"): string =>
  `ValidatingAdmissionPolicy '${name}' with binding '${name}' denied request: ${message}`;

test("a policy is in force with the answer to the write of its binding, and out of force with that of its deletion", async () => {
  const api = await startApi();
  for (let round = 0; round < 3; round++) {
    const name = `p${round}.example.com`;
    await addPolicy(api, "Validating", { validations: [{ expression: "object.metadata.name != 'bad'" }] }, { name });
    const refused = await api.send("POST", configMaps, { body: configMap("bad") });
    assert.equal(refused.status, 422);
    assert.equal(
      refused.body.message,
      `configmaps "bad" is forbidden: ${denied("failed expression: object.metadata.name != 'bad'", name)}`,
    );
    await removeBinding(api, "validating", name);
    assert.equal((await api.send("POST", `${configMaps}?dryRun=All`, { body: configMap("bad") })).status, 201);
  }
});

test("a policy is in force after a restart, and with a change of what it says", async () => {
  const first = await startApi();
  await addPolicy(first, "Validating", { validations: [{ expression: "false", message: "one" }] });
  const { store } = first;
  const api = await startApi({ store });
  assert.match((await api.send("POST", configMaps, { body: configMap("a") })).text, /denied request: one/);
  const path = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies/p.example.com";
  const body = [{ op: "replace", path: "/spec/validations/0/message", value: "two" }];
  assert.equal((await api.send("PATCH", path, { body, type: "application/json-patch+json" })).status, 200);
  assert.match((await api.send("POST", configMaps, { body: configMap("a") })).text, /denied request: two/);
});

test("requests that another thread serves are subject to policies, too", async () => {
  const api = await startApi({ offload: "thread" });
  try {
    await addPolicy(api, "Validating", {
      validations: [
        { expression: "authorizer.requestResource.check('create').allowed() && size(object.data.long) < 1000", message: "too long" },
      ],
    });
    const long = await api.send("POST", configMaps, { body: configMap("long", { data: { long: "x".repeat(200_000) } }) });
    assert.match(long.text, /denied request: too long/);
    assert.equal((await api.send("POST", configMaps, { body: configMap("short", { data: { long: "x" } }) })).status, 201);
  } finally {
    await api.server.close();
  }
});

test("parameters may be of a custom kind, in any of its versions", async () => {
  const api = await startApi();
  await api.send("POST", definitions, { body: definitionOf() });
  await waitUntil("widgets to be served", async () => (await api.send("GET", widgets)).status === 200);
  const widget = { apiVersion: "example.com/v1", kind: "Widget", metadata: { name: "limit" }, spec: { size: 3 } };
  assert.equal((await api.send("POST", widgets, { body: widget })).status, 201);
  const validations = [
    {
      expression: "int(object.data.size) <= params.spec.size",
      messageExpression: "'at most ' + string(params.spec.size) + params.apiVersion",
    },
  ];
  const binding = { paramRef: { name: "limit", parameterNotFoundAction: "Deny" } };
  await addPolicy(api, "Validating", { paramKind: { apiVersion: "example.com/v1", kind: "Widget" }, validations }, { binding });
  const refused = await api.send("POST", configMaps, { body: configMap("big", { data: { size: "4" } }) });
  assert.match(refused.text, /denied request: at most 3example.com\/v1"/);
  assert.equal((await api.send("POST", configMaps, { body: configMap("small", { data: { size: "3" } }) })).status, 201);
  const gone = await api.send("DELETE", `${widgets}/limit`);
  assert.equal(gone.status, 200);
  const orphaned = await api.send("POST", configMaps, { body: configMap("next", { data: { size: "3" } }) });
  assert.match(orphaned.text, /failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction/);
});

test("policies of everything do not keep anybody from taking them back", async () => {
  const api = await startApi();
  const rules = [{ apiGroups: ["*"], apiVersions: ["*"], operations: ["*"], resources: ["*/*"] }];
  await addPolicy(api, "Validating", { validations: [{ expression: "false" }] }, { rules });
  assert.equal((await api.send("POST", configMaps, { body: configMap("a") })).status, 422);
  const review = {
    apiVersion: "authorization.k8s.io/v1",
    kind: "SelfSubjectAccessReview",
    spec: { nonResourceAttributes: { path: "/", verb: "get" } },
  };
  assert.equal((await api.send("POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", { body: review })).status, 201);
  assert.equal((await removeBinding(api, "validating")).status, 200);
  assert.equal((await api.send("POST", configMaps, { body: configMap("a") })).status, 201);
});

const ten = (name: string, inner: string): string => `[0,1,2,3,4,5,6,7,8,9].all(${name}, ${inner})`;
const slow = ten("a", ten("b", ten("c", ten("d", "a + b + c + d >= 0"))));

test("while a slow policy is evaluated, other requests have their turn", async () => {
  const api = await startApi();
  await addPolicy(api, "Validating", { validations: Array.from({ length: 60 }, () => ({ expression: slow })) });
  let finished = false;
  const held = api.send("POST", configMaps, { body: configMap("held") }).then((answer) => {
    finished = true;
    return answer;
  });
  let between = 0;
  while (!finished) {
    assert.equal((await api.send("GET", "/api/v1/namespaces/default")).status, 200);
    await new Promise((resolve) => setImmediate(resolve));
    between += 1;
  }
  assert.ok(between > 5, `${between} requests in between`);
  assert.equal((await held).status, 201);
});

const chain = Array.from({ length: 4000 }, (_, i) => ({ name: `v${i}`, expression: i === 0 ? "'x'" : `variables.v${i - 1} + 'x'` }));
const doubled = Array.from({ length: 40 }, (_, i) => ({
  name: `v${i}`,
  expression: i === 0 ? "'xxxxxxxx'" : `variables.v${i - 1} + variables.v${i - 1}`,
}));
const costly = Array.from({ length: 3000 }, (_, i) => ({ name: `v${i}`, expression: slow }));
const hostile = [
  { name: "variables that nest too deep", variables: chain, expression: "variables.v3999 != ''", message: /nests too deep/ },
  { name: "a text that doubles", variables: doubled, expression: "variables.v39 != ''", message: /actual cost limit exceeded/ },
  {
    name: "variables without end",
    variables: costly,
    expression: costly.map(({ name }) => `variables.${name}`).join(" && "),
    message: /running out of cost budget/,
  },
  {
    name: "a pattern that backtracks",
    variables: [],
    expression: `('${"a".repeat(5000)}!').matches('^(a+)+$')`,
    message: /failed expression/,
  },
  {
    name: "keys of prototypes",
    variables: [],
    expression: "has(object.constructor) || has(object.__proto__)",
    message: /failed expression/,
  },
];
for (const { name, variables, expression, message } of hostile)
  test(`${name}`, async () => {
    const api = await startApi();
    await addPolicy(api, "Validating", { variables, validations: [{ expression }] });
    const refused = await api.send("POST", configMaps, { body: configMap("a") });
    assert.equal(refused.status, 422);
    assert.match(refused.body.message, message);
    await removeBinding(api, "validating");
    assert.equal((await api.send("POST", configMaps, { body: configMap("a") })).status, 201);
  });
