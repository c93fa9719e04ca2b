/**
 * Letters of other scripts that look like ASCII ones, by the ASCII letter. Of Unicode's confusables.txt those that NFKC
 * leaves as they are; both cases, since case is folded after.
 */
const LOOK_ALIKES: Readonly<Record<string, string>> = {
  a: 'аɑαᎪАΑ',
  b: 'ЬВΒᏴᖯƄ',
  c: 'сϲСϹᏟᴄⲥ',
  d: 'ԁԀᎠꓒɗ',
  e: 'еҽЕΕᎬ℮ɛ',
  f: 'ϝϜꞘꓝƒ',
  g: 'ɡցԌᏀģɢ',
  h: 'һհНΗᎻʜ',
  i: 'іıɩιІΙⅼӏӀǀ',
  j: 'јϳЈᎫ',
  k: 'кκКΚᏦᴋ',
  l: 'ⅼᏞʟ',
  m: 'мМΜᎷᴍ',
  n: 'пոηΝɴ',
  o: 'оοσОΟօՕѳ',
  p: 'рρРΡᏢ',
  q: 'ԛգԚ',
  r: 'гᴦᎡʀⲅ',
  s: 'ѕЅՏᏚꜱ',
  t: 'тτТΤᎢᴛ',
  u: 'υսцᴜՍ',
  v: 'νѵѴᏙᴠ',
  w: 'ԝѡԜᎳᴡɯ',
  x: 'хχХΧ᙮',
  y: 'уүγУҮΥ',
  z: 'ᴢᏃΖ',
  '-': '‐‑‒–—−﹘',
  '/': '⁄∕⧸╱',
  '.': '․。',
  '*': '∗⁎',
  '~': '∼˜',
};
const ASCII_OF = new Map(
  Object.entries(LOOK_ALIKES).flatMap(([ascii, others]) => [...others].map((other) => [other, ascii])),
);

const LOOK_ALIKE = new RegExp(
  `[${[...ASCII_OF.keys()].map((char) => char.replace(/[-\\\]^]/, '\\$&')).join('')}]`,
  'gu',
);
/** Most texts are, and some are megabytes long. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII.
const ASCII = /^[\u0000-\u007f]*$/;

/** Characters that nobody sees: zero-width ones, soft hyphens, directions, variation selectors. */
const UNSEEN = /[\p{Default_Ignorable_Code_Point}\p{Cf}]/gu;

/**
 * A text as a deny rule reads it, so that no other way to write the same gets around it: in one case, in Unicode's
 * compatibility form, without what nobody sees, and with ASCII letters in place of those that look like them.
 */
export function folded(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  const visible = text.normalize('NFKC').replace(UNSEEN, '');
  const ascii = visible.replace(LOOK_ALIKE, (char) => ASCII_OF.get(char) ?? char);
  return ascii.toLowerCase().normalize('NFKC');
}
