/**
 * A reader that leaves early, as `head` does, has what it wanted: the command ends without a word. A command that has
 * more to do than to print listens to stdout itself, and goes on.
 */
export function leaveWithReader(): void {
  process.stdout.on('error', () => {
    if (process.stdout.listenerCount('error') === 1) process.exit();
  });
  process.stderr.on('error', () => undefined);
}
