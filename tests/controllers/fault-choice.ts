/** Which faults are tried out: those that hurt most, or with COXSWAIN_FAULTS=all every one. */
import { everyFault } from "coxswain/testing";
import { Fates } from "../robustness/convergence/fates.ts";

const always = ["conflict", "lose-answer", "stall-watch", "crash-after"];

/** What befalls the process of whoever is `supervised`: it dies before or after a request, or sends one that arrives late. */
export const fates = new Fates();

const all: typeof everyFault = { ...everyFault, ...fates.ofProcesses };

export const chosenFaults: typeof everyFault =
  process.env.COXSWAIN_FAULTS === "all" ? all : Object.fromEntries(Object.entries(all).filter(([name]) => always.includes(name)));
