import { validateDns1123Label } from "@coxswain/machinery";
import type { Pod, PodCondition } from "@coxswain/types/core-v1";
import { defaultPod } from "../../../pod-spec/defaults.ts";
import { dropDisabledFields } from "../../../pod-spec/disabled-fields.ts";
import { qosClass } from "../../../pod-spec/qos.ts";
import { defineKind, type Requester } from "../../../strategy/strategy.ts";
import { takeAnnotatedProfiles } from "../../../validation/pod-spec/app-armor.ts";
import { addLabelRequirements } from "../../../validation/pod-spec/match-label-keys.ts";
import { podWarnings } from "../../../validation/pod-spec/warnings.ts";
import { podColumns } from "./columns.ts";
import { podSubresources } from "./subresources.ts";
import { validatePodUpdate } from "./update-validation.ts";
import { validateNewPod, validatePod } from "./validation.ts";

export const pod = defineKind<Pod>({
  type: "io.k8s.api.core.v1.Pod",
  metadataPasses: ["changes", "whole"],
  returnDeletedObject: true,
  defaults: defaultPod,
  prepareForCreate,
  prepareForUpdate: (next, prev) => dropDisabledFields(next.spec, prev.spec),
  subresources: podSubresources,
  validate: validatePod,
  validateCreate: validateNewPod,
  validateUpdate: validatePodUpdate,
  warnings: (next, prev) => (prev === undefined ? newPodWarnings(next) : []),
  checkGracefulDelete: gracePeriodSeconds,
  selectableFields: ({ spec, status }) => ({
    "spec.nodeName": spec?.nodeName ?? "",
    "spec.restartPolicy": spec?.restartPolicy ?? "",
    "spec.schedulerName": spec?.schedulerName ?? "",
    "spec.serviceAccountName": spec?.serviceAccountName ?? "",
    "spec.hostNetwork": String(spec?.hostNetwork ?? false),
    "status.phase": status?.phase ?? "",
    "status.podIP": status?.podIPs?.[0]?.ip ?? "",
    "status.podIPs": status?.podIPs?.[0]?.ip ?? "",
    "status.nominatedNodeName": status?.nominatedNodeName ?? "",
  }),
  columns: podColumns,
});

/** Clients cannot bring a status along. */
function prepareForCreate(obj: Pod, _by: Requester | undefined, warn: (text: string) => void = () => {}): void {
  const { metadata, spec } = obj;
  if (!spec) return;
  dropDisabledFields(spec, undefined);
  addLabelRequirements(obj);
  takeAnnotatedProfiles(obj, warn);
  obj.status = { phase: "Pending", qosClass: qosClass(spec) };
  if (spec.schedulingGates?.length) obj.status.conditions = [gatedSince(metadata?.creationTimestamp)];
}

function gatedSince(time: string | undefined): PodCondition {
  const condition: PodCondition = {
    type: "PodScheduled",
    status: "False",
    reason: "SchedulingGated",
    message: "Scheduling is blocked due to non-empty scheduling gates",
    ...(time === undefined ? {} : { lastTransitionTime: time }),
  };
  // Kubernetes prints this time even when it was never set.
  return Object.assign({ lastProbeTime: null }, condition);
}

function newPodWarnings({ metadata, spec }: Readonly<Pod>): string[] {
  const problems = validateDns1123Label(metadata?.name ?? "");
  const recommended = "this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended";
  const ofName = problems.length === 0 ? [] : [`metadata.name: ${recommended}: [${problems.join(" ")}]`];
  return [...ofName, ...(spec ? podWarnings("", spec, metadata) : [])];
}

/** What no node runs, or what has ended, needs no time to end. */
function gracePeriodSeconds({ spec, status }: Readonly<Pod>, asked: number | undefined): number {
  if (!spec?.nodeName || status?.phase === "Failed" || status?.phase === "Succeeded") return 0;
  const seconds = asked ?? spec.terminationGracePeriodSeconds ?? 0;
  return seconds < 0 ? 1 : seconds;
}
