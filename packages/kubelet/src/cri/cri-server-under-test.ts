/** A runtime that a test plays, at a socket of its own. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Server, ServerCredentials, type UntypedServiceImplementation } from "@grpc/grpc-js";
import { loadSync, type ServiceDefinition } from "@grpc/proto-loader";

export interface CriServerUnderTest extends AsyncDisposable {
  readonly socket: string;
  /** Again, at the same address. */
  start(): Promise<void>;
  /** Breaks off what is under way. */
  stop(): void;
}

export async function startCriServer(methods: UntypedServiceImplementation): Promise<CriServerUnderTest> {
  const folder = mkdtempSync(join(tmpdir(), "cri-server-"));
  const socket = join(folder, "cri.sock");
  const options = { defaults: true, arrays: true, objects: true, enums: String, longs: Number } as const;
  const definitions = loadSync(fileURLToPath(new URL("cri.proto", import.meta.url)), options);
  let server: Server | undefined;
  await start();
  return {
    socket,
    start,
    stop,
    async [Symbol.asyncDispose]() {
      stop();
      rmSync(folder, { recursive: true });
    },
  };

  async function start(): Promise<void> {
    const started = new Server({ "grpc.max_send_message_length": -1 });
    started.addService(definitions["runtime.v1.RuntimeService"] as ServiceDefinition, methods);
    await new Promise<void>((resolve, reject) =>
      started.bindAsync(`unix://${socket}`, ServerCredentials.createInsecure(), (error) => (error === null ? resolve() : reject(error))),
    );
    server = started;
  }

  function stop(): void {
    server?.forceShutdown();
    server = undefined;
    rmSync(socket, { force: true });
  }
}
