// Makes the pictures of docs/pictures anew: `npm run pictures`. It needs a Chromium (CHROMIUM, default `chromium`) and
// util-linux's `script`, and uses a server of its own, with ports and data beside those of the user.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify, stripVTControlCharacters } from 'node:util';
import { chromium } from 'playwright-core';
import { freePorts } from '../dist/server/ports.js';

const COLUMNS = 100;
const root = fileURLToPath(new URL('..', import.meta.url));
const folder = join(root, 'docs', 'pictures');

/** What a program writes on a terminal of that width, with its colours. */
async function onTerminal(command, env) {
  const inside = `stty cols ${COLUMNS} rows 40; ${command}`;
  const options = { cwd: root, env: { ...process.env, ...env }, maxBuffer: 10_000_000 };
  const { stdout } = await promisify(execFile)('script', ['-qec', inside, '/dev/null'], options);
  // A reader's folder is another.
  return stdout.replaceAll('\r\n', '\n').replaceAll(root, '~/holdfast/').trimEnd();
}

const COLOURS = {
  1: 'font-weight:bold',
  2: 'opacity:.6',
  31: 'color:#ff7b72',
  32: 'color:#7ee787',
  33: 'color:#e3b341',
};

function page(title, written) {
  const escaped = written.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what a terminal's colours are made of.
  const coloured = escaped.replace(/\u001b\[(\d+)m/g, (_, code) =>
    code === '0' ? '</span>' : `<span style="${COLOURS[code] ?? ''}">`,
  );
  return `<body style="margin:0;background:#0d1117"><pre id="shot" style="display:inline-block;margin:0;padding:20px;
    color:#e6edf3;font:14px/1.45 'DejaVu Sans Mono',monospace"><span style="opacity:.6">$</span> ${title}\n${coloured}</pre>`;
}

async function terminalPicture(browser, name, title, written) {
  const tab = await browser.newPage({ deviceScaleFactor: 1, viewport: { width: 1100, height: 800 } });
  await tab.setContent(page(title, written));
  await tab.locator('#shot').screenshot({ path: join(folder, `${name}.png`) });
  await tab.close();
}

async function webPicture(browser, name, url, seen) {
  const tab = await browser.newPage({ viewport: { width: 1280, height: 1180 } });
  await tab.goto(url);
  await tab.getByText(seen).first().waitFor({ timeout: 60_000 });
  await tab.evaluate(() => document.fonts.ready);
  await tab.screenshot({ path: join(folder, `${name}.png`) });
  await tab.close();
}

const data = await mkdtemp(join(tmpdir(), 'holdfast-pictures-'));
const [port, uiPort] = await freePorts(2);
const env = { HOLDFAST_STATE_DIR: data, HOLDFAST_PORT: String(port), HOLDFAST_UI_PORT: String(uiPort) };
const holdfast = (command) => onTerminal(`node dist/cli/main.js ${command}`, env);
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
});
try {
  await mkdir(folder, { recursive: true });
  const demo = await onTerminal('node dist/demo/start.js', env);
  const link = /http:\/\/\S+\/workflows\/(\S+?)(?=\s|$)/.exec(stripVTControlCharacters(demo));
  if (!link) throw new Error(`The demo named no page of the Web UI:\n${demo}`);
  const [url, id] = link;
  await terminalPicture(browser, 'demo', 'npm start', demo);
  await terminalPicture(browser, 'ps', 'holdfast ps', await holdfast('ps'));
  await terminalPicture(browser, 'show', `holdfast show ${id}`, await holdfast(`show ${id}`));
  await webPicture(browser, 'web-ui', url, 'write_file');
} finally {
  await browser.close();
  await holdfast('server stop').catch(() => undefined);
  await rm(data, { recursive: true, force: true });
}
