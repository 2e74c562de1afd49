/**
 * Which faults are tried out: those that hurt most, one of them at each step, or with `--all` each of them; with
 * COXSWAIN_FAULTS=all every one that there is.
 */
import { everyFault } from "coxswain/testing";
import { Fates } from "../robustness/convergence/fates.ts";
import { runsAll } from "../scope.ts";

const always = ["conflict", "lose-answer", "stall-watch", "crash-after"];

/** What befalls the process of whoever is `supervised`: it dies before or after a request, or sends one that arrives late. */
export const fates = new Fates();

const all: typeof everyFault = { ...everyFault, ...fates.ofProcesses };

const everything = process.env.COXSWAIN_FAULTS === "all";

export const chosenFaults: { readonly faults: typeof everyFault; readonly faultsPerStep?: number } = {
  faults: everything ? all : Object.fromEntries(Object.entries(all).filter(([name]) => always.includes(name))),
  ...(everything || runsAll ? {} : { faultsPerStep: 1 }),
};
