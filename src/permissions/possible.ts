import { nameOf, type ShellWord } from './shell-words.js';

/** What a program may run of its arguments, where that is not certain: rules that deny look at it, and ask. */
export type Possible = { commands: ShellWord[][]; code: string[] };

const NOTHING: Possible = { commands: [], code: [] };
/** More than anybody writes on purpose. */
const MOST = 20;

/** Run a command that begins somewhere in their arguments. */
const RUNNERS = new Set(
  `pkexec run0 unshare nsenter setarch linux32 linux64 i386 x86_64 prlimit choom cgexec systemd-run dbus-run-session xvfb-run
  start-stop-daemon numactl proxychains proxychains4 torsocks torify rlwrap valgrind perf faketime fakechroot bwrap setpriv
  catchsegv eatmydata chronic capsh entr watchexec hyperfine gdb lldb coreutils npx bunx pnpx uvx tmux screen parallel runcon
  cpulimit logsave ifne mispipe pee gosu su-exec tini dumb-init catatonit chpst setuidgid envdir dotenv dotenvx cross-env`.split(
    /\s+/,
  ),
);
const LOADER = /^(ld(-linux)?[\w.-]*\.so[\w.]*|ld\.so|ld-musl[\w.-]*)$/;
/** Do so behind one of these words. */
const BEHIND = new Map<string, RegExp>([
  ...`npm pnpm yarn bun uv poetry pipenv pdm conda mamba nix bundle ip direnv mise op rbenv pyenv nodenv asdf rustup pipx`
    .split(' ')
    .map((name): [string, RegExp] => [name, /^(exec|run|x|dlx|-c|--command|--)$/]),
  ...['docker', 'podman', 'nerdctl', 'kubectl', 'oc', 'lxc'].map((name): [string, RegExp] => [
    name,
    /^(exec|run|--)$/,
  ]),
  ...['fd', 'fdfind'].map((name): [string, RegExp] => [name, /^(-x|-X|--exec|--exec-batch)$/]),
  ['git', /^(run|foreach|for-each-repo)$/],
  ['rg', /^--(pre|hostname-bin)$/],
  ['cmake', /^(env|time)$/],
]);
/** Take a text, or a part of one, for commands. */
const READERS = new Set(
  `script sg capsh vim vi nvim view ex emacs less more man psql mysql mariadb sqlite3 gdb lldb socat nc ncat tmux screen
  tar gtar bsdtar rsync zip scp sftp split sort gcc cc make nix-shell nix hyperfine watchexec entr sed gsed npm npx pnpm yarn dc pee`.split(
    /\s+/,
  ),
);
/** Others do so where one of these is among their words. */
const READERS_WITH = new Map<string, RegExp>([
  [
    'git',
    /^(rebase|bisect|submodule|filter-branch|difftool|mergetool|config|fetch|pull|push|clone|archive|send-email|ls-remote|-O.*|--open-files-in-pager.*)$/,
  ],
  ['rg', /^--(pre|hostname-bin)=/],
]);

export function possibleIn(words: readonly ShellWord[]): Possible {
  const name = nameOf(words).toLowerCase();
  const rest = words.slice(1);
  const from = firstOf(name, rest);
  const mark = READERS_WITH.get(name);
  const isReader = READERS.has(name) || rest.some(({ text }) => mark?.test(text));
  if (from === undefined && !isReader) return NOTHING;
  const commands = from === undefined ? [] : tailsOf(rest.slice(from));
  return { commands, code: isReader ? rest.flatMap(({ text }) => textsIn(text)).slice(0, 4 * MOST) : [] };
}

/** From which argument on there may be a command. */
function firstOf(name: string, rest: readonly ShellWord[]): number | undefined {
  if (RUNNERS.has(name) || LOADER.test(name)) return 0;
  const behind = BEHIND.get(name);
  const at = behind ? rest.findIndex(({ text }) => behind.test(text)) : -1;
  return at < 0 ? undefined : at + 1;
}

function tailsOf(words: readonly ShellWord[]): ShellWord[][] {
  const starts = words.flatMap(({ text }, index) => (text.startsWith('-') ? [] : [index]));
  return starts.slice(0, MOST).map((index) => words.slice(index));
}

/** The text, and what is in it behind a mark: `:!rm x`, `.shell rm x`, `exec=rm x`, `s/a/rm x/e`, `-Irm x`. */
function textsIn(text: string): string[] {
  const starts = [...text.matchAll(/^-\w|[!=:/,\s]+/g)].map((found) => found.index + found[0].length);
  return [0, ...starts].slice(0, MOST).map((start) => text.slice(start).replace(/\/\w*$/, ''));
}
