/** Which of the built-in controllers run. */
import type { BuiltInController } from "../contracts/built-in-controller.ts";
import { builtInControllers } from "./built-in-controllers.ts";

/**
 * A ControllerChoice lists names or aliases, `*` for all that are on by default, and either with `-` in front for what is
 * not to run: `--controllers`.
 */
export type ControllerChoice = readonly string[];

/** The choice of all controllers that are on by default: kube-controller-manager's default. */
export const everyController: ControllerChoice = ["*"];

/** An UnknownControllerError names a controller of a choice that does not exist. */
export class UnknownControllerError extends Error {
  constructor(name: string) {
    super(`${JSON.stringify(name)} is not in the list of known controllers`);
    this.name = "UnknownControllerError";
  }
}

/**
 * Chooses as `--controllers` of kube-controller-manager does: the first word that names a controller decides, and one that
 * no word
 * names runs if `*` is among them and it is on by default. @throws UnknownControllerError
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
