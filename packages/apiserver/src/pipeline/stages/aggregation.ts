import type { Reply } from "../../contracts/http.ts";
import type { RequestInfo } from "../../contracts/request-info.ts";
import type { Stage } from "../stage.ts";

/** What another server is there for. */
export interface Aggregator {
  /** The answer to a request that is not for this server to answer. */
  answer(info: RequestInfo): Reply | undefined;
}

/** Groups and versions that an APIService gives to another server. @see https://kubernetes.io/docs/concepts/extend-kubernetes/api-extension/apiserver-aggregation/ */
export const aggregation = ({ aggregated }: { readonly aggregated: Aggregator }): Stage => ({
  name: "aggregation",
  wrap: (next) => (exchange) => {
    const reply = aggregated.answer(exchange.info);
    return reply === undefined ? next(exchange) : Promise.resolve(reply);
  },
});
