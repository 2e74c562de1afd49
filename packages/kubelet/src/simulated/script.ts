/** What becomes of a simulated container. Times are milliseconds; Infinity is never. */
import type { PodIdentity } from "../runtime/runtime-config.ts";

/** A script says how a simulated container behaves: when it starts, answers, fails and ends. */
export interface ContainerScript {
  /** Starting it takes so long. Default: 0. */
  readonly startMs?: number;
  /** What starting it fails with. */
  readonly failStart?: string;
  /** After its start; until then no probe is answered. Default: 0. */
  readonly readyMs?: number;
  /** After its start; from then on it answers that it is not well. Default: never. */
  readonly unhealthyMs?: number;
  /** After its start it ends by itself. Default: never. */
  readonly runMs?: number;
  /** Default: 0, and 137 where the reason is `OOMKilled`. */
  readonly exitCode?: number;
  /** Default: `Completed` or `Error`. */
  readonly exitReason?: string;
  /** Its last words, where its status has them. */
  readonly exitMessage?: string;
  /** After it is asked to end. What takes longer than its grace is killed, with 137. Default: 0. */
  readonly stopMs?: number;
  /** When it ends because it is asked to. Default: 0. */
  readonly stopExitCode?: number;
  /** Lines on stdout. */
  readonly logs?: readonly string[];
  /** Between lines. Default: 0, all at its start. */
  readonly logEveryMs?: number;
  /** Begins again after the last line; only where some time is between them. */
  readonly logRepeats?: boolean;
  /** Default: 1. */
  readonly cpuMillicores?: number;
  /** Default: 8 MiB. */
  readonly memoryBytes?: number;
  /** Answers commands of exec, of probes and hooks too; undefined leaves them to the simulation. */
  readonly exec?: (call: ExecCall) => ExecAnswer | undefined | Promise<ExecAnswer | undefined>;
  /**
   * Answers HTTP requests of probes, hooks, port-forward, the API server's proxies and webhooks, once it is ready. Without it
   * probes and port-forward are answered with 200, and proxies and webhooks cannot connect.
   */
  readonly http?: (request: SimulatedRequest) => SimulatedResponse | Promise<SimulatedResponse>;
  /** In PEM: its ports speak TLS, but for probes and hooks. */
  readonly tls?: { readonly cert: string; readonly key: string };
}

/** What a script learns of the container that it plays. */
export interface SimulatedContainer {
  readonly pod: PodIdentity;
  readonly annotations: Readonly<Record<string, string>>;
  readonly name: string;
  /** As the Pod calls it. */
  readonly image: string;
  /** Counts its restarts. */
  readonly attempt: number;
  readonly command: readonly string[];
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value: string }[];
}

/** A command that is run in a simulated container. */
export interface ExecCall {
  readonly command: readonly string[];
  /** All of it, once it has ended; empty without. */
  readonly stdin: () => Promise<Uint8Array>;
}

/** What a command in a simulated container writes and ends with. Default: nothing, and 0. */
export interface ExecAnswer {
  readonly exitCode?: number;
  readonly stdout?: string;
  readonly stderr?: string;
}

/** An HTTP request to a simulated container. */
export interface SimulatedRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /** Without the question mark; empty when there is none. */
  readonly query: string;
  readonly port: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What a simulated container answers an HTTP request with. Default: 200 and nothing. */
export interface SimulatedResponse {
  readonly status: number;
  readonly body?: string;
  readonly location?: string;
  /** Default: a `content-type` of `text/plain`. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** By the name of an image, in which `*` is anything: what it is, and what its containers do. The first that matches counts. */
export type SimulatedImages = Readonly<Record<string, SimulatedImage | SimulatedImage["run"]>>;

/** How an image behaves in a simulation: how large it is and how long its pull takes. */
export interface SimulatedImage {
  readonly run?: (container: SimulatedContainer) => ContainerScript;
  /** Default: 0. */
  readonly pullMs?: number;
  /** What pulling it fails with. */
  readonly failPull?: string;
  /** Default: 10 MiB. */
  readonly sizeBytes?: number;
  /** Default: 0. */
  readonly uid?: number;
}

/** Whose name matches. */
export function imageNamed(images: SimulatedImages, name: string): SimulatedImage {
  for (const [pattern, image] of Object.entries(images)) {
    if (matches(pattern, name)) return typeof image === "function" ? { run: image } : (image ?? {});
  }
  return {};
}

function matches(pattern: string, name: string): boolean {
  const [first = "", ...rest] = pattern.split("*");
  if (rest.length === 0) return name === pattern;
  const last = rest.pop() ?? "";
  if (!name.startsWith(first)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = name.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return name.length - last.length >= at && name.endsWith(last);
}
