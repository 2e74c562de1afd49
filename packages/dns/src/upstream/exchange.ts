/** One question to one name server: by UDP, and by TCP where the answer does not fit. */
import { randomInt } from "node:crypto";
import { createSocket } from "node:dgram";
import { connect, isIPv6 } from "node:net";
import { decodeHeader, decodeMessage } from "../message/decode-message.ts";
import { encodeMessage } from "../message/encode-message.ts";
import { FormatError } from "../message/format-error.ts";
import { type Message, type Question, responseCode } from "../message/message.ts";
import { lowerCase } from "../message/name.ts";
import type { ServerAddress } from "./server-address.ts";

/** A question to another name server, with its flags. */
export interface UpstreamQuestion {
  readonly question: Question;
  readonly recursionDesired: boolean;
  readonly checkingDisabled: boolean;
  readonly authenticData: boolean;
  readonly dnssecOk: boolean;
}

/** Asks; rejects when the signal is aborted, when nobody is there, or when what came cannot be read. */
export type Exchange = (server: ServerAddress, asked: UpstreamQuestion, signal: AbortSignal) => Promise<Message>;

/** What passes through every network in one piece. */
const udpSize = 1232;

export const exchange: Exchange = async (server, asked, signal) => {
  const answer = await exchangeUdp(server, queryOf(asked), signal);
  if (answer.truncated) return await exchangeTcp(server, queryOf(asked), signal);
  // What knows no EDNS answers such a question with an error (RFC 6891, section 7).
  return isWithoutEdns(answer) ? await exchangeUdp(server, { ...queryOf(asked), edns: undefined }, signal) : answer;
};

const isWithoutEdns = ({ edns, rcode }: Message): boolean =>
  edns === undefined && (rcode === responseCode.formatError || rcode === responseCode.notImplemented);

/** Each question has a socket of its own and so a port, and a number, that others cannot know. */
function exchangeUdp(server: ServerAddress, query: Query, signal: AbortSignal): Promise<Message> {
  const { promise, resolve, reject } = Promise.withResolvers<Message>();
  const { id } = query;
  const socket = createSocket(isIPv6(server.host) ? "udp6" : "udp4");
  const onAbort = (): void => reject(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  socket.on("error", reject);
  socket.on("message", (bytes: Buffer) => {
    const header = decodeHeader(bytes);
    // Others may guess, and answers to earlier questions may be late: only the right one ends it.
    if (header === undefined || header.id !== id || !header.isResponse) return;
    try {
      const answer = decodeMessage(bytes);
      if (answersTo(answer, query)) resolve(answer);
    } catch (error) {
      if (!(error instanceof FormatError)) reject(error);
      else if (header.truncated) resolve({ ...header, ...noRecords });
      else reject(error);
    }
  });
  // Connected sockets take nothing from anybody else.
  socket.on("connect", () => {
    socket.send(encodeMessage(query), (error) => {
      if (error) reject(error);
    });
  });
  // Without a callback, which would be called for failures too: they are errors of the socket, as where there is no route.
  socket.connect(server.port, server.host);
  return promise.finally(() => {
    signal.removeEventListener("abort", onAbort);
    socket.close();
  });
}

const noRecords = { questions: [], answers: [], authorities: [], additionals: [], edns: undefined };

function exchangeTcp(server: ServerAddress, query: Query, signal: AbortSignal): Promise<Message> {
  const { promise, resolve, reject } = Promise.withResolvers<Message>();
  const { id } = query;
  const packet = encodeMessage(query);
  const socket = connect(server);
  const onAbort = (): void => reject(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  let received: Uint8Array = new Uint8Array(0);
  socket.on("error", reject);
  socket.on("end", () => reject(new FormatError("a name server closed the connection")));
  socket.on("data", (bytes: Buffer) => {
    received = Buffer.concat([received, bytes]);
    if (received.length < 2) return;
    const length = ((received[0] ?? 0) << 8) | (received[1] ?? 0);
    if (received.length < 2 + length) return;
    try {
      const answer = decodeMessage(received.subarray(2, 2 + length));
      if (answer.id === id && answer.isResponse && answersTo(answer, query)) resolve(answer);
      else reject(new FormatError("a name server answered something else"));
    } catch (error) {
      reject(error);
    }
  });
  socket.write(Buffer.concat([Uint8Array.of(packet.length >> 8, packet.length & 0xff), packet]));
  return promise.finally(() => {
    signal.removeEventListener("abort", onAbort);
    socket.destroy();
  });
}

interface Query extends Message {
  readonly questions: readonly [Question];
}

const queryOf = ({ question, dnssecOk, recursionDesired, checkingDisabled, authenticData }: UpstreamQuestion): Query => ({
  id: randomInt(0x10000),
  isResponse: false,
  opcode: 0,
  authoritative: false,
  truncated: false,
  recursionAvailable: false,
  rcode: 0,
  recursionDesired,
  checkingDisabled,
  authenticData,
  questions: [question],
  answers: [],
  authorities: [],
  additionals: [],
  edns: { udpSize, version: 0, dnssecOk },
});

function answersTo({ questions, rcode }: Message, { questions: [question] }: Query): boolean {
  const [one, ...more] = questions;
  // Servers that refuse or cannot read a message need not repeat what it asked.
  if (one === undefined) return rcode !== 0;
  return (
    more.length === 0 && one.type === question.type && one.class === question.class && lowerCase(one.name) === lowerCase(question.name)
  );
}
