/** One gRPC connection to a runtime's socket: each call has a time limit, and its failures become RuntimeErrors. */
import { fileURLToPath } from "node:url";
import type { Clock } from "@coxswain/machinery";
import { type CallOptions, Client, credentials, Metadata, type ServiceError } from "@grpc/grpc-js";
import { loadSync, type MethodDefinition, type ServiceDefinition } from "@grpc/proto-loader";
import { RuntimeError } from "../runtime/runtime-error.ts";
import { deadlineExceeded, fromServiceError } from "./grpc-status.ts";
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

/** As the original kubelet's: what a runtime may answer with, and the delay before a lost one is dialed again. */
const channelOptions = {
  "grpc.max_receive_message_length": 16 * 1024 * 1024,
  "grpc.initial_reconnect_backoff_ms": 100,
  "grpc.min_reconnect_backoff_ms": 100,
  "grpc.max_reconnect_backoff_ms": 3_000,
  "grpc.default_authority": "localhost",
};

export function connectCri(socket: string, { clock, timeoutMs }: { readonly clock: Clock; readonly timeoutMs: number }): CriConnection {
  const methods = loadMethods();
  const client = new Client(`unix://${socket}`, credentials.createInsecure(), channelOptions);
  return { call, stream, [Symbol.dispose]: () => client.close() };

  function call<Name extends keyof CriMethods>(
    name: Name,
    request: CriMethods[Name]["request"],
    { signal, timeoutMs: limitMs = timeoutMs }: CriCall,
  ): Promise<CriMethods[Name]["response"]> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      const { path, requestSerialize, responseDeserialize } = methodOf<CriMethods[Name]["response"]>(methods, name);
      const timer = limitMs === 0 ? undefined : clock.schedule(limitMs, () => giveUp(deadlineExceeded()));
      const onAbort = () => giveUp(signal.reason);
      signal.addEventListener("abort", onAbort, { once: true });
      const sent = client.makeUnaryRequest(path, requestSerialize, responseDeserialize, request, new Metadata(), waits, (error, answer) => {
        settle();
        if (error !== null) reject(fromServiceError(error));
        else if (answer === undefined) reject(new RuntimeError("unknown", `the runtime's answer to ${name} is empty`));
        else resolve(answer);
      });

      function giveUp(reason: unknown): void {
        settle();
        reject(reason);
        sent.cancel();
      }

      function settle(): void {
        timer?.[Symbol.dispose]();
        signal.removeEventListener("abort", onAbort);
      }
    });
  }

  async function* stream<Name extends keyof CriStreams>(
    name: Name,
    signal: AbortSignal,
  ): AsyncGenerator<CriStreams[Name]["response"], void, undefined> {
    signal.throwIfAborted();
    const { path, requestSerialize, responseDeserialize } = methodOf<CriStreams[Name]["response"]>(methods, name);
    const answers = client.makeServerStreamRequest(path, requestSerialize, responseDeserialize, {}, new Metadata(), waits);
    // Called once more after the last reader has gone.
    answers.on("error", () => undefined);
    const onAbort = () => answers.cancel();
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      yield* answers;
    } catch (error) {
      if (signal.aborted) return;
      throw isServiceError(error) ? fromServiceError(error) : error;
    } finally {
      signal.removeEventListener("abort", onAbort);
      answers.cancel();
    }
  }
}

/** A runtime that is not there is reported at once. */
const waits: CallOptions = {};

function isServiceError(error: unknown): error is ServiceError {
  return error instanceof Error && "code" in error && "details" in error;
}

/** The types of messages/ are made from the same definitions. */
type Methods = ReadonlyMap<string, MethodDefinition<object, object>>;

function loadMethods(): Methods {
  const definitions = loadSync(fileURLToPath(new URL("cri.proto", import.meta.url)), {
    defaults: true,
    arrays: true,
    objects: true,
    enums: String,
    longs: Number,
  });
  const methods = new Map<string, MethodDefinition<object, object>>();
  for (const service of ["runtime.v1.RuntimeService", "runtime.v1.ImageService"])
    for (const [name, method] of Object.entries(definitions[service] as ServiceDefinition)) methods.set(name, method);
  return methods;
}

function methodOf<Response extends object>(methods: Methods, name: string) {
  const method = methods.get(name);
  if (method === undefined) throw new RuntimeError("unimplemented", `cri.proto has no method ${name}`);
  const { path, requestSerialize, responseDeserialize } = method;
  return { path, requestSerialize, responseDeserialize: (bytes: Buffer) => responseDeserialize(bytes) as Response };
}
