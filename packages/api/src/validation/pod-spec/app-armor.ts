/**
 * AppArmor profiles that an annotation names, as it was before there was a field.
 * @see https://kep.k8s.io/24
 */
import { deepEqual } from "@coxswain/machinery";
import type { AppArmorProfile, Pod } from "@coxswain/types/core-v1";
import { visitContainers } from "../../pod-spec/visit-containers.ts";
import type { Errors } from "../checks.ts";
import { appArmorContainer } from "./annotations.ts";
import { validateAppArmorProfile } from "./security-context.ts";

const local = "localhost/";

/** The field that says the same; undefined when no field can. */
export function profileOfAnnotation(annotation: string): AppArmorProfile | undefined {
  if (annotation === "unconfined") return { type: "Unconfined" };
  if (annotation === "runtime/default") return { type: "RuntimeDefault" };
  const name = annotation.startsWith(local) ? annotation.slice(local.length) : "";
  return name === "" ? undefined : { type: "Localhost", localhostProfile: name };
}

export const useProfileField = 'deprecated since v1.30; use the "appArmorProfile" field instead';

/** Gives the containers of a new pod the profiles that annotations name, unless they have one, or the pod has the same. In place. */
export function takeAnnotatedProfiles({ metadata, spec }: Pod, warn: (text: string) => void): void {
  const { annotations } = metadata ?? {};
  if (!spec || !annotations || spec.os?.name === "windows") return;
  const podProfile = spec.securityContext?.appArmorProfile;
  visitContainers(spec, "", (container) => {
    const key = appArmorContainer + container.name;
    const annotation = annotations[key];
    if (annotation === undefined || container.securityContext?.appArmorProfile) return;
    const profile = profileOfAnnotation(annotation);
    const problems: Errors = [];
    validateAppArmorProfile(problems, "", profile);
    const usable = profile !== undefined && problems.length === 0;
    if (usable && deepEqual(profile, podProfile)) return;
    if (usable) container.securityContext = { ...container.securityContext, appArmorProfile: profile };
    warn(`metadata.annotations[${key}]: ${useProfileField}`);
  });
}
