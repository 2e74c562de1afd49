/** What a container wants done after it has started and before it ends. */
import type { coreV1 } from "@coxswain/api";
import type { EventRecorder } from "@coxswain/client";
import { type Clock, goList, goQuote, messageOf, sleep } from "@coxswain/machinery";
import type { Container, Pod } from "../pod/pod.ts";
import { SyncError } from "../pod/sync-error.ts";
import { type Dial, joinHostPort } from "../probe/dial.ts";
import { getHttp, httpGet } from "../probe/http-get.ts";
import { spokePlainHttp } from "../probe/network-http.ts";
import type { PodRuntime } from "../runtime/pod-runtime.ts";

/** What hooks are run by: the runtime for commands, the dial for HTTP, the clock for sleeps. */
export interface HandlerRunnerOptions {
  readonly runtime: Pick<PodRuntime, "execSync">;
  readonly dial: Dial;
  readonly clock: Clock;
  readonly events: Pick<EventRecorder, "record">;
}

/** Runs what a container wants done after it has started and before it ends. */
export interface HandlerRunner {
  /** postStart and preStop: exec, http, sleep. @throws SyncError with the message for the FailedPostStartHook (…) event */
  run(target: HookTarget, hook: coreV1.LifecycleHandler, signal: AbortSignal): Promise<void>;
}

type Hook = coreV1.LifecycleHandler;

/** How long a hook may wait for an answer; it has the grace period as its own bound. */
const answerMs = 2 ** 31 - 1;
const podKind = { group: "", version: "v1", kind: "Pod" };

/**
 * Makes what runs postStart and preStop hooks.
 * @see https://kubernetes.io/docs/concepts/containers/container-lifecycle-hooks/
 */
export const createHandlerRunner = (options: HandlerRunnerOptions): HandlerRunner => ({
  async run(target, hook, signal) {
    try {
      await act(options, target, hook, signal);
    } catch (error) {
      throw new SyncError("PostStartHookError", hookFailureMessage(error, hook, target), { cause: error });
    }
  },
});

/** The container whose hook it is. */
export interface HookTarget {
  readonly pod: Pod;
  readonly container: Container;
  readonly id: string;
  readonly podIp: string;
}

function act(options: HandlerRunnerOptions, target: HookTarget, hook: Hook, signal: AbortSignal): Promise<void> {
  const { exec, httpGet, sleep } = hook;
  if (exec !== undefined) return runExec(options, target.id, exec.command ?? [], signal);
  if (httpGet !== undefined) return ask(options, target, httpGet, signal);
  if (sleep !== undefined) return rest(options.clock, sleep.seconds, signal);
  return Promise.reject(new Error(`invalid handler: ${JSON.stringify(hook)}`));
}

/** Said after the error. */
class CommandFailedError extends Error {
  readonly output: string;

  constructor(message: string, output: string) {
    super(message);
    this.output = output;
  }
}

async function runExec({ runtime }: HandlerRunnerOptions, id: string, command: readonly string[], signal: AbortSignal): Promise<void> {
  const { exitCode, stdout, stderr } = await runtime.execSync(id, command, 0, signal);
  if (exitCode === 0) return;
  const message = `command '${command.join(" ")}' exited with ${exitCode}: ${decode(stderr)}`;
  throw new CommandFailedError(message, decode(stdout) + decode(stderr));
}

/** Any answer is good. Who is asked in TLS may answer without. */
async function ask(options: HandlerRunnerOptions, target: HookTarget, action: coreV1.HTTPGetAction, signal: AbortSignal): Promise<void> {
  const { dial, events } = options;
  const { pod, container, id: containerId, podIp } = target;
  if ((action.host ?? "") === "" && podIp === "") throw new Error("failed to find networking container");
  const call = httpGet({ action, container, containerId, podIp, purpose: "lifecycle", timeoutMs: answerMs });
  try {
    await getHttp(dial, call, signal);
  } catch (error) {
    if (!spokePlainHttp(error)) throw error;
    const headers = call.headers.filter(([name]) => name !== "Authorization");
    await getHttp(dial, { ...call, scheme: "http", headers }, signal).catch(() => {
      throw error;
    });
    const host = joinHostPort(call.host, call.port);
    const message = `request to HTTPS lifecycle hook ${host} got HTTP response, retry with HTTP succeeded`;
    events.record(pod, { type: "Warning", reason: "LifecycleHTTPFallback", message }, podKind);
  }
}

async function rest(clock: Clock, seconds: number, signal: AbortSignal): Promise<void> {
  await sleep(clock, seconds * 1000, signal).catch(() => {
    throw new Error("container terminated before sleep hook finished");
  });
}

function hookFailureMessage(error: unknown, hook: Hook, { pod: { metadata }, container }: HookTarget): string {
  const text = messageOf(error);
  const name = nameOf(hook);
  if (name === undefined) return `Cannot run handler: ${text}`;
  const pod = goQuote(`${metadata?.name}_${metadata?.namespace}(${metadata?.uid})`);
  const output = hook.exec === undefined ? "" : `, message: ${goQuote(error instanceof CommandFailedError ? error.output : "")}`;
  return `${name} for Container ${goQuote(container.name)} in Pod ${pod} failed - error: ${text}${output}`;
}

function nameOf({ exec, httpGet, sleep }: Hook): string | undefined {
  if (exec !== undefined) return `Exec lifecycle hook (${goList(exec.command ?? [])})`;
  if (httpGet !== undefined) return `HTTP lifecycle hook (${httpGet.path ?? ""})`;
  return sleep === undefined ? undefined : `Sleep lifecycle hook (${sleep.seconds})`;
}

const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
