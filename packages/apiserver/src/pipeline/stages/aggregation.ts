import type { Exchange } from "../../contracts/exchange.ts";
import type { Reply } from "../../contracts/http.ts";
import type { Stage } from "../stage.ts";

/** What another server is there for. */
export interface Aggregator {
  /** The answer to a request that is not for this server to answer; undefined for all others. */
  answer(exchange: Exchange): Promise<Reply> | undefined;
}

/** Groups and versions that an APIService gives to another server. @see https://kubernetes.io/docs/concepts/extend-kubernetes/api-extension/apiserver-aggregation/ */
export const aggregation = ({ aggregated }: { readonly aggregated: Aggregator }): Stage => ({
  name: "aggregation",
  // Of what another server keeps, its past is not known here.
  wrap: (next) => (exchange) => (exchange.history === undefined ? aggregated.answer(exchange) : undefined) ?? next(exchange),
});
