/** What a service can be asked. */
import { createMessageCodecs, type MessageCodec } from "./message-codec.ts";
import type { ProtoFile } from "./proto-file.ts";

/** A method of a service, for those that call it and those that serve it. */
export interface GrpcMethod {
  readonly name: string;
  /** `/grpc.health.v1.Health/Check`. */
  readonly path: string;
  readonly request: MessageCodec;
  readonly response: MessageCodec;
  /** Whether it answers with any number of messages. */
  readonly streams: boolean;
  /** Whether it takes any number of them. */
  readonly requestStreams: boolean;
}

/** As much of a method as a call with one message for one needs. */
export interface UnaryMethod<Request, Response> {
  readonly path: string;
  readonly request: { frame(message: Request): Buffer };
  /** @throws DecodeError */
  readonly response: { decode(bytes: Uint8Array): Response };
}

/** The methods of these services by their names. @throws Error for a service that the file does not have */
export function grpcMethods({ services }: ProtoFile, ...names: readonly string[]): ReadonlyMap<string, GrpcMethod> {
  const codecOf = createMessageCodecs();
  const methods = new Map<string, GrpcMethod>();
  for (const service of names) {
    const found = services.get(service);
    if (found === undefined) throw new Error(`no service ${service} is defined`);
    for (const { name, request, response, ...streams } of found)
      methods.set(name, { name, path: `/${service}/${name}`, request: codecOf(request), response: codecOf(response), ...streams });
  }
  return methods;
}
