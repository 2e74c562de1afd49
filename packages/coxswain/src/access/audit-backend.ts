/** Where events of the audit log go, one backend or several, and what becomes of those that are too large. */
import { type AuditSink, type Log, type Metrics, truncateAuditEvent } from "@coxswain/apiserver";
import type { AuditMode, AuditTruncateSettings } from "../options/audit-options.ts";

/** Takes events; what is under way is done when it has been disposed of. */
export interface AuditBackend extends AsyncDisposable {
  readonly process: AuditSink["process"];
}

/** What delivers events together. */
export interface AuditDelivery {
  readonly name: "log" | "webhook";
  /** Those of one batch. @throws Error for what cannot be delivered */
  deliver(events: readonly string[]): void | Promise<void>;
}

/** Counts events that are lost, and says why. */
export type OnLostEvents = (plugin: string, events: number, error: unknown) => void;

/** Counts them, and names the error in the log. */
export function countLostEvents(log: Log, { audit }: Pick<Metrics, "audit">): OnLostEvents {
  return (plugin, events, error) => {
    audit.countError(plugin, events);
    log.error({ plugin, events, error }, "failed to deliver events of the audit log");
  };
}

/** Delivers each event at once. With `blocking` a request goes on where that fails. */
export function blockingBackend(delivery: AuditDelivery, mode: AuditMode, onLost: OnLostEvents): AuditBackend {
  const underway = new Set<Promise<boolean>>();
  // Once a request was let in, its answer does not depend on the log.
  const isKept = (stage: string): boolean => mode !== "blocking-strict" || stage !== "RequestReceived";
  return {
    process(event, stage) {
      if (underway.size >= maxUnderway) {
        onLost(delivery.name, 1, new Error("audit buffer queue blocked"));
        return isKept(stage);
      }
      const failed = (error: unknown): boolean => {
        onLost(delivery.name, 1, error);
        return isKept(stage);
      };
      try {
        const delivering = delivery.deliver([event]);
        if (delivering === undefined) return true;
        const kept = delivering.then(() => true, failed).finally(() => underway.delete(kept));
        underway.add(kept);
        return kept;
      } catch (error) {
        return failed(error);
      }
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(underway);
    },
  };
}

/** Events that are sent at the same time, outside batches. */
const maxUnderway = 1_000;

/** Those that are too large go on without what was sent and answered; those that still are, nowhere. */
export function truncatingBackend(backend: AuditBackend, settings: AuditTruncateSettings | undefined, onLost: OnLostEvents): AuditBackend {
  if (settings === undefined) return backend;
  const fits = (event: string): boolean => Buffer.byteLength(event) <= settings.maxEventSize;
  return {
    process(event, stage) {
      const shorter = fits(event) ? event : truncateAuditEvent(event);
      if (shorter !== undefined && fits(shorter)) return backend.process(shorter, stage);
      onLost("truncate", 1, new Error("event is too large even after truncating"));
      return true;
    },
    [Symbol.asyncDispose]: () => backend[Symbol.asyncDispose](),
  };
}

/** All of them get each event. */
export function allBackends(backends: readonly AuditBackend[]): AuditSink {
  const [first, second] = backends;
  if (first === undefined || second === undefined) return first ?? { process: () => true };
  return {
    process(event, stage) {
      const [a, b] = [first.process(event, stage), second.process(event, stage)];
      if (typeof a === "boolean" && typeof b === "boolean") return a && b;
      return Promise.all([a, b]).then((kept) => kept.every(Boolean));
    },
  };
}
