/** Calls of etcd's members: of the one that answered last, and of the others when it does not. */
import { connectGrpc, type GrpcConnection, GrpcError, type GrpcExchange, type GrpcTls, grpcCodes, type UnaryMethod } from "@coxswain/grpc";
import { type Clock, sleep } from "@coxswain/machinery";
import { endpointOf } from "./endpoints.ts";
import { isCertificateProblem, isRefused } from "./etcd-errors.ts";
import { etcdMethod, type RangeRequest, type RangeResponse } from "./protocol.ts";

/** Where etcd is. */
export interface EtcdServers {
  /** URLs of its members. */
  readonly servers: readonly string[];
  /** For those with `https:`; a function is asked for each connection. */
  readonly tls?: GrpcTls | (() => GrpcTls);
}

/** How long one call may take, and how long calls without effects are tried again, at other members too. */
const callMs = 5_000;
export const retryBudgetMs = 20_000;
const revokeMs = 1_000;
/** Between attempts, once every member was tried. */
const pauseMs = 100;
/** As etcd's own clients: half-open connections are found out this fast. */
const keepalive = { everyMs: 10_000, timeoutMs: 5_000 };
/** Members do not answer with more than they are asked for; a page of large objects may be large. */
const maxReceiveBytes = 0x7fff_ffff;

/** A member answers only as long as it sees a leader. */
const metadata = { hasleader: "true" };
const unaryCall = { timeoutMs: callMs, metadata };

/** A request certainly did not reach a member. */
export class NotSentError extends Error {
  constructor(cause: unknown) {
    super("not sent", { cause });
    this.name = "NotSentError";
  }
}

export class EtcdConnection implements Disposable {
  readonly #clock: Clock;
  readonly #members: readonly GrpcConnection[];
  #current = 0;
  readonly #closed = new AbortController();

  constructor({ servers, tls = {} }: EtcdServers, clock: Clock) {
    this.#clock = clock;
    this.#members = servers.map((url) =>
      connectGrpc({ address: endpointOf(url, tls), clock, maxReceiveBytes, userAgent: "coxswain", keepalive }),
    );
    if (servers.length === 0) throw new TypeError("no etcd server is named");
  }

  range(request: RangeRequest): Promise<RangeResponse> {
    return this.repeatable<RangeResponse>("Range", request);
  }

  /** Once: what becomes of it when it fails is for the caller to find out. @throws NotSentError, GrpcError */
  async once<Request, Response>(method: UnaryMethod<Request, Response>, request: Request): Promise<Response> {
    const index = this.#current;
    const member = this.#member(index);
    if (!member.isReady) await this.#connected(index);
    try {
      return await member.call(method, request, unaryCall);
    } catch (error) {
      if (!isRefused(error)) this.#giveUp(index);
      throw error;
    }
  }

  /** Until a member has answered it, or the time for that is over. For what may be done twice. @throws GrpcError the last one */
  async repeatable<T>(name: Exclude<Parameters<typeof etcdMethod>[0], "Watch" | "LeaseKeepAlive">, request: object): Promise<T> {
    const deadline = this.#clock.monotonic() + retryBudgetMs;
    let certificateProblems = 0;
    for (let attempt = 1; ; attempt++) {
      const index = this.#current;
      try {
        return (await this.#member(index).call(etcdMethod(name), request, unaryCall)) as T;
      } catch (error) {
        certificateProblems = isCertificateProblem(error) ? certificateProblems + 1 : 0;
        const isOver = this.#closed.signal.aborted || this.#clock.monotonic() >= deadline;
        if (isOver || isRefused(error) || certificateProblems >= this.#members.length) throw error;
        this.#giveUp(index);
      }
      if (attempt % this.#members.length === 0) await sleep(this.#clock, pauseMs, this.#closed.signal);
    }
  }

  /** Each member is asked at most once, and not for long: a lease also ends by itself. */
  async revoke(lease: number): Promise<void> {
    for (const _ of this.#members) {
      const index = this.#current;
      try {
        await this.#member(index).call(etcdMethod("LeaseRevoke"), { ID: lease }, { ...unaryCall, timeoutMs: revokeMs });
        return;
      } catch (error) {
        if (isRefused(error)) return;
        this.#giveUp(index);
      }
    }
  }

  /** A stream with one member, as long as that sees a leader. @throws GrpcError, also from `responses` */
  async exchange<Request, Response>(method: UnaryMethod<Request, Response>, signal: AbortSignal): Promise<GrpcExchange<Request, Response>> {
    const index = this.#current;
    try {
      return await this.#member(index).exchange(method, { signal, metadata });
    } catch (error) {
      this.#giveUp(index);
      throw error;
    }
  }

  /** Of the members that answer. */
  async versions(): Promise<string[]> {
    const asked = this.#members.map((member) => member.call(etcdMethod("Status"), {}, unaryCall));
    const answers = await Promise.allSettled(asked);
    return answers.flatMap((one) => (one.status === "fulfilled" ? [(one.value as { readonly version: string }).version] : []));
  }

  /** The next call goes to another member. */
  leaveMember(): void {
    this.#giveUp(this.#current);
  }

  [Symbol.dispose](): void {
    this.#closed.abort(new GrpcError(grpcCodes.Canceled, "the store is closed"));
    for (const member of this.#members) member[Symbol.dispose]();
  }

  #member(index: number): GrpcConnection {
    return this.#members[index] as GrpcConnection;
  }

  /** @throws NotSentError */
  async #connected(index: number): Promise<void> {
    try {
      await this.#member(index).ready();
    } catch (error) {
      this.#giveUp(index);
      throw new NotSentError(error);
    }
  }

  /** Unless somebody else already has. */
  #giveUp(index: number): void {
    if (this.#current === index) this.#current = (index + 1) % this.#members.length;
  }
}
