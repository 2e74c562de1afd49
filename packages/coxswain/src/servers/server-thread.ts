/** What the thread of a further API server runs: a whole one, on a copy of the store. */
import module from "node:module";
import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { type ApiServer, type AuditOptions, expose, type Log, Metrics, type ProcessPeer } from "@coxswain/apiserver";
import { AsyncDisposableStack, messageOf, systemClock, systemRandom } from "@coxswain/machinery";
import { openReplica } from "@coxswain/store/replica";
import { auditPolicyOf } from "../access/audit.ts";
import type { ServerCertificates } from "../access/certificate-uses.ts";
import { FollowedValue } from "../access/followed-value.ts";
import { serviceIpRangesOf } from "../access/service-ip-ranges.ts";
import { portLog } from "../threads/port-log.ts";
import type { CallOf } from "../threads/worker-thread.ts";
import { answeredValue } from "./asked-answer.ts";
import { connectionsText } from "./connections-text.ts";
import { createApiServer } from "./create-api-server.ts";
import {
  type FromServerThread,
  type HostCalls,
  type ProcessReply,
  plainReply,
  replyOf,
  type ServerContent,
  type ServerThreadCalls,
  type ServerThreadSettings,
  type ToServerThread,
} from "./server-thread-protocol.ts";

type Certificates = { readonly [N in keyof ServerCertificates]: FollowedValue<ServerCertificates[N]> };

class ServerThread {
  readonly #parent: MessagePort;
  readonly #log: Log;
  readonly #metrics = new Metrics({ startedAt: systemClock.now() / 1000 });
  readonly #certificates: Certificates;
  readonly #owned = new AsyncDisposableStack();
  readonly #asked = new Map<number, PromiseWithResolvers<unknown>>();
  readonly #listening = Promise.withResolvers<ApiServer>();
  readonly #number: number;
  #last = 0;

  constructor(parent: MessagePort, { number, options, certificates }: ServerThreadSettings) {
    this.#parent = parent;
    this.#number = number;
    this.#log = portLog(options.logLevel, (message) => this.#send(message));
    const { serving, authority, frontProxyAuthority, frontProxyClient, kubelets } = certificates;
    this.#certificates = {
      serving: new FollowedValue(serving),
      authority: new FollowedValue(authority),
      frontProxyAuthority: new FollowedValue(frontProxyAuthority),
      frontProxyClient: new FollowedValue(frontProxyClient),
      kubelets: new FollowedValue(kubelets),
    };
    parent.on("message", (message: ToServerThread) => this.#receive(message));
  }

  async start({ options, components, listensAt, serviceAccountKey, store: copy, ...settings }: ServerThreadSettings): Promise<void> {
    const clock = systemClock;
    const store = this.#owned.use(openReplica(copy, { clock }));
    const { version, platform, users, pageKey, hasClusterIps, advertiseAddress } = settings;
    const { server, measurements } = await createApiServer(
      options,
      {
        ...{ store, clock, random: systemRandom, log: this.#log, metrics: this.#metrics },
        ...{ version, platform, users, pageKey, hasClusterIps },
        ...(advertiseAddress === undefined ? {} : { advertiseAddress }),
        serviceIpRanges: serviceIpRangesOf(options),
        certificates: this.#certificates,
        serviceAccountKey: () => serviceAccountKey,
        audit: await this.#auditOf(options.audit),
        componentHealth: new Map(components.map((name) => [name, () => this.#ask("componentHealth", name)])),
        first: this.#first,
      },
      this.#owned,
    );
    this.#owned.defer(() => server.close());
    this.#owned.use(measurements);
    // Node aborts the process where HTTP/2 reads on in a thread that no longer runs JavaScript.
    process.on("uncaughtExceptionMonitor", () => server.abandon());
    for (const { port, address } of listensAt) await server.listen(port, address, { reusePort: true });
    this.#listening.resolve(server);
    // A thread that is terminated could not do it at its end.
    module.flushCompileCache();
  }

  readonly #first: ProcessPeer = {
    serve: async (request) => {
      return replyOf((await this.#ask("process", request)) as ProcessReply);
    },
  };

  /** Events are written by the first thread; they are waited for where requests are to wait for them. */
  async #auditOf(settings: ServerThreadSettings["options"]["audit"]): Promise<AuditOptions | undefined> {
    const policy = settings && (await auditPolicyOf(settings, { log: this.#log }));
    if (settings === undefined || policy === undefined) return undefined;
    const isAwaited = [settings.log, settings.webhook].some((backend) => backend !== undefined && backend.mode !== "batch");
    return {
      policy,
      sink: {
        process: (event, stage) => {
          const kept = this.#ask("audit", event, stage);
          return isAwaited ? kept : true;
        },
      },
    };
  }

  #receive(message: ToServerThread): void {
    switch (message.kind) {
      case "call": {
        const { id, call } = message;
        this.#answer(call).then(
          (value) => this.#send({ kind: "answer", id, value }),
          (error: unknown) => this.#send({ kind: "failed", id, message: messageOf(error) }),
        );
        break;
      }
      case "asked": {
        const asked = this.#asked.get(message.id);
        this.#asked.delete(message.id);
        asked?.resolve(Promise.try(answeredValue, message.answer));
        break;
      }
      case "content":
        this.#take(message);
        break;
      case "end":
        process.exit(0);
    }
  }

  #take(content: ServerContent): void {
    switch (content.name) {
      case "serving":
      case "frontProxyClient":
        this.#certificates[content.name].set(content.value);
        break;
      case "authority":
        this.#certificates.authority.set(content.value);
        break;
      case "frontProxyAuthority":
        this.#certificates.frontProxyAuthority.set(content.value);
        break;
      case "kubelets":
        this.#certificates.kubelets.set(content.value);
    }
  }

  async #answer(call: CallOf<ServerThreadCalls>): Promise<unknown> {
    const server = await this.#listening.promise;
    switch (call.method) {
      case "healthy":
        return true;
      case "metrics":
        return expose(this.#metrics, { isPart: true }).text + connectionsText(this.#number, server);
      case "process":
        return plainReply(await server.serveProcess(...call.args));
      case "announceShutdown":
        return await server.announceShutdown();
      case "close":
        return await this.#owned.disposeAsync();
    }
  }

  #ask<M extends keyof HostCalls>(method: M, ...args: Parameters<HostCalls[M]>): ReturnType<HostCalls[M]> {
    const id = ++this.#last;
    const answer = Promise.withResolvers<unknown>();
    this.#asked.set(id, answer);
    this.#send({ kind: "ask", id, call: { method, args } } as FromServerThread);
    return answer.promise as ReturnType<HostCalls[M]>;
  }

  #send(message: FromServerThread): void {
    this.#parent.postMessage(message);
  }
}

// A start that fails ends the thread, with its error. Not awaited: a module that waits can be no CommonJS, as the executable has it.
if (parentPort !== null) {
  const settings = workerData as ServerThreadSettings;
  void new ServerThread(parentPort, settings).start(settings);
}
