// What a program needs that brings its own Temporal client, or keeps bytes of its own under the same keys.
export { CodecError, type CodecErrorType } from './codec-error.js';
export { type CodecOptions, codecFromEnvironment, dataConverter, keyringOf } from './data-converter.js';
export { type EncryptionKey, type Keyring, newEncryptionKey } from './keyring.js';
export { openBytes, sealBytes } from './seal.js';
