/** gRPC from Node: calls of services that a few lines of the protobuf language describe, over HTTP/2 with TLS or without. */
export { connectGrpc, type GrpcCall, type GrpcConnection, type GrpcExchange, type GrpcOptions } from "./connection/grpc-connection.ts";
export type { Keepalive } from "./connection/keepalive.ts";
export type { GrpcAddress, GrpcTls } from "./connection/session.ts";
export { GrpcError, grpcCodes } from "./errors/grpc-error.ts";
export { createMessageCodecs, type MessageCodec } from "./messages/message-codec.ts";
export { MessageFrames, messageFrame } from "./messages/message-frames.ts";
export { type GrpcMethod, grpcMethods, type UnaryMethod } from "./messages/methods.ts";
export {
  type FieldType,
  type ProtoEnum,
  type ProtoField,
  type ProtoFile,
  type ProtoMessage,
  type ProtoMethod,
  parseProto,
  type ScalarType,
} from "./messages/proto-file.ts";
