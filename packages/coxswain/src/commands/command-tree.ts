/** Every command with its options, for what is made of them: completion, and the reference in docs/reference/command.md. */
import type { Command } from "commander";
import { envtestAssetsCommand } from "../envtest/assets.ts";
import type { Environment, Output } from "../options/base-command.ts";
import { certsCommand } from "../options/certs-options.ts";
import { clusterCommand } from "../options/cluster-options.ts";
import { controllersCommand } from "../options/controllers-options.ts";
import { copyCommand } from "../options/copy-options.ts";
import { dnsCommand } from "../options/dns-options.ts";
import { completionCommand, kubectlCommand, statusCommand, stopCommand } from "../options/instance-options.ts";
import { kubeletCommand } from "../options/kubelet-options.ts";
import { networkPolicyCommand } from "../options/network-policy-options.ts";
import { atCommand, blameCommand, diffCommand, historyCommand, invariantsCommand, undoCommand } from "../options/past-options.ts";
import { podNetworkCommand } from "../options/pod-network-options.ts";
import { proxyCommand } from "../options/proxy-options.ts";
import { recordCommand, replayCommand } from "../options/recording-options.ts";
import { schedulerCommand } from "../options/scheduler-options.ts";
import { snapshotCommand } from "../options/snapshot-options.ts";
import { type SubcommandName, subcommands } from "../options/subcommands.ts";
import { tokenCommand } from "../options/token-options.ts";
import { healthCommand } from "./check-health.ts";
import { kubeconfigCommand } from "./print-kubeconfig.ts";

export interface NamedCommand {
  readonly name: SubcommandName;
  readonly summary: string;
  readonly command: Command;
}

export interface CommandTree {
  readonly root: Command;
  readonly below: readonly NamedCommand[];
}

const builders: Readonly<Record<SubcommandName, (output: Output, env: Environment) => Command>> = {
  status: statusCommand,
  stop: stopCommand,
  kubectl: kubectlCommand,
  healthz: healthCommand,
  kubeconfig: kubeconfigCommand,
  certs: certsCommand,
  token: tokenCommand,
  copy: copyCommand,
  snapshot: snapshotCommand,
  history: historyCommand,
  blame: blameCommand,
  diff: diffCommand,
  at: atCommand,
  undo: undoCommand,
  invariants: invariantsCommand,
  record: recordCommand,
  replay: replayCommand,
  completion: completionCommand,
  controllers: controllersCommand,
  scheduler: schedulerCommand,
  dns: dnsCommand,
  kubelet: kubeletCommand,
  proxy: proxyCommand,
  "pod-network": podNetworkCommand,
  "network-policy": networkPolicyCommand,
  "envtest-assets": envtestAssetsCommand,
};

export const commandTree = (env: Environment, version: string, output: Output): CommandTree => ({
  root: clusterCommand(env, version, output),
  below: subcommands.map(({ name, summary }) => ({ name, summary, command: builders[name](output, env) })),
});
