/** The single executable of this platform, for whatever tests it: built once for each state of the checkout. */
import { executablePath, executablesDir } from "../../scripts/build/executable/build-executable.ts";
import { chosenPlatforms } from "../../scripts/build/executable/platforms.ts";
import { buildOnce } from "./built.ts";

/** Returns where it stands. @throws Error with what the build printed, also where no executable is made for this platform */
export async function builtExecutable(): Promise<string> {
  const [path = ""] = chosenPlatforms([]).map(executablePath);
  await buildOnce({ folder: executablesDir, args: ["--executable"], files: [path] });
  return path;
}
