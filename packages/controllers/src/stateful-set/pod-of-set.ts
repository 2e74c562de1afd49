/** A Pod as a StatefulSet makes it for an ordinal. */
import { statefulSets } from "@coxswain/client";
import { controllerReference } from "../shared/pods/claim.ts";
import { podFromTemplate } from "../shared/pods/pod-from-template.ts";
import type { Pod } from "../shared/pods/pod-state.ts";
import { nameOf, podNameAt, type StatefulSet, startOf, withIdentity, withRevision, withStorage } from "./identity.ts";
import type { Revision, Revisions } from "./set-state.ts";

export function podAt(set: StatefulSet, revisions: Revisions, ordinal: number): Pod {
  const { name, template } = revisionAt(set, revisions, ordinal);
  const pod = podFromTemplate(template, nameOf(set), controllerReference(set, statefulSets));
  const { serviceName } = set.spec ?? {};
  const network = { hostname: podNameAt(set, ordinal), ...(serviceName === undefined ? {} : { subdomain: serviceName }) };
  const spec = { containers: [], ...pod.spec, ...network };
  return withRevision(withStorage(set, withIdentity(set, { ...pod, spec }, ordinal), ordinal), name);
}

/** Below the partition a Pod that was lost comes back as it was. */
function revisionAt(set: StatefulSet, { current, update }: Revisions, ordinal: number): Revision {
  const { type, rollingUpdate } = set.spec?.updateStrategy ?? {};
  const kept = rollingUpdate === undefined ? (type === "RollingUpdate" ? (set.status?.currentReplicas ?? 0) : 0) : rollingUpdate.partition;
  return ordinal < startOf(set) + (kept ?? 0) ? current : update;
}
