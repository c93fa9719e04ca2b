/** Bytes of UTF-8 that a character needs beside its first one. */
const MAX_CONTINUATION = 3;

const isContinuation = (byte: number | undefined) => byte !== undefined && (byte & 0xc0) === 0x80;

/** The part of `bytes` without the halves of characters that a cut has left at either end. */
export function wholeCharacters(bytes: Uint8Array): { start: number; end: number } {
  let start = 0;
  while (start < MAX_CONTINUATION && start < bytes.length && isContinuation(bytes[start])) start++;
  let last = bytes.length - 1;
  while (last > start && bytes.length - last <= MAX_CONTINUATION && isContinuation(bytes[last])) last--;
  const isCut = last >= start && lengthOf(bytes[last] ?? 0) > bytes.length - last;
  return { start, end: isCut ? last : bytes.length };
}

/** How long the character is that begins with this byte. */
function lengthOf(byte: number): number {
  if (byte >= 0xf0) return 4;
  if (byte >= 0xe0) return 3;
  return byte >= 0xc0 ? 2 : 1;
}

/** A mark of the byte order is a part of the text. */
const decoder = () => new TextDecoder('utf-8', { ignoreBOM: true });

const CONTROL_PICTURES = 0x2400;

/**
 * Text for a model and for those who read along: a control character but tab and line ends becomes its picture (ESC
 * is ␛, NUL is ␀), so that nothing that a tool returns steers a terminal, and nothing is hidden. No half characters.
 */
export function visibleText(bytes: Uint8Array): string {
  return decoder()
    .decode(bytes)
    .replace(/\p{Cc}/gu, (char) => {
      if (char === '\n' || char === '\t' || char === '\r') return char;
      const code = char.charCodeAt(0);
      if (code === 0x7f) return '␡';
      return code < 0x20 ? String.fromCharCode(CONTROL_PICTURES + code) : '\ufffd';
    });
}
