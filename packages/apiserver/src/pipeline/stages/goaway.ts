/** Now and then a client on HTTP/2 is made to connect anew, so that behind a balancer clients spread over all servers. */
import type { RandomSource } from "@coxswain/machinery";
import type { Stage } from "../stage.ts";

export interface GoawayOptions {
  /** Of a request, that its answer is the last new one on its connection. */
  readonly chance: number;
  readonly random: Pick<RandomSource, "next">;
}

/** What is under way on the connection goes on, watches as well. */
export const goaway = ({ chance, random }: GoawayOptions): Stage => ({
  name: "goaway",
  finish: ({ request }, reply) => (request.http1 || random.next() >= chance ? reply : { ...reply, closeConnection: true }),
});
