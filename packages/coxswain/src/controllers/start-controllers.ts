/** The controllers as a component beside the API server. */
import { type ControllerSettings, chooseControllers, managerName } from "@coxswain/controllers";
import { electionFor } from "../components/elected.ts";
import { type Connect, type InProcessComponent, type SystemDependencies, startComponent } from "../components/start-component.ts";
import { controllersComponent } from "./in-process.ts";

export interface ChosenControllers extends SystemDependencies {
  /** As `--controllers` has it, and known to make sense. */
  readonly choice: readonly string[];
  readonly settings: ControllerSettings;
  /** Whether they work only while no other server's do. */
  readonly isElected: boolean;
}

export function startControllers(
  connect: Connect,
  { choice, settings, isElected, ...dependencies }: ChosenControllers,
): InProcessComponent {
  const { random, log, informers } = dependencies;
  const election = () => electionFor(managerName, { isElected, random, log });
  return startComponent(
    connect,
    controllersComponent({ chosen: chooseControllers(choice), settings, log, informers, election }),
    dependencies,
  );
}
