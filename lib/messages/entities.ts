import { withoutControls } from '#lib/core/text.ts';
import type { TextEntity } from '#lib/entities/message.ts';

/** Returns where entities are in a text as it is stored: its edges and its control characters are gone. */
export function placed(text: string, entities: readonly TextEntity[]): TextEntity[] {
  const kept = withoutControls(text);
  const [start, end] = [kept.length - kept.trimStart().length, kept.trimEnd().length];
  const at = (offset: number) => Math.min(end, Math.max(start, withoutControls(text.slice(0, offset)).length)) - start;
  return entities.flatMap((one) => {
    const offset = at(one.offset);
    const length = at(one.offset + one.length) - offset;
    return length > 0 ? [{ ...one, offset, length }] : [];
  });
}
