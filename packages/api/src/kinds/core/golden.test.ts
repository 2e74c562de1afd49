/** Runs the everyday kinds on the bodies whose answers were recorded from Kubernetes, as far as one kind decides them. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import { DecodeReport, decodeInto, field, type KubeObject, type ObjectMeta, type StatusCause } from "@coxswain/machinery";
import { loadDynamic } from "../../dynamic/lazy-module.ts";
import { createResourceRegistry, type ResourceRegistry } from "../../registry/registry.ts";
import type { ResourceDefinition } from "../../registry/resource-definition.ts";
import { validateObjectMeta } from "../../validation/metadata/object-meta.ts";

before(loadDynamic);

const golden = join(import.meta.dirname, "../../../../../tests/golden");
const kinds = new Set([
  ...["Service", "ConfigMap", "Secret", "Namespace", "Node", "Event", "ServiceAccount", "PersistentVolume", "PersistentVolumeClaim"],
  ...["Endpoints", "Ingress", "IngressClass", "PodDisruptionBudget", "Role", "ClusterRole", "RoleBinding", "ClusterRoleBinding", "Lease"],
  ...["StorageClass", "ResourceQuota", "LimitRange", "EndpointSlice", "NetworkPolicy", "HorizontalPodAutoscaler", "PriorityClass"],
  ...["CSIDriver", "RuntimeClass", "ValidatingWebhookConfiguration", "CertificateSigningRequest"],
]);

interface Step {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly body?: KubeObject;
  readonly type?: string;
}
interface Answer {
  readonly status: number;
  readonly body: KubeObject & { readonly details?: { readonly causes?: readonly StatusCause[] } };
}

const read = (file: string): Record<string, unknown[]> => JSON.parse(readFileSync(join(golden, file), "utf8"));

/** Left out of recorded objects: what other parts of the server add. */
const elsewhere: Readonly<Record<string, (object: KubeObject) => void>> = {
  Node: (o) => delete (o.spec as { taints?: unknown }).taints,
  PersistentVolume: (o) => delete o.metadata?.finalizers,
  PersistentVolumeClaim: (o) => delete o.metadata?.finalizers,
  // Families are those of the cluster.
  Service: ({ spec = {} }) => {
    for (const key of ["ipFamilies", "ipFamilyPolicy"]) delete (spec as Record<string, unknown>)[key];
  },
};

function create(definition: ResourceDefinition, body: KubeObject): { object: KubeObject; causes: StatusCause[] } {
  const object: KubeObject = structuredClone(body);
  const { strategy, namespaced } = definition;
  decodeInto(definition.type, object, new DecodeReport());
  strategy.defaults?.(object);
  const { selfLink: _, ...metadata }: ObjectMeta & { selfLink?: string } = object.metadata ?? {};
  delete metadata.deletionTimestamp;
  object.metadata = metadata;
  object.metadata.creationTimestamp = "2026-01-01T00:00:00Z";
  if (namespaced) object.metadata.namespace ||= "ns";
  const counts = strategy.generation !== undefined || definition.type.fields.has("spec");
  if (strategy.generation !== "never" && counts) object.metadata.generation = 1;
  strategy.prepareForCreate?.(object);
  const errors = [
    ...validateObjectMeta(object, { namespaced, name: strategy.name }),
    ...(strategy.validate?.(object) ?? []),
    ...(strategy.validateCreate?.(object) ?? []),
  ];
  return { object, causes: errors.map(field.causeOf) };
}

/** As the recorded answers are written: random and time-dependent values replaced. */
function normalised(object: KubeObject): unknown {
  const copy = JSON.parse(JSON.stringify(object, (key, value) => (/Timestamp$|Time$/.test(key) && value !== null ? "TIME" : value)));
  for (const key of ["uid", "resourceVersion", "managedFields"]) delete copy.metadata[key];
  return copy;
}

const sorted = (causes: readonly StatusCause[]): readonly string[] =>
  causes.map(({ field, reason, message }) => JSON.stringify([field, reason, message])).sort();

/** The recorded namespace NS stands for any; "ns" is one that is valid. */
const withValidNamespace = <T>(value: T): T =>
  JSON.parse(
    JSON.stringify(value)
      .replaceAll(/NS|\$\{ns\}/g, "ns")
      .replaceAll(/\$\{[^}]+\.uid\}/g, "uid#2"),
  );

function check(registry: ResourceRegistry, step: Step, answer: Answer): void {
  const [group = "", version = ""] = step.path.startsWith("/apis/") ? step.path.split("/").slice(2, 4) : ["", "v1"];
  const definition = registry.byKind(group, version, step.body?.kind ?? "");
  assert.ok(definition !== undefined && step.body !== undefined);
  const { object, causes } = create(definition, withValidNamespace(step.body));
  if (answer.status === 422) {
    assert.deepEqual(sorted(withValidNamespace(causes)), sorted(withValidNamespace(answer.body.details?.causes ?? [])));
    return;
  }
  assert.deepEqual(causes, []);
  const expected = normalised(withValidNamespace(answer.body)) as KubeObject;
  elsewhere[definition.kind]?.(expected);
  assert.deepEqual(normalised(object), expected);
}

for (const scenario of ["defaults", "invalid", "metadata", "bad-requests"]) {
  test(`creates as recorded in ${scenario}`, async (t) => {
    const registry = createResourceRegistry();
    const answers = read(`expected/${scenario}.json`).answers as Answer[];
    for (const [i, step] of (read(`scenarios/${scenario}.json`).steps as Step[]).entries()) {
      const answer = answers[i];
      if (step.method !== "POST" || typeof step.body !== "object" || answer === undefined || step.type !== undefined) continue;
      if (!kinds.has(step.body.kind ?? "") || ![201, 422].includes(answer.status)) continue;
      if (step.body.metadata?.generateName !== undefined || /[?&](fieldValidation|dryRun=some)/.test(step.path)) continue;
      await t.test(step.name, () => check(registry, step, answer));
    }
  });
}
