/** Annotations of pods that carry settings: some are older spellings of fields. */
import { field } from "@coxswain/machinery";
import type { AppArmorProfile, PodSpec, SeccompProfile } from "@coxswain/types/core-v1";
import { visitContainers } from "../../pod-spec/visit-containers.ts";
import { type Errors, isSet } from "../checks.ts";
import { descendingPath } from "../paths.ts";
import { ratchet } from "../ratcheting.ts";

type Annotations = Readonly<Record<string, string>>;

export const mirrorPod = "kubernetes.io/config.mirror";
export const seccompPod = "seccomp.security.alpha.kubernetes.io/pod";
export const seccompContainer = "container.seccomp.security.alpha.kubernetes.io/";
export const appArmorContainer = "container.apparmor.security.beta.kubernetes.io/";
const deletionCost = "controller.kubernetes.io/pod-deletion-cost";

/** `path` is that of the annotations. */
export function validatePodAnnotations(out: Errors, path: string, annotations: Annotations | undefined, spec: Readonly<PodSpec>): void {
  if (!annotations) return;
  for (const [key, value] of Object.entries(annotations)) {
    if (key === mirrorPod && !spec.nodeName) {
      out.push(field.invalid(`${path}[${key}]`, value, "must set spec.nodeName if mirror pod annotation is set"));
    } else if (key === deletionCost && !isInt32(value)) {
      ratchet(out, "deletion cost", () => out.push(field.invalid(`${path}[${key}]`, value, "must be a 32bit integer")));
    } else if (key === seccompPod || key.startsWith(seccompContainer)) {
      validateSeccompName(out, `${path}.${key}`, value);
    } else if (key.startsWith(appArmorContainer)) {
      const container = key.slice(appArmorContainer.length);
      if (!hasContainer(spec, container)) out.push(field.invalid(`${path}[${key}]`, container, "container not found"));
      validateAppArmorName(out, `${path}[${key}]`, value);
    }
  }
}

const isInt32 = (text: string): boolean => /^(0|-?[1-9]\d{0,9})$/.test(text) && Number(text) >= -(2 ** 31) && Number(text) < 2 ** 31;

function validateSeccompName(out: Errors, path: string, name: string): void {
  if (name === "runtime/default" || name === "docker/default" || name === "unconfined") return;
  if (name.startsWith("localhost/")) descendingPath(out, path, name.slice("localhost/".length));
  else out.push(field.invalid(path, name, "must be a valid seccomp profile"));
}

function hasContainer(spec: Readonly<PodSpec>, name: string): boolean {
  let found = false;
  visitContainers(spec, "", (container) => {
    found ||= container.name === name;
  });
  return found;
}

function validateAppArmorName(out: Errors, path: string, name: string): void {
  if (name !== "" && name !== "runtime/default" && name !== "unconfined" && !name.startsWith("localhost/")) {
    out.push(field.invalid(path, name, `invalid AppArmor profile name: ${JSON.stringify(name)}`));
  }
}

/** Who says it both ways must say the same. `path` is the spec's. */
export function validateProfilesAgree(out: Errors, path: string, annotations: Annotations | undefined, spec: Readonly<PodSpec>): void {
  if (!annotations) return;
  const podContext = spec.securityContext;
  agree(out, `${path}.securityContext.seccompProfile`, annotations[seccompPod], podContext?.seccompProfile);
  visitContainers(spec, path, (container, at) => {
    const own = container.securityContext;
    agree(out, `${at}.securityContext.seccompProfile`, annotations[seccompContainer + container.name], own?.seccompProfile);
    if (spec.os?.name === "windows") return;
    const profile = own?.appArmorProfile ?? podContext?.appArmorProfile;
    agree(out, `${at}.securityContext.appArmorProfile`, annotations[appArmorContainer + container.name], profile);
  });
}

function agree(
  out: Errors,
  path: string,
  annotation: string | undefined,
  profile: Readonly<SeccompProfile | AppArmorProfile> | undefined,
): void {
  if (annotation === undefined || !isSet(profile)) return;
  const what = path.endsWith(".seccompProfile") ? "seccomp" : "apparmor";
  const sameType =
    (profile.type === "Unconfined" && annotation === "unconfined") ||
    (profile.type === "RuntimeDefault" && (annotation === "runtime/default" || (what === "seccomp" && annotation === "docker/default"))) ||
    (profile.type === "Localhost" && annotation.startsWith("localhost/")) ||
    !["Unconfined", "RuntimeDefault", "Localhost"].includes(profile.type);
  if (!sameType) out.push(field.forbidden(`${path}.type`, `${what} type in annotation and field must match`));
  else if (profile.type === "Localhost" && annotation !== `localhost/${profile.localhostProfile}`) {
    out.push(field.forbidden(`${path}.localhostProfile`, `${what} profile in annotation and field must match`));
  }
}

/** Some of them may only be set when the pod is made. */
export function validateAnnotationChange(out: Errors, path: string, next: Annotations = {}, prev: Annotations = {}): void {
  for (const key of new Set([...Object.keys(prev), ...Object.keys(next)])) {
    const what = key === mirrorPod ? "mirror pod annotation" : key.startsWith(appArmorContainer) ? "AppArmor annotations" : undefined;
    if (what === undefined || next[key] === prev[key]) continue;
    out.push(field.forbidden(`${path}[${key}]`, `${prev[key] === undefined ? "may not add" : "may not remove or update"} ${what}`));
  }
}
