import { useState } from 'preact/hooks';
import { api } from '../../app/api.ts';
import type { Forms } from '../../app/locale.ts';
import { counted, count as written } from '../../app/show.ts';
import { t } from '../../app/texts.ts';
import { attempt, say } from '../../app/toasts.ts';
import type { Noun } from './question.ts';
import type { Selection } from './selection.ts';

/** What became of one record. */
interface Result {
  error?: { message: string } | null;
}

/** As many records as one call of `/batch` takes. */
const perCall = 100;
/** As many calls at once as leave the others of a session their turn. */
const together = 4;
/** As many records as are changed by a call each: a session has 600 calls a minute. */
const mostSingle = 500;

export interface Progress {
  done: number;
  of: number;
}

/** Works on the records that are selected, and says what became of them. */
export interface Bulk {
  /** Undefined while nothing is being done. */
  progress: Progress | undefined;
  /** Changes them a hundred a call. */
  inBatches(change: (ids: readonly number[]) => Promise<readonly Result[]>): Promise<void>;
  /** Changes them by a call each, at most `mostSingle`. Returns whether it was begun. */
  oneByOne(change: (id: number) => Promise<unknown>, undo?: (id: number) => Promise<unknown>): Promise<boolean>;
  /** Archives them, with an undo. */
  archive(noun: Noun): Promise<void>;
}

/** Does it for each of some ids, a few at once; what goes wrong with one is its result. */
async function eachOf(
  ids: readonly number[],
  work: (id: number) => Promise<unknown>,
  onDone: (done: number) => void,
): Promise<Result[]> {
  const results: Result[] = [];
  const waiting = [...ids];
  const next = async (): Promise<void> => {
    for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
      try {
        await work(id);
        results.push({});
      } catch (error) {
        results.push({ error: { message: error instanceof Error ? error.message : String(error) } });
      }
      onDone(results.length);
    }
  };
  await Promise.all(Array.from({ length: together }, next));
  return results;
}

/** Says how many were done, and how many could not be, with the first reason. */
function sayResults(results: readonly Result[], units: Forms, undo?: () => unknown): void {
  const failed = results.flatMap(({ error }) => (error ? [error.message] : []));
  const done = counted(results.length - failed.length, units);
  say(failed.length === 0 ? t.table.done(done) : t.table.doneBut(done, failed.length, failed[0] ?? ''), undo);
}

// The paths of all nouns are alike.
const move = (noun: Noun, verb: 'archive' | 'restore') => (id: number) =>
  api.post(`/v1/${noun}/{id}/${verb}` as '/v1/deals/{id}/archive', { params: { path: { id } }, body: {} });

export function useBulk({ ids, clear }: Selection, units: Forms, reload: () => void): Bulk {
  const [progress, setProgress] = useState<Progress>();
  const work = async (of: number, does: (onDone: (done: number) => void) => Promise<void>) => {
    setProgress({ done: 0, of });
    await attempt(() => does((done) => setProgress({ done, of })));
    setProgress(undefined);
    reload();
  };
  const oneByOne: Bulk['oneByOne'] = async (change, undo) => {
    const chosen = [...ids];
    if (chosen.length > mostSingle) {
      say(t.table.tooMany(written(mostSingle)));
      return false;
    }
    await work(chosen.length, async (onDone) => {
      const results = await eachOf(chosen, change, onDone);
      const takeBack = undo && (() => eachOf(chosen, undo, () => undefined).then(reload));
      sayResults(results, units, takeBack);
    });
    return true;
  };
  return {
    progress,
    oneByOne,
    inBatches: (change) =>
      work(ids.size, async (onDone) => {
        const results: Result[] = [];
        const chosen = [...ids];
        while (results.length < chosen.length) {
          results.push(...(await change(chosen.slice(results.length, results.length + perCall))));
          onDone(results.length);
        }
        sayResults(results, units);
      }),
    archive: async (noun) => {
      if (await oneByOne(move(noun, 'archive'), move(noun, 'restore'))) clear();
    },
  };
}
