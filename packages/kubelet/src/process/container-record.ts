/** What is kept of a container on disk, so that a new kubelet finds it as it was. */
import type { ContainerConfig, SandboxConfig } from "../runtime/runtime-config.ts";
import type { ContainerStatus, SandboxStatus } from "../runtime/runtime-status.ts";
import type { Owner } from "./container-directory.ts";
import { userOf } from "./refusals.ts";

type Lasting = Omit<ContainerStatus, "state" | "startedAt" | "finishedAt" | "exitCode" | "reason" | "message">;

export interface ContainerRecord {
  readonly version: 1;
  readonly status: Lasting;
  readonly command: readonly string[];
  readonly workingDir: string;
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: boolean;
  readonly stdinOnce: boolean;
  readonly tty: boolean;
  readonly stopSignal: string;
  readonly user?: Owner;
  readonly started?: Started;
  readonly ended?: Ended;
}

export interface Started {
  readonly at: number;
  /** Of the shim, which leads the group. */
  readonly group: number;
  /** When the shim was started, in the machine's words. */
  readonly identity: string;
  readonly pid: number;
}

export interface Ended {
  readonly at: number;
  readonly exitCode: number;
  readonly reason: string;
  readonly message: string;
}

export interface SandboxRecord {
  readonly version: 1;
  readonly status: SandboxStatus;
  readonly hostname: string;
}

export const isContainerRecord = (value: unknown): value is ContainerRecord => isRecord(value);
export const isSandboxRecord = (value: unknown): value is SandboxRecord => isRecord(value);

/** Of this version: only what was written by this runtime is there. */
const isRecord = (value: unknown): boolean => typeof value === "object" && value !== null && "version" in value && value.version === 1;

export interface NewContainer {
  readonly id: string;
  readonly sandboxId: string;
  readonly config: ContainerConfig;
  readonly sandbox: SandboxConfig;
  readonly root: string;
  readonly now: number;
  /** Where programs are looked for, unless the Pod says so. */
  readonly path: string;
}

/** The variable by which everything that a container has started is found. */
export const markerVariable = "COXSWAIN_CONTAINER_ID";

export function newRecord({ id, sandboxId, config, sandbox, root, now, path }: NewContainer): ContainerRecord {
  const { name, attempt, command, args, workingDir, env, stdin, stdinOnce, tty, stopSignal, resources } = config;
  const user = userOf(config);
  const own = { PATH: path, HOSTNAME: sandbox.hostname, HOME: root, TMPDIR: `${root}/tmp` };
  const wanted = Object.fromEntries(env.map((one) => [one.name, one.value]));
  return {
    version: 1,
    status: {
      id,
      sandboxId,
      pod: sandbox.pod,
      name,
      attempt,
      createdAt: now,
      image: config.userImage,
      imageRef: config.image,
      logPath: `${sandbox.logDirectory}/${config.logPath}`,
      labels: config.labels,
      annotations: config.annotations,
      mounts: config.mounts.map(({ containerPath, hostPath }) => ({ containerPath, hostPath })),
      resources,
    },
    command: command.length === 0 ? [] : [...command, ...args],
    workingDir,
    env: { ...own, ...wanted, COXSWAIN_ROOT: root, [markerVariable]: id, ...(tty && wanted.TERM === undefined ? { TERM: "xterm" } : {}) },
    stdin,
    stdinOnce,
    tty,
    stopSignal,
    ...(user === undefined ? {} : { user }),
  };
}
