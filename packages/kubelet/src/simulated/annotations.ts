/**
 * The script of a container in its Pod's annotations:
 *
 * | `simulation.coxswain.io/…` | |
 * |---|---|
 * | `start-after`, `ready-after`, `unhealthy-after`, `run-for`, `stop-after`, `log-every` | durations: `1.5s`, `2m`, `never` |
 * | `exit-code`, `stop-exit-code` | numbers |
 * | `exit-reason`, `exit-message`, `fail-start` | texts |
 * | `logs` | lines; `log-repeats: "true"` begins again after the last |
 * | `cpu`, `memory` | quantities: `250m`, `64Mi` |
 * | `pull-for`, `image-size` | of every image of the Pod: a duration and a quantity |
 * | `fail-pull` | a text with which pulling always fails, or how often it fails before it does not |
 *
 * `simulation.coxswain.io/<container>.run-for` is about that container alone. Durations and numbers may be lists, one for each
 * attempt, of which the last counts for all others: `exit-code: "1,1,0"`. What cannot be read is ignored.
 */
import { parseGoDuration, parseQuantity } from "@coxswain/machinery";
import type { ContainerScript, SimulatedImage } from "./script.ts";

/** Annotations of Pods that begin with this say how their containers are played. */
export const simulationPrefix = "simulation.coxswain.io/";

type Annotations = Readonly<Record<string, string>>;

/** Undefined where they say nothing, so that Pods that are not scripted cost nothing. */
export function scriptInAnnotations(annotations: Annotations, container: string, attempt: number): ContainerScript | undefined {
  if (!isScripted(annotations)) return undefined;
  const text = (key: string) => annotations[`${simulationPrefix}${container}.${key}`] ?? annotations[simulationPrefix + key];
  const turn = (key: string) => ofAttempt(text(key), attempt);
  return defined({
    startMs: duration(turn("start-after")),
    failStart: text("fail-start"),
    readyMs: duration(turn("ready-after")),
    unhealthyMs: duration(turn("unhealthy-after")),
    runMs: duration(turn("run-for")),
    exitCode: integer(turn("exit-code")),
    exitReason: text("exit-reason"),
    exitMessage: text("exit-message"),
    stopMs: duration(turn("stop-after")),
    stopExitCode: integer(turn("stop-exit-code")),
    logs: text("logs")?.replace(/\n$/, "").split("\n"),
    logEveryMs: duration(text("log-every")),
    logRepeats: text("log-repeats") === "true" ? true : undefined,
    cpuMillicores: thousandths(text("cpu")),
    memoryBytes: quantity(text("memory")),
  });
}

/** `failures` counts those before; undefined fields leave it to the image. */
export function pullInAnnotations(annotations: Annotations, failures: number): Pick<SimulatedImage, "pullMs" | "failPull" | "sizeBytes"> {
  if (!isScripted(annotations)) return {};
  const failing = annotations[`${simulationPrefix}fail-pull`];
  const times = integer(failing);
  const failPull = times === undefined ? failing : failures < times ? "simulated failure" : undefined;
  return defined({
    pullMs: duration(annotations[`${simulationPrefix}pull-for`]),
    sizeBytes: quantity(annotations[`${simulationPrefix}image-size`]),
    failPull,
  });
}

function isScripted(annotations: Annotations): boolean {
  for (const key in annotations) if (key.startsWith(simulationPrefix)) return true;
  return false;
}

function ofAttempt(text: string | undefined, attempt: number): string | undefined {
  const parts = text?.split(",");
  return parts?.[Math.min(attempt, parts.length - 1)]?.trim();
}

function duration(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (text === "never") return Number.POSITIVE_INFINITY;
  const ms = parseGoDuration(text);
  return typeof ms === "number" && ms >= 0 ? ms : undefined;
}

const integer = (text: string | undefined): number | undefined => (text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : undefined);

function quantity(text: string | undefined): number | undefined {
  const parsed = text === undefined ? undefined : parseQuantity(text);
  return parsed === undefined ? undefined : Number(parsed.value());
}

function thousandths(text: string | undefined): number | undefined {
  const parsed = text === undefined ? undefined : parseQuantity(text);
  return parsed === undefined ? undefined : Number(parsed.milli());
}

/** Without what is undefined. */
function defined<T extends object>(fields: { readonly [K in keyof T]: T[K] | undefined }): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
}
