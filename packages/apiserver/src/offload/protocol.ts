/** What the two threads say to each other. Messages arrive in their order: whoever is asked knows what was said before. */
import { type Status, StatusError } from "@coxswain/machinery";
import {
  type Entry,
  type KeyChange,
  type ListResult,
  type Revision,
  type StoreEvent,
  type StoreFailure,
  storeErrorOf,
  storeFailureOf,
  type WatchBatch,
  type Write,
  type WriteNote,
  type WriteResult,
} from "@coxswain/store";
import type { PortRange } from "../configuration/port-range.ts";
import type { ServiceIpRanges } from "../configuration/service-ip-ranges.ts";
import type { AdmissionChoice } from "../contracts/admission.ts";
import type { AuditRecord } from "../contracts/audit.ts";
import type { Authentication, IncomingRequest, UserInfo } from "../contracts/authenticator.ts";
import type { AuthorizationAttributes, Decision } from "../contracts/authorizer.ts";
import type { ClusterAuthority } from "../contracts/cluster-authority.ts";
import type { HttpRequest } from "../contracts/http.ts";
import type { KubeletCredentials, KubeletOptions } from "../contracts/kubelet-options.ts";
import type { ResourceRequest } from "../contracts/request-info.ts";
import type { ServiceRouting } from "../contracts/service-routing.ts";
import type { WebhookEvent } from "../metrics/admission-webhooks.ts";
import type { RuleSource } from "../rbac/user-rules.ts";
import type { TokenOptions } from "../service-accounts/tokens.ts";
import type { Endpoint } from "../webhooks/client-config.ts";

/** What the thread starts with. */
export interface OffloadThreadOptions {
  readonly serviceAccountKey: string;
  readonly tokenOptions: TokenOptions | undefined;
  readonly authority: ClusterAuthority | undefined;
  readonly admission: AdmissionChoice | undefined;
  readonly serviceIpRanges: ServiceIpRanges;
  readonly serviceNodePorts: PortRange;
  readonly serviceRouting: ServiceRouting | undefined;
  /** Where the server listened when the thread was started; undefined: nowhere. */
  readonly ownAddress: Endpoint | undefined;
  /** Over the network: other threads have no connections within the process. */
  readonly kubelets: (Omit<KubeletOptions, "connect" | "credentials"> & { readonly credentials: KubeletCredentials }) | undefined;
}

/** A request on a resource, authenticated and authorised. */
export interface OffloadJob {
  readonly request: HttpRequest;
  readonly body: Uint8Array<ArrayBuffer>;
  readonly info: ResourceRequest;
  readonly user: UserInfo;
  readonly requestId: string;
  readonly audit: AuditRecord | undefined;
}

export interface Done {
  readonly status: number;
  readonly contentType: string;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

export interface Served {
  readonly outcome: Outcome<Done>;
  readonly warnings: readonly string[];
  /** What the handlers have added to. */
  readonly audit: AuditRecord | undefined;
}

/** What the thread asks of the server. */
export interface Calls {
  get(key: string, opts: { at?: Revision }): Promise<{ revision: Revision; entry: Entry | undefined }>;
  list(prefix: string, opts: { at?: Revision; after?: string; limit?: number }): Promise<ListResult>;
  write(op: Write, note: WriteNote | undefined): Promise<Written>;
  history(key: string, opts: { after?: Revision }): Promise<readonly KeyChange[]>;
  compact(before: Revision): Promise<void>;
  isStale(key: string): Promise<boolean>;
  authorize(attributes: AuthorizationAttributes): Promise<Decision>;
  ruleSources(): Promise<readonly RuleSource[]>;
  authenticate(request: Pick<IncomingRequest, "headers" | "audiences">): Promise<Authentication>;
}

/** Whoever wrote knows the value. */
export type Written =
  | { readonly ok: true; readonly revision: Revision; readonly entry: Pick<Entry, "created" | "modified"> | undefined }
  | Extract<WriteResult, { ok: false }>;

export type Call = { [M in keyof Calls]: { readonly method: M; readonly args: Parameters<Calls[M]> } }[keyof Calls];

export type Outcome<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly failure: Failure };

export type ToThread =
  | { readonly kind: "serve"; readonly id: number; readonly job: OffloadJob; readonly revision: Revision; readonly compacted: Revision }
  | { readonly kind: "answer"; readonly id: number; readonly outcome: Outcome<unknown> }
  | { readonly kind: "batch"; readonly id: number; readonly batch: WatchBatch };

export type FromThread =
  | { readonly kind: "ready" }
  | ({ readonly kind: "served"; readonly id: number } & Served)
  | { readonly kind: "call"; readonly id: number; readonly call: Call }
  | { readonly kind: "subscribe"; readonly id: number; readonly prefix: string; readonly after: Revision }
  | { readonly kind: "unsubscribe"; readonly id: number }
  /** Objects written before the revision may not suit their definition. */
  | { readonly kind: "outdated"; readonly definition: string; readonly before: number }
  | { readonly kind: "webhook"; readonly event: WebhookEvent }
  | { readonly kind: "log"; readonly level: "debug" | "info" | "warn" | "error"; readonly fields: object; readonly message: string };

/** An error on its way: classes do not survive it. */
export type Failure =
  | StoreFailure
  | { readonly kind: "status"; readonly status: Status }
  | { readonly kind: "unexpected"; readonly message: string };

export function failureOf(error: unknown): Failure {
  if (error instanceof StatusError) return { kind: "status", status: error.status };
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return storeFailureOf(error) ?? { kind: "unexpected", message };
}

export function errorOf(failure: Failure): Error {
  switch (failure.kind) {
    case "status":
      return new StatusError(failure.status);
    case "unexpected":
      return new Error(failure.message);
    default:
      return storeErrorOf(failure);
  }
}

/** Bytes of their own, as a message that hands over part of a larger buffer would carry all of it. */
export const ownBytes = (bytes: Uint8Array): Uint8Array<ArrayBuffer> => new Uint8Array(bytes);

type Plain = Entry & { readonly value: Uint8Array<ArrayBuffer> };

/** What was derived from the value stays where it is. */
export const plainEntry = ({ key, value, created, modified }: Entry): Plain => ({
  key,
  value: ownBytes(value),
  created,
  modified,
  derived: undefined,
});

export const plainIfAny = (entry: Entry | undefined): Plain | undefined => (entry === undefined ? undefined : plainEntry(entry));

export function plainEvent(event: StoreEvent): StoreEvent {
  return event.type === "put"
    ? { type: "put", entry: plainEntry(event.entry), previous: plainIfAny(event.previous) }
    : { type: "delete", key: event.key, revision: event.revision, previous: plainEntry(event.previous) };
}
