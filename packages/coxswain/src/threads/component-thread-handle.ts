/** A thread of components as the server knows it: the same one, however often it has had to be started. */
import { MetricsRegistry, mergeMetricsTexts } from "@coxswain/machinery";
import { restartOnFailure } from "../components/restart-on-failure.ts";
import type { BackgroundComponent } from "../components/start-in-background.ts";
import type { BackgroundScheduler } from "../scheduler/start-in-background.ts";
import { RunningThread, type ThreadHost } from "./running-thread.ts";
import type { Content, ThreadComponent, ThreadSettings } from "./thread-protocol.ts";
import { UnansweredError } from "./worker-thread.ts";

/** Milliseconds. */
const limits = {
  /** As long as for the first clients of a server: they need not share the processors with it. */
  startDelay: 50,
  /** Who asks after health or figures has a limit, too. */
  answer: 5_000,
  /** Until a component has ended its work and given its lease back. */
  stop: 10_000,
  end: 2_000,
  /** After which a failure counts as the first again. */
  steady: 60_000,
};

export interface ThreadOptions extends Omit<ThreadHost, "serveKubelet"> {
  readonly components: readonly ThreadComponent[];
  /** As they are now. */
  readonly settings: () => Omit<ThreadSettings, "port">;
  readonly serveKubelet: (node: string, names: Parameters<ThreadHost["serveKubelet"]>[1], send: (content: Content) => void) => void;
}

export class ComponentThreadHandle implements AsyncDisposable {
  readonly #options: ThreadOptions;
  readonly #stop = new AbortController();
  readonly #registry = new MetricsRegistry();
  readonly #timer: Disposable;
  #current: RunningThread | undefined;
  #isStuck = false;
  #running: Promise<void> = Promise.resolve();

  /** It runs until it is disposed of; when it ends before, it is started again, and its components take up their work. */
  constructor(options: ThreadOptions) {
    this.#options = options;
    this.#restarts.add(0);
    this.#timer = options.clock.schedule(limits.startDelay, () => {
      this.#running = this.#run();
    });
  }

  send(content: Content): void {
    this.#current?.send(content);
  }

  /** Of the thread and its components, in Prometheus' text format; without those that do not answer. */
  async metrics(): Promise<string> {
    const texts = this.#options.components.map(
      async (one) => (await this.#current?.call(limits.answer, "metrics", one).catch(() => "")) ?? "",
    );
    return mergeMetricsTexts([this.#registry.text(), ...(await Promise.all(texts))]);
  }

  /** Disposing it stops the component: dispose of all before the thread. */
  component(name: ThreadComponent): BackgroundComponent {
    return {
      healthy: async () => (await this.#current?.call(limits.answer, "healthy", name).catch(() => false)) === true,
      [Symbol.asyncDispose]: () => this.#stopComponent(name),
    };
  }

  scheduler(): BackgroundScheduler {
    return {
      ...this.component("scheduler"),
      explain: async (namespace, name) => await this.#current?.call(limits.answer, "explain", namespace, name),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#prepareStop();
    await this.#current?.end(this.#isStuck ? 0 : limits.end);
    await this.#running;
  }

  async #stopComponent(component: ThreadComponent): Promise<void> {
    this.#prepareStop();
    // Who did not answer once is not asked again: a stop has a limit in all.
    if (this.#isStuck) return;
    await this.#current?.call(limits.stop, "stop", component).catch((error: unknown) => {
      this.#isStuck = error instanceof UnansweredError;
      this.#options.log.error({ component, error }, "failed to stop the component in order");
    });
  }

  /** From now on it is not started any more. */
  #prepareStop(): void {
    this.#timer[Symbol.dispose]();
    this.#stop.abort(new Error("the server is stopped"));
  }

  get #restarts() {
    const help = "Restarts of a thread of components that had ended by itself.";
    return this.#registry.counter("coxswain_component_thread_restarts_total", help, { components: this.#options.components.join(",") });
  }

  #run(): Promise<void> {
    const { components, settings, serveKubelet, clock, log, ...rest } = this.#options;
    const run = async (signal: AbortSignal, onSteady: () => void): Promise<void> => {
      const thread = new RunningThread(settings(), {
        ...{ ...rest, clock, log },
        serveKubelet: (node, names) => serveKubelet(node, names, (content) => this.send(content)),
      });
      this.#current = thread;
      using _ = clock.schedule(limits.steady, onSteady);
      try {
        await thread.ended;
      } catch (error) {
        if (!signal.aborted) this.#restarts.add(1);
        throw error;
      } finally {
        this.#current = undefined;
      }
    };
    return restartOnFailure({ component: `thread of ${components.join(", ")}`, clock, log, run }, this.#stop.signal);
  }
}
