/** By the ending of a file's name. */
const BY_ENDING: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  svg: 'image/svg+xml',
  mp3: 'audio/mpeg',
  wav: 'audio/wav',
  ogg: 'audio/ogg',
  mp4: 'video/mp4',
  pdf: 'application/pdf',
  zip: 'application/zip',
  txt: 'text/plain',
  log: 'text/plain',
  md: 'text/markdown',
  html: 'text/html',
  csv: 'text/csv',
  tsv: 'text/tab-separated-values',
  json: 'application/json',
  jsonl: 'application/jsonl',
  xml: 'application/xml',
  parquet: 'application/vnd.apache.parquet',
};

export const ANY_BYTES = 'application/octet-stream';

export function isMediaType(value: unknown): value is string {
  return typeof value === 'string' && /^[\w.+-]+\/[\w.+-]+$/.test(value);
}

/** What a file of that name holds, by its ending alone. */
export function mediaTypeOf(name: string): string | undefined {
  const [, ending = ''] = /\.([^.]+)$/.exec(name) ?? [];
  return BY_ENDING[ending.toLowerCase()];
}

/** A name for what has none: `image.png`, `audio.wav`, `text.csv`, `data.parquet`. */
export function nameFor(mediaType: string): string {
  const [kind = ''] = mediaType.split('/');
  const stem = ['image', 'audio', 'video', 'text'].includes(kind) ? kind : 'data';
  const [ending = 'bin'] = Object.entries(BY_ENDING).find(([, type]) => type === mediaType) ?? [];
  return `${stem}.${ending}`;
}

/** Lines of it say something to a model. */
export function isTextual(mediaType: string): boolean {
  return /^text\/|^application\/(?:json|jsonl|xml|yaml|javascript|sql)\b|\+(?:json|xml)$/.test(mediaType);
}

/** Models that see are shown these. */
export function isShowable(mediaType: string): boolean {
  return /^image\/(?:png|jpeg|gif|webp)$/.test(mediaType);
}
