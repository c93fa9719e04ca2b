import type { z } from 'zod';

type Issue = z.core.$ZodIssue;

const MAX_LINES = 20;
const MAX_FORMS = 6;
const MAX_LINE_CHARACTERS = 500;

/** One line a problem, `path.to.it: what was expected`, for a model to read. `whole` names what has no path. */
export function problemLines(issues: readonly Issue[], whole = '(the arguments)'): string[] {
  const lines = issues.flatMap((issue) => linesOf(issue, whole));
  if (lines.length <= MAX_LINES) return lines;
  return [...lines.slice(0, MAX_LINES), `and ${lines.length - MAX_LINES} more problems`];
}

function linesOf(issue: Issue, whole: string): string[] {
  const path = pathOf(issue.path);
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => line(pathOf([...issue.path, key]), 'there is no such field'));
    case 'invalid_union':
      return [line(path || whole, unionProblem(issue))];
    case 'invalid_key':
    case 'invalid_element': {
      const inner = issue.issues.map((each) => each.message).join('; ');
      return [line(path || whole, inner === '' ? issue.message : `${issue.message} (${inner})`)];
    }
    default:
      return [line(path || whole, issue.message.replace(/, received undefined$/, ', and it is missing'))];
  }
}

/** What each of the forms would have needed; a form whose constant fits says the most. */
function unionProblem({ errors, message }: Extract<Issue, { code: 'invalid_union' }>): string {
  if (errors.length === 0) return message;
  const forms = [...new Set(errors.map((issues) => problemLines(issues, '').join(', ')))];
  const shown = forms.slice(0, MAX_FORMS).map((form) => form.replace(/^: /, ''));
  if (forms.length > MAX_FORMS) shown.push(`${forms.length - MAX_FORMS} more`);
  return `it fits none of its forms: ${shown.map((form) => `(${form})`).join(' or ')}`;
}

function pathOf(path: Issue['path']): string {
  return path.map(String).join('.');
}

function line(path: string, text: string): string {
  const written = `${path}: ${text}`;
  return written.length <= MAX_LINE_CHARACTERS
    ? written
    : `${written.slice(0, MAX_LINE_CHARACTERS).toWellFormed()}…`;
}
