import { errorText } from './wire-text.js';

/** What `connecting` gives; where no Temporal server answers, an error that says what to do about it. */
export async function reached<Connection>(
  address: string,
  connecting: Promise<Connection>,
): Promise<Connection> {
  try {
    return await connecting;
  } catch (cause) {
    const advice = 'Start one (npx holdfast server start), or say in TEMPORAL_ADDRESS where it is.';
    throw new Error(`No Temporal server answers at ${address}. ${advice} (${errorText(cause)})`, { cause });
  }
}
