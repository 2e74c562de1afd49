/** Everything that is checked without running the product. */
import { runChecks } from "./checks/run-checks.ts";

process.exitCode = (await runChecks()) ? 0 : 1;
