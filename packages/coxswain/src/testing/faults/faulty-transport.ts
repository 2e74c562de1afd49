/** A transport on which things go wrong as a script says. */
import { ConnectionError, type Transport, type TransportRequest, type TransportResponse } from "@coxswain/client";
import { type Clock, conflict, expired, modifiedMessage, type StatusError, sleep } from "@coxswain/machinery";
import type { Fault } from "./fault.ts";
import { type FaultScript, isWatchFault, type WatchFault } from "./fault-script.ts";
import { type SeenRequest, seenRequest } from "./seen-request.ts";
import { tapWatch } from "./watch-tap.ts";

export interface FaultyOptions {
  readonly script: FaultScript;
  readonly clock: Clock;
  /** The answer that a cache gives which is so many revisions behind; undefined when it may not answer. */
  readonly stale: (request: TransportRequest, revisions: number) => Promise<TransportResponse | undefined>;
}

/** The connection between the two is the transport's own: disposing it disposes that. */
export function faultyTransport(inner: Transport, options: FaultyOptions): Transport {
  const { script } = options;
  let sent = 0;
  return {
    send: async (request) => {
      const seen = seenRequest(request, ++sent);
      return through(inner, { request, seen, faults: script.faultsOf(seen) }, options);
    },
    ...(inner.open === undefined ? {} : { open: inner.open.bind(inner) }),
    [Symbol.asyncDispose]: () => inner[Symbol.asyncDispose](),
  };
}

interface FaultyRequest {
  readonly request: TransportRequest;
  readonly seen: SeenRequest;
  readonly faults: readonly Fault[];
}

async function through(
  inner: Transport,
  { request, seen, faults }: FaultyRequest,
  { script, clock, stale }: FaultyOptions,
): Promise<TransportResponse> {
  const fire = (fault: Fault, afterEvents?: number): void =>
    void script.fired.push({ fault, request: seen, at: clock.now(), ...(afterEvents === undefined ? {} : { afterEvents }) });
  let answer: TransportResponse | undefined;
  for (const fault of faults) {
    switch (fault.kind) {
      case "conflict":
      case "status":
        fire(fault);
        return refusal(fault.kind === "status" ? fault.error : conflict(seen, seen.name, modifiedMessage));
      case "expired":
        if (seen.verb === "watch") break;
        fire(fault);
        return refusal(expired(seen.resourceVersion === undefined ? continueExpired : listExpired));
      case "lose-request":
        fire(fault);
        throw new ConnectionError("the connection was lost");
      case "overtake":
        fire(fault);
        await fault.by();
        break;
      case "stale":
        answer = await stale(request, fault.revisions ?? 1);
        if (answer !== undefined) fire(fault);
        break;
    }
  }
  answer ??= await inner.send(request);
  for (const fault of faults) {
    if (fault.kind === "slow") {
      fire(fault);
      await sleep(clock, fault.ms, request.signal);
    } else if (fault.kind === "lose-answer") {
      fire(fault);
      await answer.bytes();
      throw new ConnectionError("the connection was lost");
    }
  }
  if (seen.verb !== "watch" || answer.status !== 200) return answer;
  return tapWatch(answer, { script, clock, seen, faults: faults.filter(isWatchFault), fire, signal: request.signal });
}

export type Fire = (fault: WatchFault, afterEvents: number) => void;

/** The original's texts. */
const continueExpired =
  "The provided continue parameter is too old to display a consistent list result. You must start a new list without the continue parameter.";
const listExpired = "The resourceVersion for the provided list is too old.";

function refusal({ code, status }: StatusError): TransportResponse {
  const bytes = Buffer.from(`${JSON.stringify(status)}\n`);
  return {
    status: code,
    headers: { "content-type": "application/json", "cache-control": "no-cache, private" },
    bytes: async () => bytes,
    async *chunks() {
      yield bytes;
    },
    cancel: () => undefined,
  };
}
