/** The controllers as a component beside the API server. */
import type { Log } from "@coxswain/apiserver";
import type { InformerSet, ManagerOptions } from "@coxswain/client";
import { type BuiltInController, type ControllerSettings, manageControllers, managerName } from "@coxswain/controllers";
import type { Component } from "../components/start-component.ts";

export interface ControllersInProcess {
  readonly chosen: readonly BuiltInController[];
  readonly settings: ControllerSettings;
  readonly log: Log;
  readonly informers?: InformerSet | undefined;
  /** Asked at each start. */
  readonly election: () => Pick<ManagerOptions, "leaderElection">;
}

export const controllersComponent = ({ chosen, settings, log, informers, election }: ControllersInProcess): Component => ({
  name: "controllers",
  agent: managerName,
  manager: (client, metrics, clientFor) =>
    manageControllers(chosen, { client, clientForServiceAccount: clientFor, settings, log, metrics, informers, ...election() }),
});
