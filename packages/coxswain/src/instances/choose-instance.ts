/** Which of the running servers a command means. */
import { defaultName } from "../options/instance-name.ts";
import { StartError } from "../process/start-error.ts";
import type { Instance } from "./instance.ts";

/** Without a name: the default one, or the only one that runs. @throws StartError when none is meant, or none alone */
export function chooseInstance(running: readonly Instance[], name: string | undefined): Instance {
  const names = running.map((one) => one.name).join(", ");
  const others = running.length === 0 ? "" : `; these do: ${names}`;
  const chosen = running.find((one) => one.name === (name ?? defaultName));
  if (chosen !== undefined) return chosen;
  if (name !== undefined) throw new StartError(`no server with the name ${name} runs${others}`);
  const [only, ...more] = running;
  if (only === undefined) throw new StartError("no server runs; start one with `coxswain`");
  if (more.length > 0) throw new StartError(`several servers run: ${names}; choose one with --name`);
  return only;
}
