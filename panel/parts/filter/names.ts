import { api } from '../../app/api.ts';
import { readBoards, readColumns } from '../../app/boards.ts';
import { useLoaded } from '../../app/load.ts';
import { type Names, useNames } from '../../app/names.ts';
import { may } from '../../app/session.ts';
import { findCompanies } from '../company-field.tsx';
import { findContacts } from '../contact-field.tsx';
import { findDeals } from '../deal-field.tsx';
import type { FilterField, Kind } from './fields.ts';
import { fieldNamed } from './fields.ts';
import type { Condition } from './tree.ts';

export interface Option {
  value: string | number;
  label: string;
  color?: string;
}

/** What can be chosen for a kind of which all are known; undefined where they are searched. */
type Choices = ReadonlyMap<Kind, readonly Option[]>;

/** The records that values of filters are, for their names and to choose from. */
export interface Records {
  choices: Choices;
  names: ReadonlyMap<Kind, Names>;
}

/** Returns the ids of a kind of records that conditions name. */
const idsIn = (conditions: readonly Condition[], fields: readonly FilterField[], kind: Kind): number[] =>
  conditions
    .filter(({ field }) => fieldNamed(fields, field)?.kind === kind)
    .flatMap(({ value }) => [value].flat())
    .filter((value) => typeof value === 'number');

/** Reads the boards and the columns of all of them, as they are chosen. */
async function readBoardOptions(signal: AbortSignal): Promise<Partial<Record<Kind, readonly Option[]>>> {
  const boards = await readBoards(signal);
  const columns = await Promise.all(boards.map(({ id }) => readColumns(signal, id)));
  const labelOf = (name: string, board: string) => (boards.length > 1 ? `${name} · ${board}` : name);
  return {
    pipeline: boards.map(({ id: value, name: label }) => ({ value, label })),
    column: boards.flatMap((board, at) =>
      (columns[at] ?? []).map(({ id: value, name, color }) => ({
        value,
        label: labelOf(name, board.name),
        ...(color !== null && { color }),
      })),
    ),
  };
}

/** Reads the names of what conditions name, and the tags and people that can be named. */
export function useRecords(conditions: readonly Condition[], fields: readonly FilterField[], member: Names): Records {
  const kinds = new Set(fields.map(({ kind }) => kind));
  const hasTags = kinds.has('tag') && may('contacts:read');
  const tags = useLoaded(async (signal) => (hasTags ? (await api.get('/v1/tags', { signal })).items : []), [hasTags]);
  const hasBoards = ['pipeline', 'column'].some((kind) => idsIn(conditions, fields, kind as Kind).length > 0);
  const boards = useLoaded(
    async (signal) => (hasBoards && may('pipelines:read') ? readBoardOptions(signal) : {}),
    [hasBoards],
  );
  const contact = useNames('contact', idsIn(conditions, fields, 'contact'));
  const company = useNames('company', idsIn(conditions, fields, 'company'));
  const deal = useNames('deal', idsIn(conditions, fields, 'deal'));
  const choices: Choices = new Map<Kind, readonly Option[]>([
    ['member', [...member].map(([value, label]) => ({ value, label }))],
    ['tag', (tags.data ?? []).map(({ id: value, name: label, color }) => ({ value, label, color }))],
    ...Object.entries<readonly Option[]>(boards.data ?? {}).map(([kind, options]) => [kind as Kind, options] as const),
  ]);
  const named = [...choices].map(
    ([kind, options]) => [kind, new Map(options.map(({ value, label }) => [Number(value), label]))] as const,
  );
  return {
    choices,
    names: new Map<Kind, Names>([...named, ['contact', contact], ['company', company], ['deal', deal]]),
  };
}

const finders: Partial<Record<Kind, typeof findContacts>> = {
  contact: findContacts,
  company: findCompanies,
  deal: findDeals,
};

/** Looks for records of a kind by a part of their name. */
export async function findRecords(kind: Kind, q: string | undefined, signal: AbortSignal): Promise<Option[]> {
  if (kind === 'pipeline' || kind === 'column') {
    const options = (await readBoardOptions(signal))[kind] ?? [];
    return options.filter(({ label }) => label.toLowerCase().includes((q ?? '').toLowerCase()));
  }
  const found = (await finders[kind]?.(q, signal)) ?? [];
  return found.map(({ id, name, detail }) => ({ value: id, label: detail ? `${name} · ${detail}` : name }));
}
