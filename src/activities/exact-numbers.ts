const DIGITS_THAT_MAY_BE_LOST = /\d{16}/;

/**
 * An integer of a JSON text that JSON.parse would read as another one, as numbers have 53 bits: an id of twenty digits
 * becomes the id of something else. Undefined where there is none. Decimals are rounded everywhere, and not looked at.
 */
export function inexactInteger(json: string): string | undefined {
  if (!DIGITS_THAT_MAY_BE_LOST.test(json)) return undefined;
  for (let at = 0; at < json.length; at++) {
    const char = json[at] ?? '';
    if (char === '"') at = endOfText(json, at);
    else if (isDigit(char)) {
      const end = endOfNumber(json, at);
      const number = json.slice(at, end);
      if (changes(number)) return json[at - 1] === '-' ? `-${number}` : number;
      at = end;
    }
  }
  return undefined;
}

function changes(number: string): boolean {
  const isInteger = number.length >= 16 && /^\d+$/.test(number);
  // A number so long is no number for anybody, and BigInt takes the square of its length.
  if (!isInteger || number.length > 300) return isInteger;
  return BigInt(number) !== BigInt(Number(number));
}

function endOfText(json: string, from: number): number {
  let at = from + 1;
  while (at < json.length && json[at] !== '"') at += json[at] === '\\' ? 2 : 1;
  return at;
}

function endOfNumber(json: string, from: number): number {
  let at = from;
  while (at < json.length && /[\d.eE+-]/.test(json[at] ?? '')) at += 1;
  return at;
}

function isDigit(char: string): boolean {
  return char >= '0' && char <= '9';
}
