/** Documents of issuers of tokens, which are not trusted: neither to answer, nor to answer with little, nor from where they say. */
import type { IncomingMessage } from "node:http";
import { request as httpRequest } from "node:https";
import { type Clock, messageOf } from "@coxswain/machinery";

export interface DocumentRequest {
  readonly url: string;
  /** In PEM; without one the machine's count. */
  readonly certificateAuthority: string | undefined;
  /** Shown to the host of the URL alone; empty for none. */
  readonly accessToken?: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** For all of it, redirects included: as long as with Kubernetes. */
const timeoutMs = 30_000;
/** Key sets of real issuers have some kilobytes. */
const maxBytes = 1024 * 1024;
/** As Go's client follows. */
const maxRedirects = 10;

/** The body of a successful answer. @throws Error with what went wrong, without what the answer said */
export async function fetchDocument({ url, certificateAuthority, accessToken = "", clock, signal }: DocumentRequest): Promise<Buffer> {
  const late = new AbortController();
  using timer = clock.schedule(timeoutMs, () => late.abort(new Error(`no answer within ${timeoutMs / 1000} seconds`)));
  timer.unref();
  const until = AbortSignal.any([signal, late.signal]);
  let target = url;
  for (let redirects = 0; ; redirects++) {
    const authorization = accessToken !== "" && isSameHost(target, url) ? { authorization: `Bearer ${accessToken}` } : {};
    const answer = await get(target, { ca: certificateAuthority, authorization, signal: until });
    if (typeof answer !== "string") return answer;
    if (redirects === maxRedirects) throw new Error(`stopped after ${maxRedirects} redirects`);
    target = answer;
  }
}

const isSameHost = (a: string, b: string): boolean => URL.parse(a)?.host === URL.parse(b)?.host;

interface Get {
  readonly ca: string | undefined;
  readonly authorization: { readonly authorization?: string };
  readonly signal: AbortSignal;
}

/** The body, or where it is. */
async function get(url: string, { ca, authorization, signal }: Get): Promise<Buffer | string> {
  if (!url.startsWith("https://")) throw new Error(`will not ask for ${url}, which is not an https URL`);
  try {
    const response = await send(url, { ca, authorization, signal });
    const { statusCode = 0, headers } = response;
    const redirect = statusCode >= 301 && statusCode <= 308 && headers.location !== undefined ? headers.location : undefined;
    if (redirect === undefined && statusCode === 200) return await read(response);
    response.destroy();
    if (redirect === undefined) throw new Error(`it answered ${statusCode}`);
    return new URL(redirect, url).href;
  } catch (error) {
    throw new Error(`Get ${JSON.stringify(url)}: ${messageOf(signal.aborted ? signal.reason : error)}`, { cause: error });
  }
}

function send(url: string, { ca, authorization, signal }: Get): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, {
      agent: false,
      signal,
      headers: { accept: "application/json", ...authorization },
      ...(ca === undefined ? {} : { ca, allowPartialTrustChain: true }),
    });
    request.on("response", resolve);
    request.on("error", reject);
    request.end();
  });
}

async function read(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) throw new Error(`the answer is larger than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
