const SECRET_NAME =
  /SECRET|PRIVATE|COOKIE|(TOKEN|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|APIKEY|ACCESSKEY)S?(_|$)|(^|_)(KEY|KEYS)(_|$)|(^|_)(AUTH|PASS|PAT|JWT|BEARER|DSN|SALT|WEBHOOK|CONNSTR)(_|$)|[A-Z0-9]_PWD$|AUTHTOKEN|AUTHORIZATION|WEBHOOK_URL|CONNECTION_?STRING/i;
/** What only looks like a name of a secret, and that programs need. */
const NO_SECRETS = /^(SSH_AUTH_SOCK|XAUTHORITY|OLD_?PWD|PWD|KEYBOARD.*|GPG_TTY)$/i;
const URL_WITH_PASSWORD = /:\/\/[^/\s:@]*:[^/\s@]+@/;
/** How the keys of well-known services begin, a JSON web token, a private key; whatever their variable is named. */
const SECRET_VALUE =
  /\b(sk-[\w-]{16}|(gh[opsur]|github_pat|glpat|hf|npm|pypi|xox[abeoprs]|dop_v1|shpat|sq0\w{3}|[rs]k_(live|test)|whsec)[_-][\w-]{12}|AKIA[0-9A-Z]{16}|ASIA[0-9A-Z]{16}|AIza[\w-]{30}|ya29\.[\w-]{12}|eyJ[\w-]{8,}\.[\w-]{8,}\.)|-----BEGIN [A-Z ]*PRIVATE KEY/;

/**
 * The worker's environment for a command that a model wrote: without the variables that look like secrets (named
 * `*_API_KEY`, `*_TOKEN`, `*_SECRET`, `*_PASSWORD` and the like; or holding a URL with a password in it, or what begins as
 * the keys of well-known services do), with `HOLDFAST_IDEMPOTENCY_KEY`, and with `added` as it is: what a command really needs is given there.
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
  if (URL_WITH_PASSWORD.test(value) || SECRET_VALUE.test(value)) return true;
  return SECRET_NAME.test(name) && !NO_SECRETS.test(name);
}
