/** Charts: Helm as a library, compiled here, installs, upgrades, rolls back and uninstalls against the real command. */
import { testGoProgram } from "./go-program.ts";

testGoProgram("Helm: install, upgrade, rollback and uninstall, by server-side apply and by three-way merge", {
  folder: "helm",
  checks: 20,
});
