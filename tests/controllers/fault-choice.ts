/** Which faults are tried out: those that hurt most, or with COXSWAIN_FAULTS=all every one. */
import { everyFault } from "coxswain/testing";

const always = ["conflict", "lose-answer", "stall-watch"];

export const chosenFaults: typeof everyFault =
  process.env.COXSWAIN_FAULTS === "all"
    ? everyFault
    : Object.fromEntries(Object.entries(everyFault).filter(([name]) => always.includes(name)));
