import assert from "node:assert/strict";
import { test } from "node:test";
import { createResourceRegistry } from "@coxswain/api";
import { isNotFound, type KubeObject, ManualClock } from "@coxswain/machinery";
import { createMemoryStore } from "@coxswain/store";
import type { AdmissionRequest } from "../../contracts/admission.ts";
import { keyOf, servedResources } from "../../storage/served-resource.ts";
import { encodeObject, ObjectCache } from "../../storage/stored-object.ts";
import { kindOf, optionsOf } from "./attributes.ts";
import { inVersion } from "./in-version.ts";
import { compileCriteria, type GivenCriteria, isAdmissionConfiguration, RequestMatcher } from "./request-matcher.ts";
import type { GivenRule } from "./rules.ts";

const served = servedResources(createResourceRegistry());

const resourceOf = (path: string) => {
  const [group = "", version = "", resource = ""] = path.split("/");
  const found = served.find(group, version, resource);
  assert.ok(found, path);
  return found;
};

const storedNamespace: KubeObject = { kind: "Namespace", apiVersion: "v1", metadata: { name: "blue", labels: { tier: "front" } } };

async function createMatcher(): Promise<RequestMatcher> {
  const store = createMemoryStore({ clock: new ManualClock() });
  const key = keyOf(resourceOf("/v1/namespaces"), "", "blue");
  await store.write({ op: "put", key, value: encodeObject(storedNamespace), expect: "absent" }, { user: "tester" });
  return new RequestMatcher({ store, cache: new ObjectCache(), served });
}

type Asked = Partial<Omit<AdmissionRequest, "resource">> & { readonly on: string };

const request = ({ on, ...rest }: Asked): AdmissionRequest => ({
  operation: "create",
  resource: resourceOf(on),
  subresource: "",
  namespace: "",
  name: "n",
  user: { name: "tester", uid: "", groups: [], extra: {} },
  dryRun: false,
  object: undefined,
  previous: undefined,
  warnings: [],
  ...rest,
});

const rule = (resources: readonly string[], more: GivenRule = {}): GivenRule => ({
  operations: ["*"],
  apiGroups: ["*"],
  apiVersions: ["*"],
  resources,
  ...more,
});

const labelled = (labels: Record<string, string>): KubeObject => ({ metadata: { labels } });
const pods = "/v1/pods";
const cases: readonly { readonly name: string; readonly asked: Asked; readonly given: GivenCriteria; readonly as: string | undefined }[] = [
  { name: "a resource by its name", asked: { on: pods }, given: { rules: [rule(["pods"])] }, as: "v1" },
  {
    name: "no subresource by the name of its resource",
    asked: { on: pods, subresource: "exec" },
    given: { rules: [rule(["pods", "*"])] },
    as: undefined,
  },
  { name: "every subresource of one resource", asked: { on: pods, subresource: "exec" }, given: { rules: [rule(["pods/*"])] }, as: "v1" },
  { name: "the resource too by a rule for its subresources", asked: { on: pods }, given: { rules: [rule(["pods/*"])] }, as: "v1" },
  {
    name: "one subresource of every resource",
    asked: { on: "apps/v1/deployments", subresource: "scale" },
    given: { rules: [rule(["*/scale"])] },
    as: "apps/v1",
  },
  {
    name: "every resource, but none of its subresources",
    asked: { on: "apps/v1/deployments", subresource: "scale" },
    given: { rules: [rule(["*"])] },
    as: undefined,
  },
  { name: "everything", asked: { on: pods, subresource: "exec", operation: "connect" }, given: { rules: [rule(["*/*"])] }, as: "v1" },
  {
    name: "not another operation",
    asked: { on: pods, operation: "delete" },
    given: { rules: [rule(["pods"], { operations: ["CREATE", "UPDATE"] })] },
    as: undefined,
  },
  { name: "not another group", asked: { on: pods }, given: { rules: [rule(["pods"], { apiGroups: ["apps"] })] }, as: undefined },
  { name: "the core group by its empty name", asked: { on: pods }, given: { rules: [rule(["pods"], { apiGroups: [""] })] }, as: "v1" },
  {
    name: "another version only where they are equivalent",
    asked: { on: "autoscaling/v1/horizontalpodautoscalers" },
    given: { matchPolicy: "Exact", rules: [rule(["horizontalpodautoscalers"], { apiVersions: ["v2"] })] },
    as: undefined,
  },
  {
    name: "an equivalent version",
    asked: { on: "autoscaling/v1/horizontalpodautoscalers" },
    given: { matchPolicy: "Equivalent", rules: [rule(["horizontalpodautoscalers"], { apiVersions: ["v2"] })] },
    as: "autoscaling/v2",
  },
  {
    name: "an equivalent group",
    asked: { on: "/v1/events" },
    given: { matchPolicy: "Equivalent", rules: [rule(["events"], { apiGroups: ["events.k8s.io"] })] },
    as: "events.k8s.io/v1",
  },
  {
    name: "its own version before an equivalent one",
    asked: { on: "autoscaling/v1/horizontalpodautoscalers" },
    given: { matchPolicy: "Equivalent", rules: [rule(["horizontalpodautoscalers"], { apiVersions: ["v2"] }), rule(["*"])] },
    as: "autoscaling/v1",
  },
  {
    name: "namespaced requests",
    asked: { on: pods, namespace: "blue" },
    given: { rules: [rule(["*"], { scope: "Namespaced" })] },
    as: "v1",
  },
  {
    name: "no cluster-scoped request as a namespaced one",
    asked: { on: "/v1/nodes" },
    given: { rules: [rule(["*"], { scope: "Namespaced" })] },
    as: undefined,
  },
  {
    name: "a Namespace as cluster-scoped",
    asked: { on: "/v1/namespaces", namespace: "blue", name: "blue" },
    given: { rules: [rule(["*"], { scope: "Cluster" })] },
    as: "v1",
  },
  {
    name: "a Namespace never as namespaced",
    asked: { on: "/v1/namespaces", namespace: "blue", name: "blue" },
    given: { rules: [rule(["*"], { scope: "Namespaced" })] },
    as: undefined,
  },
  {
    name: "an object by its labels",
    asked: { on: pods, object: labelled({ app: "web" }) },
    given: { rules: [rule(["*"])], objectSelector: { matchLabels: { app: "web" } } },
    as: "v1",
  },
  {
    name: "an object by the labels that it had",
    asked: { on: pods, object: labelled({}), previous: labelled({ app: "web" }) },
    given: { rules: [rule(["*"])], objectSelector: { matchLabels: { app: "web" } } },
    as: "v1",
  },
  {
    name: "no object with other labels",
    asked: { on: pods, object: labelled({ app: "db" }) },
    given: { rules: [rule(["*"])], objectSelector: { matchLabels: { app: "web" } } },
    as: undefined,
  },
  {
    name: "no request without an object by labels, even by those that may not be there",
    asked: { on: pods, operation: "connect" },
    given: { rules: [rule(["*"])], objectSelector: { matchExpressions: [{ key: "app", operator: "DoesNotExist" }] } },
    as: undefined,
  },
  { name: "nothing without rules", asked: { on: pods }, given: {}, as: undefined },
  { name: "an object by its name", asked: { on: pods, name: "a" }, given: { rules: [rule(["*"], { resourceNames: ["a"] })] }, as: "v1" },
  {
    name: "no object with another name",
    asked: { on: pods, name: "b" },
    given: { rules: [rule(["*"], { resourceNames: ["a"] })] },
    as: undefined,
  },
  { name: "nothing that is excluded", asked: { on: pods }, given: { rules: [rule(["*"])], excludeRules: [rule(["pods"])] }, as: undefined },
];
for (const { name, asked, given, as } of cases)
  test(`Criteria match ${name}`, async () => {
    const matcher = await createMatcher();
    const found = matcher.resourceFor(request(asked), compileCriteria(given));
    assert.equal(found && served.of(found.definition).apiVersion, as);
  });

test("Criteria of policies match everything where they have no rules", async () => {
  const matcher = await createMatcher();
  assert.ok(matcher.resourceFor(request({ on: pods }), compileCriteria({}, "everything")));
});

const front: GivenCriteria = { namespaceSelector: { matchLabels: { tier: "front" } } };
const namespaces: readonly { readonly name: string; readonly asked: Asked; readonly matches: boolean }[] = [
  { name: "what is in a namespace with the labels", asked: { on: pods, namespace: "blue" }, matches: true },
  { name: "what is in no namespace", asked: { on: "/v1/nodes" }, matches: true },
  {
    name: "a Namespace by the labels that it is to have",
    asked: { on: "/v1/namespaces", name: "blue", object: labelled({}) },
    matches: false,
  },
  {
    name: "a Namespace that is deleted by those that it has",
    asked: { on: "/v1/namespaces", operation: "delete", name: "blue" },
    matches: true,
  },
  {
    name: "a Namespace's subresource by those that it has",
    asked: { on: "/v1/namespaces", operation: "update", subresource: "finalize", name: "blue", object: labelled({}) },
    matches: true,
  },
];
for (const { name, asked, matches } of namespaces)
  test(`A namespace selector: ${name} ${matches ? "matches" : "does not match"}`, async () => {
    const matcher = await createMatcher();
    assert.equal(await matcher.matchesNamespace(request(asked), compileCriteria(front)), matches);
  });

test("A namespace selector refuses a request in a namespace that is not there", async () => {
  const matcher = await createMatcher();
  await assert.rejects(
    async () => matcher.matchesNamespace(request({ on: pods, namespace: "red" }), compileCriteria(front)),
    (error) => isNotFound(error) && error.message === 'namespaces "red" not found',
  );
});

test("What says which webhooks and policies there are is exempt", () => {
  assert.ok(isAdmissionConfiguration(resourceOf("admissionregistration.k8s.io/v1/mutatingwebhookconfigurations")));
  assert.ok(isAdmissionConfiguration(resourceOf("admissionregistration.k8s.io/v1/validatingadmissionpolicybindings")));
  assert.ok(!isAdmissionConfiguration(resourceOf(pods)));
});

test("The kind of a request is that of its subresource", () => {
  const { group, version, kind } = kindOf(resourceOf("apps/v1/deployments"), "scale");
  assert.deepEqual([group, version, kind], ["autoscaling", "v1", "Scale"]);
  assert.equal(kindOf(resourceOf(pods), "exec").kind, "PodExecOptions");
  assert.equal(kindOf(resourceOf(pods), "status").kind, "Pod");
});

test("Options are those of the operation, with what the client asked for", () => {
  const asked = { on: pods, options: new URLSearchParams("fieldManager=me&fieldValidation=Strict&dryRun=All"), dryRun: true };
  const head = { apiVersion: "meta.k8s.io/v1", dryRun: ["All"] };
  assert.deepEqual(optionsOf(request(asked)), { kind: "CreateOptions", ...head, fieldManager: "me", fieldValidation: "Strict" });
  const options = { dryRun: false, gracePeriodSeconds: 3, propagationPolicy: "Background", preconditions: { uid: "u" } } as const;
  assert.deepEqual(optionsOf(request({ on: pods, operation: "delete", options })), {
    kind: "DeleteOptions",
    apiVersion: "meta.k8s.io/v1",
    gracePeriodSeconds: 3,
    propagationPolicy: "Background",
    preconditions: { uid: "u" },
  });
  assert.equal(optionsOf(request({ on: pods, operation: "connect" })), undefined);
});

test("An object is converted to the version of the resource that matched, and a Scale never", async () => {
  const [v1, v2] = [resourceOf("autoscaling/v1/horizontalpodautoscalers"), resourceOf("autoscaling/v2/horizontalpodautoscalers")];
  const object = { kind: "HorizontalPodAutoscaler", apiVersion: "autoscaling/v1", spec: { targetCPUUtilizationPercentage: 70 } };
  const converted = await inVersion(served, object as KubeObject, { from: v1, to: v2, subresource: "" });
  assert.equal(converted.apiVersion, "autoscaling/v2");
  assert.ok("metrics" in ((converted.spec ?? {}) as object));
  assert.equal(await inVersion(served, object as KubeObject, { from: v1, to: v1, subresource: "" }), object);
  const deployments = resourceOf("apps/v1/deployments");
  assert.equal(await inVersion(served, object as KubeObject, { from: deployments, to: v2, subresource: "scale" }), object);
});
