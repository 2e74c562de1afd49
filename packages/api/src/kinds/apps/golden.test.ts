/** Pods and workloads against the recorded answers of Kubernetes: what it fills in, and what it refuses with which words. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { DecodeReport, decodeInto, field, type KubeObject, type StatusCause } from "@coxswain/machinery";
import { builtinResources } from "../../registry/registry.ts";
import { validateObjectMeta } from "../../validation/metadata/object-meta.ts";

const golden = new URL("../../../../../tests/golden/", import.meta.url);
const kinds = new Set([
  ...["Pod", "PodTemplate", "ReplicationController", "Deployment", "ReplicaSet"],
  ...["StatefulSet", "DaemonSet", "ControllerRevision", "Job", "CronJob"],
]);
const uid = "00000000-0000-4000-8000-000000000000";
const now = "2026-01-02T03:04:05Z";

interface Step {
  readonly name: string;
  readonly method: string;
  readonly body?: KubeObject;
}
interface Answer {
  readonly status: number;
  readonly body: KubeObject & { readonly details?: { readonly causes?: readonly StatusCause[] }; readonly message?: string };
}

const read = (path: string) => JSON.parse(readFileSync(new URL(path, golden), "utf8"));

for (const scenario of ["defaults", "invalid", "workloads", "patch"]) {
  const steps: readonly Step[] = read(`scenarios/${scenario}.json`).steps;
  const answers: readonly Answer[] = read(`expected/${scenario}.json`).answers;
  test(`${scenario}: answers as Kubernetes does`, async (t) => {
    for (const [i, { name, method, body }] of steps.entries()) {
      const answer = answers[i];
      if (method !== "POST" || body === undefined || answer === undefined || !kinds.has(body.kind ?? "")) continue;
      // What cannot even be decoded never reaches the kind.
      if (answer.status !== 400) await t.test(name, () => check(body, answer));
    }
  });
}

function check(body: KubeObject, { status, body: expected }: Answer): void {
  const { object, causes } = create(body);
  assert.deepEqual(asLines(causes), asLines(expected.details?.causes ?? []));
  if (status >= 400) return;
  assert.deepEqual(comparable(object), comparable(withoutAdmission(expected)));
}

/** What the server does with a new object, without the server. */
function create(body: KubeObject): { object: KubeObject; causes: readonly StatusCause[] } {
  const definition = builtinResources().find(
    (d) => d.kind === body.kind && (d.group === "" ? d.version : `${d.group}/${d.version}`) === body.apiVersion,
  );
  assert.ok(definition !== undefined);
  const object = structuredClone(body);
  decodeInto(definition.type, object, new DecodeReport());
  const { strategy } = definition;
  strategy.defaults?.(object);
  object.metadata = Object.assign(object.metadata ?? {}, { uid, creationTimestamp: now, namespace: "ns", generation: 1 });
  strategy.prepareForCreate?.(object);
  const errors = [
    ...validateObjectMeta(object, { namespaced: true, name: strategy.name }),
    ...(strategy.validate?.(object) ?? []),
    ...(strategy.validateCreate?.(object) ?? []),
  ];
  return { object, causes: errors.map(field.causeOf) };
}

/** Priorities and tolerations of all pods come from admission, not from the kind. */
function withoutAdmission(answer: KubeObject): KubeObject {
  if (answer.kind !== "Pod") return answer;
  const { priority: _, preemptionPolicy: __, tolerations, ...spec } = answer.spec as { tolerations: { key: string }[] } & KubeObject;
  const own = tolerations.filter(({ key }) => !key.startsWith("node.kubernetes.io/"));
  return { ...answer, spec: { ...spec, ...(own.length > 0 ? { tolerations: own } : {}) } };
}

/** Random and time-dependent values and what the store adds do not count. */
function comparable(value: unknown): unknown {
  const text = JSON.stringify(value, (key, v) => (key === "managedFields" || key === "resourceVersion" ? undefined : v));
  return JSON.parse(withOrdinals(text).replaceAll('"namespace":"NS"', '"namespace":"ns"'));
}

const withOrdinals = (text: string): string =>
  text
    .replaceAll(uid, "UID")
    .replaceAll(/uid#\d+/g, "UID")
    .replaceAll(now, "TIME");

const asLines = (causes: readonly StatusCause[]): readonly string[] =>
  [...new Set(causes.map(({ reason, field: at, message }) => withOrdinals(`${at} ${reason} ${message}`)))].sort();
