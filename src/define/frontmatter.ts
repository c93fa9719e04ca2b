/**
 * The texts that stand at the top of a Markdown file between two lines of `---`, as `name: value`. Undefined where there
 * are none. It is the part of YAML that such files use: plain, quoted and folded texts. It is not YAML's own reader, since
 * people write `description: Use it for: this and that`, which YAML refuses.
 */
export function frontmatter(text: string): Record<string, string> | undefined {
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  if (lines[0]?.trimEnd() !== '---') return undefined;
  const end = lines.findIndex((line, index) => index > 0 && line.trimEnd() === '---');
  if (end < 0) return undefined;
  const fields: Record<string, string> = {};
  for (let at = 1; at < end; at++) {
    const [, name, first = ''] = /^([\w-]+):(?:\s+(.*)|\s*)$/.exec(lines[at] ?? '') ?? [];
    if (name === undefined) continue;
    const more: string[] = [];
    while (at + 1 < end && /^(\s+\S|\s*$)/.test(lines[at + 1] ?? '')) more.push((lines[++at] ?? '').trim());
    fields[name] = textOfField(first.trim(), more);
  }
  return fields;
}

function textOfField(first: string, more: readonly string[]): string {
  const block = /^([|>])[+-]?\d*$/.exec(first);
  if (block) return more.join(block[1] === '|' ? '\n' : ' ').trim();
  const whole = [first, ...more].join(' ').trim();
  const quoted = /^(["'])(.*)\1$/s.exec(whole);
  if (!quoted) return whole.replace(/\s#.*$/, '');
  const [, mark, inside = ''] = quoted;
  return mark === "'" ? inside.replaceAll("''", "'") : inside.replaceAll(/\\(["\\])/g, '$1');
}
