export * from "./message/decode-message.ts";
export { encodeMessage, maxMessageLength } from "./message/encode-message.ts";
export { FormatError } from "./message/format-error.ts";
export * from "./message/message.ts";
export { type ReadName, readName } from "./message/name.ts";
export { DnsMetrics, type Protocol, type ServedRequest } from "./server/dns-metrics.ts";
export { type Asker, QueryHandler, type QueryHandlerOptions } from "./server/query-handler.ts";
export { type DnsLog, type DnsOptions, type RunningDns, startDns } from "./start/start-dns.ts";
export type { CacheBounds } from "./upstream/answer-cache.ts";
export type { Exchange, UpstreamQuestion } from "./upstream/exchange.ts";
export {
  type AskedFlags,
  Forwarder,
  type ForwarderCounts,
  type ForwarderLog,
  type ForwarderOptions,
  type ForwardZone,
} from "./upstream/forwarder.ts";
export { nameServersIn, parseServerAddress, type ServerAddress } from "./upstream/server-address.ts";
export { type Answer, answerQuestion, type ZoneOptions } from "./zone/answer-question.ts";
export type { PodMode } from "./zone/find-places.ts";
export { type HostAddress, ServiceIndex } from "./zone/service-index.ts";
