import type { RunToolInput } from './activities.js';
import type { TurnSettings } from './turn.js';

type ResultShare = Pick<RunToolInput, 'maxResultBytes' | 'maxImageBytes'>;

/** With ten calls each may give what a result may usually take. */
export function resultShare({ roundResultBytes, roundImageBytes }: TurnSettings, calls: number): ResultShare {
  return {
    ...(roundImageBytes !== undefined && calls > 1 && { maxImageBytes: Math.floor(roundImageBytes / calls) }),
    ...(roundResultBytes !== undefined &&
      calls > 10 && { maxResultBytes: Math.max(2000, Math.floor(roundResultBytes / calls)) }),
  };
}
