/** Regular, init and ephemeral containers: what they share, and what each kind may not have. */
import { field, validateDns1123Label } from "@coxswain/machinery";
import type { Container, ContainerResizePolicy, ContainerRestartRule, EphemeralContainer, PodSpec } from "@coxswain/types/core-v1";
import { isSidecar } from "../../pod-spec/visit-containers.ts";
import { addInvalid, type Errors, isSet, oneOf, requiredOneOf, requiredText } from "../checks.ts";
import { ratchet } from "../ratcheting.ts";
import { validateEnv, validateEnvFrom } from "./env.ts";
import { validateHostPortConflicts, validatePorts } from "./ports.ts";
import { validateProbesAndLifecycle } from "./probes.ts";
import { validateResources } from "./resources.ts";
import { validateSecurityContext } from "./security-context.ts";
import { validateVolumeDevices, validateVolumeMounts } from "./volume-mounts.ts";
import type { Volumes } from "./volumes.ts";

/** What a container is checked against. */
export interface ContainerContext {
  readonly volumes: Volumes;
  /** Names in spec.resourceClaims. */
  readonly claims: ReadonlySet<string>;
  readonly spec: Readonly<PodSpec>;
  readonly hostUsers: boolean;
  readonly isPod: boolean;
}

export const pullPolicies = ["Always", "IfNotPresent", "Never"];

export function validateContainers(out: Errors, path: string, context: ContainerContext): void {
  const containers = context.spec.containers ?? [];
  if (containers.length === 0) return void out.push(field.required(path));
  const names = new Set<string>();
  containers.forEach((container, i) => {
    const at = `${path}[${i}]`;
    validateCommon(out, at, container, context);
    if (names.has(container.name)) out.push(field.duplicate(`${at}.name`, container.name));
    names.add(container.name);
    validateProbesAndLifecycle(out, at, container, context.spec);
    validateRestart(out, at, container);
  });
  validateHostPortConflicts(out, path, containers);
}

export function validateInitContainers(out: Errors, path: string, context: ContainerContext): void {
  const { spec } = context;
  if (!spec.initContainers?.length) return;
  const names = new Set((spec.containers ?? []).map((c) => c.name));
  spec.initContainers.forEach((container, i) => {
    const at = `${path}[${i}]`;
    validateCommon(out, at, container, context);
    validateRestart(out, at, container);
    if (names.has(container.name)) out.push(field.duplicate(`${at}.name`, container.name));
    if (container.name) names.add(container.name);
    validateHostPortConflicts(out, path, [container]);
    if (isSidecar(container)) validateProbesAndLifecycle(out, at, container, spec);
    else {
      refuseFields(out, at, container, onlyOfRunning);
      ratchet(out, "init resize policy", () => refuseRestarts(out, `${at}.resizePolicy`, container));
    }
  });
}

const onlyOfRunning = {
  names: ["lifecycle", "livenessProbe", "readinessProbe", "startupProbe"],
  detail: "may not be set for init containers without restartPolicy=Always",
} as const;
const neverEphemeral = {
  names: [
    "ports",
    "resources",
    "resizePolicy",
    "restartPolicy",
    "restartPolicyRules",
    "livenessProbe",
    "readinessProbe",
    "startupProbe",
    "lifecycle",
  ],
  detail: "cannot be set for an Ephemeral Container",
} as const;

export function validateEphemeralContainers(out: Errors, path: string, context: ContainerContext): void {
  const { spec } = context;
  if (!spec.ephemeralContainers?.length) return;
  const lasting = new Set([...(spec.containers ?? []), ...(spec.initContainers ?? [])].map((c) => c.name));
  const names = new Set(lasting);
  spec.ephemeralContainers.forEach((container, i) => {
    const at = `${path}[${i}]`;
    validateCommon(out, at, container, { ...context, isPod: true });
    if (names.has(container.name)) out.push(field.duplicate(`${at}.name`, container.name));
    names.add(container.name);
    const target = container.targetContainerName;
    if (target && !lasting.has(target)) out.push(field.notFound(`${at}.targetContainerName`, target));
    refuseFields(out, at, container, neverEphemeral);
    container.volumeMounts?.forEach((mount, j) => {
      for (const name of ["subPath", "subPathExpr"] as const) {
        if (mount[name]) out.push(field.forbidden(`${at}.volumeMounts[${j}].${name}`, "cannot be set for an Ephemeral Container"));
      }
    });
  });
}

/** An empty object is as good as absence. */
function refuseFields<N extends string>(
  out: Errors,
  path: string,
  container: { readonly [K in N]?: unknown },
  { names, detail }: { readonly names: readonly N[]; readonly detail: string },
): void {
  for (const name of names) {
    const value = container[name];
    const empty = !isSet(value) || (typeof value === "object" && value !== null && Object.keys(value).length === 0);
    if (!empty) out.push(field.forbidden(`${path}.${name}`, detail));
  }
}

function validateCommon(out: Errors, path: string, container: Readonly<Container | EphemeralContainer>, context: ContainerContext): void {
  const { name, image = "" } = container;
  if (!name) out.push(field.required(`${path}.name`));
  else addInvalid(out, `${path}.name`, name, validateDns1123Label(name));
  requiredText(out, `${path}.image`, image);
  if (context.isPod && image.trim() !== image) {
    out.push(field.invalid(`${path}.image`, image, "must not have leading or trailing whitespace"));
  }
  requiredOneOf(out, `${path}.terminationMessagePolicy`, container.terminationMessagePolicy, ["File", "FallbackToLogsOnError"]);
  if (container.ports) validatePorts(out, `${path}.ports`, container.ports);
  if (container.env) validateEnv(out, `${path}.env`, container.env);
  if (container.envFrom) validateEnvFrom(out, `${path}.envFrom`, container.envFrom);
  if (container.volumeMounts) validateVolumeMounts(out, `${path}.volumeMounts`, container, context.volumes);
  if (container.volumeDevices) validateVolumeDevices(out, `${path}.volumeDevices`, container, context.volumes);
  requiredOneOf(out, `${path}.imagePullPolicy`, container.imagePullPolicy, pullPolicies);
  if (container.resources) validateResources(out, `${path}.resources`, container.resources, context.claims);
  if (container.resizePolicy) validateResizePolicy(out, `${path}.resizePolicy`, container.resizePolicy, context.spec.restartPolicy);
  if (container.securityContext) validateSecurityContext(out, `${path}.securityContext`, container.securityContext, context.hostUsers);
}

function validateResizePolicy(
  out: Errors,
  path: string,
  policies: readonly ContainerResizePolicy[],
  podRestartPolicy: string | undefined,
): void {
  const seen = new Set<string>();
  policies.forEach(({ resourceName, restartPolicy }, i) => {
    if (seen.has(resourceName)) out.push(field.duplicate(`${path}[${i}]`, resourceName));
    seen.add(resourceName);
    requiredOneOf(out, path, resourceName, ["cpu", "memory"]);
    requiredOneOf(out, path, restartPolicy, ["NotRequired", "RestartContainer"]);
    if (podRestartPolicy === "Never" && restartPolicy !== "NotRequired") {
      out.push(field.invalid(path, restartPolicy, "must be 'NotRequired' when `restartPolicy` is 'Never'"));
    }
  });
}

/** What runs once and ends cannot be started again to get more. */
function refuseRestarts(out: Errors, path: string, { resizePolicy }: Readonly<Container>): void {
  resizePolicy?.forEach(({ restartPolicy }, i) => {
    if (restartPolicy !== "RestartContainer") return;
    const detail = "must not be set to 'RestartContainer' for non-sidecar initContainers";
    out.push(field.invalid(`${path}[${i}].restartPolicy`, restartPolicy, detail));
  });
}

const maxRestartRules = 20;
const maxExitCodes = 255;

/** Rules of a container's own for when it restarts. @see https://kep.k8s.io/5307 */
function validateRestart(out: Errors, path: string, { restartPolicy, restartPolicyRules: rules }: Readonly<Container>): void {
  oneOf(out, `${path}.restartPolicy`, restartPolicy, ["Always", "Never", "OnFailure"]);
  if (!rules?.length) return;
  const at = `${path}.restartPolicyRules`;
  if (restartPolicy === undefined)
    out.push(field.required(`${path}.restartPolicy`, "must specify restartPolicy when restart rules are used"));
  if (rules.length > maxRestartRules) out.push(field.tooMany(at, rules.length, maxRestartRules));
  rules.forEach((rule, i) => {
    validateRestartRule(out, `${at}[${i}]`, rule);
  });
}

function validateRestartRule(out: Errors, path: string, { action, exitCodes }: ContainerRestartRule): void {
  oneOf(out, `${path}.action`, action ?? "", ["Restart", "RestartAllContainers"]);
  if (!exitCodes) return void out.push(field.required(`${path}.exitCodes`, "must be specified"));
  oneOf(out, `${path}.exitCodes.operator`, exitCodes.operator ?? "", ["In", "NotIn"]);
  const count = exitCodes.values?.length ?? 0;
  if (count > maxExitCodes) out.push(field.tooMany(`${path}.exitCodes.values`, count, maxExitCodes));
}
