/** gRPC from Node: calls of services that a few lines of the protobuf language describe, over HTTP/2 without TLS. */
export { connectGrpc, type GrpcCall, type GrpcConnection, type GrpcOptions } from "./grpc-connection.ts";
export { GrpcError, grpcCodes } from "./grpc-error.ts";
export { MessageFrames, messageFrame } from "./message-frames.ts";
export { type GrpcMethod, grpcMethods } from "./methods.ts";
export {
  type FieldType,
  type ProtoEnum,
  type ProtoField,
  type ProtoFile,
  type ProtoMessage,
  type ProtoMethod,
  parseProto,
  type ScalarType,
} from "./proto-file.ts";
export type { GrpcAddress } from "./session.ts";
