/** What is counted about the audit log, under Kubernetes' names. */
import type { AuditLevel } from "../contracts/audit.ts";
import type { Definers } from "./definers.ts";

export class AuditSeries {
  events = 0;
  rejected = 0;
  readonly levels: Record<AuditLevel, number> = { None: 0, Metadata: 0, Request: 0, RequestResponse: 0 };
  /** Events that were lost, by the backend. */
  readonly errors = new Map<string, number>();

  countError(plugin: string, events = 1): void {
    this.errors.set(plugin, (this.errors.get(plugin) ?? 0) + events);
  }
}

export function exposeAudit({ counter }: Definers, { events, rejected, levels, errors }: AuditSeries): void {
  counter("apiserver_audit_event_total", "[ALPHA] Counter of audit events generated and sent to the audit backend.", [[{}, events]]);
  counter(
    "apiserver_audit_requests_rejected_total",
    "[ALPHA] Counter of apiserver requests rejected due to an error in audit logging backend.",
    [[{}, rejected]],
  );
  const counted = Object.entries(levels).filter(([, count]) => count > 0);
  counter(
    "apiserver_audit_level_total",
    "[ALPHA] Counter of policy levels for audit events (1 per request).",
    counted.map(([level, count]) => [{ level }, count] as const),
  );
  counter(
    "apiserver_audit_error_total",
    "[ALPHA] Counter of audit events that failed to be audited properly. Plugin identifies the plugin affected by the error.",
    [...errors].map(([plugin, count]) => [{ plugin }, count] as const),
  );
}
