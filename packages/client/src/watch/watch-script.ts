/** For tests: what servers send on a watch. */
import { type KubeObject, stringifyJson } from "@coxswain/machinery";
import type { WatchEvent } from "../contracts/watch-event.ts";
import { bytesOf, type ScriptedAnswer, silence } from "../rest/scripted-transport.ts";

export const object = (name: string, version: number, data = ""): KubeObject => ({
  kind: "ConfigMap",
  apiVersion: "v1",
  metadata: { name, namespace: "default", resourceVersion: String(version) },
  ...(data === "" ? {} : { data: { text: data } }),
});

export const line = (type: string, what: unknown): string => `${stringifyJson({ type, object: what })}\n`;

export const bookmark = (version: number, initialEventsEnd = false): string =>
  line("BOOKMARK", {
    kind: "ConfigMap",
    apiVersion: "v1",
    metadata: { resourceVersion: String(version), ...(initialEventsEnd ? { annotations: { "k8s.io/initial-events-end": "true" } } : {}) },
  });

/** A watch that sends this and then ends in order, breaks off, or goes on in silence. */
export const watchAnswer = (lines: readonly string[], then: "end" | "silence" | Error = "end"): ScriptedAnswer => ({
  chunks: async function* (signal) {
    for (const text of lines) yield bytesOf(text);
    if (then === "silence") await silence(signal);
    if (then instanceof Error) throw then;
  },
});

export const listAnswer = (items: readonly KubeObject[], version: number): ScriptedAnswer => ({
  body: { kind: "ConfigMapList", apiVersion: "v1", metadata: { resourceVersion: String(version) }, items },
});

/** `LISTED a@1 b@2 at 2`, `ADDED c@3`, `BOOKMARK 4`. */
export function shown(event: WatchEvent<KubeObject>): string {
  const show = ({ metadata }: KubeObject): string => `${metadata?.name}@${metadata?.resourceVersion}`;
  switch (event.type) {
    case "LISTED":
      return ["LISTED", ...event.items.map(show), "at", event.resourceVersion].join(" ");
    case "BOOKMARK":
      return `BOOKMARK ${event.resourceVersion}`;
    default:
      return `${event.type} ${show(event.object)}`;
  }
}
