/** Terminals. Node has none of its own: Python's standard library does, and `script` for who does not resize. */
import { access, constants } from "node:fs/promises";
import { join } from "node:path";
import { RuntimeError } from "../runtime/runtime-error.ts";

/** `argv[1]` is the pipe or the descriptor with sizes, `rows columns` to a line; what follows is run. It ends as that does. */
const program = `
import errno, fcntl, os, pty, select, signal, struct, sys, termios
control = int(sys.argv[1]) if sys.argv[1].isdigit() else os.open(sys.argv[1], os.O_RDWR)
pid, master = pty.fork()
if pid == 0:
    os.close(control)
    try:
        os.execvp(sys.argv[2], sys.argv[2:])
    except OSError as error:
        os.write(2, ("%s: %s\\n" % (sys.argv[2], error.strerror)).encode())
        os._exit(127 if error.errno == errno.ENOENT else 126)
for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):
    signal.signal(number, lambda received, frame: os.kill(pid, received))
def write(to, data):
    while data:
        data = data[os.write(to, data):]
watched = [0, control, master]
text = b""
while True:
    ready = select.select(watched, [], [])[0]
    if master in ready:
        try:
            data = os.read(master, 65536)
        except OSError:
            data = b""
        if not data:
            break
        write(1, data)
    if 0 in ready:
        data = os.read(0, 65536)
        if data:
            write(master, data)
        else:
            watched.remove(0)
            write(master, b"\\x04")
    if control in ready:
        data = os.read(control, 1024)
        if not data:
            watched.remove(control)
        lines = (text + data).split(b"\\n")
        text = lines.pop()
        for line in lines:
            rows, columns = (int(word) for word in line.split())
            fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
status = os.waitpid(pid, 0)[1]
os._exit(os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status))
`;

/** The command inside a terminal whose size is written there. @throws RuntimeError when this machine has no means for it */
export async function ptyCommand(command: readonly string[], control: string): Promise<readonly string[]> {
  const python = await onPath("python3", process.env.PATH ?? "");
  if (python !== undefined) return [python, "-c", program, control, ...command];
  throw new RuntimeError("refused", "a terminal for a process needs python3 on this machine's PATH");
}

/** The first executable file of this name; undefined when there is none. */
export async function onPath(name: string, path: string): Promise<string | undefined> {
  for (const directory of path.split(":")) {
    const candidate = join(directory === "" ? "." : directory, name);
    if (await isExecutable(candidate)) return candidate;
  }
  return undefined;
}

export const isExecutable = (path: string): Promise<boolean> =>
  access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
