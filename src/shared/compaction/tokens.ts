import type { Message, ToolMessage, UserMessage } from '../messages.js';
import type { TokenRates } from './settings.js';

/** Roles, ids and brackets. */
const MESSAGE_TOKENS = 4;
/** Base64 of a document has about so many characters for a token of its text. */
const FILE_CHARACTERS_A_TOKEN = 20;

/** About how many tokens a message takes: by its bytes of UTF-8, and a fixed figure for an image. */
export function tokensOf(message: Message, rates: TokenRates): number {
  switch (message.role) {
    case 'system':
    case 'user':
      return MESSAGE_TOKENS + contentTokens(message.content, rates);
    case 'assistant':
      return message.content.reduce((sum, block) => {
        if (block.type !== 'tool_call') return sum + textTokens(block.text, rates);
        const { name, arguments: written, argumentsArtifact: whole } = block;
        // The model is sent the whole of them.
        return (
          sum +
          textTokens(name, rates) +
          (whole ? whole.bytes / rates.bytesPerToken : textTokens(written, rates))
        );
      }, MESSAGE_TOKENS);
    case 'tool':
      return message.content.reduce(
        (sum, { content }) => sum + MESSAGE_TOKENS + contentTokens(content, rates),
        0,
      );
    default:
      return message satisfies never;
  }
}

export function tokensOfAll(messages: readonly Message[], rates: TokenRates): number {
  return messages.reduce((sum, message) => sum + tokensOf(message, rates), 0);
}

export function textTokens(text: string, { bytesPerToken }: TokenRates): number {
  return Math.ceil(new TextEncoder().encode(text).length / bytesPerToken);
}

type Block = UserMessage['content'][number] | ToolMessage['content'][number]['content'][number];

function contentTokens(content: readonly Block[], rates: TokenRates): number {
  return content.reduce((sum, block) => {
    if (block.type === 'text') return sum + textTokens(block.text, rates);
    if (block.type === 'image') return sum + rates.imageTokens;
    return sum + Math.max(rates.imageTokens, Math.ceil(block.data.length / FILE_CHARACTERS_A_TOKEN));
  }, 0);
}
