/** `coxswain scheduler`: the scheduler in a process of its own. */
import type { SchedulerConfig } from "@coxswain/scheduler";
import { connect, leaderElectionOf, runStandalone } from "../components/run-standalone.ts";
import { parseSchedulerOptions, type SchedulerOptions } from "../options/scheduler-options.ts";
import type { LeaderElectionFlags } from "../options/standalone-options.ts";
import { parseCommandLine } from "../process/process.ts";
import { loadSchedulerConfig } from "../scheduler/load-config.ts";
import { manageScheduler, schedulerAgent } from "../scheduler/managed-scheduler.ts";

export async function runSchedulerCommand(args: readonly string[]): Promise<void> {
  const options = parseCommandLine((output) => parseSchedulerOptions(args, output));
  if (options === undefined) return;
  await runStandalone(options, "scheduler", async (log) => {
    const config = await loadSchedulerConfig(options.config);
    const client = await connect({ ...options, kubeconfig: options.kubeconfig ?? config.kubeconfig }, schedulerAgent);
    return manageScheduler(config, { client, log, ...leaderElectionOf(electionOf(options, config), log) }).manager;
  });
}

/** The command line goes before the file. */
function electionOf({ leaderElection, config: file }: SchedulerOptions, config: SchedulerConfig): LeaderElectionFlags | undefined {
  if (leaderElection !== undefined || file === undefined) return leaderElection;
  const { leaderElect, ...flags } = config.leaderElection;
  return leaderElect ? flags : undefined;
}
