/** The version of everything that crosses a process. A reader refuses a higher one by name. */
export const WIRE_VERSION = 1;

/** What is wrong with the version of `value`, in words, or undefined. `what` names the value: "turn input". */
export function versionProblem(what: string, value: unknown): string | undefined {
  const version = typeof value === 'object' && value !== null && 'v' in value ? value.v : undefined;
  if (version === WIRE_VERSION) return undefined;
  if (typeof version === 'number' && version > WIRE_VERSION) {
    return `This ${what} has version ${version}; this Holdfast reads up to ${WIRE_VERSION}. Upgrade the process that read it.`;
  }
  return `A ${what} carries "v": ${WIRE_VERSION}; this one has ${JSON.stringify(version) ?? 'none'}.`;
}
