const DIGITS_THAT_MAY_BE_LOST = /\d{16}|\d[eE]\+?\d/;

/**
 * An integer of a JSON text that JSON.parse would read as another one, as numbers have 53 bits: an id of twenty digits
 * becomes the id of something else. Undefined where there is none. `9007199254740993.0` is an integer, too, and `1e400`
 * is infinite; `1e23` is kept as it is written. What has a fraction is rounded everywhere, and not looked at.
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
  if (!/^\d+$/.test(number)) return changesDecimal(number);
  // A number so long is no number for anybody, and BigInt takes the square of its length.
  if (number.length < 16 || number.length > 300) return number.length > 300;
  return BigInt(number) !== BigInt(Number(number));
}

function changesDecimal(number: string): boolean {
  const read = Number(number);
  if (!Number.isFinite(read)) return true;
  const written = significant(number);
  const kept = significant(String(read));
  return written.exponent >= 0 && (written.digits !== kept.digits || written.exponent !== kept.exponent);
}

/** A decimal as an integer without zeros at its ends, and the power of ten that goes with it. */
function significant(number: string): { digits: string; exponent: number } {
  const [mantissa = '', power = '0'] = number.split(/e/i);
  const [whole = '', fraction = ''] = mantissa.split('.');
  const all = (whole + fraction).replace(/^0+/, '');
  let end = all.length;
  while (end > 0 && all[end - 1] === '0') end -= 1;
  if (end === 0) return { digits: '', exponent: 0 };
  return { digits: all.slice(0, end), exponent: Number(power) - fraction.length + all.length - end };
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
