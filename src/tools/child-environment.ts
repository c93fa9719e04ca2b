const SECRET_NAME =
  /SECRET|(TOKEN|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|APIKEY)S?(_|$)|(^|_)(KEY|KEYS)(_|$)|(^|_)(AUTH|PASS|PAT)$/i;
const URL_WITH_PASSWORD = /:\/\/[^/\s:@]*:[^/\s@]+@/;

/**
 * The worker's environment for a command that a model wrote: without the variables that look like secrets (named
 * `*_API_KEY`, `*_TOKEN`, `*_SECRET`, `*_PASSWORD` and the like, or holding a URL with a password in it), with
 * `HOLDFAST_IDEMPOTENCY_KEY`, and with `added` as it is: what a command really needs is given there.
 */
export function childEnvironment(
  inherited: Readonly<NodeJS.ProcessEnv>,
  added: Readonly<Record<string, string>>,
  idempotencyKey: string,
): Record<string, string> {
  const kept = Object.entries(inherited).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && !looksSecret(entry[0], entry[1]),
  );
  return { ...Object.fromEntries(kept), HOLDFAST_IDEMPOTENCY_KEY: idempotencyKey, ...added };
}

function looksSecret(name: string, value: string): boolean {
  return SECRET_NAME.test(name) || URL_WITH_PASSWORD.test(value);
}
