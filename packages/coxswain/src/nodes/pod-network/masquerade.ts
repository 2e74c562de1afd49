/** The address by which others see the Pods of a node: among Pods their own, elsewhere that of the node. */
import { runProgram } from "../namespaces/run-program.ts";
import type { DesiredNetwork } from "./desired-network.ts";

const table = "coxswain-pod-network";

const families = [
  { family: "ip", isOf: (range: string) => !range.includes(":"), multicast: "224.0.0.0/4" },
  { family: "ip6", isOf: (range: string) => range.includes(":"), multicast: "ff00::/8" },
] as const;

/** For `nft -f -`: whatever was there is replaced at once. */
export function masqueradeRules({ own, all }: Pick<DesiredNetwork, "own" | "all">): string {
  const lines = families.flatMap(({ family, isOf, multicast }) => {
    const ofPods = own.filter(isOf);
    if (ofPods.length === 0) return removal(family);
    const others = [...new Set([...all.filter(isOf), multicast])];
    return [
      ...removal(family),
      `table ${family} ${table} {`,
      "  chain postrouting {",
      "    type nat hook postrouting priority srcnat; policy accept;",
      `    ${family} saddr { ${ofPods.join(", ")} } ${family} daddr != { ${others.join(", ")} } masquerade`,
      "  }",
      "}",
    ];
  });
  return `${lines.join("\n")}\n`;
}

/** What is deleted has to be there. */
const removal = (family: string): readonly string[] => [`table ${family} ${table}`, `delete table ${family} ${table}`];

export type WriteRules = (rules: string) => Promise<void>;

/** @throws ProgramError */
export const writeRules: WriteRules = async (rules) => void (await runProgram(["nft", "-f", "-"], rules));

/** Of both families, as far as they are there. */
export const noMasquerade = (): string => masqueradeRules({ own: [], all: [] });
