/** Capabilities, users and volumes of containers. @see https://kubernetes.io/docs/concepts/security/pod-security-standards/ */
import type { SecurityContext } from "@coxswain/types/core-v1";
import {
  type Check,
  type CheckPod,
  containersOf,
  named,
  namesByContext,
  namesWhere,
  quoted,
  setters,
  sorted,
  unlessUserNamespace,
  unlessWindows,
  uses,
} from "./check.ts";

const usualCapabilities = [
  "AUDIT_WRITE",
  "CHOWN",
  "DAC_OVERRIDE",
  "FOWNER",
  "FSETID",
  "KILL",
  "MKNOD",
  "NET_BIND_SERVICE",
  "SETFCAP",
  "SETGID",
  "SETPCAP",
  "SETUID",
  "SYS_CHROOT",
];

/** What containers add beyond what is allowed, as a sentence. */
function addedCapabilities(pod: Parameters<CheckPod>[0], allowed: readonly string[]): string | undefined {
  const forbiddenOf = ({ capabilities }: Readonly<SecurityContext>): string[] =>
    (capabilities?.add ?? []).filter((one) => !allowed.includes(one));
  const names = namesByContext(pod, (context) => forbiddenOf(context).length > 0);
  if (names.length === 0) return undefined;
  const added = sorted(
    containersOf(pod).flatMap(({ securityContext }) => (securityContext === undefined ? [] : forbiddenOf(securityContext))),
  );
  return `${named("container", names)} must not include ${quoted(added)} in securityContext.capabilities.add`;
}

const capabilitiesBaseline: Check = {
  id: "capabilities_baseline",
  level: "baseline",
  versions: [
    {
      since: 0,
      check(pod) {
        const detail = addedCapabilities(pod, usualCapabilities);
        return detail === undefined ? undefined : { reason: "non-default capabilities", detail };
      },
    },
  ],
};

const restrictCapabilities: CheckPod = (pod) => {
  const keeping = namesWhere(pod, ({ securityContext }) => securityContext?.capabilities?.drop?.includes("ALL") !== true);
  const added = addedCapabilities(pod, ["NET_BIND_SERVICE"]);
  const details = [
    ...(keeping.length > 0 ? [`${named("container", keeping)} must set securityContext.capabilities.drop=["ALL"]`] : []),
    ...(added === undefined ? [] : [added]),
  ];
  return details.length === 0 ? undefined : { reason: "unrestricted capabilities", detail: details.join("; ") };
};

const capabilitiesRestricted: Check = {
  id: "capabilities_restricted",
  level: "restricted",
  versions: [
    { since: 22, check: restrictCapabilities, overrides: capabilitiesBaseline.id },
    { since: 25, check: unlessWindows(restrictCapabilities), overrides: capabilitiesBaseline.id },
  ],
};

const forbidEscalation: CheckPod = (pod) => {
  const names = namesWhere(pod, ({ securityContext }) => securityContext?.allowPrivilegeEscalation !== false);
  if (names.length === 0) return undefined;
  const detail = `${named("container", names)} must set securityContext.allowPrivilegeEscalation=false`;
  return { reason: "allowPrivilegeEscalation != false", detail };
};

const allowPrivilegeEscalation: Check = {
  id: "allowPrivilegeEscalation",
  level: "restricted",
  versions: [
    { since: 8, check: forbidEscalation },
    { since: 25, check: unlessWindows(forbidEscalation) },
  ],
};

const checkProcMount: CheckPod = (pod) => {
  const isForbidden = ({ procMount }: Readonly<SecurityContext>): boolean => procMount !== undefined && procMount !== "Default";
  const names = namesByContext(pod, isForbidden);
  if (names.length === 0) return undefined;
  const mounts = containersOf(pod).flatMap(({ securityContext }) =>
    securityContext !== undefined && isForbidden(securityContext) ? [securityContext.procMount ?? ""] : [],
  );
  return {
    reason: "procMount",
    detail: `${named("container", names)} must not set securityContext.procMount to ${quoted(sorted(mounts))}`,
  };
};

const procMountBaseline: Check = {
  id: "procMount",
  level: "baseline",
  versions: [
    { since: 0, check: checkProcMount },
    { since: 35, check: unlessUserNamespace(checkProcMount) },
  ],
};

const procMountRestricted: Check = {
  id: "procMount_restricted",
  level: "restricted",
  versions: [{ since: 35, check: checkProcMount, overrides: procMountBaseline.id }],
};

const requireNonRoot: CheckPod = (pod) => {
  const ofPod = pod.spec.securityContext?.runAsNonRoot;
  const roots = namesByContext(pod, ({ runAsNonRoot: own }) => own === false);
  if (ofPod === false || roots.length > 0) {
    const detail = `${setters(ofPod === false, roots)} must not set securityContext.runAsNonRoot=false`;
    return { reason: "runAsNonRoot != true", detail };
  }
  const unset = ofPod === true ? [] : namesWhere(pod, ({ securityContext }) => securityContext?.runAsNonRoot === undefined);
  if (unset.length === 0) return undefined;
  return { reason: "runAsNonRoot != true", detail: `pod or ${named("container", unset)} must set securityContext.runAsNonRoot=true` };
};

const runAsNonRoot: Check = {
  id: "runAsNonRoot",
  level: "restricted",
  versions: [
    { since: 0, check: requireNonRoot },
    { since: 35, check: unlessUserNamespace(requireNonRoot) },
  ],
};

const forbidRootUser: CheckPod = (pod) => {
  const ofPod = pod.spec.securityContext?.runAsUser === 0;
  const names = namesByContext(pod, ({ runAsUser: user }) => user === 0);
  if (!ofPod && names.length === 0) return undefined;
  return { reason: "runAsUser=0", detail: `${setters(ofPod, names)} must not set runAsUser=0` };
};

const runAsUser: Check = {
  id: "runAsUser",
  level: "restricted",
  versions: [
    { since: 23, check: forbidRootUser },
    { since: 35, check: unlessUserNamespace(forbidRootUser) },
  ],
};

const allowedVolumes = [
  "configMap",
  "csi",
  "downwardAPI",
  "emptyDir",
  "ephemeral",
  "image",
  "persistentVolumeClaim",
  "projected",
  "secret",
] as const;

const restrictedVolumes: Check = {
  id: "restrictedVolumes",
  level: "restricted",
  versions: [
    {
      since: 0,
      overrides: "hostPathVolumes",
      check({ spec }) {
        const forbidden = (spec.volumes ?? []).filter((volume) => !allowedVolumes.some((type) => volume[type] !== undefined));
        if (forbidden.length === 0) return undefined;
        const names = forbidden.map(({ name }) => name);
        const types = sorted(forbidden.map(({ name: _, ...source }) => Object.keys(source)[0] ?? "unknown"));
        const detail = `${named("volume", names)} ${uses(names)} ${named("restricted volume type", types)}`;
        return { reason: "restricted volume types", detail };
      },
    },
  ],
};

export const containerChecks = [
  capabilitiesBaseline,
  capabilitiesRestricted,
  allowPrivilegeEscalation,
  procMountBaseline,
  procMountRestricted,
  runAsNonRoot,
  runAsUser,
  restrictedVolumes,
];
