import { validateDns1123Label } from "@coxswain/machinery";

/** For whoever names the pods that it makes after itself. */
export function podNameWarnings(name = ""): string[] {
  const problems = validateDns1123Label(name);
  if (problems.length === 0) return [];
  const recommended = "this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended";
  return [`metadata.name: ${recommended}: [${problems.join(" ")}]`];
}
