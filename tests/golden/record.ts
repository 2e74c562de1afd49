/** Writes what coxswain answers today: `npm run golden:record`, or `npm run golden:record -- events services`. */
import { expectedDirectory, runTool, scenarioFiles, startEmptyServer, toolIsThere } from "./tool.ts";

if (!toolIsThere) throw new Error("the tool is not there; tests/golden/README.md says where it is looked for");
const command = await startEmptyServer();
try {
  process.stdout.write(await runTool("record", command, ["--out", expectedDirectory], scenarioFiles(...process.argv.slice(2))));
} finally {
  await command.stop();
}
