/** The process that ran an activity is dead, as its supervisor says, or ended in the middle of it, as it says itself. */
export const WORKER_LOST = 'Worker.Lost';

/** This worker lacks the tool; it has run nothing. */
export const TOOL_NOT_HERE = 'Tool.NotHere';

/** The tool is to be tried again. */
export const TOOL_RETRYABLE = 'Tool.Retryable';

/**
 * The types of the failures that Temporal shows and that a program may switch on.
 * docs/errors.md says of each what to do.
 */
export const failureTypes = [
  'Turn.InvalidInput',
  'Turn.UnsupportedVersion',
  'Turn.Conflict',
  'Turn.Canceled',
  'Turn.Terminated',
  'Turn.TimedOut',
  'Session.InvalidInput',
  'Session.UnsupportedVersion',
  'Agent.NotHere',
  'Agent.InstructionsFailed',
  'Agent.HookFailed',
  TOOL_NOT_HERE,
  TOOL_RETRYABLE,
  'Tool.Failed',
  WORKER_LOST,
  'Artifact.NotFound',
  'Mcp.Unavailable',
  'Transcript.Unavailable',
  'Model.Misconfigured',
  'Model.Authentication',
  'Model.PermissionDenied',
  'Model.NotFound',
  'Model.BadRequest',
  'Model.ContextTooLong',
  'Model.NotCounted',
  'Model.QuotaExceeded',
  'Model.RateLimited',
  'Model.Overloaded',
  'Model.Unavailable',
  'Model.Timeout',
  'Model.Connection',
  'Model.StreamCut',
  'Model.BadResponse',
  'Model.EmptyReply',
  'Model.Failed',
] as const;
export type FailureType = (typeof failureTypes)[number];
