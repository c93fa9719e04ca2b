import { folded } from './folded.js';
import { PathPattern, plainPath } from './path-pattern.js';
import { literally, Wildcard } from './wildcard.js';

/** A rule as people write it: `tool`, `tool(pattern)`, `tool(argument: pattern)`, with `*` in any of them. */
export type Rule = {
  /** As it was written. */
  text: string;
  tool: string;
  /** Undefined where it speaks of every call of the tool. */
  pattern?: string;
};

const RULE = /^([^()\s]+)(?:\(([\s\S]*)\))?$/;

/** Throws a TypeError for a text that is no rule. */
export function parseRule(text: string): Rule {
  const [, tool, pattern] = RULE.exec(text.trim()) ?? [];
  if (tool === undefined) {
    throw new TypeError(
      `The rule ${JSON.stringify(text)} can't be read: write it as tool or tool(pattern), such as bash(git status*), write_file(src/**) or docs__*.`,
    );
  }
  const isAny = pattern === undefined || pattern.trim() === '' || pattern.trim() === '*';
  return { text, tool, ...(!isAny && { pattern }) };
}

/** Whether the rule is about that tool; `loosely` as deny rules read names. */
export function isAbout(rule: Rule, tool: string, loosely: boolean): boolean {
  return loosely
    ? new Wildcard(folded(rule.tool)).matches(folded(tool))
    : new Wildcard(rule.tool).matches(tool);
}

/** A pattern of texts. `git status:*` and `git status *` are `git status`, alone or with more after it. */
export function textPatterns(pattern: string): Wildcard[] {
  const prefix = /^(.*?)(?::\*| \*)$/s.exec(pattern)?.[1];
  return prefix === undefined ? [new Wildcard(pattern)] : [new Wildcard(prefix), new Wildcard(`${prefix} *`)];
}

/** `query: select *`: the argument that a pattern names, and what it is to be like. */
export function namedArgument(
  pattern: string,
  names: readonly string[],
): { name: string; pattern: string } | undefined {
  const [, name, rest] = /^\s*([A-Za-z_][\w-]*)\s*:\s*([\s\S]*)$/.exec(pattern) ?? [];
  return name !== undefined && rest !== undefined && names.includes(name)
    ? { name, pattern: rest }
    : undefined;
}

export function matchesPath(pattern: string, path: string, loosely: boolean): boolean {
  return loosely
    ? new PathPattern(folded(pattern)).matches(folded(plainPath(path)))
    : new PathPattern(pattern).matches(path);
}

/** The rule for this very text and no other. */
export function exactRule(tool: string, text: string): string {
  return `${tool}(${literally(text)})`;
}
