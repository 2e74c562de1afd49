/** What a request leaves for the audit log. */
import type { Status } from "@coxswain/machinery";
import type { UserInfo } from "./authenticator.ts";
import type { AuthorizationAttributes } from "./authorizer.ts";

/** How much of a request is recorded, from nothing to everything. */
export type AuditLevel = "None" | "Metadata" | "Request" | "RequestResponse";

/** When in the course of a request an event is recorded. */
export type AuditStage = "RequestReceived" | "ResponseStarted" | "ResponseComplete" | "Panic";

/** What a policy wants of one request. */
export interface AuditConfig {
  readonly level: AuditLevel;
  readonly omitStages: ReadonlySet<AuditStage>;
  readonly omitManagedFields: boolean;
}

/** What its handlers know of a request: plain data, as it goes from thread to thread. */
export interface AuditRecord {
  readonly level: AuditLevel;
  readonly omitManagedFields: boolean;
  /** What is there stays. */
  readonly annotations: Map<string, string>;
  /** JSON of the object that was sent, from the level Request on. */
  requestObject?: string | undefined;
  /** JSON of the object that is answered, at the level RequestResponse; undefined where the answer itself is JSON. */
  responseObject?: string | undefined;
  /** Of the object that was sent, where the path does not say it. */
  object?: { readonly namespace?: string; readonly name?: string; readonly uid?: string; readonly resourceVersion?: string } | undefined;
  /** Of a request that failed. */
  status?: Status | undefined;
  impersonated?: { readonly user: UserInfo; readonly constraint: string } | undefined;
}

/** Finds the rule for a request; `user` is undefined for one that could not be authenticated. */
export type AuditPolicy = (attributes: AuthorizationAttributes, user: UserInfo | undefined) => AuditConfig;

/** Where events go, each as the JSON of an audit.k8s.io/v1 Event. */
export interface AuditSink {
  /** Whether it was kept, as far as the sink knows by then; only one that is strict says that it was not. What has just come waits for it. */
  process(event: string, stage: AuditStage): boolean | Promise<boolean>;
}

/** The audit log of a server. */
export interface AuditOptions {
  readonly policy: AuditPolicy;
  readonly sink: AuditSink;
}
