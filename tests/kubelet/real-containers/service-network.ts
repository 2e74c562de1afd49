/** The network of the test as if it were a machine's: it has an address that others know it by, and somebody is outside. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { readlinkSync } from "node:fs";
import { waitUntil } from "@coxswain/machinery/testing";

export const machineAddress = "192.0.2.77";
/** Another one of the machine. */
export const machineAddress2 = "192.0.2.78";
export const outsideAddress = "192.0.2.1";
/** Of IPv6, for tests that ask for it. */
export const machineAddress6 = "2001:db8:77::77";
export const outsideAddress6 = "2001:db8:77::1";

export interface Outside extends Disposable {
  /** The words that run a program there. */
  readonly inside: readonly string[];
}

/** In the network namespace of this process. */
export async function connectOutside({ hasIpv6 = false } = {}): Promise<Outside> {
  const child = spawn("unshare", ["--net", "sleep", "infinity"], { stdio: "ignore" });
  child.unref();
  const { pid = 0 } = child;
  const own = readlinkSync("/proc/self/ns/net");
  await waitUntil("there is a network outside", () => readlinkSync(`/proc/${pid}/ns/net`) !== own);
  const inside = ["nsenter", `--net=/proc/${pid}/ns/net`];
  try {
    run(`ip link add uplink type veth peer name eth0 netns ${pid}`);
    for (const [where, link, address] of [
      [[], "uplink", machineAddress],
      [[], "uplink", machineAddress2],
      [inside, "eth0", outsideAddress],
    ] as const) {
      run(`ip addr add ${address}/24 dev ${link}`, where);
      run(`ip link set ${link} up`, where);
    }
    run(`ip route add default via ${outsideAddress}`);
    if (hasIpv6) {
      // Nobody else has them, which is not waited for.
      run(`ip -6 addr add ${machineAddress6}/64 dev uplink nodad`);
      run(`ip -6 addr add ${outsideAddress6}/64 dev eth0 nodad`, inside);
      run(`ip -6 route add default via ${outsideAddress6}`);
    }
  } catch (error) {
    end(child);
    throw error;
  }
  return { inside, [Symbol.dispose]: () => end(child) };
}

/** The link goes with the namespace, and that with its process. */
const end = (child: ChildProcess): void => void child.kill("SIGKILL");

function run(command: string, inside: readonly string[] = []): void {
  const [program = "", ...args] = [...inside, ...command.split(" ")];
  const { status, stderr } = spawnSync(program, args, { encoding: "utf8" });
  assert.equal(status, 0, `${command}: ${stderr}`);
}
