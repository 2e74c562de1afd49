/** Questions and what is known of the cluster to answers: pure, and without what lies outside the cluster. */
import { type Question, type ResourceRecord, recordType } from "../message/message.ts";
import { absolute, isWithin, labelsOf, lowerCase } from "../message/name.ts";
import {
  addressOfReverse,
  addressRecord,
  aliasRecord,
  authorityRecord,
  nameServerRecord,
  pointerRecord,
  serviceRecord,
  textRecord,
} from "../message/records.ts";
import { type Found, type FoundAddress, findPlaces, type PodMode } from "./find-places.ts";
import { parseName } from "./parse-name.ts";
import type { HostAddress, ServiceIndex } from "./service-index.ts";

/** Which names are the cluster's, and how they are answered. */
export interface ZoneOptions {
  /** In lower case, with its last dot: `cluster.local.` */
  readonly clusterDomain: string;
  /** Where addresses are looked up, in lower case with their last dots. */
  readonly reverseZones: readonly string[];
  /** Seconds; of negative answers, too. */
  readonly ttl: number;
  readonly podMode: PodMode;
  /** Own addresses, for `ns.dns` and NS records where no Service has them. */
  readonly ownAddresses: readonly HostAddress[];
}

/** What becomes of a question. `zone` is the cluster's domain or a reverse zone, in the letters of the question. */
export type Answer =
  | { readonly kind: "records"; readonly answers: readonly ResourceRecord[]; readonly additionals: readonly ResourceRecord[] }
  | { readonly kind: "noData"; readonly zone: string }
  | { readonly kind: "nameError"; readonly zone: string }
  /** Records that end with another name of one outside, which has to be looked up. */
  | { readonly kind: "outside"; readonly aliases: readonly ResourceRecord[]; readonly target: string }
  | { readonly kind: "refused" }
  /** It is not for the cluster to answer. */
  | { readonly kind: "forward" };

const schemaVersion = "1.1.0";
/** Names of other names of other names: so many at most. */
const maxAliases = 10;

interface Asked {
  readonly question: Question;
  /** In lower case. */
  readonly name: string;
  readonly zone: string;
  readonly index: ServiceIndex;
  readonly options: ZoneOptions;
}

/** Answers one question from the index alone. */
export function answerQuestion(question: Question, index: ServiceIndex, options: ZoneOptions): Answer {
  const name = lowerCase(question.name);
  const own = zoneOf(name, options);
  if (own === undefined) return { kind: "forward" };
  const zone = question.name.slice(question.name.length - own.length);
  const answer = answerInZone({ question, name, zone, index, options });
  // Addresses that are not the cluster's have names elsewhere.
  return answer.kind === "nameError" && own !== options.clusterDomain ? { kind: "forward" } : answer;
}

/** The SOA record that stands in negative answers. */
export const zoneAuthority = (zone: string, index: ServiceIndex, { ttl }: ZoneOptions): ResourceRecord =>
  authorityRecord(zone, ttl, index.serial);

function zoneOf(name: string, { clusterDomain, reverseZones }: ZoneOptions): string | undefined {
  if (isWithin(name, clusterDomain)) return clusterDomain;
  return reverseZones.find((zone) => isWithin(name, zone));
}

function answerInZone(asked: Asked): Answer {
  const { question, name, zone, index, options } = asked;
  const isApex = name.length === zone.length;
  switch (question.type) {
    case recordType.A:
    case recordType.AAAA:
      return addresses(asked, []);
    case recordType.TXT:
      return text(asked);
    case recordType.CNAME:
      return alias(asked);
    case recordType.PTR:
      return pointers(asked);
    case recordType.SRV:
      return services(asked);
    case recordType.SOA:
      return isApex ? { kind: "records", answers: [zoneAuthority(zone, index, options)], additionals: [] } : { kind: "noData", zone };
    case recordType.AXFR:
    case recordType.IXFR:
      return { kind: "refused" };
    case recordType.NS:
      return isApex ? nameServers(asked) : existence(asked);
    default:
      return existence(asked);
  }
}

const find = ({ name, zone, index, options }: Asked): Found =>
  findPlaces(parseName(labelsOf(name).slice(0, -labelsOf(zone).length || undefined)), index, options.podMode);

function existence(asked: Asked): Answer {
  const { name, zone } = asked;
  if (name === nameServerName(zone)) return { kind: "noData", zone };
  return { kind: find(asked).kind === "nothing" ? "nameError" : "noData", zone };
}

function addresses(asked: Asked, aliases: readonly ResourceRecord[]): Answer {
  const { question, name, zone, index, options } = asked;
  const length = question.type === recordType.A ? 4 : 16;
  const records = (all: Iterable<HostAddress>): Answer => {
    const unique = new Map(Array.from(all, (one) => [one.text, one]));
    const fitting = [...unique.values()].filter(({ bytes }) => bytes.length === length);
    const answers = fitting.map(({ bytes }) => addressRecord(question.name, options.ttl, bytes));
    return answers.length === 0 ? { kind: "noData", zone } : { kind: "records", answers: [...aliases, ...answers], additionals: [] };
  };
  if (name === nameServerName(zone)) return records(serverAddresses(index, options).map(({ address }) => address));
  const found = find(asked);
  switch (found.kind) {
    case "nothing":
      return { kind: "nameError", zone };
    case "places":
      return records(found.places.map(({ address }) => address));
    default:
      return aliasOf(asked, found.target, aliases);
  }
}

/** What an ExternalName Service stands for, which may be another Service. */
function aliasOf(asked: Asked, to: string, before: readonly ResourceRecord[]): Answer {
  const { question, name, zone, options } = asked;
  const target = absolute(to);
  const lower = lowerCase(target);
  const isLoop = lower === name || before.some((record) => lowerCase(record.name) === lower);
  if (isLoop || before.length > maxAliases) return { kind: "noData", zone };
  const aliases = [...before, aliasRecord(question.name, options.ttl, target)];
  if (!isWithin(lower, options.clusterDomain)) return { kind: "outside", aliases, target };
  const next = addresses({ ...asked, question: { ...question, name: target }, name: lower }, aliases);
  return next.kind === "records" || next.kind === "outside" ? next : { kind: "noData", zone: asked.zone };
}

function alias(asked: Asked): Answer {
  const { question, zone, options } = asked;
  const found = find(asked);
  if (found.kind !== "alias") return existence(asked);
  if (found.target === "") return { kind: "noData", zone };
  return { kind: "records", answers: [aliasRecord(question.name, options.ttl, absolute(found.target))], additionals: [] };
}

function text(asked: Asked): Answer {
  const { question, name, zone, options } = asked;
  if (name === `dns-version.${lowerCase(zone)}`)
    return { kind: "records", answers: [textRecord(question.name, options.ttl, schemaVersion)], additionals: [] };
  return existence(asked);
}

function pointers(asked: Asked): Answer {
  const { question, name, zone, index, options } = asked;
  const address = addressOfReverse(name);
  if (address === undefined) return existence(asked);
  const below = `svc.${options.clusterDomain}`;
  const [service] = index.servicesAt(address);
  const names =
    service === undefined
      ? Array.from(index.endpointsAt(address), (one) => `${one.hostname}.${one.service}.${one.namespace}.${below}`)
      : [`${service.name}.${service.namespace}.${below}`];
  if (names.length === 0) return { kind: "nameError", zone };
  const answers = [...new Set(names)].map((target) => pointerRecord(question.name, options.ttl, target));
  return { kind: "records", answers, additionals: [] };
}

function services(asked: Asked): Answer {
  const { question, zone, options } = asked;
  const found = find(asked);
  if (found.kind === "nothing") return { kind: "nameError", zone };
  const places = found.kind === "places" ? found.places : [];
  // Each has the same share of the weight, and at least the smallest.
  const weight = Math.max(1, Math.floor(100 / Math.max(1, places.length)));
  const answers = new Map<string, ResourceRecord>();
  const additionals = new Map<string, ResourceRecord>();
  for (const { address, port, labels } of places) {
    if (port === undefined) continue;
    const target = `${labels}.${zone}`;
    answers.set(`${port} ${target}`, serviceRecord(question.name, options.ttl, { weight, port, target }));
    additionals.set(`${address.text} ${target}`, addressRecord(target, options.ttl, address.bytes));
  }
  if (answers.size === 0) return { kind: "noData", zone };
  return { kind: "records", answers: [...answers.values()], additionals: [...additionals.values()] };
}

function nameServers({ question, zone, index, options }: Asked): Answer {
  const servers = serverAddresses(index, options);
  if (servers.length === 0) return { kind: "noData", zone };
  const names = new Set(servers.map(({ labels }) => `${labels}.${zone}`));
  return {
    kind: "records",
    answers: Array.from(names, (target) => nameServerRecord(question.name, options.ttl, target)),
    additionals: servers.map(({ address, labels }) => addressRecord(`${labels}.${zone}`, options.ttl, address.bytes)),
  };
}

const nameServerName = (zone: string): string => `ns.dns.${lowerCase(zone)}`;

/** Those of the Services whose endpoint this server is, or else its own. */
function serverAddresses(index: ServiceIndex, { ownAddresses }: ZoneOptions): Pick<FoundAddress, "address" | "labels">[] {
  const found: Pick<FoundAddress, "address" | "labels">[] = [];
  for (const { text } of ownAddresses) {
    for (const { namespace, service } of index.endpointsAt(text)) {
      const kind = index.service(namespace, service)?.kind;
      const labels = `${service}.${namespace}.svc`;
      if (kind?.type === "cluster") found.push(...kind.addresses.map((address) => ({ address, labels })));
      if (kind?.type !== "headless") continue;
      for (const { addresses } of index.endpoints(namespace, service))
        found.push(...addresses.map((address) => ({ address, labels: `${address.hostname}.${labels}` })));
    }
  }
  return found.length === 0 ? ownAddresses.map((address) => ({ address, labels: "ns.dns" })) : found;
}
