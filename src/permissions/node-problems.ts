import type { SyntaxNode } from 'unbash';

/** Operators that read their operands as arithmetic, in which a variable's value may run a command. */
const ARITHMETIC_TESTS = ['-eq', '-ne', '-lt', '-le', '-gt', '-ge'];
/** Whatever is assigned to them Bash computes. */
const COMPUTED = /^(RANDOM|SRANDOM|SECONDS|OPTIND|HISTCMD|LINENO|EPOCHSECONDS)$/;
/** Bash runs what they are set to, or looks there for what a name means. */
const RUN_BY_BASH = /^(PS\d|PROMPT_COMMAND|BASH_ALIASES|BASH_CMDS|BASH_ENV)$/;

/** Why a part of a command line may run what its text does not tell. */
export function problemOf(node: SyntaxNode): string | undefined {
  switch (node.type) {
    case 'Script':
      return node.errors?.[0] && `it can't be parsed (${node.errors[0].message})`;
    case 'CommandExpansion':
    case 'ProcessSubstitution':
      return node.script ? undefined : 'a substitution in it can not be parsed';
    case 'ArithmeticWord':
      return /^\d+$/.test(node.value)
        ? undefined
        : 'it computes with variables, whose values may run commands';
    case 'ArithmeticExpansion':
    case 'ArithmeticCommand':
      return node.expression ? undefined : 'arithmetic in it can not be parsed';
    case 'TestUnary':
      return node.operator === '-v' ? 'it looks at a variable whose index may run a command' : undefined;
    case 'TestBinary':
      return ARITHMETIC_TESTS.includes(node.operator) ? 'it compares by arithmetic' : undefined;
    case 'ParameterExpansion':
      return ofExpansion(node);
    case 'Assignment':
      return ofAssignment(node);
    default:
      return undefined;
  }
}

function ofExpansion(node: Extract<SyntaxNode, { type: 'ParameterExpansion' }>): string | undefined {
  const { index, prefix, operation, text } = node;
  const isList = index === undefined || /^(\d+|@|\*)$/.test(index.text);
  const isPlain = prefix !== '!' && operation?.type !== 'Transform' && isList;
  // In a here-document the quotes are part of the text, and what is in them is run.
  const hidesCode = text.includes("'") && /\$\(|`/.test(text);
  if (!isPlain || hidesCode) return 'an expansion in it may run commands';
  if (operation?.type !== 'Slice') return undefined;
  const places = [operation.offset, operation.length];
  const areNumbers = places.every((place) => place === undefined || /^\s*-?\d+$/.test(place.text));
  return areNumbers ? undefined : 'it computes with variables, whose values may run commands';
}

function ofAssignment({ name, index, value }: Extract<SyntaxNode, { type: 'Assignment' }>) {
  if (RUN_BY_BASH.test(name)) return `what ${name} is set to may run commands`;
  const texts = value.type === 'Word' ? [] : value.elements.map(({ text }) => text);
  const hasIndex = (index && !/^\d+$/.test(index.text)) || texts.some((text) => /^\[(?!\d+\])/.test(text));
  if (hasIndex) return 'an index in it may run commands';
  const isNumber = value.type === 'Word' && /^\d*$/.test(value.text);
  return COMPUTED.test(name) && !isNumber ? `what ${name} is set to is computed` : undefined;
}
