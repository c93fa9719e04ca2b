import type { FileBlock, ImageBlock } from '../shared/messages.js';

const DATA_URL = /^data:([\w.+-]+\/[\w.+-]+);base64,([A-Za-z0-9+/]+={0,2})$/;

/** An image of the wire, in our terms. */
export function imageBlock(id: string, url: string): ImageBlock {
  const [, mediaType, data] = DATA_URL.exec(url) ?? [];
  return mediaType && data ? { type: 'image', id, mediaType, data } : { type: 'image', id, url };
}

export function fileBlock(id: string, name: string, fileData: string): FileBlock {
  const [, mediaType = '', data = ''] = DATA_URL.exec(fileData) ?? [];
  return { type: 'file', id, name, mediaType, data };
}

/** What a provider refuses an image for, or undefined. */
export function refuseImage(url: unknown): string | undefined {
  const isAny = typeof url === 'string' && (/^https?:\/\//.test(url) || DATA_URL.test(url));
  return isAny ? undefined : 'Invalid image_url: expected a base64-encoded data URL or an http(s) URL.';
}

export function refuseFile(file: unknown): string | undefined {
  const { filename, file_data: data } = (file ?? {}) as { filename?: unknown; file_data?: unknown };
  const isAny = typeof filename === 'string' && filename !== '' && DATA_URL.test(String(data));
  return isAny ? undefined : 'Invalid file: expected a filename, and file_data as a base64-encoded data URL.';
}
