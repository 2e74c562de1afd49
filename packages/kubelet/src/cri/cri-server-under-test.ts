/** A runtime that a test plays, at a socket of its own. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type GrpcHandler, type GrpcServer, serveGrpc } from "../../../../tests/grpc-server.ts";
import { criMethods } from "./cri-connection.ts";

export interface CriServerUnderTest extends AsyncDisposable {
  readonly socket: string;
  /** Again, at the same address. */
  start(): Promise<void>;
  /** Breaks off what is under way. */
  stop(): void;
}

export async function startCriServer(handlers: Readonly<Record<string, GrpcHandler>>): Promise<CriServerUnderTest> {
  const folder = mkdtempSync(join(tmpdir(), "cri-server-"));
  const socket = join(folder, "cri.sock");
  let server: GrpcServer | undefined;
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
    server = await serveGrpc({ methods: criMethods(), handlers, socket });
  }

  function stop(): void {
    server?.stop();
    server = undefined;
    rmSync(socket, { force: true });
  }
}
