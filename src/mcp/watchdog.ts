import { type ChildProcess, spawn } from 'node:child_process';

/**
 * Reads the process groups that run, `+ID` and `-ID` a line. Its input ends with the worker, however that ends: even
 * SIGKILL closes it. What is left then has seen the end of its own input, too, and gets a second before it is told.
 */
const PROGRAM = `
groups=
while read -r sign group; do
  case $sign in
    +) groups="$groups $group" ;;
    -) rest=
       for each in $groups; do [ "$each" = "$group" ] || rest="$rest $each"; done
       groups=$rest ;;
  esac
done
[ -n "$groups" ] || exit 0
for signal in TERM KILL; do
  sleep 1
  for group in $groups; do kill -s $signal -- "-$group"; done
done
`;

const groups = new Set<number>();
let dog: ChildProcess | undefined;

/** From now on the process group ends with this process, also where this one is killed. */
export function watchGroup(group: number): void {
  groups.add(group);
  if (dog) tell(`+ ${group}`);
  else dog = started();
}

/** Nothing of it is left; later its id may be somebody else's. */
export function unwatchGroup(group: number): void {
  if (groups.delete(group)) tell(`- ${group}`);
}

/** A shell, which takes a megabyte, in a session of its own: what ends this process's group does not end it. */
function started(): ChildProcess {
  const child = spawn('/bin/sh', ['-c', PROGRAM], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
    // It finds `sleep` by it, and is given no secret.
    env: { PATH: process.env['PATH'] ?? '' },
  });
  const lost = () => {
    if (dog === child) dog = undefined;
  };
  child.once('error', lost);
  child.once('exit', lost);
  child.stdin?.on('error', lost);
  child.stdin?.write([...groups].map((group) => `+ ${group}\n`).join(''));
  child.unref();
  if (child.stdin && 'unref' in child.stdin && typeof child.stdin.unref === 'function') child.stdin.unref();
  return child;
}

function tell(line: string): void {
  dog?.stdin?.write(`${line}\n`);
}
