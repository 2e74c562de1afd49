/** A client that has nothing to do with the load: it asks for something small every 10 ms, from a thread of its own, whether it was answered or not. */
import { once } from "node:events";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { connectTo, expectStatus, type LoadedServer } from "../load.ts";

const intervalMs = 10;

export interface AnotherClient {
  /** How long the answers took that came until now, in milliseconds. */
  stop(): Promise<readonly number[]>;
}

/** Resolves once the first answer is there. */
export async function startAnotherClient({ server, token }: LoadedServer): Promise<AnotherClient> {
  const worker = new Worker(new URL(import.meta.url), { workerData: { anotherClientOf: { server, token } } });
  await once(worker, "message");
  return {
    stop: async () => {
      worker.postMessage("stop");
      const [latencies] = await once(worker, "message");
      return latencies as readonly number[];
    },
  };
}

async function ask(server: LoadedServer): Promise<void> {
  const connection = await connectTo(server);
  const latencies: number[] = [];
  const get = async (): Promise<void> => {
    const sentAt = performance.now();
    expectStatus(await connection.send("GET", "/api/v1/namespaces/default"), 200);
    latencies.push(performance.now() - sentAt);
  };
  await get();
  latencies.length = 0;
  const timer = setInterval(get, intervalMs);
  parentPort?.once("message", () => {
    clearInterval(timer);
    parentPort?.postMessage(latencies);
    process.exit(0);
  });
  parentPort?.postMessage("answered");
}

if (!isMainThread && workerData?.anotherClientOf !== undefined) await ask(workerData.anotherClientOf);
