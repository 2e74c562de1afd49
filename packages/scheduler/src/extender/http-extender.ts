/**
 * An extender that is asked over HTTP.
 * @see https://kubernetes.io/docs/reference/config-api/kube-scheduler-config.v1/#kubescheduler-config-k8s-io-v1-Extender
 */
import { type Clock, parseGoDuration, trimRight } from "@coxswain/machinery";
import type { ExtenderConfiguration } from "../config/document.ts";
import type { Extender } from "../framework/extender.ts";
import type { PodInfo } from "../framework/pod-info.ts";
import { bindingArgs, extenderArgs, member, nodesLeft, preemptionArgs, textAt, textsAt, victimsLeft } from "./wire.ts";

/** Sends JSON and gives the answer; rejects when there is none. TLS is its own business. */
export type Post = (url: string, body: string, signal: AbortSignal) => Promise<{ readonly status: number; readonly text: string }>;

/** HttpExtenderOptions are the clock of timeouts, and how requests are sent. */
export interface HttpExtenderOptions {
  readonly clock: Clock;
  /** Default: `fetch`, which trusts what the platform trusts. */
  readonly post?: Post;
}

/**
 * Makes an extender that is called over HTTP, as kube-scheduler calls one.
 * @see https://kubernetes.io/docs/reference/config-api/kube-scheduler-config.v1/#kubescheduler-config-k8s-io-v1-Extender
 */
export function httpExtender(config: ExtenderConfiguration, options: HttpExtenderOptions): Extender {
  const { urlPrefix: name, filterVerb = "", prioritizeVerb = "", bindVerb = "", preemptVerb = "", nodeCacheCapable = false } = config;
  const ask = asker(config, options);
  const isManaged = managed(config);
  return {
    name,
    ignorable: config.ignorable === true,
    weight: config.weight ?? 0,
    does: { filter: filterVerb !== "", prioritize: prioritizeVerb !== "", bind: bindVerb !== "", preempt: preemptVerb !== "" },
    isInterested: isManaged,
    async filter(pod, nodes, signal) {
      const answer = await ask(filterVerb, extenderArgs(pod, nodes, nodeCacheCapable), signal);
      refuse(answer);
      return {
        nodes: nodesLeft(answer, nodes, name, nodeCacheCapable),
        failed: textsAt(answer, "FailedNodes"),
        unresolvable: textsAt(answer, "FailedAndUnresolvableNodes"),
      };
    },
    async prioritize(pod, nodes, signal) {
      const answer = await ask(prioritizeVerb, extenderArgs(pod, nodes, nodeCacheCapable), signal);
      const scores = Array.isArray(answer) ? answer : [];
      return new Map(scores.map((score) => [textAt(score, "Host"), Number(member(score, "Score") ?? 0)]));
    },
    bind: async (pod, node, signal) => refuse(await ask(bindVerb, bindingArgs(pod, node), signal)),
    preempt: async (pod, candidates, snapshot, signal) =>
      victimsLeft(await ask(preemptVerb, preemptionArgs(pod, candidates, nodeCacheCapable), signal), snapshot, name),
  };
}

function refuse(answer: unknown): void {
  const problem = textAt(answer, "Error");
  if (problem !== "") throw new Error(problem);
}

/** Extenders without resources of their own want to see every Pod. */
function managed({ managedResources = [] }: ExtenderConfiguration): (pod: PodInfo) => boolean {
  const names = managedResources.map(({ name }) => name);
  if (names.length === 0) return () => true;
  return ({ pod: { spec } }) =>
    [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])].some(({ resources = {} }) =>
      names.some((name) => name in (resources.requests ?? {}) || name in (resources.limits ?? {})),
    );
}

const defaultTimeoutMs = 5_000;

function asker({ urlPrefix, httpTimeout }: ExtenderConfiguration, { clock, post = fetchPost }: HttpExtenderOptions) {
  const timeoutMs = Number(parseGoDuration(httpTimeout ?? "0s")) || defaultTimeoutMs;
  return async (verb: string, args: object, signal: AbortSignal): Promise<unknown> => {
    const url = `${trimRight(urlPrefix, "/")}/${verb}`;
    const late = new AbortController();
    using _ = clock.schedule(timeoutMs, () =>
      late.abort(new Error(`Post ${JSON.stringify(url)}: context deadline exceeded (Client.Timeout exceeded while awaiting headers)`)),
    );
    let answer: Awaited<ReturnType<Post>>;
    try {
      answer = await post(url, JSON.stringify(args), AbortSignal.any([signal, late.signal]));
    } catch (error) {
      signal.throwIfAborted();
      late.signal.throwIfAborted();
      throw new Error(`Post ${JSON.stringify(url)}: ${reasonOf(error)}`, { cause: error });
    }
    if (answer.status !== 200) throw new Error(`failed ${verb} with extender at URL ${url}, code ${answer.status}`);
    return JSON.parse(answer.text);
  };
}

/** What `fetch` throws says what was wrong only in its cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message || error.message : error.message;
}

/** Bytes: enough for all nodes of the largest clusters, as objects. */
const maxAnswerBytes = 64 * 1024 * 1024;

/** Where an extender sends on to, nobody has configured. */
const fetchPost: Post = async (url, body, signal) => {
  const headers = { "content-type": "application/json" };
  const response = await fetch(url, { method: "POST", headers, body, signal, redirect: "error" });
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > maxAnswerBytes) throw new Error(`the answer is larger than ${maxAnswerBytes} bytes`);
    chunks.push(chunk);
  }
  return { status: response.status, text: new TextDecoder().decode(Buffer.concat(chunks)) };
};
