import assert from "node:assert/strict";
import { test } from "node:test";
import { createResourceRegistry } from "@coxswain/api";
import { type KubeObject, ManualClock } from "@coxswain/machinery";
import { createMemoryStore } from "@coxswain/store";
import type { AdmissionRequest } from "../../contracts/admission.ts";
import type { WebhookEvent } from "../../metrics/admission-webhooks.ts";
import { keyOf, servedResources } from "../../storage/served-resource.ts";
import { encodeObject, ObjectCache } from "../../storage/stored-object.ts";
import type { WebhookCall } from "../../webhooks/webhook-caller.ts";
import { WebhookError } from "../../webhooks/webhook-error.ts";
import { mutatingAdmissionWebhook } from "./mutating-admission-webhook.ts";
import { validatingAdmissionWebhook } from "./validating-admission-webhook.ts";
import type { GivenWebhook } from "./webhook-configurations.ts";

const served = servedResources(createResourceRegistry());

const resourceOf = (group: string, version: string, resource: string) => {
  const found = served.find(group, version, resource);
  assert.ok(found);
  return found;
};

const rules = [{ operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] }];
const hook = (name: string, more: Partial<GivenWebhook> = {}): GivenWebhook => ({
  name,
  rules,
  sideEffects: "None",
  admissionReviewVersions: ["v1"],
  clientConfig: { url: `https://example.com/${name}` },
  ...more,
});

/** What a webhook answers, by the path at which it is called; undefined for none. */
type Answers = Readonly<Record<string, object | undefined>>;

/** Both plugins with the same webhooks, before they have been started. */
async function setup(hooks: readonly GivenWebhook[], answers: Answers) {
  const clock = new ManualClock();
  const store = createMemoryStore({ clock });
  for (const kind of ["Mutating", "Validating"]) {
    const object = {
      kind: `${kind}WebhookConfiguration`,
      apiVersion: "admissionregistration.k8s.io/v1",
      metadata: { name: "all" },
      webhooks: hooks,
    };
    const resource = resourceOf("admissionregistration.k8s.io", "v1", `${kind.toLowerCase()}webhookconfigurations`);
    await store.write(
      { op: "put", key: keyOf(resource, "", "all"), value: encodeObject(object as KubeObject), expect: "absent" },
      { user: "tester" },
    );
  }
  const counted: WebhookEvent[] = [];
  const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
  const call = async ({ client, body }: WebhookCall): Promise<Buffer> => {
    const answer = answers[new URL(client.url ?? "").pathname.slice(1)];
    if (answer === undefined) throw new WebhookError("nobody is there");
    const { kind, apiVersion, request } = JSON.parse(body.toString());
    return Buffer.from(JSON.stringify({ kind, apiVersion, response: { uid: request.uid, allowed: true, ...answer } }));
  };
  const services = {
    store,
    cache: new ObjectCache(),
    served,
    clock,
    random: { next: () => 0, uuid: () => "u" },
    log: silent,
    configuration: {},
    webhooks: { call },
    authorize: () => ({ kind: "allow" as const, reason: "" }),
    metrics: { countWebhook: (event: WebhookEvent) => void counted.push(event) },
  };
  return { mutating: mutatingAdmissionWebhook.create(services), validating: validatingAdmissionWebhook.create(services), counted };
}

const create = (more: Partial<AdmissionRequest> = {}): AdmissionRequest => ({
  operation: "create",
  resource: resourceOf("", "v1", "configmaps"),
  subresource: "",
  namespace: "default",
  name: "a",
  user: { name: "tester", uid: "", groups: [], extra: {} },
  dryRun: false,
  object: { kind: "ConfigMap", apiVersion: "v1", metadata: { name: "a" }, data: { a: "1" } } as KubeObject,
  previous: undefined,
  warnings: [],
  ...more,
});

const patch = (...operations: readonly object[]): object => ({
  patchType: "JSONPatch",
  patch: Buffer.from(JSON.stringify(operations)).toString("base64"),
});

test("webhooks that are stored already count from the start, for what they match and nothing else", async () => {
  const { mutating, validating } = await setup([hook("a.example.com")], {});
  for (const plugin of [mutating, validating]) {
    assert.equal(plugin.handles(create()), false);
    using _following = await plugin.start?.();
    assert.equal(plugin.handles(create()), true);
    assert.equal(plugin.handles(create({ operation: "update" })), false);
    assert.equal(plugin.handles(create({ resource: resourceOf("", "v1", "secrets") })), false);
    assert.equal(plugin.mayWait?.("create", resourceOf("", "v1", "configmaps"), ""), true);
    assert.equal(plugin.mayWait?.("update", resourceOf("", "v1", "configmaps"), ""), false);
  }
});

test("no webhook is for what says which webhooks there are", async () => {
  const all = [{ operations: ["*"], apiGroups: ["*"], apiVersions: ["*"], resources: ["*/*"] }];
  const { mutating } = await setup([hook("a.example.com", { rules: all })], {});
  using _following = await mutating.start?.();
  const configurations = resourceOf("admissionregistration.k8s.io", "v1", "validatingwebhookconfigurations");
  assert.equal(mutating.handles(create({ resource: configurations })), false);
  assert.equal(mutating.mayWait?.("delete", configurations, ""), false);
  assert.equal(mutating.handles(create({ resource: resourceOf("", "v1", "secrets") })), true);
});

test("the audit log gets what webhooks say, whether they have changed anything, and which were passed over", async () => {
  const { mutating } = await setup([hook("adds"), hook("looks"), hook("gone", { failurePolicy: "Ignore" })], {
    adds: { ...patch({ op: "add", path: "/data/b", value: "2" }), auditAnnotations: { why: "missing" } },
    looks: { auditAnnotations: { why: "curious" }, warnings: ["seen"] },
  });
  using _following = await mutating.start?.();
  const request = create();
  await mutating.mutate?.(request);
  assert.deepEqual(request.object?.data, { a: "1", b: "2" });
  assert.deepEqual(request.warnings, ["seen"]);
  assert.equal(request.reinvocation?.needed, true);
  const mutation = (webhook: string, mutated: boolean): string => JSON.stringify({ configuration: "all", webhook, mutated });
  assert.deepEqual(Object.fromEntries(request.auditAnnotations ?? []), {
    "adds/why": "missing",
    "looks/why": "curious",
    "mutation.webhook.admission.k8s.io/round_0_index_0": mutation("adds", true),
    "mutation.webhook.admission.k8s.io/round_0_index_1": mutation("looks", false),
    "mutation.webhook.admission.k8s.io/round_0_index_2": mutation("gone", false),
    "failed-open.mutating.webhook.admission.k8s.io/round_0_index_2": "gone",
  });
});

test("a validating webhook that is passed over is noted too, and counted", async () => {
  const { validating, counted } = await setup([hook("gone", { failurePolicy: "Ignore" })], {});
  using _following = await validating.start?.();
  const request = create();
  await validating.validate?.(request);
  assert.deepEqual([...(request.auditAnnotations ?? [])], [["failed-open.validating.webhook.admission.k8s.io/round_0_index_0", "gone"]]);
  assert.deepEqual(
    counted.map(({ type, labels }) => [type, labels.name]),
    [
      ["fail open", "gone"],
      ["call", "gone"],
    ].toReversed(),
  );
});

test("a dry run asks no webhook that has effects of its own", async () => {
  const { mutating } = await setup([hook("a.example.com", { sideEffects: "Some" })], { "a.example.com": {} });
  using _following = await mutating.start?.();
  await assert.rejects(async () => mutating.mutate?.(create({ dryRun: true })), {
    name: "StatusError",
    message: 'admission webhook "a.example.com" does not support dry run',
  });
  await mutating.mutate?.(create());
});

test("a deletion cannot be changed", async () => {
  const deletions = [{ ...rules[0], operations: ["DELETE"] }];
  const { mutating } = await setup([hook("a", { rules: deletions, failurePolicy: "Ignore" })], {
    a: patch({ op: "add", path: "/data/b", value: "2" }),
  });
  using _following = await mutating.start?.();
  const { object: previous } = create();
  await assert.rejects(async () => mutating.mutate?.(create({ operation: "delete", object: undefined, previous })), {
    message: 'Internal error occurred: admission webhook "a" attempted to modify the object, which is not supported for this operation',
  });
});
