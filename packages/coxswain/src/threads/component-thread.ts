/** What a thread of components runs: each as it would run in the server's thread, with requests that go over a port. */
import module from "node:module";
import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import type { Log } from "@coxswain/apiserver";
import { mergeMetricsTexts, messageOf, systemClock, systemRandom } from "@coxswain/machinery";
import type { KeyPair } from "@coxswain/pki/node";
import { FollowedValue } from "../access/followed-value.ts";
import { type SharedInformers, startSharedInformers } from "../components/shared-informers.ts";
import type { InProcessComponent } from "../components/start-component.ts";
import { PortClient } from "../message-port/port-client.ts";
import { releaseMemoryWhenIdle } from "../process/idle-memory.ts";
import type { RunningScheduler } from "../scheduler/start-scheduler.ts";
import { portLog } from "./port-log.ts";
import { yieldToServer } from "./thread-priority.ts";
import {
  type Content,
  type ControllersOfThread,
  type FromThread,
  type NodesOfThread,
  type SchedulerOfThread,
  type ThreadCall,
  type ThreadComponent,
  type ThreadSettings,
  type ToThread,
  threadComponents,
} from "./thread-protocol.ts";

class ComponentThread {
  readonly #parent: MessagePort;
  readonly #client: PortClient;
  readonly #log: Log;
  readonly #starting = new Map<ThreadComponent, Promise<InProcessComponent | undefined>>();
  readonly #running = new Map<ThreadComponent, InProcessComponent>();
  #scheduler: RunningScheduler | undefined;
  readonly #shared: SharedInformers | undefined;
  readonly #rootCa: FollowedValue<string>;
  readonly #clientAuthority: FollowedValue<string>;
  readonly #kubeletServing = Promise.withResolvers<FollowedValue<KeyPair>>();
  #servingPair: FollowedValue<KeyPair> | undefined;

  constructor(parent: MessagePort, settings: ThreadSettings) {
    const { port, logLevel, controllers, nodes } = settings;
    this.#parent = parent;
    this.#rootCa = new FollowedValue(controllers?.rootCa ?? "");
    this.#clientAuthority = new FollowedValue(nodes?.clientAuthority ?? "");
    this.#client = new PortClient(port);
    this.#log = portLog(logLevel, (message) => this.#send(message));
    const present = threadComponents.filter((one) => settings[one] !== undefined);
    const own = { clock: systemClock, random: systemRandom, log: this.#log };
    this.#shared = startSharedInformers((user) => this.#client.connect(user), present, own);
    parent.on("message", (message: ToThread) => this.#receive(message));
  }

  async start({ controllers, scheduler, nodes }: ThreadSettings): Promise<void> {
    if (controllers !== undefined) this.#start("controllers", () => this.#startControllers(controllers));
    if (scheduler !== undefined) this.#start("scheduler", () => this.#startScheduler(scheduler));
    if (nodes !== undefined) this.#start("nodes", () => this.#startNodes(nodes));
    await Promise.all(this.#starting.values());
    await yieldToServer(this.#log);
    releaseMemoryWhenIdle(systemClock);
    // A thread that is terminated could not do it at its end.
    module.flushCompileCache();
  }

  #start(component: ThreadComponent, start: () => Promise<InProcessComponent>): void {
    const starting = start().then(
      (running) => {
        this.#running.set(component, running);
        return running;
      },
      (error: unknown) => {
        this.#log.error({ component, error }, "failed to start the component");
        return undefined;
      },
    );
    this.#starting.set(component, starting);
  }

  get #dependencies() {
    return { clock: systemClock, random: systemRandom, log: this.#log, informers: this.#shared?.informers };
  }

  async #startControllers({ choice, isElected, nodeIpam }: ControllersOfThread): Promise<InProcessComponent> {
    const { startControllers } = await import("../controllers/start-controllers.ts");
    const settings = { rootCa: this.#rootCa, ...(nodeIpam === undefined ? {} : { nodeIpam }) };
    return startControllers((user) => this.#client.connect(user), { choice, isElected, settings, ...this.#dependencies });
  }

  async #startScheduler({ configFile, isElected }: SchedulerOfThread): Promise<InProcessComponent> {
    const [{ startScheduler }, { loadSchedulerConfig }] = await Promise.all([
      import("../scheduler/start-scheduler.ts"),
      import("../scheduler/load-config.ts"),
    ]);
    const config = await loadSchedulerConfig(configFile);
    this.#scheduler = startScheduler((user) => this.#client.connect(user), { config, isElected, ...this.#dependencies });
    return this.#scheduler;
  }

  async #startNodes(nodes: NodesOfThread): Promise<InProcessComponent> {
    const [{ startConnectedNodes }, { followedCredentials }] = await Promise.all([
      import("../nodes/start-connected-nodes.ts"),
      import("../nodes/nodes-settings.ts"),
    ]);
    return await startConnectedNodes((user) => this.#client.connect(user), {
      ...nodes,
      clientAuthority: this.#clientAuthority,
      credentials: async (node, names) => {
        this.#send({ kind: "credentials", node, names });
        return followedCredentials(await this.#kubeletServing.promise);
      },
      ...this.#dependencies,
    });
  }

  #receive(message: ToThread): void {
    switch (message.kind) {
      case "call": {
        const { id, call } = message;
        this.#answer(call).then(
          (value) => this.#send({ kind: "answer", id, value }),
          (error: unknown) => this.#send({ kind: "failed", id, message: messageOf(error) }),
        );
        break;
      }
      case "content":
        this.#take(message);
        break;
      case "end":
        this.#client.close();
        process.exit(0);
    }
  }

  #take(content: Content): void {
    switch (content.name) {
      case "rootCa":
        this.#rootCa.set(content.value);
        break;
      case "clientAuthority":
        this.#clientAuthority.set(content.value);
        break;
      case "kubeletServing":
        if (this.#servingPair === undefined) this.#servingPair = new FollowedValue(content.value);
        else this.#servingPair.set(content.value);
        this.#kubeletServing.resolve(this.#servingPair);
    }
  }

  async #answer(call: ThreadCall): Promise<unknown> {
    switch (call.method) {
      case "healthy":
        return this.#running.get(call.args[0])?.healthy() === true;
      case "metrics":
        return this.#metrics(call.args[0]);
      case "explain":
        return this.#scheduler?.explain(...call.args);
      case "stop": {
        const component = await this.#starting.get(call.args[0]);
        this.#running.delete(call.args[0]);
        await component?.[Symbol.asyncDispose]();
        return undefined;
      }
    }
  }

  /** The first component's has what is of all. */
  #metrics(component: ThreadComponent): string {
    const own = this.#running.get(component)?.metrics() ?? "";
    const [first] = this.#starting.keys();
    return component === first && this.#shared !== undefined ? mergeMetricsTexts([own, this.#shared.metrics()]) : own;
  }

  #send(message: FromThread): void {
    this.#parent.postMessage(message);
  }
}

// A start that fails ends the thread, with its error. Not awaited: a module that waits can be no CommonJS, as the executable has it.
if (parentPort !== null) {
  const settings = workerData as ThreadSettings;
  void new ComponentThread(parentPort, settings).start(settings);
}
