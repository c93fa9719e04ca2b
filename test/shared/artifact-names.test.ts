import { expect, test } from 'vitest';
import { ArtifactNames, fitName, keptLine, type NamedArtifact } from '../../src/shared/artifact-names.js';
import type { Message, ToolMessage } from '../../src/shared/messages.js';
import { isMessage } from '../../src/shared/messages.js';

function made(name: string, callId = 'c'): NamedArtifact {
  return { sha256: 'a'.repeat(64), bytes: 3, name, mediaType: 'text/plain', blockId: `${callId}.0` };
}

function round(...names: string[]): ToolMessage {
  const content = names.map((name, at) => {
    const artifact = made(name, `c${at}`);
    return {
      ...{ type: 'tool_result' as const, callId: `c${at}`, name: 'draw', status: 'ok' as const },
      content: [{ type: 'text' as const, id: artifact.blockId, text: `${keptLine(artifact)}\nabc` }],
      artifacts: [artifact],
    };
  });
  return { role: 'tool', id: 'm', content };
}

function namesIn({ content }: ToolMessage): (string | undefined)[] {
  return content.flatMap(({ artifacts }) => artifacts?.map(({ name }) => name));
}

test('a second artifact of a name gets the next one, in its text, too', () => {
  const names = new ArtifactNames();
  const first = names.named(round('chart.png', 'chart.png', 'Chart.PNG'));
  expect(namesIn(first)).toEqual(['chart.png', 'chart-2.png', 'Chart-3.PNG']);
  expect(first.content[1]?.content).toMatchObject([
    { text: '[Kept as chart-2.png: text/plain, 3 bytes]\nabc' },
  ]);
  expect(namesIn(names.named(round('chart.png')))).toEqual(['chart-4.png']);
  expect(names.get(' CHART-2.png ')?.name).toBe('chart-2.png');
});

test('names of messages that were handed in, and of an earlier run, are taken', () => {
  const before = new ArtifactNames();
  const handedIn: Message[] = [before.named(round('a.csv'))];
  const names = new ArtifactNames();
  names.learn(handedIn, [made('b.csv')]);
  expect(namesIn(names.named(round('a.csv', 'b.csv')))).toEqual(['a-2.csv', 'b-2.csv']);
  expect(names.carried().artifacts?.map(({ name }) => name)).toEqual([
    'b.csv',
    'a.csv',
    'a-2.csv',
    'b-2.csv',
  ]);
});

test('a round without artifacts is as it was', () => {
  const plain: ToolMessage = { role: 'tool', id: 'm', content: [] };
  expect(new ArtifactNames().named(plain)).toBe(plain);
});

test('beyond five hundred an artifact has no name, which its text says', () => {
  const names = new ArtifactNames();
  names.learn(
    [],
    Array.from({ length: 500 }, (_, at) => made(`a${at}`)),
  );
  const [result] = names.named(round('b')).content;
  expect(result?.artifacts).toBeUndefined();
  expect(result?.content).toMatchObject([
    { text: expect.stringMatching(/^\[Kept without a name, .*\]\nabc$/) },
  ]);
});

test('a call that names what is not there is answered with names that are near, else with all of them', () => {
  const names = new ArtifactNames();
  const refused = (...artifacts: string[]) => names.refused({ callId: 'c', name: 'show', artifacts });
  expect(refused('a')).toMatchObject({
    cause: 'no_such_artifact',
    content: [{ text: 'Error: show was not run.\n- There is no artifact "a". This turn has none yet.' }],
  });
  names.named(round('chart.png', 'sales.csv'));
  expect(refused('chart.jpg', 'sales.csv')).toMatchObject({
    content: [{ text: 'Error: show was not run.\n- There is no artifact "chart.jpg". Near it: chart.png.' }],
  });
  expect(refused('x')).toMatchObject({
    content: [{ text: expect.stringContaining('There are: chart.png, sales.csv.') }],
  });
  expect(refused('Chart.png')).toBeUndefined();
});

test.each([
  ['../../etc/passwd', '_.._etc_passwd'],
  ['a b\n[Kept as c]', 'a_b_Kept_as_c_'],
  ['Übersicht (1).csv', 'Übersicht_1_.csv'],
  ['', 'artifact'],
  ['...', 'artifact'],
  [`${'x'.repeat(100)}.parquet`, `${'x'.repeat(56)}.parquet`],
])('the name %j becomes %j', (wanted, name) => {
  expect(fitName(wanted)).toBe(name);
});

test('messages with artifacts may be handed in, and broken ones not', () => {
  const good = round('a.csv');
  expect(isMessage(good, 'm')).toEqual([]);
  const [result] = good.content;
  const bad = { ...good, content: [{ ...result, artifacts: [{ name: 'a.csv', bytes: '3' }] }] };
  expect(isMessage(bad, 'm')).not.toEqual([]);
});
