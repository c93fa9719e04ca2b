import { runTurn } from 'holdfast/workflows';
import { analyst } from './agent.js';

export async function report(prompt: string) {
  return await runTurn<typeof analyst>({ agent: analyst.name, prompt });
}
