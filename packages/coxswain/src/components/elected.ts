/** Which of several servers on one store has a component work: the one that leads, of these as of Kubernetes' own. */
import { hostname } from "node:os";
import type { Log } from "@coxswain/apiserver";
import type { ManagerOptions } from "@coxswain/client";
import type { RandomSource } from "@coxswain/machinery";

interface Candidacy {
  readonly isElected: boolean;
  readonly random: RandomSource;
  readonly log: Log;
}

/** Asked for again at each restart: a candidate has a name of its own each time. */
export function electionFor(name: string, { isElected, random, log }: Candidacy): Pick<ManagerOptions, "leaderElection"> {
  if (!isElected) return {};
  return {
    leaderElection: {
      lease: { namespace: "kube-system", name },
      identity: `${hostname()}_${random.uuid()}`,
      onNewLeader: (leader) => log.info({ component: name, leader }, "new leader"),
      onError: (error) => log.warn({ component: name, error }, "failed to acquire or renew leadership"),
    },
  };
}
