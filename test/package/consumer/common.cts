import { defineAgent } from 'holdfast';
import { scriptedModel, testTurn, text } from 'holdfast/testing';

const agent = defineAgent({
  name: 'common',
  instructions: '',
  model: scriptedModel([text('It is on its way.')]),
});

async function main(): Promise<void> {
  const { outcome, calls, transcript } = await testTurn(agent, 'Where is W1?');
  console.log(JSON.stringify({ text: outcome.text, calls: calls.length, messages: transcript.length }));
  process.exit(0);
}

void main();
