import type { Artifacts } from '../artifacts/artifacts.js';
import type { AnyTool } from '../define/define-agent.js';
import { ErrorResult } from '../define/tool-outcomes.js';
import type { RunToolInput } from '../shared/activities.js';
import { type ArtifactRef, type ArtifactSource, keptNote } from '../shared/artifacts.js';
import type { ToolResultBlock } from '../shared/messages.js';
import { misfit, toolThrew } from '../shared/tool-results.js';
import { errorText, wireText } from '../shared/wire-text.js';
import { checkOutput } from './check-output.js';
import { resultWithArtifacts } from './result-artifacts.js';

/** Of an error's text, where a note follows. */
const MAX_ERROR_BYTES = 7000;
/** Of what was returned and does not fit the tool's `output`; the whole is kept as an artifact. */
const MAX_MISFIT_BYTES = 10_000;

type Content = Pick<ToolResultBlock, 'content' | 'artifact' | 'artifacts'>;

/** What a call's value, or its error, is as a result. */
export class ToolAnswer {
  readonly #tool: AnyTool;
  readonly #input: RunToolInput;
  readonly #artifacts: Artifacts;
  readonly #called: { id: string; name: string };
  /** What the tool has kept itself. */
  #kept: Promise<ArtifactRef> | undefined;

  constructor(tool: AnyTool, input: RunToolInput, artifacts: Artifacts) {
    this.#tool = tool;
    this.#input = input;
    this.#artifacts = artifacts;
    this.#called = { id: input.callId, name: input.tool };
  }

  /** Throws where nothing of the value can be read. */
  async ok(value: unknown): Promise<ToolResultBlock> {
    const { callId, tool: name } = this.#input;
    const result = { type: 'tool_result', callId, name } as const;
    if (value instanceof ErrorResult)
      return { ...result, status: 'error', cause: 'tool_threw', ...(await this.#contentOf(value.value)) };
    const { output } = this.#tool;
    if (!output) return { ...result, status: 'ok', ...(await this.#contentOf(value)) };
    const checked = await checkOutput(output, value);
    if (!checked.ok) return await this.#misfit(value, checked.problems);
    return { ...result, status: 'ok', ...(await this.#contentOf(checked.value)) };
  }

  /** What it had kept before is still to be read. */
  async threw(text: string): Promise<ToolResultBlock> {
    const artifact = await this.#kept?.catch(() => undefined);
    if (!artifact) return toolThrew(this.#called, text);
    // Before it is cut, so that the note stays.
    const short = wireText(text, MAX_ERROR_BYTES);
    return { ...toolThrew(this.#called, short + keptNote(artifact, short)), artifact };
  }

  async save(content: string | Uint8Array | ArtifactSource): Promise<ArtifactRef> {
    if (this.#kept) throw new Error(`${this.#called.name} has saved an artifact in this call before.`);
    this.#kept = this.#artifacts.save(typeof content === 'string' ? Buffer.from(content) : content);
    return await this.#kept;
  }

  /** It has run: what it gave is told, however little it fits. */
  async #misfit(value: unknown, problems: readonly string[]): Promise<ToolResultBlock> {
    const { maxResultBytes = MAX_MISFIT_BYTES } = this.#input;
    const { content, artifact, artifacts } = await this.#contentOf(
      value,
      Math.min(maxResultBytes, MAX_MISFIT_BYTES),
    );
    // A line comes before them, so that each block has the next id.
    const blockId = (of: string) => `${this.#called.id}.${content.findIndex(({ id }) => id === of) + 1}`;
    const named = artifacts?.map((each) => ({ ...each, blockId: blockId(each.blockId) }));
    return {
      ...misfit(this.#called, problems, content),
      ...(artifact && { artifact }),
      ...(named && { artifacts: named }),
    };
  }

  async #contentOf(value: unknown, maxResultBytes = this.#input.maxResultBytes): Promise<Content> {
    const kept = await this.#kept?.catch(() => undefined);
    try {
      const { callId, maxImageBytes } = this.#input;
      const bounds = { maxResultBytes, maxImageBytes };
      return await resultWithArtifacts(callId, value, this.#artifacts, kept, bounds);
    } catch (error) {
      throw new Error(`${this.#called.name} ran, but its result can't be read: ${errorText(error)}`);
    }
  }
}
