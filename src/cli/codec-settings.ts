import { type CodecOptions, codecFromEnvironment, dataConverter } from '../codec/data-converter.js';
import { UsageError } from './usage-error.js';

/** The codec of the environment. Throws a UsageError for keys that can't be keys, before anything is started. */
export function checkedCodec(env: NodeJS.ProcessEnv = process.env): CodecOptions {
  try {
    const codec = codecFromEnvironment(env);
    dataConverter(codec);
    return codec;
  } catch (error) {
    if (error instanceof TypeError) throw new UsageError(error.message);
    throw error;
  }
}
