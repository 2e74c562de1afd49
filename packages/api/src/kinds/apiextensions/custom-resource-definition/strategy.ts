import { field } from "@coxswain/machinery";
import type { CustomResourceDefinition, CustomResourceDefinitionStatus } from "@coxswain/types/apiextensions-v1";
import { lazyModule } from "../../../dynamic/lazy-module.ts";
import { defineKind } from "../../../strategy/strategy.ts";
import { nameAndCreationTime } from "../../../table/columns.ts";
import type { Errors } from "../../../validation/checks.ts";
import { noteCondition } from "./naming-conditions.ts";
import { customResourceDefinitionSubresources } from "./subresources.ts";

const validation = lazyModule(() => import("./validation.ts"));
const formatWarnings = lazyModule(() => import("./format-warnings.ts"));

/** @see https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/ */
export const customResourceDefinition = defineKind<CustomResourceDefinition>({
  type: "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition",
  finalizers: "any",
  allowUnconditionalUpdate: false,
  // Its own finalizer takes the place of the collector's.
  garbageCollected: false,
  mayBeRemoved: ({ metadata }) => metadata?.deletionTimestamp !== undefined,
  markDeleting,
  defaults(crd) {
    const { spec } = crd;
    if (spec === undefined) return;
    const { names } = spec;
    if (names !== undefined) {
      names.singular ||= names.kind?.toLowerCase() ?? "";
      if (names.kind) names.listKind ||= `${names.kind}List`;
    }
    spec.conversion ??= { strategy: "None" };
    const service = spec.conversion.webhook?.clientConfig?.service;
    if (service !== undefined) service.port ??= 443;
    if ((crd.status?.storedVersions ?? []).length === 0) noteStorageVersion(crd);
  },
  prepareForCreate(crd) {
    crd.status = unknownStatus();
    noteStorageVersion(crd);
  },
  prepareForUpdate: (next) => noteStorageVersion(next),
  validateCreate: (crd) => {
    const { metadata, spec } = crd;
    const out: Errors = [];
    if (metadata?.name && metadata.name !== `${spec?.names?.plural ?? ""}.${spec?.group ?? ""}`) {
      out.push(field.invalid("metadata.name", metadata.name, 'must be spec.names.plural+"."+spec.group'));
    }
    validation().validateDefinition(out, crd);
    return out;
  },
  validateUpdate: (next, prev) => {
    const out: Errors = [];
    validation().validateDefinition(out, next, prev);
    return out;
  },
  subresources: customResourceDefinitionSubresources,
  warnings: (next, prev) => formatWarnings().formatWarnings(next, prev),
  columns: nameAndCreationTime,
});

/** Before any controller has seen it. Answers show the conditions that there are none of. */
const unknownStatus = (): CustomResourceDefinitionStatus =>
  Object.assign({ conditions: null }, { acceptedNames: { plural: "", kind: "" } } as CustomResourceDefinitionStatus);

type Definition = Readonly<CustomResourceDefinition>;

const cleanup = "customresourcecleanup.apiextensions.k8s.io";

/** The instances go first. Nothing but that is noted: no grace period, and no generation. A later delete does not begin again. */
function markDeleting(crd: CustomResourceDefinition, prev: Definition): void {
  const { metadata, status } = crd;
  if (metadata === undefined || prev.metadata?.deletionTimestamp !== undefined || metadata.finalizers?.includes(cleanup)) return;
  delete metadata.deletionGracePeriodSeconds;
  if (prev.metadata?.generation !== undefined) metadata.generation = prev.metadata.generation;
  metadata.finalizers = [...(metadata.finalizers ?? []), cleanup];
  const pending = {
    type: "Terminating",
    status: "True",
    reason: "InstanceDeletionPending",
    message: "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon",
  };
  crd.status = { ...status, conditions: noteCondition(status?.conditions ?? [], pending, metadata.deletionTimestamp ?? "") };
}

/** A version that was once the storage version stays listed until its objects have been migrated. */
function noteStorageVersion(crd: CustomResourceDefinition): void {
  const storage = crd.spec?.versions?.find((version) => version.storage)?.name;
  const stored = crd.status?.storedVersions ?? [];
  if (storage !== undefined && !stored.includes(storage)) crd.status = { ...crd.status, storedVersions: [...stored, storage] };
}
