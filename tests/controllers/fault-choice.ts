/**
 * Which faults are tried out: those that hurt most, at some of the steps, or with `--all` at each; with
 * COXSWAIN_FAULTS=all every one that there is.
 */
import { everyFault } from "coxswain/testing";
import { FaultChoice } from "../robustness/convergence/fault-choice.ts";
import { runsAll } from "../scope.ts";

const always = ["conflict", "lose-answer", "stall-watch", "crash-after"];

/** What befalls the process of whoever is `supervised`: it dies before or after a request, or sends one that arrives late. */
export const faultChoice = new FaultChoice();

const all: typeof everyFault = { ...everyFault, ...faultChoice.ofProcesses };

const everything = process.env.COXSWAIN_FAULTS === "all";

export const chosenFaults: { readonly faults: typeof everyFault; readonly share?: number } = {
  faults: everything ? all : Object.fromEntries(Object.entries(all).filter(([name]) => always.includes(name))),
  ...(everything || runsAll ? {} : { share: 0.25 }),
};

/** How many runs there are at least, given how many more than that there are with every chosen fault at every step. */
export const fewestRuns = (all: number): number => (chosenFaults.share === undefined ? all : all / 10);
