export * from "./rest/client.ts";
export * from "./rest/resource-ref.ts";
export * from "./rest/transport.ts";
export * from "./rest/watch-event.ts";
