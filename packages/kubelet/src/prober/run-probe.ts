/** One look at a container, as its probe says. */
import type { coreV1 } from "@coxswain/api";
import { formatGoDuration, goQuote, messageOf } from "@coxswain/machinery";
import { expand } from "../pod/expand.ts";
import type { Container } from "../pod/pod.ts";
import { bodyLimit, type Dial, type DialTarget, type HealthAnswer, joinHostPort } from "../probe/dial.ts";
import { getHttp, httpGet, resolvePort } from "../probe/http-get.ts";
import type { PodRuntime } from "../runtime/pod-runtime.ts";
import { RuntimeError } from "../runtime/runtime-error.ts";

export interface ProbeAim {
  readonly container: Container;
  readonly containerId: string;
  readonly podIp: string;
  readonly runtime: Pick<PodRuntime, "execSync">;
  readonly dial: Dial;
  /** For messages. */
  readonly podText: string;
}

/** `warning` counts as success. */
export interface ProbeOutcome {
  readonly result: "success" | "warning" | "failure";
  readonly output: string;
}

/** @throws Error when it cannot be known */
export async function runProbe(probe: coreV1.Probe, aim: ProbeAim, signal: AbortSignal): Promise<ProbeOutcome> {
  const { container, containerId, podIp, dial } = aim;
  const timeoutMs = (probe.timeoutSeconds ?? 1) * 1000;
  if (probe.exec !== undefined) return await runExec(probe.exec.command ?? [], timeoutMs / 1000, aim, signal);
  if (probe.httpGet !== undefined) {
    const call = httpGet({ action: probe.httpGet, container, containerId, podIp, purpose: "probe", timeoutMs });
    return await failing(signal, async () => httpOutcome(await getHttp(dial, call, signal)));
  }
  if (probe.tcpSocket !== undefined) {
    const { host = "", port } = probe.tcpSocket;
    const target = { containerId, host: host === "" ? podIp : host, port: resolvePort(port, container), timeoutMs };
    return await failing(signal, async () => {
      await dial.tcp(target, signal);
      return { result: "success", output: "" };
    });
  }
  if (probe.grpc !== undefined) {
    const target = { containerId, host: podIp, port: probe.grpc.port, timeoutMs };
    return healthOutcome(await dial.grpc({ ...target, service: probe.grpc.service ?? "" }, signal), target);
  }
  throw new Error(`missing probe handler for ${aim.podText}:${container.name}`);
}

/** What cannot be reached has failed. */
async function failing(signal: AbortSignal, probe: () => Promise<ProbeOutcome>): Promise<ProbeOutcome> {
  try {
    return await probe();
  } catch (error) {
    signal.throwIfAborted();
    return { result: "failure", output: messageOf(error) };
  }
}

function httpOutcome({ status, body }: { readonly status: number; readonly body: string }): ProbeOutcome {
  if (status >= 200 && status < 300) return { result: "success", output: body };
  if (status >= 300 && status < 400) return { result: "warning", output: `Probe terminated redirects, Response body: ${body}` };
  return { result: "failure", output: `HTTP probe failed with statuscode: ${status}` };
}

async function runExec(words: readonly string[], timeoutSeconds: number, aim: ProbeAim, signal: AbortSignal): Promise<ProbeOutcome> {
  const command = expandStatic(words, aim.container);
  try {
    const { exitCode, stdout, stderr } = await aim.runtime.execSync(aim.containerId, command, timeoutSeconds, signal);
    const output = new TextDecoder().decode(Buffer.concat([stdout, stderr]).subarray(0, bodyLimit));
    return { result: exitCode === 0 ? "success" : "failure", output };
  } catch (error) {
    if (!(error instanceof RuntimeError) || error.kind !== "timeout") throw error;
    const after = formatGoDuration(timeoutSeconds * 1000);
    return { result: "failure", output: `command timed out: ${goQuote(command.join(" "))} timed out after ${after}` };
  }
}

/** With the variables as they stand in the container: what comes from elsewhere is empty. */
function expandStatic(words: readonly string[], { env = [] }: Container): readonly string[] {
  const values = new Map(env.map(({ name, value = "" }) => [name, value]));
  return words.map((word) => expand(word, (name) => values.get(name)));
}

const unimplemented = 12;
const deadlineExceeded = 4;

function healthOutcome(answer: HealthAnswer, { host, port, timeoutMs }: DialTarget): ProbeOutcome {
  const within = formatGoDuration(timeoutMs);
  const failed = (output: string): ProbeOutcome => ({ result: "failure", output });
  switch (answer.kind) {
    case "answered":
      if (answer.status === "SERVING") return { result: "success", output: "service healthy" };
      return failed(`service unhealthy (responded with ${goQuote(answer.status)})`);
    case "unreachable": {
      const address = goQuote(joinHostPort(host, port));
      return failed(`timeout: failed to connect service ${address} within ${within}: context deadline exceeded`);
    }
    case "failed":
      if (answer.code === deadlineExceeded) return failed(`timeout: health rpc did not complete within ${within}`);
      if (answer.code === unimplemented) {
        return failed(`error: this server does not implement the grpc health protocol (grpc.health.v1.Health): ${answer.message}`);
      }
      return failed(`error: health rpc probe failed: rpc error: code = ${codeName(answer.code)} desc = ${answer.message}`);
  }
}

const codeNames = (
  "OK Canceled Unknown InvalidArgument DeadlineExceeded NotFound AlreadyExists PermissionDenied ResourceExhausted " +
  "FailedPrecondition Aborted OutOfRange Unimplemented Internal Unavailable DataLoss Unauthenticated"
).split(" ");

const codeName = (code: number): string => codeNames[code] ?? `Code(${code})`;
