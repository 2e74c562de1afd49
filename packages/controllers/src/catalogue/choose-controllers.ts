/** Which of the built-in controllers run. */
import type { BuiltInController } from "../contracts/built-in-controller.ts";
import { builtInControllers } from "./built-in-controllers.ts";

/** Names or aliases, `*` for all that are on by default, and either with `-` in front for what is not to run. */
export type ControllerChoice = readonly string[];

/** kube-controller-manager's. */
export const everyController: ControllerChoice = ["*"];

export class UnknownControllerError extends Error {
  constructor(name: string) {
    super(`${JSON.stringify(name)} is not in the list of known controllers`);
    this.name = "UnknownControllerError";
  }
}

/**
 * As `--controllers` of kube-controller-manager: the first that speaks of a controller decides, and what nobody speaks of
 * runs if `*` is among them and it is on by default. @throws UnknownControllerError
 */
export function chooseControllers(
  choice: ControllerChoice,
  known: readonly BuiltInController[] = builtInControllers,
): readonly BuiltInController[] {
  const words = choice.filter((word) => word !== "*").map((word) => wordOf(word, known));
  const hasStar = choice.includes("*");
  return known.filter((one) => {
    const first = words.find(({ controller }) => controller === one);
    return first === undefined ? hasStar && one.offByDefault !== true : first.wanted;
  });
}

interface Word {
  readonly controller: BuiltInController;
  readonly wanted: boolean;
}

function wordOf(word: string, known: readonly BuiltInController[]): Word {
  const wanted = !word.startsWith("-");
  const name = wanted ? word : word.slice(1);
  const controller = known.find((one) => one.name === name || one.aliases?.includes(name));
  if (controller === undefined) throw new UnknownControllerError(name);
  return { controller, wanted };
}
