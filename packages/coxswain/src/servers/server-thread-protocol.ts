/** What the process's first thread and those of further API servers say to each other, beside what their stores do. Messages arrive in their order. */
import type { AuditStage, ProcessRequest, Reply, TokenUser } from "@coxswain/apiserver";
import type { ReplicaStart } from "@coxswain/store/replica";
import type { ServerCertificates } from "../access/certificate-uses.ts";
import type { Options } from "../options/cluster-options.ts";
import type { CallOf, FromAnyThread } from "../threads/worker-thread.ts";
import type { AskedAnswer } from "./asked-answer.ts";

/** What a thread starts with. */
export interface ServerThreadSettings {
  /** Of the server in its process: the first is 1. */
  readonly number: number;
  readonly store: ReplicaStart;
  readonly options: Options;
  /** Of coxswain. */
  readonly version: string;
  readonly platform: string;
  readonly listensAt: readonly Pick<Options, "address" | "port">[];
  readonly advertiseAddress?: string;
  readonly users: readonly TokenUser[];
  readonly pageKey: string;
  readonly certificates: ServerCertificates;
  /** In PEM. */
  readonly serviceAccountKey: string;
  readonly hasClusterIps: boolean;
  /** What runs in the process, by the names of ComponentStatuses. */
  readonly components: readonly string[];
}

/** What may change while the thread runs. */
export type ServerContent = {
  [N in keyof ServerCertificates]: { readonly name: N; readonly value: ServerCertificates[N] };
}[keyof ServerCertificates];

/** What the first thread asks of another. */
export interface ServerThreadCalls {
  /** Answered once it listens. */
  healthy(): boolean;
  metrics(): string;
  /** What this server alone knows. */
  process(request: ProcessRequest): ProcessReply;
  /** As of an ApiServer, both; answered when it is done. */
  announceShutdown(): undefined;
  close(): undefined;
}

/** What a thread asks of the first one. */
export interface HostCalls {
  process(request: ProcessRequest): Promise<ProcessReply>;
  /** Whether it was kept. */
  audit(event: string, stage: AuditStage): Promise<boolean>;
  componentHealth(name: string): Promise<boolean>;
}

/** An answer that is all there. */
export interface ProcessReply {
  readonly status: number;
  readonly contentType: string;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

export type HostCall = CallOf<HostCalls>;

export type ToServerThread =
  | { readonly kind: "call"; readonly id: number; readonly call: CallOf<ServerThreadCalls> }
  | { readonly kind: "asked"; readonly id: number; readonly answer: AskedAnswer }
  | ({ readonly kind: "content" } & ServerContent)
  /** It is closed: the thread ends. */
  | { readonly kind: "end" };

export interface OwnFromServerThread {
  readonly kind: "ask";
  readonly id: number;
  readonly call: HostCall;
}

export type FromServerThread = FromAnyThread | OwnFromServerThread;

/** As it goes from thread to thread. */
export function plainReply({ status, contentType, headers = {}, body }: Reply): ProcessReply {
  if (body.kind !== "bytes") throw new Error("what is asked of a process is answered whole");
  return { status, contentType, headers, bytes: new Uint8Array(body.bytes) };
}

export const replyOf = ({ status, contentType, headers, bytes }: ProcessReply): Reply => ({
  ...{ status, contentType, headers },
  body: { kind: "bytes", bytes },
});
