/** Events that are too large for a backend. */
import { isObject } from "@coxswain/machinery";
import { escapedJson } from "./event.ts";

/** The event without what was sent and answered, with an annotation that says so; undefined where it has neither by its level. */
export function truncateAuditEvent(line: string): string | undefined {
  const event: unknown = JSON.parse(line);
  if (!isObject(event) || event.level === "Metadata") return undefined;
  const { requestObject: _sent, responseObject: _answered, annotations, ...rest } = event;
  const more = { ...(isObject(annotations) ? annotations : {}), "audit.k8s.io/truncated": "true" };
  const sorted = Object.fromEntries(Object.entries(more).sort(([a], [b]) => (a < b ? -1 : 1)));
  return `${escapedJson(JSON.stringify({ ...rest, annotations: sorted }))}\n`;
}
