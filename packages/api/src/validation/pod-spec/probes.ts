/** Probes, lifecycle hooks and the actions that both are made of. */
import { field, validateHttpHeaderName } from "@coxswain/machinery";
import type { HTTPGetAction, Lifecycle, LifecycleHandler, PodSpec, Probe, SleepAction } from "@coxswain/types/core-v1";
import { addInvalid, type Errors, nonNegative, oneOf, requiredText } from "../checks.ts";
import { validatePortNumberOrName } from "./ports.ts";

interface Probed {
  readonly livenessProbe?: Probe;
  readonly readinessProbe?: Probe;
  readonly startupProbe?: Probe;
  readonly lifecycle?: Lifecycle;
}

export function validateProbesAndLifecycle(out: Errors, path: string, container: Probed, spec: Readonly<PodSpec>): void {
  const { livenessProbe, readinessProbe, startupProbe, lifecycle } = container;
  if (lifecycle) validateLifecycle(out, `${path}.lifecycle`, lifecycle, spec);
  if (livenessProbe) validateOneSuccess(out, `${path}.livenessProbe`, livenessProbe);
  if (readinessProbe) validateReadiness(out, `${path}.readinessProbe`, readinessProbe);
  if (startupProbe) validateOneSuccess(out, `${path}.startupProbe`, startupProbe);
}

function validateOneSuccess(out: Errors, path: string, probe: Probe): void {
  validateProbe(out, path, probe);
  if (probe.successThreshold !== 1) out.push(field.invalid(`${path}.successThreshold`, probe.successThreshold ?? 0, "must be 1"));
}

function validateReadiness(out: Errors, path: string, probe: Probe): void {
  validateProbe(out, path, probe);
  const grace = probe.terminationGracePeriodSeconds;
  if (grace !== undefined) out.push(field.invalid(`${path}.terminationGracePeriodSeconds`, grace, "must not be set for readinessProbes"));
}

function validateProbe(out: Errors, path: string, probe: Probe): void {
  validateHandler(out, path, probe, undefined);
  nonNegative(out, `${path}.initialDelaySeconds`, probe.initialDelaySeconds);
  nonNegative(out, `${path}.timeoutSeconds`, probe.timeoutSeconds);
  nonNegative(out, `${path}.periodSeconds`, probe.periodSeconds);
  nonNegative(out, `${path}.successThreshold`, probe.successThreshold);
  nonNegative(out, `${path}.failureThreshold`, probe.failureThreshold);
  const grace = probe.terminationGracePeriodSeconds;
  if (grace !== undefined && grace <= 0) out.push(field.invalid(`${path}.terminationGracePeriodSeconds`, grace, "must be greater than 0"));
}

function validateLifecycle(out: Errors, path: string, { postStart, preStop, stopSignal }: Lifecycle, spec: Readonly<PodSpec>): void {
  const grace = spec.terminationGracePeriodSeconds;
  if (postStart) validateHandler(out, `${path}.postStart`, postStart, grace);
  if (preStop) validateHandler(out, `${path}.preStop`, preStop, grace);
  if (stopSignal !== undefined) validateStopSignal(out, `${path}.stopSignal`, stopSignal, spec.os?.name);
}

const linuxSignals = [
  ..."ABRT ALRM BUS CHLD CLD CONT FPE HUP ILL INT IO IOT KILL PIPE POLL PROF PWR QUIT RTMAX".split(" "),
  ...range(1, 14).map((n) => `RTMAX-${n}`),
  "RTMIN",
  ...range(1, 15).map((n) => `RTMIN+${n}`),
  ..."SEGV STKFLT STOP SYS TERM TRAP TSTP TTIN TTOU URG USR1 USR2 VTALRM WINCH XCPU XFSZ".split(" "),
].map((name) => `SIG${name}`);
const windowsSignals = ["SIGKILL", "SIGTERM"];

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, i) => first + i);
}

/** Which signals there are depends on the system. @see https://kep.k8s.io/4960 */
function validateStopSignal(out: Errors, path: string, signal: string, os: string | undefined): void {
  if (os === undefined) out.push(field.forbidden(path, "may not be set for containers with empty `spec.os.name`"));
  else if (os === "windows") oneOf(out, path, signal, windowsSignals);
  else if (os === "linux") oneOf(out, path, signal, linuxSignals.toSorted());
}

type Handler = Pick<Probe, "exec" | "httpGet" | "tcpSocket" | "grpc"> & Pick<LifecycleHandler, "sleep">;

/** Exactly one action; each one too many is reported where it stands. */
function validateHandler(out: Errors, path: string, handler: Handler, grace: number | undefined): void {
  const { exec, httpGet, tcpSocket, grpc, sleep } = handler;
  let count = 0;
  const first = (name: string): boolean => {
    count += 1;
    if (count > 1) out.push(field.forbidden(`${path}.${name}`, "may not specify more than 1 handler type"));
    return count === 1;
  };
  if (exec && first("exec") && !exec.command?.length) out.push(field.required(`${path}.exec.command`));
  if (httpGet && first("httpGet")) validateHttpGet(out, `${path}.httpGet`, httpGet);
  if (tcpSocket && first("tcpSocket")) validatePortNumberOrName(out, `${path}.tcpSocket.port`, tcpSocket.port);
  if (grpc && first("grpc")) validatePortNumberOrName(out, `${path}.grpc.port`, grpc.port);
  if (sleep && first("sleep")) validateSleep(out, `${path}.sleep`, sleep, grace);
  if (count === 0) out.push(field.required(path, "must specify a handler type"));
}

function validateHttpGet(out: Errors, path: string, action: HTTPGetAction): void {
  requiredText(out, `${path}.path`, action.path);
  validatePortNumberOrName(out, `${path}.port`, action.port);
  oneOf(out, `${path}.scheme`, action.scheme ?? "", ["HTTP", "HTTPS"]);
  for (const { name } of action.httpHeaders ?? []) addInvalid(out, `${path}.httpHeaders`, name, validateHttpHeaderName(name));
}

function validateSleep(out: Errors, path: string, { seconds }: SleepAction, grace: number | undefined): void {
  if (grace === undefined || (seconds >= 0 && seconds <= grace)) return;
  out.push(field.invalid(path, seconds, `must be non-negative and less than terminationGracePeriodSeconds (${grace})`));
}
