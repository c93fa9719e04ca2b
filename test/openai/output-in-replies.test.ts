import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { outputOf } from '../../src/activities/output.js';
import type { AssistantMessage } from '../../src/shared/messages.js';
import { rawBytes } from '../../src/testing/index.js';
import { callResponses, done, ended, item, namedEvents } from '../openai-responses/call-responses.js';

const type = z.object({ city: z.string() });
const output = { type, schema: {}, strict: false };
const paris = { ok: true, value: { city: 'Paris' } };

function saying(...texts: string[]): AssistantMessage {
  const content = texts.map((text, index) => ({ type: 'text' as const, id: `m.${index}`, text }));
  return { role: 'assistant', id: 'm', stopReason: 'end_turn', content };
}

const outputIn = (asked: boolean, ...texts: string[]) => outputOf(output, saying(...texts), asked);

describe('the output is found', () => {
  it('in the final answer of Responses, after a comment', async () => {
    const comment = { ...item.text('Let me see.'), phase: 'commentary' };
    const answer = { ...item.text('{"city":"Paris"}'), id: 'msg_2', phase: 'final_answer' };
    const events = namedEvents(done(0, comment), done(1, answer), ended('completed', [comment, answer]));
    const headers = { 'content-type': 'text/event-stream' };
    const { response } = await callResponses([rawBytes(events, { headers })]);
    const texts = response.content.flatMap((part) => (part.type === 'text' ? [part.text] : []));
    expect(texts).toEqual(['Let me see.', '{"city":"Paris"}']);
    expect(await outputIn(false, ...texts)).toEqual(paris);
  });

  it.each([
    ['the whole', '{"city":"Paris"}'],
    ['a block', '```json\n{"city":"Paris"}\n```'],
    ['a block after words', 'Here it is:\n```json\n{\n  "city": "Paris"\n}\n```'],
    ['a block between words', 'Here it is:\r\n\r\n```\r\n{"city":"Paris"}\r\n```\r\nWas that all?'],
    ['a block that ends on its line', 'Here:\n```JSON\n{"city":"Paris"}```'],
    ['a block after one of code', 'I ran\n```sh\n{"city":"Rome"}\n```\nso:\n```json\n{"city":"Paris"}\n```'],
  ])('where it is %s', async (_, text) => {
    expect(await outputIn(false, text)).toEqual(paris);
    expect(await outputIn(true, text)).toEqual(paris);
  });

  it('in the last of several blocks, once it was asked for', async () => {
    const text = 'Not\n```json\n{"city":"Rome"}\n```\nbut\n```json\n{"city":"Paris"}\n```';
    expect(await outputIn(true, text)).toEqual(paris);
    expect(await outputIn(false, text)).toEqual({ ok: false, problems: [] });
  });
});

describe('what is not the output', () => {
  it('has no problem in prose that nobody asked to be JSON', async () => {
    expect(await outputIn(false, 'The request was\n```json\n{"town":1}\n```')).toEqual({
      ok: false,
      problems: [],
    });
  });

  it('has a problem of its place where it was asked for, or is nothing but JSON', async () => {
    const problems = [expect.stringContaining('city')];
    expect(await outputIn(true, 'So:\n```json\n{"town":1}\n```')).toEqual({ ok: false, problems });
    expect(await outputIn(false, '{"town":1}')).toEqual({ ok: false, problems });
    expect(await outputIn(false, '```json\n{"town":1}\n```')).toEqual({ ok: false, problems });
    expect(await outputIn(true, 'In Paris.')).toEqual({
      ok: false,
      problems: [expect.stringContaining('it is not JSON')],
    });
  });
});
