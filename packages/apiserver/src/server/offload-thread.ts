/** The thread for heavy requests: a second server in front of the same store, which settles nothing on its own. */
import { setPriority } from "node:os";
import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { isConflict, StatusError, systemClock, systemRandom } from "@coxswain/machinery";
import type { Revision, WatchBatch } from "@coxswain/store";
import { staticContent } from "../contracts/content-provider.ts";
import type { Reply } from "../contracts/http.ts";
import type { Log } from "../contracts/log.ts";
import { Metrics } from "../metrics/metrics.ts";
import { negotiateError } from "../negotiation/negotiate.ts";
import {
  type Calls,
  type Done,
  errorOf,
  type FromThread,
  failureOf,
  type OffloadJob,
  type OffloadThreadOptions,
  type Outcome,
  ownBytes,
  type ToThread,
} from "../offload/protocol.ts";
import { type Line, RemoteStore } from "../offload/remote-store.ts";
import { parseQuery } from "../request/options.ts";
import { replyError } from "../responsewriters/encode.ts";
import { ObjectCache } from "../storage/stored-object.ts";
import { createCustomResources } from "./create-custom-resources.ts";
import { createResourceServer } from "./create-resource-server.ts";
import { OwnAddress } from "./own-address.ts";
import type { ResourceServer } from "./services.ts";

class OffloadThread implements Line {
  readonly #port: MessagePort;
  readonly #store = new RemoteStore(this);
  readonly #pending = new Map<number, PromiseWithResolvers<unknown>>();
  readonly #subscribers = new Map<number, (batch: WatchBatch) => void>();
  #last = 0;

  constructor(port: MessagePort) {
    this.#port = port;
  }

  async start({ serviceAccountKey, tokenOptions, authority, admission, ...options }: OffloadThreadOptions): Promise<void> {
    const { kubelets, serviceIpRanges, serviceNodePorts, serviceRouting, ownAddress } = options;
    // There each thread has a priority of its own: where there are too few processors, the main thread goes first.
    if (process.platform === "linux") setPriority(lowPriority);
    const server = createResourceServer({
      system: { clock: systemClock, random: systemRandom, log: this.#log(), metrics: this.#metrics() },
      // An entry is sent again for each request that reads it.
      storage: { store: this.#store, cache: new ObjectCache({ objects: 16, bytes: 4 * 1024 * 1024 }) },
      access: {
        serviceAccountKey,
        tokenOptions,
        createAuthenticator: () => async (request) => {
          const { headers, audiences } = request;
          return this.call("authenticate", { headers: { ...headers }, ...(audiences === undefined ? {} : { audiences }) });
        },
        authorize: (attributes) => this.call("authorize", attributes),
        ruleSources: () => this.call("ruleSources"),
      },
      cluster: {
        authority: authority && staticContent(() => authority),
        kubelets: kubelets && { ...kubelets, credentials: staticContent(() => kubelets.credentials) },
        serviceIpRanges,
        serviceNodePorts,
        serviceRouting,
        ownAddress: new OwnAddress(ownAddress),
      },
      admission,
      onOutdated: ({ resource, group }, before) => this.#say({ kind: "outdated", definition: `${resource}.${group}`, before }),
    });
    this.#port.on("message", (message: ToThread) => this.#receive(message, server));
    await createCustomResources(server, false).start();
    await server.admission.start();
    this.#say({ kind: "ready" });
  }

  call<M extends keyof Calls>(method: M, ...args: Parameters<Calls[M]>): ReturnType<Calls[M]> {
    const id = ++this.#last;
    const pending = Promise.withResolvers<unknown>();
    this.#pending.set(id, pending);
    this.#say({ kind: "call", id, call: { method, args } } as FromThread);
    return pending.promise as ReturnType<Calls[M]>;
  }

  subscribe(prefix: string, after: Revision, fn: (batch: WatchBatch) => void): Disposable {
    const id = ++this.#last;
    this.#subscribers.set(id, fn);
    this.#say({ kind: "subscribe", id, prefix, after });
    return {
      [Symbol.dispose]: () => {
        this.#subscribers.delete(id);
        this.#say({ kind: "unsubscribe", id });
      },
    };
  }

  #receive(message: ToThread, server: ResourceServer): void {
    switch (message.kind) {
      case "serve":
        this.#store.revision = message.revision;
        this.#store.compacted = message.compacted;
        void this.#serve(message.id, message.job, server);
        break;
      case "answer": {
        const { outcome } = message;
        const pending = this.#pending.get(message.id);
        this.#pending.delete(message.id);
        if (outcome.ok) pending?.resolve(outcome.value);
        else pending?.reject(errorOf(outcome.failure));
        break;
      }
      case "batch":
        this.#subscribers.get(message.id)?.(message.batch);
    }
  }

  async #serve(id: number, { request, ...job }: OffloadJob, server: ResourceServer): Promise<void> {
    const warnings: string[] = [];
    const query = parseQuery(request.query);
    let outcome: Outcome<Done>;
    try {
      outcome = { ok: true, value: doneOf(await server.serve({ request, query, warnings, ...job }, job.info)) };
    } catch (error) {
      // Conflicts are recorded in the main thread, which reports all of them.
      if (isConflict(error)) outcome = { ok: false, failure: failureOf(await server.conflicts.explained(error, job)) };
      // What is wrong with a large object may be a long story: it is written down here.
      else if (error instanceof StatusError) {
        if (job.audit !== undefined) job.audit.status = error.status;
        outcome = { ok: true, value: doneOf(await replyError(error, negotiateError(request, query))) };
      } else outcome = { ok: false, failure: failureOf(error) };
    }
    this.#say({ kind: "served", id, outcome, warnings, audit: job.audit }, outcome.ok ? [outcome.value.bytes.buffer] : []);
  }

  /** What matters of them is counted by the server. */
  #metrics(): Metrics {
    return new Metrics({ startedAt: systemClock.now() / 1000, onWebhook: (event) => this.#say({ kind: "webhook", event }) });
  }

  #log(): Log {
    const at =
      (level: keyof Log) =>
      (fields: object, message: string): void =>
        this.#say({
          kind: "log",
          level,
          fields: Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, loggable(value)])),
          message,
        });
    return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
  }

  #say(message: FromThread, transfer: ArrayBuffer[] = []): void {
    this.#port.postMessage(message, transfer);
  }
}

const loggable = (value: unknown): unknown =>
  value instanceof Error ? (value.stack ?? value.message) : typeof value === "object" ? String(value) : value;

/** No answer to a heavy request is a stream: those are to requests that never come here. */
function doneOf({ status, contentType, headers = {}, body }: Reply): Done {
  if (body.kind === "stream" || body.kind === "tunnel") throw new Error("a connection cannot be handed over");
  return { status, contentType, headers, bytes: body.kind === "bytes" ? ownBytes(body.bytes) : ownBytes(Buffer.concat([...body.chunks])) };
}

/** As `nice` has it. */
const lowPriority = 5;

// A start that fails ends the thread, with its error. Not awaited: a module that waits can be no CommonJS, as the executable has it.
if (parentPort !== null) void new OffloadThread(parentPort).start(workerData as OffloadThreadOptions);
