/** The thread of a further API server as the process's first one knows it: the same one, however often it has had to be started. */
import type { ApiServer, AuditSink, ComponentHealth, Log, ProcessRequest, Reply } from "@coxswain/apiserver";
import { type Clock, MetricsRegistry, mergeMetricsTexts } from "@coxswain/machinery";
import type { ReplicaHost } from "@coxswain/store/replica";
import { restartOnFailure } from "../components/restart-on-failure.ts";
import { UnansweredError, WorkerThread } from "../threads/worker-thread.ts";
import { answerOf } from "./asked-answer.ts";
import {
  type HostCall,
  type OwnFromServerThread,
  plainReply,
  replyOf,
  type ServerContent,
  type ServerThreadCalls,
  type ServerThreadSettings,
  type ToServerThread,
} from "./server-thread-protocol.ts";

/** Milliseconds. */
const limits = {
  /** Who asks after health or figures has a limit, too. */
  answer: 5_000,
  /** Until its module is loaded and it listens. */
  start: 60_000,
  end: 2_000,
  /** After which a failure counts as the first again. */
  steady: 60_000,
};

export interface ServerThreadOptions {
  /** Among the servers of the process: 2 is the first that has a thread of its own. */
  readonly number: number;
  readonly replicas: Pick<ReplicaHost, "open">;
  /** As they are now. */
  readonly settings: () => Omit<ServerThreadSettings, "store" | "number">;
  readonly first: Pick<ApiServer, "serveProcess" | "connections">;
  /** Undefined: nothing is audited. */
  readonly audit: AuditSink | undefined;
  readonly componentHealth: ComponentHealth;
  /** Within which requests under way end when it is closed. Milliseconds. */
  readonly closeMs: number;
  readonly clock: Clock;
  readonly log: Log;
}

type Thread = WorkerThread<ServerThreadCalls, OwnFromServerThread>;

export class ServerThreadHandle implements AsyncDisposable {
  readonly #options: ServerThreadOptions;
  readonly #stop = new AbortController();
  readonly #registry = new MetricsRegistry();
  readonly #running: Promise<void>;
  #current: Thread | undefined;
  /** Whether it has ended by itself, and does not listen again yet. */
  #isDown = false;

  /** It runs until it is disposed of; when it ends before, it is started again. */
  constructor(options: ServerThreadOptions) {
    this.#options = options;
    this.#restarts.add(0);
    this.#running = this.#run();
  }

  send(content: ServerContent): void {
    this.#current?.post({ kind: "content", ...content } satisfies ToServerThread);
  }

  /** Of its server, in Prometheus' text format; without those of one that does not answer. */
  async metrics(): Promise<string> {
    const own = await this.#current?.call(limits.answer, "metrics").catch(() => "");
    return mergeMetricsTexts([own ?? "", this.#registry.text()]);
  }

  /** What its server alone knows. */
  async serve(request: ProcessRequest): Promise<Reply | undefined> {
    const reply = await this.#current?.call(limits.answer, "process", request).catch(() => undefined);
    return reply && replyOf(reply);
  }

  /** One that has not listened yet is not missed. */
  async healthy(): Promise<boolean> {
    const current = this.#current;
    if (this.#isDown || current === undefined) return false;
    return await current.call(limits.answer, "healthy").catch(() => false);
  }

  async announceShutdown(limitMs: number): Promise<void> {
    this.#stop.abort(new Error("the server is stopped"));
    await this.#current?.call(limitMs, "announceShutdown").catch((error: unknown) => this.#note(error));
  }

  /** Requests under way are answered first. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort(new Error("the server is stopped"));
    const current = this.#current;
    let isStuck = false;
    await current?.call(this.#options.closeMs, "close").catch((error: unknown) => {
      isStuck = error instanceof UnansweredError;
      this.#note(error);
    });
    await current?.end(isStuck ? 0 : limits.end);
    await this.#running;
  }

  #note(error: unknown): void {
    this.#options.log.error({ server: this.#options.number, error }, "failed to stop the thread of an API server in order");
  }

  get #restarts() {
    const help = "Restarts of a thread of an API server that had ended by itself.";
    return this.#registry.counter("coxswain_server_thread_restarts_total", help, { server: String(this.#options.number) });
  }

  #run(): Promise<void> {
    const { number, clock, log } = this.#options;
    const run = async (signal: AbortSignal, onSteady: () => void): Promise<void> => {
      const thread = this.#start();
      this.#current = thread;
      using _ = clock.schedule(limits.steady, onSteady);
      thread.call(limits.start, "healthy").then(
        () => {
          this.#isDown = false;
        },
        () => undefined,
      );
      try {
        await thread.ended;
      } catch (error) {
        if (!signal.aborted) this.#restarts.add(1);
        throw error;
      } finally {
        this.#isDown = true;
        this.#current = undefined;
      }
    };
    return restartOnFailure({ component: `API server ${number}`, clock, log, run }, this.#stop.signal);
  }

  #start(): Thread {
    const { number, replicas, settings, clock, log } = this.#options;
    const copy = replicas.open({ onBehind: () => thread.fail(new Error("the thread hangs: it does not take what is written")) });
    const { start: store } = copy;
    const thread: Thread = new WorkerThread({
      script,
      data: { ...settings(), number, store } satisfies ServerThreadSettings,
      transfer: [store.port],
      receive: ({ id, call }) => {
        void answerOf(() => this.#answer(call)).then((answer) => thread.post({ kind: "asked", id, answer } satisfies ToServerThread));
      },
      onEnd: () => copy.close(),
      ...{ clock, log },
    });
    return thread;
  }

  async #answer(call: HostCall): Promise<unknown> {
    const { first, audit, componentHealth } = this.#options;
    switch (call.method) {
      case "process":
        return plainReply(await first.serveProcess(...call.args));
      case "audit":
        return (await audit?.process(...call.args)) ?? true;
      case "componentHealth":
        return (await componentHealth.get(call.args[0])?.()) === true;
    }
  }
}

const script = new URL(import.meta.url.endsWith(".ts") ? "../../bin/server-thread.mjs" : "./server-thread.js", import.meta.url);
