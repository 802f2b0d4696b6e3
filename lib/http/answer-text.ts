import { createHash } from 'node:crypto';
import { canonicalJson } from '#lib/core/canonical.ts';
import { isResource } from '#lib/core/include.ts';
import { maxPageBytes, type Page } from '#lib/table/list.ts';

/** Lambda's limit of a whole response, in which the body is JSON once more, less what the headers may take. */
const maxPayloadBytes = 6_291_556 - 64 * 1024;
/** No text of so many characters is too large, whatever they are. */
const certainlyFits = maxPageBytes / 5;

/**
 * The answer as JSON text. A page that would be more than an answer may have (contract, revision 1.3) holds fewer items, and its
 * cursor leads on from the last; a batch has ids in the place of the resources that it has no room for. Throws for anything else
 * that Lambda would not take.
 */
export function answerText(answer: unknown): string {
  const text = JSON.stringify(answer);
  if (text.length <= certainlyFits) return text;
  const size = sizeOf(text);
  if (isPage(answer) && answer.items.length > 1 && !fits(size)) return JSON.stringify(shortened(answer));
  if (isBatch(answer) && !fits(size)) return JSON.stringify(withFewerResources(answer));
  if (size.payload > maxPayloadBytes) throw new Error(`an answer of ${size.payload} bytes is too large`);
  return text;
}

interface Size {
  body: number;
  payload: number;
}

const sizeOf = (text: string): Size => ({
  body: Buffer.byteLength(text),
  payload: Buffer.byteLength(JSON.stringify(text)),
});
const sum = (a: Size, b: Size): Size => ({ body: a.body + b.body, payload: a.payload + b.payload });
const fits = ({ body, payload }: Size) => body <= maxPageBytes && payload <= maxPayloadBytes;

type Shown = { id: number; sequence?: number };

const isPage = (answer: unknown): answer is Page<Shown> =>
  typeof answer === 'object' && answer !== null && 'hasMore' in answer && 'items' in answer;

function shortened(page: Page<Shown>): Page<Shown> {
  let total = sizeOf(JSON.stringify({ ...page, items: [] }));
  let kept = 0;
  for (const item of page.items) {
    total = sum(total, sizeOf(`${JSON.stringify(item)},`));
    if (kept > 0 && !fits(total)) break;
    kept += 1;
  }
  const items = page.items.slice(0, kept);
  const { id, sequence = id } = items.at(-1) as Shown;
  return kept === page.items.length ? page : { ...page, items, nextCursor: sequence, hasMore: true };
}

/** As `batchAnswer` (lib/table/batch.ts) declares it: of each result only `error` and the resource are objects. */
type Batch = { results: Record<string, unknown>[]; succeeded: number };

const isBatch = (answer: unknown): answer is Batch =>
  typeof answer === 'object' && answer !== null && 'results' in answer && 'succeeded' in answer;

function withFewerResources(batch: Batch): Batch {
  const brief = batch.results.map(withoutResource);
  let total = sizeOf(JSON.stringify({ ...batch, results: brief }));
  const results = batch.results.map((result, index) => {
    const whole = sum(total, sizeOf(JSON.stringify(result)));
    if (!fits(whole)) return brief[index] as Record<string, unknown>;
    total = whole;
    return result;
  });
  return { ...batch, results };
}

function withoutResource(result: Record<string, unknown>): Record<string, unknown> {
  const [name, resource] = Object.entries(result).find(([name, value]) => isResource(name, value)) ?? [];
  return name === undefined ? result : { ...result, [name]: null, id: (resource as Shown).id };
}

const hashOf = (json: string) => createHash('sha256').update(json).digest('base64url').slice(0, 22);

/** Fields of a resource that change without anybody's change of it. */
export interface Changing {
  /** The tag leaves them out: whoever has it has missed nothing. */
  volatile?: readonly string[];
  /** The tag tells of them (`If-None-Match`), but they make no writer's tag stale (`If-Match`). */
  reported?: readonly string[];
}

/** A strong entity tag of what is answered; what is `reported` is in its second part alone. */
export function etagOf(shown: unknown, { volatile = [], reported = [] }: Changing): string {
  const without = (left: readonly string[]) => hashOf(canonicalJson(shown, left));
  const lasting = without([...volatile, ...reported]);
  return reported.length === 0 ? `"${lasting}"` : `"${lasting}.${without(volatile)}"`;
}

const tagsIn = (header: string) => header.split(',').map((one) => one.trim().replace(/^W\//, ''));

/** Whether `If-None-Match` names what is answered. */
export const namesTag = (header: string, tag: string) => tagsIn(header).some((one) => one === '*' || one === tag);

const lastingPart = (tag: string) => tag.split('.')[0]?.replaceAll('"', '');

/** Whether `If-Match` names the resource as it is, but for what is `reported` of it. */
export const matchesTag = (header: string, tag: string) =>
  tagsIn(header).some((one) => one === '*' || lastingPart(one) === lastingPart(tag));
