/** Records of the types that a cluster answers with, and what of others has to be read. */
import { formatIp, parseIp } from "@coxswain/machinery";
import { classInternet, type ResourceRecord, recordType } from "./message.ts";
import { nameBytes, readName } from "./name.ts";

const record = (name: string, type: number, ttl: number, data: Uint8Array): ResourceRecord => ({
  name,
  type,
  class: classInternet,
  ttl,
  data: new Uint8Array(data),
});

/** An A or AAAA record; the address is not copied, as Services have thousands of them. */
export function addressRecord(name: string, ttl: number, data: Uint8Array): ResourceRecord {
  return { name, type: data.length === 4 ? recordType.A : recordType.AAAA, class: classInternet, ttl, data };
}

/** Another name of a name. */
export const aliasRecord = (name: string, ttl: number, target: string): ResourceRecord =>
  record(name, recordType.CNAME, ttl, nameBytes(target));

/** The name of an address. */
export const pointerRecord = (name: string, ttl: number, target: string): ResourceRecord =>
  record(name, recordType.PTR, ttl, nameBytes(target));

/** A name server of a zone. */
export const nameServerRecord = (name: string, ttl: number, target: string): ResourceRecord =>
  record(name, recordType.NS, ttl, nameBytes(target));

/** A short text of one string. */
export const textRecord = (name: string, ttl: number, text: string): ResourceRecord =>
  record(name, recordType.TXT, ttl, Buffer.concat([Uint8Array.of(text.length), Buffer.from(text, "latin1")]));

/** Where a service is. */
export interface Location {
  readonly weight: number;
  readonly port: number;
  readonly target: string;
}

/** A service's port and host; all have the same priority. */
export function serviceRecord(name: string, ttl: number, { weight, port, target }: Location): ResourceRecord {
  const numbers = Buffer.alloc(6);
  numbers.writeUInt16BE(weight, 2);
  numbers.writeUInt16BE(port, 4);
  return record(name, recordType.SRV, ttl, Buffer.concat([numbers, nameBytes(target)]));
}

/** The numbers are those of CoreDNS; how long a name that is not there is remembered is the last. */
export function authorityRecord(zone: string, ttl: number, serial: number): ResourceRecord {
  const numbers = Buffer.alloc(20);
  for (const [i, number] of [serial, 7200, 1800, 86_400, ttl].entries()) numbers.writeUInt32BE(number >>> 0, 4 * i);
  const below = zone === "." ? "" : zone;
  const data = Buffer.concat([nameBytes(`ns.dns.${below}`), nameBytes(`hostmaster.${below}`), numbers]);
  return record(zone, recordType.SOA, ttl, data);
}

/** The name that a CNAME record stands for. */
export const targetOf = ({ data }: ResourceRecord): string => readName(data, 0).name;

/** How long a resolver may remember that something is not there: the smaller of two numbers (RFC 2308, section 5). */
export const negativeTtl = ({ ttl, data }: ResourceRecord): number =>
  data.length < 4 ? 0 : Math.min(ttl, Buffer.from(data.buffer, data.byteOffset, data.length).readUInt32BE(data.length - 4));

/** Four or sixteen bytes; undefined for what is no address. */
export function addressBytes(text: string): Uint8Array | undefined {
  const address = parseIp(text);
  if (address === undefined || address.leadingZeros) return undefined;
  const bytes = new Uint8Array(address.family === 4 ? 4 : 16);
  let { bits } = address;
  for (let i = bytes.length - 1; i >= 0; i--, bits >>= 8n) bytes[i] = Number(bits & 255n);
  return bytes;
}

/** The one text of an address, however it is written; undefined for what is none. */
export function canonicalAddress(text: string): string | undefined {
  const address = parseIp(text);
  return address === undefined || address.leadingZeros ? undefined : formatIp(address);
}

/** The address that a name below in-addr.arpa or ip6.arpa stands for; the name is in lower case. */
export function addressOfReverse(name: string): string | undefined {
  if (name.endsWith(".in-addr.arpa.")) {
    const parts = name.slice(0, -".in-addr.arpa.".length).split(".");
    return canonicalAddress(parts.toReversed().join("."));
  }
  if (!name.endsWith(".ip6.arpa.")) return undefined;
  const digits = name.slice(0, -".ip6.arpa.".length).split(".").toReversed();
  if (digits.length !== 32 || digits.some((digit) => digit.length !== 1)) return undefined;
  return canonicalAddress(digits.join("").replaceAll(/(.{4})(?!$)/g, "$1:"));
}
