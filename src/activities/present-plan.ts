import { z } from 'zod';
import type { AnyTool } from '../define/define-agent.js';
import { makeTool } from '../define/make-tool.js';
import { PRESENT_PLAN } from '../shared/permissions.js';

/** What the model is offered in the mode `plan`: a person reads the plan, and approving it ends the mode. */
export const presentPlanTool: AnyTool = makeTool({
  name: PRESENT_PLAN,
  description:
    'You are in plan mode: only tools that read can be used. Find out what you need, then present your plan with this tool, in Markdown. When the user has approved it, the other tools can be used.',
  input: z.object({ plan: z.string().min(1) }),
  idempotent: true,
  effects: 'none',
  run: () => 'The user has approved the plan. Carry it out.',
});
