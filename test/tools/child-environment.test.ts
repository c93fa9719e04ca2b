import { expect, test } from 'vitest';
import { childEnvironment } from '../../src/tools/child-environment.js';

const kept = (environment: Record<string, string>) =>
  Object.keys(childEnvironment(environment, {}, 'key')).sort();

test.each([
  'OPENAI_API_KEY',
  'HOLDFAST_ENCRYPTION_KEYS',
  'HOLDFAST_CODEC_TOKEN',
  'AWS_SESSION_TOKEN',
  'MYSQL_PWD',
  'PGPASSWORD',
  'SLACK_WEBHOOK_URL',
  'SENTRY_DSN',
  'AZURE_STORAGE_CONNECTION_STRING',
  'npm_config__authToken',
  'DOCKER_AUTH_CONFIG',
  'SESSION_COOKIE',
  'SIGNING_PRIVATE_PEM',
  'GOOGLE_APPLICATION_CREDENTIALS',
  'github_pat',
])('a command is not told %s', (name) => {
  expect(kept({ [name]: 'value' })).toEqual(['HOLDFAST_IDEMPOTENCY_KEY']);
});

test.each([
  ['a URL with a password', 'postgres://me:secret@db/shop'],
  ['a key of a model provider', `sk-proj-${'a'.repeat(40)}`],
  ['a token of GitHub', `ghp_${'a'.repeat(36)}`],
  ['a key of AWS', `AKIA${'A'.repeat(16)}`],
  ['a JSON web token', `Bearer eyJhbGciOiJI.eyJzdWIiOiIx.${'a'.repeat(20)}`],
  ['a private key', '-----BEGIN OPENSSH PRIVATE KEY-----\nabc'],
])('nor a variable with %s, whatever its name', (_what, value) => {
  expect(kept({ INNOCENT: value })).toEqual(['HOLDFAST_IDEMPOTENCY_KEY']);
});

test('it has what programs need, and what it was given', () => {
  const environment = {
    PATH: '/bin',
    HOME: '/',
    PWD: '/',
    OLDPWD: '/',
    LANG: 'C',
    SSH_AUTH_SOCK: '/s',
    MONKEY: 'x',
  };
  expect(kept(environment)).toEqual([...Object.keys(environment), 'HOLDFAST_IDEMPOTENCY_KEY'].sort());
  expect(childEnvironment({ A_TOKEN: 'x' }, { A_TOKEN: 'y' }, 'key')).toMatchObject({ A_TOKEN: 'y' });
});
