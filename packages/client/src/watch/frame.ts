/** One line of a watch, understood. */
import { type KubeObject, parseJson, type Status, StatusError } from "@coxswain/machinery";

export type Frame =
  | { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly object: KubeObject }
  /** `initialEventsEnd`: everything that was there when the watch began has come. */
  | { readonly type: "BOOKMARK"; readonly resourceVersion: string; readonly initialEventsEnd: boolean }
  | { readonly type: "ERROR"; readonly error: StatusError }
  | { readonly type: "UNKNOWN"; readonly eventType: string };

/** @see https://kubernetes.io/docs/reference/using-api/api-concepts/#streaming-lists */
const initialEventsEnd = "k8s.io/initial-events-end";

/** @throws Error for what is no watch event */
export function parseFrame(line: Uint8Array): Frame {
  const value = parse(line);
  if (!isRecord(value) || typeof value.type !== "string" || !isRecord(value.object)) throw new Error("a line of the watch is no event");
  const object: KubeObject = value.object;
  switch (value.type) {
    case "ADDED":
    case "MODIFIED":
    case "DELETED":
      return { type: value.type, object };
    case "BOOKMARK": {
      const { resourceVersion = "", annotations } = object.metadata ?? {};
      return { type: "BOOKMARK", resourceVersion, initialEventsEnd: annotations?.[initialEventsEnd] === "true" };
    }
    case "ERROR":
      return { type: "ERROR", error: new StatusError(object as KubeObject & Status) };
    default:
      return { type: "UNKNOWN", eventType: value.type };
  }
}

function parse(line: Uint8Array): unknown {
  try {
    return parseJson(line);
  } catch (error) {
    throw new Error("a line of the watch is no JSON", { cause: error });
  }
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
