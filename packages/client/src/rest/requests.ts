/** Sends requests: the headers that all have, retries, and what becomes of answers. */
import { type Clock, isUnexpectedServerError, parseJson, type RandomSource, StatusError, sleep, stringifyJson } from "@coxswain/machinery";
import { backoffDelay } from "../retry/backoff.ts";
import { ConnectionError, type Transport, type TransportRequest, type TransportResponse } from "../transport/transport.ts";
import { errorOf, isFailedStatus, type RequestSummary } from "./answer-error.ts";
import { joined } from "./joined.ts";
import { LinkedAbort } from "./linked-abort.ts";
import { parseWarnings } from "./warning.ts";

export interface RequestsOptions {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly fieldManager: string | undefined;
  readonly onWarning: ((text: string) => void) | undefined;
  /** Called when the server turns out not to serve what was asked for. */
  readonly onUnknownPath: () => void;
  /** Aborted when the client is disposed. */
  readonly closing: AbortSignal;
}

export interface JsonRequest extends RequestSummary {
  readonly method: TransportRequest["method"];
  readonly path: string;
  readonly accept?: string;
  readonly body?: unknown;
  /** Of the body. Default: `application/json`. */
  readonly contentType?: string;
  readonly signal?: AbortSignal | undefined;
  /** See Repeatable. */
  readonly onRepeated?: (() => void) | undefined;
  /** Called with each part of the answer as it arrives, and with its head. */
  readonly onProgress?: () => void;
}

export interface Requests {
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly closing: AbortSignal;
  /** One attempt. @throws StatusError unless 2xx, ConnectionError */
  attempt(request: TransportRequest, asked?: RequestSummary): Promise<TransportResponse>;
  /** Attempts until one succeeds or trying again makes no sense. @throws as `attempt` */
  send(request: TransportRequest): Promise<TransportResponse>;
  /** The same for a JSON answer, which is awaited whole. */
  json<T>(request: JsonRequest): Promise<T>;
  /** One attempt of that. */
  jsonOnce<T>(request: JsonRequest): Promise<T>;
}

/** client-go's: a server that says when to come back is asked so often. */
const maxAttempts = 10;
const maxRetryAfterMs = 60_000;
/** And up to so much of that time later, so that those who were refused together do not come back together. */
const retryAfterJitter = 0.5;
/** Where no connection comes about: about two seconds in all. */
const maxConnectionAttempts = 5;
const connectionBackoff = { baseDelayMs: 100, factor: 2, jitter: 0.5, capMs: 2_000 };

export function createRequests(options: RequestsOptions): Requests {
  const { transport, clock, random, closing } = options;
  const userAgent = userAgentOf(options.fieldManager);

  const attempt = async (request: TransportRequest, asked: RequestSummary = request): Promise<TransportResponse> => {
    closing.throwIfAborted();
    const response = await transport.send({ ...request, headers: { "user-agent": userAgent, ...request.headers } });
    if (options.onWarning !== undefined) for (const text of parseWarnings(response.headers.warning)) options.onWarning(text);
    if (response.status >= 200 && response.status < 300) return response;
    const error = await errorOf(response, asked);
    if (isUnknownPath(error)) options.onUnknownPath();
    throw error;
  };

  const jsonOnce = async <T>(request: JsonRequest): Promise<T> => {
    const response = await attempt(encode(request), request);
    const value = parseAnswer(await bytesOf(response, request.onProgress), request);
    if (isFailedStatus(value)) throw new StatusError(value);
    return value as T;
  };

  const retrying = async <R>(
    once: () => Promise<R>,
    { method, signal, onRepeated }: Pick<JsonRequest, "method" | "signal" | "onRepeated">,
  ): Promise<R> => {
    for (let failures = 0; ; failures++) {
      try {
        return await once();
      } catch (error) {
        signal?.throwIfAborted();
        closing.throwIfAborted();
        const delayMs = delayBeforeRetry(error, method, failures, random);
        if (delayMs === undefined) throw explained(error, method);
        if (!isSafe(method) && error instanceof StatusError && error.code >= 500) onRepeated?.();
        using waiting = new LinkedAbort(signal, closing);
        await sleep(clock, delayMs, waiting.signal);
      }
    }
  };

  return {
    clock,
    random,
    closing,
    attempt,
    jsonOnce,
    json: (request) => retrying(() => jsonOnce(request), request),
    send: (request) => retrying(() => attempt(request), request),
  };
}

/** Where only the object is missing, the server's own Status names it. */
const isUnknownPath = (error: StatusError): boolean =>
  error.code === 404 && (error.status.details?.name === undefined || isUnexpectedServerError(error));

/** Servers without a `fieldManager` parameter take for it what stands before the first slash. */
function userAgentOf(fieldManager: string | undefined): string {
  const product = "coxswain-client/0.1.0";
  const manager = fieldManager?.replace(/[^\w!#$&'*+.^`|~-]/g, "-");
  return manager === undefined || manager === "" ? product : `${manager}/0.1.0 ${product}`;
}

function encode({
  method,
  path,
  accept = "application/json",
  body,
  contentType = "application/json",
  signal,
}: JsonRequest): TransportRequest {
  if (body === undefined) return { method, path, headers: { accept }, signal };
  const headers = { accept, "content-type": contentType };
  return { method, path, headers, body: new TextEncoder().encode(stringifyJson(body)), signal };
}

async function bytesOf(response: TransportResponse, onProgress: (() => void) | undefined): Promise<Uint8Array> {
  if (onProgress === undefined) return response.bytes();
  const parts: Uint8Array[] = [];
  onProgress();
  for await (const chunk of response.chunks()) {
    onProgress();
    parts.push(chunk);
  }
  return joined(parts);
}

function parseAnswer(bytes: Uint8Array, { method, path }: JsonRequest): unknown {
  try {
    return parseJson(bytes);
  } catch (error) {
    throw new Error(`the answer to ${method} ${path} is no JSON`, { cause: error });
  }
}

/** Undefined when trying again makes no sense, or might do twice what was meant once. */
function delayBeforeRetry(error: unknown, method: string, failures: number, random: RandomSource): number | undefined {
  const backoffMs = backoffDelay(connectionBackoff, failures, random);
  if (error instanceof StatusError) {
    const after = error.status.details?.retryAfterSeconds;
    const askedToComeBack = after !== undefined && (error.code === 429 || error.code >= 500);
    if (!askedToComeBack || failures + 1 >= maxAttempts) return undefined;
    const afterMs = Math.min(after * 1000, maxRetryAfterMs) * (1 + retryAfterJitter * random.next());
    return Math.max(backoffMs, afterMs);
  }
  if (!(error instanceof ConnectionError) || error.lasting || !(error.unsent || isSafe(method))) return undefined;
  return failures + 1 < maxConnectionAttempts ? backoffMs : undefined;
}

const isSafe = (method: string): boolean => method === "GET" || method === "HEAD";

function explained(error: unknown, method: string): unknown {
  if (!(error instanceof ConnectionError) || error.unsent || isSafe(method)) return error;
  return new ConnectionError(`${error.message}; the ${method} was sent and may have taken effect: it is not sent again`, { cause: error });
}
