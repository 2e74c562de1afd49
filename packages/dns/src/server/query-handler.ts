/** Packets to packets: which are answered at all, by the cluster or by others, and in what size. */
import type { Clock, RandomSource } from "@coxswain/machinery";
import { decodeHeader, decodeMessage } from "../message/decode-message.ts";
import { encodeMessage, maxMessageLength } from "../message/encode-message.ts";
import { FormatError } from "../message/format-error.ts";
import { classInternet, type Message, type Question, type ResourceRecord, recordType, responseCode } from "../message/message.ts";
import { isWithin, lowerCase } from "../message/name.ts";
import type { Forwarder } from "../upstream/forwarder.ts";
import { type Answer, answerQuestion, type ZoneOptions, zoneAuthority } from "../zone/answer-question.ts";
import type { ServiceIndex } from "../zone/service-index.ts";
import type { DnsMetrics, Protocol } from "./dns-metrics.ts";

/** What answers are made of. */
export interface QueryHandlerOptions {
  readonly index: ServiceIndex;
  readonly zone: ZoneOptions;
  readonly forwarder: Forwarder;
  readonly metrics: DnsMetrics;
  readonly clock: Clock;
  readonly random: RandomSource;
  /** Until then nothing is known not to exist. */
  readonly isSynced: () => boolean;
  /** Sees each question that is forwarded. */
  readonly onForward?: (question: Question) => void;
}

/** How a packet came. */
export interface Asker {
  readonly protocol: Protocol;
  readonly isIpv6: boolean;
  /** Whose questions are counted together: its IP address. */
  readonly client: string;
}

type Reply = Omit<Message, "id" | "edns" | "opcode" | "isResponse">;

/** Larger ones get lost on their way, and could be made to flood others. */
const maxUdpLength = 4096;
const minUdpLength = 512;
const opcodeQuery = 0;
const opcodeNotify = 4;

const noRecords = { answers: [], authorities: [], additionals: [] };

/** Answers packets; it knows nothing of sockets. */
export class QueryHandler {
  readonly #options: QueryHandlerOptions;

  constructor(options: QueryHandlerOptions) {
    this.#options = options;
  }

  /** Undefined for what must not be answered. What the cluster knows is answered at once. */
  handle(packet: Uint8Array, asker: Asker): Uint8Array | undefined | Promise<Uint8Array | undefined> {
    const startedAt = this.#options.clock.monotonic();
    const header = decodeHeader(packet);
    if (header === undefined || header.isResponse) {
      this.#options.metrics.dropped();
      return undefined;
    }
    const served = { ...asker, startedAt, type: 0, zone: "dropped" };
    const [questions, answers, authorities, additionals] = header.counts;
    const rejected = (rcode: number, opcode: number): Uint8Array =>
      this.#sent(
        { ...header, ...noRecords, questions: [], isResponse: true, authoritative: false, opcode, rcode, edns: undefined },
        served,
      );
    if (header.opcode !== opcodeQuery && header.opcode !== opcodeNotify) return rejected(responseCode.notImplemented, header.opcode);
    // An answer may be there in a NOTIFY, an authority in an IXFR: no more.
    if (questions !== 1 || answers > 1 || authorities > 1 || additionals > 2) return rejected(responseCode.formatError, opcodeQuery);
    const query = wellFormed(() => decodeMessage(packet));
    const [question] = query?.questions ?? [];
    if (query === undefined || question === undefined) return rejected(responseCode.formatError, opcodeQuery);
    const reply = this.#reply({ query, question, client: asker.client });
    const written = (routed: Routed): Uint8Array => this.#written(query, routed, { ...asker, startedAt, type: question.type });
    return reply instanceof Promise ? reply.then(written) : written(reply);
  }

  #reply(asked: Asked): Routed | Promise<Routed> {
    const { query, question } = asked;
    if (question.class !== classInternet) return failed(query, responseCode.refused);
    if (query.edns !== undefined && query.edns.version !== 0) return failed(query, responseCode.badVersion);
    if (query.opcode !== opcodeQuery) return failed(query, responseCode.notImplemented);
    // An ExternalName can be one that no message has room for.
    return wellFormed(() => this.#answered(asked)) ?? failed(query, responseCode.serverFailure);
  }

  #answered(asked: Asked): Routed | Promise<Routed> {
    const { query, question } = asked;
    const { index, zone, isSynced } = this.#options;
    const answer = answerQuestion(question, index, zone);
    // An address may be the cluster's, for all that is known.
    if (answer.kind === "forward" && !isSynced() && isReverse(question, zone)) return failed(query, responseCode.serverFailure);
    return answer.kind === "forward" || answer.kind === "outside"
      ? this.#forwarded(asked, answer)
      : { zone: zone.clusterDomain, reply: this.#known(query, answer) };
  }

  #known(query: Message, answer: Exclude<Answer, { kind: "forward" | "outside" }>): Reply {
    const { index, zone, isSynced } = this.#options;
    const empty = { ...repeated(query), ...noRecords, authoritative: true };
    switch (answer.kind) {
      case "records":
        return { ...empty, answers: this.#balanced(answer.answers), additionals: this.#balanced(answer.additionals) };
      case "noData":
        return { ...empty, authorities: [zoneAuthority(answer.zone, index, zone)] };
      case "nameError":
        return {
          ...empty,
          rcode: isSynced() ? responseCode.nameError : responseCode.serverFailure,
          authorities: [zoneAuthority(answer.zone, index, zone)],
        };
      default:
        return { ...empty, authoritative: false, rcode: responseCode.refused };
    }
  }

  #forwarded({ query, question, client }: Asked, answer: Extract<Answer, { kind: "forward" | "outside" }>): Routed | Promise<Routed> {
    const { forwarder, onForward, zone } = this.#options;
    if (answer.kind === "forward") onForward?.(question);
    const asked = answer.kind === "forward" ? question : { ...question, name: answer.target };
    const found = forwarder.ask(asked, { ...query, dnssecOk: query.edns?.dnssecOk === true }, client);
    const made = (message: Message): Routed => {
      if (answer.kind === "forward") return { zone: ".", reply: this.#passedOn(query, message) };
      const answers = [...answer.aliases, ...this.#balanced(message.answers)];
      return { zone: zone.clusterDomain, reply: { ...repeated(query), ...noRecords, authoritative: true, answers } };
    };
    return found instanceof Promise ? found.then(made) : made(found);
  }

  #passedOn(query: Message, message: Message): Reply {
    const { authoritative, truncated, recursionAvailable, authenticData, rcode, answers, authorities, additionals } = message;
    return {
      ...repeated(query),
      authoritative,
      truncated,
      recursionAvailable,
      authenticData,
      rcode,
      answers: this.#balanced(answers),
      authorities,
      additionals,
    };
  }

  /** Addresses in another order each time, behind other records that lead to them. */
  #balanced(records: readonly ResourceRecord[]): readonly ResourceRecord[] {
    const { random } = this.#options;
    if (records.length < 2) return records;
    const isAddress = ({ type }: ResourceRecord): boolean => type === recordType.A || type === recordType.AAAA;
    const addresses = records.filter(isAddress);
    for (let i = addresses.length - 1; i > 0; i--) {
      const j = Math.floor(random.next() * (i + 1));
      const [one, other] = [addresses[i], addresses[j]];
      if (one === undefined || other === undefined) break;
      addresses[i] = other;
      addresses[j] = one;
    }
    return addresses.length === records.length ? addresses : [...records.filter((one) => !isAddress(one)), ...addresses];
  }

  #written(query: Message, { zone, reply }: Routed, served: Omit<Served, "zone">): Uint8Array {
    const { edns } = query;
    const message: Message = {
      ...reply,
      id: query.id,
      isResponse: true,
      opcode: query.opcode,
      edns: edns === undefined ? undefined : { udpSize: edns.udpSize, version: 0, dnssecOk: edns.dnssecOk },
    };
    const asked = Math.min(maxUdpLength, Math.max(minUdpLength, edns?.udpSize ?? 0));
    return this.#sent(message, { ...served, zone }, served.protocol === "tcp" ? maxMessageLength : asked);
  }

  #sent(message: Message, { startedAt, ...served }: Served, maxLength = minUdpLength): Uint8Array {
    const { metrics, clock } = this.#options;
    const bytes = encodeMessage(message, maxLength);
    metrics.served({ ...served, rcode: message.rcode, durationMs: clock.monotonic() - startedAt, responseLength: bytes.length });
    return bytes;
  }
}

interface Asked {
  readonly query: Message;
  readonly question: Question;
  readonly client: string;
}

interface Routed {
  readonly zone: string;
  readonly reply: Reply;
}

interface Served extends Asker {
  readonly startedAt: number;
  readonly type: number;
  readonly zone: string;
}

/** What every reply repeats. */
const repeated = ({ questions, recursionDesired, checkingDisabled }: Message): Omit<Reply, "answers" | "authorities" | "additionals"> => ({
  questions,
  recursionDesired,
  checkingDisabled,
  authoritative: false,
  truncated: false,
  recursionAvailable: false,
  authenticData: false,
  rcode: responseCode.noError,
});

const failed = (query: Message, rcode: number): Routed => ({ zone: "dropped", reply: { ...repeated(query), ...noRecords, rcode } });

const isReverse = ({ name }: Question, { reverseZones }: ZoneOptions): boolean => {
  const lower = lowerCase(name);
  return reverseZones.some((zone) => isWithin(lower, zone));
};

/** Undefined where `make` meets what cannot be read or written. */
function wellFormed<T>(make: () => T): T | undefined {
  try {
    return make();
  } catch (error) {
    if (error instanceof FormatError) return undefined;
    throw error;
  }
}
