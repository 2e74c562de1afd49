/** One gRPC connection to a runtime's socket: each call has a time limit, and its failures become RuntimeErrors. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { connectGrpc, GrpcError, type GrpcMethod, grpcMethods, parseProto } from "@coxswain/grpc";
import type { Clock } from "@coxswain/machinery";
import { RuntimeError } from "../runtime/runtime-error.ts";
import { fromGrpcError } from "./grpc-status.ts";
import type { CriMethods, CriStreams } from "./messages/methods.ts";

export interface CriCall {
  readonly signal: AbortSignal;
  /** Undefined: what all calls may take; 0: for ever. */
  readonly timeoutMs?: number;
}

export interface CriConnection extends Disposable {
  call<Name extends keyof CriMethods>(
    name: Name,
    request: CriMethods[Name]["request"],
    call: CriCall,
  ): Promise<CriMethods[Name]["response"]>;
  /** Ends with the signal; rejects when the runtime breaks it off. */
  stream<Name extends keyof CriStreams>(name: Name, signal: AbortSignal): AsyncIterable<CriStreams[Name]["response"]>;
}

/** What a runtime may answer with, as the original kubelet has it. */
const maxReceiveBytes = 16 << 20;

export function connectCri(socket: string, { clock, timeoutMs }: { readonly clock: Clock; readonly timeoutMs: number }): CriConnection {
  const methods = criMethods();
  const connection = connectGrpc({ address: { path: socket }, clock, maxReceiveBytes });
  return {
    async call(name, request, { signal, timeoutMs: limitMs = timeoutMs }) {
      try {
        // The types of messages/ are made from the same definitions.
        const answer = await connection.call(methodOf(methods, name), request, { signal, timeoutMs: limitMs });
        return answer as CriMethods[typeof name]["response"];
      } catch (error) {
        throw error instanceof GrpcError ? fromGrpcError(error) : error;
      }
    },
    async *stream(name, signal) {
      try {
        const answers = connection.stream(methodOf(methods, name), {}, signal);
        yield* answers as AsyncIterable<CriStreams[typeof name]["response"]>;
      } catch (error) {
        throw error instanceof GrpcError ? fromGrpcError(error) : error;
      }
    },
    [Symbol.dispose]: () => connection[Symbol.dispose](),
  };
}

/** All that cri.proto defines. */
export function criMethods(): ReadonlyMap<string, GrpcMethod> {
  const file = parseProto(readFileSync(fileURLToPath(new URL("cri.proto", import.meta.url)), "utf8"));
  return grpcMethods(file, "runtime.v1.RuntimeService", "runtime.v1.ImageService");
}

function methodOf(methods: ReadonlyMap<string, GrpcMethod>, name: string): GrpcMethod {
  const method = methods.get(name);
  if (method === undefined) throw new RuntimeError("unimplemented", `cri.proto has no method ${name}`);
  return method;
}
