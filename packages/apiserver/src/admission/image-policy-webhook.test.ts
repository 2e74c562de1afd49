import assert from "node:assert/strict";
import { test } from "node:test";
import { createResourceRegistry } from "@coxswain/api";
import { type KubeObject, ManualClock, StatusError } from "@coxswain/machinery";
import { waitUntil } from "@coxswain/machinery/testing";
import type { AdmissionRequest } from "../contracts/admission.ts";
import type { ImagePolicyConfiguration } from "../contracts/admission-configuration.ts";
import { servedResources } from "../storage/served-resource.ts";
import type { WebhookCall } from "../webhooks/webhook-caller.ts";
import { WebhookError } from "../webhooks/webhook-error.ts";
import { imagePolicyWebhook } from "./image-policy-webhook.ts";

const pods = servedResources(createResourceRegistry()).find("", "v1", "pods");

const settings: ImagePolicyConfiguration = {
  webhook: {
    url: "https://images.example/policy",
    caBundle: "Q0E=",
    serverName: "other",
    isUnchecked: false,
    credentials: { username: "u" },
  },
  allowedMs: 10_000,
  deniedMs: 1_000,
  retryBackoffMs: 0,
  defaultAllow: false,
};

const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

/** The plugin with a webhook that answers with these statuses, the last one again and again; an error stands for none. */
function setup(answers: readonly (object | Error)[], more: Partial<ImagePolicyConfiguration> = {}) {
  const clock = new ManualClock();
  const asked: WebhookCall[] = [];
  const call = async (one: WebhookCall): Promise<Buffer> => {
    asked.push(one);
    const answer = answers[Math.min(asked.length, answers.length) - 1] ?? {};
    if (answer instanceof Error) throw answer;
    return Buffer.from(JSON.stringify({ kind: "ImageReview", apiVersion: "imagepolicy.k8s.io/v1alpha1", ...answer }));
  };
  const configuration = { imagePolicy: { ...settings, ...more } };
  const plugin = imagePolicyWebhook.create({ webhooks: { call }, clock, random: { next: () => 0 }, log: silent, configuration });
  return { clock, asked, plugin };
}

const containers = [{ name: "c", image: "a" }];
const annotations = { "z.image-policy.k8s.io/b": "2", "a.image-policy.k8s.io/a": "1", "example.com/c": "3" };

function write(more: Partial<AdmissionRequest> & { readonly spec?: object } = {}): AdmissionRequest {
  assert.ok(pods);
  const { spec = { containers }, ...rest } = more;
  return {
    operation: "create",
    resource: pods,
    subresource: "",
    namespace: "n",
    name: "",
    user: { name: "tester", uid: "", groups: [], extra: {} },
    dryRun: true,
    object: { kind: "Pod", apiVersion: "v1", metadata: { name: "p", annotations }, spec } as KubeObject,
    previous: undefined,
    warnings: [],
    ...rest,
  };
}

const allowing = { status: { allowed: true } };
const transient = new WebhookError("later", { isTransient: true, httpCode: 500 });
const bodies = (asked: readonly WebhookCall[]): unknown[] => asked.map(({ body }) => JSON.parse(body.toString()).spec);

test("a webhook is asked about the images of containers and init containers, and the annotations that are for it", async () => {
  const { plugin, asked } = setup([allowing]);
  await plugin.validate?.(
    write({ spec: { containers, initContainers: [{ name: "i", image: "b" }], ephemeralContainers: [{ image: "e" }] } }),
  );
  const [{ client, credentials, identity, timeoutMs, body } = assert.fail()] = asked;
  assert.deepEqual(client, { url: "https://images.example/policy", caBundle: "Q0E=" });
  assert.deepEqual([credentials, identity?.serverName, timeoutMs], [{ username: "u" }, "other", 30_000]);
  assert.equal(
    body.toString(),
    '{"kind":"ImageReview","apiVersion":"imagepolicy.k8s.io/v1alpha1","metadata":{},"spec":{"containers":[{"image":"a"},{"image":"b"}],"annotations":{"a.image-policy.k8s.io/a":"1","z.image-policy.k8s.io/b":"2"},"namespace":"n"},"status":{"allowed":false}}',
  );
});

test("a webhook is asked about ephemeral containers alone when those are written", async () => {
  const { plugin, asked } = setup([allowing]);
  const spec = { containers, ephemeralContainers: [{ name: "e", image: "e" }] };
  await plugin.validate?.(write({ operation: "update", subresource: "ephemeralcontainers", spec }));
  assert.deepEqual(bodies(asked), [
    { containers: [{ image: "e" }], annotations: { "a.image-policy.k8s.io/a": "1", "z.image-policy.k8s.io/b": "2" }, namespace: "n" },
  ]);
});

const handled = [
  { operation: "create", subresource: "", handles: true },
  { operation: "update", subresource: "", handles: true },
  { operation: "update", subresource: "ephemeralcontainers", handles: true },
  { operation: "update", subresource: "status", handles: false },
  { operation: "update", subresource: "resize", handles: false },
  { operation: "create", subresource: "binding", handles: false },
  { operation: "delete", subresource: "", handles: false },
] as const;
for (const { operation, subresource, handles } of handled)
  test(`a webhook is ${handles ? "" : "not "}asked about a ${operation} of pods/${subresource}`, () => {
    const { plugin } = setup([]);
    const request = write({ operation, subresource });
    assert.equal(plugin.handles(request), handles);
    assert.equal(plugin.mayWait?.(operation, request.resource, subresource), handles);
  });

const denied = 'pods "p" is forbidden: ';
const refusals = [
  {
    answer: { status: { allowed: false, reason: "bad" } },
    message: `${denied}image policy webhook backend denied one or more images: bad`,
  },
  { answer: { status: { allowed: false } }, message: `${denied}one or more images rejected by webhook backend` },
  { answer: {}, message: `${denied}one or more images rejected by webhook backend` },
  { answer: new WebhookError("nobody is there"), message: `${denied}nobody is there` },
  {
    answer: { kind: "Pod", apiVersion: "v1" },
    message: `${denied}no kind "Pod" is registered for version "v1" in scheme "pkg/runtime/scheme.go:111"`,
  },
  {
    answer: { status: { allowed: "yes" } },
    message: `${denied}json: cannot unmarshal string into Go struct field ImageReviewStatus.status.allowed of type bool`,
  },
  { answer: new WebhookError("not you", { httpCode: 403, isStatus: true }), message: "not you" },
];
for (const { answer, message } of refusals)
  test(`a Pod is refused: ${message}`, async () => {
    const { plugin } = setup([answer]);
    await assert.rejects(
      async () => plugin.validate?.(write()),
      (error) => {
        assert.ok(error instanceof StatusError);
        assert.deepEqual([error.status.message, error.status.reason, error.status.code], [message, "Forbidden", 403]);
        return true;
      },
    );
  });

test("a Pod is admitted when the webhook cannot be asked and defaultAllow is set", async () => {
  const { plugin } = setup([new WebhookError("nobody is there")], { defaultAllow: true });
  const request = write();
  await plugin.validate?.(request);
  assert.deepEqual([...(request.auditAnnotations ?? [])], [["imagepolicywebhook.image-policy.k8s.io/failed-open", "true"]]);
});

test("audit annotations of the answer have the plugin's prefix, also of one that is kept", async () => {
  const { plugin, asked } = setup([{ status: { allowed: true, auditAnnotations: { why: "trusted" } } }]);
  for (let i = 0; i < 2; i++) {
    const request = write();
    await plugin.validate?.(request);
    assert.deepEqual([...(request.auditAnnotations ?? [])], [["imagepolicywebhook.image-policy.k8s.io/why", "trusted"]]);
  }
  assert.equal(asked.length, 1);
});

const kept = [
  { name: "approval", answer: allowing, ms: 10_000 },
  { name: "denial", answer: { status: { allowed: false } }, ms: 1_000 },
];
for (const { name, answer, ms } of kept)
  test(`an ${name} counts for as long as is configured, for the same question`, async () => {
    const { plugin, asked, clock } = setup([answer]);
    const ask = async (spec?: object): Promise<void> => {
      try {
        await plugin.validate?.(write(spec === undefined ? {} : { spec }));
      } catch (error) {
        assert.ok(error instanceof StatusError);
      }
    };
    await ask();
    clock.advance(ms - 1);
    await ask();
    assert.equal(asked.length, 1);
    await ask({ containers: [{ name: "c", image: "other" }] });
    assert.equal(asked.length, 2);
    clock.advance(1);
    await ask();
    assert.equal(asked.length, 3);
  });

test("a failure does not count any longer than for its Pod", async () => {
  const { plugin, asked } = setup([new WebhookError("nobody is there"), allowing]);
  await assert.rejects(async () => plugin.validate?.(write()));
  await plugin.validate?.(write());
  assert.equal(asked.length, 2);
});

test("what may go better is tried five times, with longer and longer pauses", async () => {
  const { plugin, asked, clock } = setup([transient], { retryBackoffMs: 100 });
  const outcome = assert.rejects(async () => plugin.validate?.(write()), { message: `${denied}later` });
  for (const pause of [100, 150, 225, 337.5]) {
    // One timer bounds the review, the other is the pause.
    await waitUntil("a pause", () => clock.waiting === 2);
    const before = asked.length;
    clock.advance(pause - 1);
    assert.equal(asked.length, before);
    clock.advance(1);
  }
  await outcome;
  assert.equal(asked.length, 5);
});

test("what goes better at the second try is no failure", async () => {
  const { plugin, asked } = setup([transient, allowing]);
  await plugin.validate?.(write());
  assert.equal(asked.length, 2);
});
