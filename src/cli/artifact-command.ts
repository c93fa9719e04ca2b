import { writeFile } from 'node:fs/promises';
import { Artifacts } from '../artifacts/artifacts.js';
import { defaultArtifactFolder, localArtifacts } from '../artifacts/local-artifacts.js';
import { keyringOf } from '../codec/data-converter.js';
import { type NamedArtifact, nameKey } from '../shared/artifact-names.js';
import { similarNames } from '../shared/similar-names.js';
import { checkedCodec } from './codec-settings.js';
import { EXIT_FAILED } from './exit-codes.js';
import { withPlace } from './open-client.js';
import { quoted } from './quoted.js';
import { safeText } from './terminal.js';
import { findTurn } from './turns/find-turn.js';
import { UsageError } from './usage-error.js';

type Options = { output?: string; json?: boolean };

/** `holdfast artifact`: the list of a turn's artifacts, or one of them as it is. Returns the exit code. */
export async function artifactCommand(
  turn: string,
  name: string | undefined,
  { output, json }: Options,
): Promise<number> {
  const { turnId, artifacts } = await withPlace(async (place) => {
    const { workflowId } = await findTurn(place, turn);
    return { turnId: workflowId, artifacts: await place.client.turn(workflowId).artifacts() };
  });
  if (name === undefined) {
    process.stdout.write(artifacts.map(json ? asJson : asLine).join(''));
    if (artifacts.length === 0) process.stderr.write(`${turnId} has given out no artifacts.\n`);
    return 0;
  }
  const found = artifacts.find((each) => nameKey(each.name) === nameKey(name));
  if (!found) {
    const near = similarNames(
      name,
      artifacts.map((each) => each.name),
    );
    const hint =
      near.length > 0 ? `Near it: ${near.join(', ')}.` : `List them: holdfast artifact ${quoted(turnId)}`;
    process.stderr.write(`${turnId} has no artifact ${safeText(name)}. ${hint}\n`);
    return EXIT_FAILED;
  }
  return await give(found, output);
}

async function give(artifact: NamedArtifact, output: string | undefined): Promise<number> {
  const codec = checkedCodec();
  let bytes: Uint8Array;
  try {
    bytes = await new Artifacts(localArtifacts(), keyringOf(codec)).load(artifact);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    process.stderr.write(
      `${why}\nLooked for it in ${defaultArtifactFolder()}; where the workers have another folder, name it: export HOLDFAST_ARTIFACTS=...\n`,
    );
    return EXIT_FAILED;
  }
  if (output === undefined) process.stdout.write(bytes);
  else await writeTo(output, bytes);
  return 0;
}

async function writeTo(file: string, bytes: Uint8Array): Promise<void> {
  await writeFile(file, bytes).catch((error: Error) => {
    throw new UsageError(`${file} can't be written: ${error.message}`);
  });
}

function asLine({ name, mediaType, bytes }: NamedArtifact): string {
  return `${safeText(name)}\t${safeText(mediaType)}\t${bytes}\n`;
}

function asJson({ name, mediaType, bytes, sha256 }: NamedArtifact): string {
  return `${JSON.stringify({ v: 1, name, mediaType, bytes, sha256 })}\n`;
}
