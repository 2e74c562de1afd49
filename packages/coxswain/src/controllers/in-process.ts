/** The controllers as a component beside the API server. */
import type { Log } from "@coxswain/apiserver";
import type { ManagerOptions } from "@coxswain/client";
import { type BuiltInController, type ControllerSettings, manageControllers, managerName } from "@coxswain/controllers";
import type { Component } from "../components/start-component.ts";

export interface ControllersInProcess {
  readonly chosen: readonly BuiltInController[];
  readonly settings: ControllerSettings;
  readonly log: Log;
  /** Asked at each start. */
  readonly election: () => Pick<ManagerOptions, "leaderElection">;
}

export const controllersComponent = ({ chosen, settings, log, election }: ControllersInProcess): Component => ({
  name: "controllers",
  agent: managerName,
  manager: (client, metrics, clientFor) =>
    manageControllers(chosen, { client, clientForServiceAccount: clientFor, settings, log, metrics, ...election() }),
});
