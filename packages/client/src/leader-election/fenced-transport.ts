/** Lets reads pass, and writes only while the term lasts: asked at each sending, so that a retry is refused too. */
import type { Socket, SocketRequest, Transport, TransportRequest, TransportResponse } from "../transport/transport.ts";

/** The lease was not renewed in time, or another candidate holds it. */
export class LeadershipLostError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "LeadershipLostError";
  }
}

export interface Fence {
  /** By the clock, even before the signal is aborted. */
  readonly isOver: boolean;
  readonly over: AbortSignal;
}

export function fencedTransport(transport: Transport, fence: Fence): Transport {
  const { open } = transport;
  return {
    send: async (request) => (isRead(request) ? transport.send(request) : sendWithin(fence, transport, request)),
    ...(open === undefined ? {} : { open: (request: SocketRequest): Promise<Socket> => openWithin(fence, open.bind(transport), request) }),
    [Symbol.asyncDispose]: async () => undefined,
  };
}

const isRead = ({ method }: TransportRequest): boolean => method === "GET" || method === "HEAD";

const sendWithin = async (fence: Fence, transport: Transport, request: TransportRequest): Promise<TransportResponse> =>
  transport.send({ ...request, signal: signalWithin(fence, request.signal) });

const openWithin = async (fence: Fence, open: (request: SocketRequest) => Promise<Socket>, request: SocketRequest): Promise<Socket> =>
  open({ ...request, signal: signalWithin(fence, request.signal) });

/** @throws LeadershipLostError */
function signalWithin(fence: Fence, signal: AbortSignal | undefined): AbortSignal {
  fence.over.throwIfAborted();
  if (fence.isOver) throw new LeadershipLostError("the term is over: nothing is written any more");
  return signal === undefined ? fence.over : AbortSignal.any([signal, fence.over]);
}
