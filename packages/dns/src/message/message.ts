/**
 * Messages of the domain name system as values.
 * @see https://www.rfc-editor.org/rfc/rfc1035#section-4
 */

/** Numbers of record and question types. */
export const recordType = {
  A: 1,
  NS: 2,
  CNAME: 5,
  SOA: 6,
  PTR: 12,
  HINFO: 13,
  MX: 15,
  TXT: 16,
  AAAA: 28,
  SRV: 33,
  OPT: 41,
  IXFR: 251,
  AXFR: 252,
  ANY: 255,
} as const;

/** Numbers of response codes. */
export const responseCode = {
  noError: 0,
  formatError: 1,
  serverFailure: 2,
  nameError: 3,
  notImplemented: 4,
  refused: 5,
  badVersion: 16,
} as const;

/** Number of the class of the internet. */
export const classInternet = 1;

/** What is asked. */
export interface Question {
  /** In presentation format with its last dot, in the letters of the asker. */
  readonly name: string;
  readonly type: number;
  readonly class: number;
}

/** One record; whatever its type, its data are bytes without compressed names. */
export interface ResourceRecord {
  readonly name: string;
  readonly type: number;
  readonly class: number;
  /** Seconds. */
  readonly ttl: number;
  readonly data: Uint8Array;
}

/** What an OPT record says, without options. @see https://www.rfc-editor.org/rfc/rfc6891 */
export interface Edns {
  /** The largest UDP message that its sender takes. */
  readonly udpSize: number;
  readonly version: number;
  readonly dnssecOk: boolean;
}

/** The first twelve bytes, without the counts; `rcode` has the upper bits of an OPT record, too. */
export interface Header {
  readonly id: number;
  readonly isResponse: boolean;
  readonly opcode: number;
  readonly authoritative: boolean;
  readonly truncated: boolean;
  readonly recursionDesired: boolean;
  readonly recursionAvailable: boolean;
  readonly authenticData: boolean;
  readonly checkingDisabled: boolean;
  readonly rcode: number;
}

/** A whole message; the OPT record stands in `edns` and not among the additional records. */
export interface Message extends Header {
  readonly questions: readonly Question[];
  readonly answers: readonly ResourceRecord[];
  readonly authorities: readonly ResourceRecord[];
  readonly additionals: readonly ResourceRecord[];
  readonly edns: Edns | undefined;
}

const typeNames: ReadonlyMap<number, string> = new Map([
  ...Object.entries(recordType).map(([name, number]) => [number, name] as const),
  [35, "NAPTR"],
  [43, "DS"],
  [46, "RRSIG"],
  [47, "NSEC"],
  [48, "DNSKEY"],
  [64, "SVCB"],
  [65, "HTTPS"],
]);

const codeNames = ["NOERROR", "FORMERR", "SERVFAIL", "NXDOMAIN", "NOTIMP", "REFUSED"];

/** The name of a type for metrics: few are told apart, so that askers cannot make series without end. */
export const typeName = (type: number): string => typeNames.get(type) ?? "other";

/** The name of a response code for metrics. */
export const codeName = (code: number): string => codeNames[code] ?? (code === responseCode.badVersion ? "BADVERS" : "other");
