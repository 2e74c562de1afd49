/** Names files of more than 300 lines and fails on those of more than 500. */
import { checkSizes, failLines, warnLines } from "./checks/sizes.ts";
import { readTree } from "./checks/tree.ts";

const findings = checkSizes(readTree().files);
for (const { file, lines, fails } of findings) {
  console.error(`${file}: ${lines} lines; ${fails ? `more than ${failLines} fail` : `better below ${warnLines}`}`);
}
process.exitCode = findings.some(({ fails }) => fails) ? 1 : 0;
