/** What only Node has: files, sockets and processes. */
export type { TlsOptions } from "./dial.ts";
export { type Http2TransportOptions, http2Transport } from "./http2-transport.ts";
