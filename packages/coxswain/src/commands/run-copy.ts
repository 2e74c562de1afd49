/** `coxswain copy`: a whole state from one place to another. */
import { parseCopyOptions } from "../options/copy-options.ts";
import { parseCommandLine } from "../process/process.ts";
import { runTransfer } from "./run-transfer.ts";
import { transferText } from "./transfer-text.ts";

export async function runCopy(args: readonly string[]): Promise<void> {
  const options = parseCommandLine((output) => parseCopyOptions(args, output));
  if (options === undefined) return;
  const report = await runTransfer(options);
  process.stdout.write(transferText(report, options));
}
