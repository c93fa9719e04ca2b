// Part of the workflow bundle: how failures that workflow code makes are written. The worker chooses when it loads the
// bundle (`src/worker/workflow-bundle.ts`), since nothing else reaches this place before a workflow's first failure.
import {
  type DefaultFailureConverter,
  defaultFailureConverter,
  type FailureConverter,
} from '@temporalio/common';
import { failureConverter as sealed } from './sealed-failures.js';

const MESSAGES: string = 'holdfast:messages=plain';

export const failureConverter: FailureConverter | DefaultFailureConverter =
  MESSAGES === 'holdfast:messages=plain' ? defaultFailureConverter : sealed;
