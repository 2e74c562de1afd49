/**
 * The small shell program that stands between a container's process and the kubelet: it keeps the pipes open when the kubelet
 * dies, and notes how the process ended, which only a parent can know. The process is no background job of it: those could not
 * be interrupted. Its own number is the number of the group and session in which everything of the container runs.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { ptyCommand } from "./pty.ts";

/** In a container's directory. */
export const files = { stdout: "stdout", stderr: "stderr", stdin: "stdin", control: "control", exit: "exit", pid: "pid", holder: "holder" };

/** `$1` is the directory, `$2` whether it reads; what follows is run with the number that is written to `pid` and descriptor 3. */
const outer = `
dir=$1 reads=$2; shift 2
exec 4<>"$dir/stdout" 5<>"$dir/stderr" 6</dev/null 8<>"$dir/control"
trap : TERM INT HUP QUIT
if [ "$reads" = yes ]; then
  exec 7<>"$dir/stdin" 6<"$dir/stdin" 9>"$dir/stdin" 7>&-
  sleep 2147483647 3>&- 4>&- 5>&- 6<&- 8>&- &
  echo $! >"$dir/holder"
  exec 9>&-
fi
/bin/sh -c 'echo $$ >"$1/pid"; echo $$ >&3; exec 3>&-; shift; exec "$@"' sh "$dir" "$@" <&6 >&4 2>&5 4>&- 5>&- 6<&- 8>&-
code=$?
[ "$reads" = yes ] && kill -9 "$(cat "$dir/holder")"
echo $code >"$dir/exit.new" && mv "$dir/exit.new" "$dir/exit"
`;

export interface ShimOptions {
  readonly directory: string;
  readonly cwd: string;
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: boolean;
  readonly tty: boolean;
  /** Other than this process's own; only for root. */
  readonly user: { readonly uid: number; readonly gid: number } | undefined;
}

/** Resolves with the container's process once it is there. The shim outlives this process. */
export async function startShim({
  directory,
  cwd,
  command,
  env,
  stdin,
  tty,
  user,
}: ShimOptions): Promise<{ shim: ChildProcess; pid: number }> {
  const words = tty ? await ptyCommand(command, `${directory}/${files.control}`) : command;
  const shim = spawn("/bin/sh", ["-c", outer, "sh", directory, stdin ? "yes" : "no", ...words], {
    cwd,
    env,
    detached: true,
    stdio: ["ignore", "ignore", "ignore", "pipe"],
    ...user,
  });
  shim.unref();
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  shim.once("error", reject);
  shim.once("exit", () => reject(new Error("the process could not be started")));
  const status = shim.stdio[3];
  status?.once("data", (chunk: Buffer) => resolve(Number(chunk.toString())));
  try {
    return { shim, pid: await promise };
  } finally {
    status?.destroy();
  }
}
