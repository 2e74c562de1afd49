/** Servers of this repository, as scenarios want them: one for all, and one for each that wants another. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { isIPv6 } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startCommand } from "../conformance/command-under-test.ts";
import { type Comparison, compareAll } from "./replay-all.ts";
import { readScenario, type Scenario } from "./scenario.ts";
import { connect } from "./server.ts";

export async function compareWithOwnServers(names: readonly string[]): Promise<Comparison> {
  const special = names.map(readScenario).filter((one) => one.admission !== undefined || one.serviceClusterIpRange !== undefined);
  const usual = names.filter((name) => special.every((scenario) => scenario.name !== name));
  const comparisons = usual.length === 0 ? [] : [await compareWith(usual, [])];
  for (const scenario of special) comparisons.push(await compareSpecial(scenario));
  return {
    differences: comparisons.flatMap(({ differences }) => differences),
    total: comparisons.reduce((sum, { total }) => sum + total, 0),
  };
}

function compareSpecial({ name, admission, serviceClusterIpRange }: Scenario): Promise<Comparison> {
  const flags = serviceClusterIpRange === undefined ? [] : rangeFlags(serviceClusterIpRange);
  return admission === undefined ? compareWith([name], flags) : compareConfigured(name, admission, flags);
}

/** A server is reached at an address of the family that Services have by default. */
const rangeFlags = (ranges: string): string[] => [
  `--service-cluster-ip-range=${ranges}`,
  `--advertise-address=${isIPv6(ranges.split("/", 1)[0] ?? "") ? "2001:db8::1" : "192.0.2.1"}`,
];

async function compareConfigured(
  name: string,
  admission: NonNullable<Scenario["admission"]>,
  flags: readonly string[],
): Promise<Comparison> {
  const folder = mkdtempSync(join(tmpdir(), "golden-"));
  try {
    const file = join(folder, "admission.json");
    const plugins = Object.entries(admission.configuration).map(([plugin, configuration]) => ({ name: plugin, configuration }));
    writeFileSync(file, JSON.stringify({ apiVersion: "apiserver.config.k8s.io/v1", kind: "AdmissionConfiguration", plugins }));
    const enabled = admission.enable.join(",");
    return await compareWith([name], [...flags, `--enable-admission-plugins=${enabled}`, `--admission-control-config-file=${file}`]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function compareWith(names: readonly string[], flags: readonly string[]): Promise<Comparison> {
  const command = await startCommand("--ephemeral", "--anonymous-auth", "--log-level", "error", ...flags);
  try {
    using server = connect({ url: command.server, token: command.token });
    return await compareAll(server, names, { concurrent: true });
  } finally {
    await command.stop();
  }
}
