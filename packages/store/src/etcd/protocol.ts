/** As much of etcd's API as a store needs, by the names and numbers of its version 3. @see https://etcd.io/docs/v3.6/dev-guide/api_reference_v3/ */
import {
  createMessageCodecs,
  type GrpcMethod,
  grpcMethods,
  type MessageCodec,
  type ProtoField,
  type ProtoFile,
  parseProto,
} from "@coxswain/grpc";

const definition = `
  syntax = "proto3";
  package etcdserverpb;

  service KV {
    rpc Range(RangeRequest) returns (RangeResponse);
    rpc DeleteRange(DeleteRangeRequest) returns (DeleteRangeResponse);
    rpc Txn(TxnRequest) returns (TxnResponse);
    rpc Compact(CompactionRequest) returns (HeaderResponse);
  }
  service Watch { rpc Watch(stream WatchRequest) returns (stream WatchResponse); }
  service Lease {
    rpc LeaseGrant(LeaseGrantRequest) returns (LeaseGrantResponse);
    rpc LeaseRevoke(LeaseRevokeRequest) returns (HeaderResponse);
    rpc LeaseKeepAlive(stream LeaseKeepAliveRequest) returns (stream LeaseKeepAliveResponse);
    rpc LeaseTimeToLive(LeaseTimeToLiveRequest) returns (LeaseTimeToLiveResponse);
  }
  service Maintenance { rpc Status(StatusRequest) returns (StatusResponse); }

  message ResponseHeader { int64 revision = 3; }
  message HeaderResponse { ResponseHeader header = 1; }
  message KeyValue { bytes key = 1; int64 create_revision = 2; int64 mod_revision = 3; int64 version = 4; bytes value = 5;
    int64 lease = 6 [jstype = JS_STRING];
  }
  message RangeRequest {
    bytes key = 1; bytes range_end = 2; int64 limit = 3; int64 revision = 4; bool keys_only = 8; bool count_only = 9;
  }
  message RangeResponse { ResponseHeader header = 1; repeated KeyValue kvs = 2; bool more = 3; int64 count = 4; }
  message PutRequest { bytes key = 1; bytes value = 2; int64 lease = 3; bool ignore_lease = 6; }
  message PutResponse { ResponseHeader header = 1; }
  message DeleteRangeRequest { bytes key = 1; bytes range_end = 2; }
  message DeleteRangeResponse { ResponseHeader header = 1; int64 deleted = 2; }
  message RequestOp { RangeRequest request_range = 1; PutRequest request_put = 2; DeleteRangeRequest request_delete_range = 3; }
  message ResponseOp { RangeResponse response_range = 1; PutResponse response_put = 2; DeleteRangeResponse response_delete_range = 3; }
  message Compare {
    enum CompareResult { EQUAL = 0; GREATER = 1; LESS = 2; NOT_EQUAL = 3; }
    enum CompareTarget { VERSION = 0; CREATE = 1; MOD = 2; VALUE = 3; }
    CompareResult result = 1; CompareTarget target = 2; bytes key = 3;
    int64 version = 4; int64 create_revision = 5; int64 mod_revision = 6; bytes value = 7;
  }
  message TxnRequest { repeated Compare compare = 1; repeated RequestOp success = 2; repeated RequestOp failure = 3; }
  message TxnResponse { ResponseHeader header = 1; bool succeeded = 2; repeated ResponseOp responses = 3; }
  message CompactionRequest { int64 revision = 1; bool physical = 2; }
  message Empty {}
  message WatchRequest { WatchCreateRequest create_request = 1; Empty progress_request = 3; }
  message WatchCreateRequest { bytes key = 1; bytes range_end = 2; int64 start_revision = 3; bool progress_notify = 4; bool fragment = 8; }
  message WatchResponse {
    ResponseHeader header = 1; int64 watch_id = 2; bool created = 3; bool canceled = 4; int64 compact_revision = 5; string cancel_reason = 6;
    bool fragment = 7; repeated Event events = 11;
  }
  message Event {
    enum EventType { PUT = 0; DELETE = 1; }
    EventType type = 1; KeyValue kv = 2;
  }
  message LeaseGrantRequest { int64 TTL = 1; int64 ID = 2; }
  message LeaseGrantResponse { ResponseHeader header = 1; int64 ID = 2; int64 TTL = 3; string error = 4; }
  message LeaseRevokeRequest { int64 ID = 1; }
  message LeaseKeepAliveRequest { int64 ID = 1; }
  message LeaseKeepAliveResponse { ResponseHeader header = 1; int64 ID = 2; int64 TTL = 3; }
  message LeaseTimeToLiveRequest { int64 ID = 1 [jstype = JS_STRING]; }
  message LeaseTimeToLiveResponse { ResponseHeader header = 1; int64 TTL = 3; }
  message StatusRequest {}
  message StatusResponse { ResponseHeader header = 1; string version = 2; int64 dbSize = 3; }
`;

/** What is in each answer. */
export interface Header {
  /** Of the whole of etcd, when the request took place. */
  readonly revision: number;
}

export interface KeyValue {
  readonly key: Buffer;
  readonly value: Buffer;
  readonly createRevision: number;
  readonly modRevision: number;
  readonly version: number;
  /** Its number, which may be greater than a safe integer; "0" for none. */
  readonly lease: string;
}

export interface RangeRequest {
  readonly key: Uint8Array;
  readonly rangeEnd?: Uint8Array;
  readonly limit?: number;
  readonly revision?: number;
  readonly keysOnly?: boolean;
  readonly countOnly?: boolean;
}

export interface RangeResponse {
  readonly header: Header;
  readonly kvs: readonly KeyValue[];
  readonly more: boolean;
  readonly count: number;
}

export interface Compare {
  readonly target: "VERSION" | "CREATE" | "MOD";
  readonly key: Uint8Array;
  readonly version?: number;
  readonly createRevision?: number;
  readonly modRevision?: number;
}

export type RequestOp =
  | {
      readonly requestPut: {
        readonly key: Uint8Array;
        readonly value: Uint8Array;
        readonly lease?: number;
        readonly ignoreLease?: boolean;
      };
    }
  | { readonly requestDeleteRange: { readonly key: Uint8Array } }
  | { readonly requestRange: RangeRequest };

export interface TxnRequest {
  readonly compare: readonly Compare[];
  readonly success: readonly RequestOp[];
  readonly failure?: readonly RequestOp[];
}

export interface TxnResponse {
  readonly header: Header;
  readonly succeeded: boolean;
  readonly responses: readonly { readonly responseRange: RangeResponse | null }[];
}

export type WatchRequest =
  | {
      readonly createRequest: {
        readonly key: Uint8Array;
        readonly rangeEnd: Uint8Array;
        readonly startRevision: number;
        readonly progressNotify: boolean;
        readonly fragment: boolean;
      };
    }
  | { readonly progressRequest: object };

export interface WatchEvent {
  readonly type: "PUT" | "DELETE";
  readonly kv: KeyValue;
}

export interface WatchResponse {
  readonly header: Header;
  readonly created: boolean;
  readonly canceled: boolean;
  readonly compactRevision: number;
  readonly cancelReason: string;
  readonly fragment: boolean;
  readonly events: readonly WatchEvent[];
}

type MethodName =
  | "Range"
  | "DeleteRange"
  | "Txn"
  | "Compact"
  | "Watch"
  | "LeaseGrant"
  | "LeaseRevoke"
  | "LeaseKeepAlive"
  | "LeaseTimeToLive"
  | "Status";

const services = ["KV", "Watch", "Lease", "Maintenance"].map((name) => `etcdserverpb.${name}`);
let codecOf: ReturnType<typeof createMessageCodecs> | undefined;
let file: ProtoFile | undefined;
let methods: ReadonlyMap<string, GrpcMethod> | undefined;

/** Definitions are read when the first is asked for. */
export function etcdMethod(name: MethodName): GrpcMethod {
  methods ??= grpcMethods(protoFile(), ...services);
  return methods.get(name) as GrpcMethod;
}

/** Reads and writes messages that come within others. */
export function etcdMessage(name: string): MessageCodec {
  codecOf ??= createMessageCodecs();
  const type = protoFile().messages.get(name);
  if (type === undefined) throw new Error(`no message ${name} is defined`);
  return codecOf(type);
}

/** For what is written and read without an object for each message: number × 8 + kind of a field by its JSON name. */
export function fieldTag(message: string, name: string): number {
  const field = fieldOf(message, name);
  return field.number * 8 + wireKind(field);
}

export function enumNumber(message: string, field: string, name: string): number {
  const { type } = fieldOf(message, field);
  const number = type.kind === "enum" ? type.type.numbers.get(name) : undefined;
  if (number === undefined) throw new Error(`${message}.${field} has no ${name}`);
  return number;
}

function fieldOf(message: string, name: string): ProtoField {
  const field = protoFile()
    .messages.get(message)
    ?.fields.find((one) => one.name === name);
  if (field === undefined) throw new Error(`${message} has no field ${name}`);
  return field;
}

function wireKind({ label, type }: ProtoField): 0 | 2 {
  if (label !== "single" || type.kind === "message") return 2;
  return type.kind === "scalar" && (type.scalar === "bytes" || type.scalar === "string") ? 2 : 0;
}

function protoFile(): ProtoFile {
  file ??= parseProto(definition);
  return file;
}
