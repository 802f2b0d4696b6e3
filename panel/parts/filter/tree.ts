import type { Schema } from '../../../client/index.ts';
import type { Operator } from './fields.ts';

export type Filter = Schema<'Filter'>;

export interface Condition {
  /** Its place in the filter when that was read, or something new. */
  id: string;
  field: string;
  op: Operator;
  value?: unknown;
}

export interface Group {
  id: string;
  join: 'and' | 'or';
  isNot: boolean;
  items: readonly Node[];
}

export type Node = Condition | Group;

export const isGroup = (node: Node): node is Group => 'items' in node;

/** Limits of the API. */
export const maxLevels = 5;
const maxConditions = 50;

let made = 0;
const newId = () => {
  made += 1;
  return `new ${made}`;
};

export const newGroup = (join: Group['join'], items: readonly Node[] = [], id = newId()): Group => ({
  id,
  join,
  isNot: false,
  items,
});
export const newCondition = (of: Omit<Condition, 'id'>): Condition => ({ ...of, id: newId() });

/** Returns a filter as it is edited: a group, with groups in it. What is no filter is left out. */
export function treeOf(filter: Filter | undefined): Group {
  const root = filter === undefined ? undefined : nodeOf(filter, '0');
  if (root === undefined) return newGroup('and', [], 'root');
  return isGroup(root) ? root : newGroup('and', [root], 'root');
}

function nodeOf(filter: unknown, id: string): Node | undefined {
  if (typeof filter !== 'object' || filter === null) return undefined;
  const { and, or, not, field, op, value } = filter as Record<string, unknown>;
  const items = and ?? or;
  if (Array.isArray(items)) {
    const nodes = items.map((one, at) => nodeOf(one, `${id}.${at}`)).filter((node) => node !== undefined);
    return newGroup(and ? 'and' : 'or', nodes, id);
  }
  if (not !== undefined) {
    const inner = nodeOf(not, `${id}.0`);
    if (inner === undefined) return undefined;
    return isGroup(inner) && !inner.isNot
      ? { ...inner, isNot: true }
      : { ...newGroup('and', [inner], id), isNot: true };
  }
  if (typeof field !== 'string' || typeof op !== 'string') return undefined;
  return { id, field, op: op as Operator, ...(value !== undefined && { value }) };
}

/** A filter, and where each of its conditions and groups is in it: `filter.and[1]`. */
interface Written {
  filter: Filter | undefined;
  places: ReadonlyMap<string, string>;
}

/** Returns the filter of a tree as the API takes it; a group of one is that one, and an empty one is left out. */
export function written(root: Group, at = 'filter'): Written {
  const places = new Map<string, string>();
  const filter = filterOf(root, at, places);
  return { filter, places };
}

function filterOf(node: Node, place: string, places: Map<string, string>): Filter | undefined {
  places.set(node.id, place);
  if (!isGroup(node)) {
    const { id: _, ...condition } = node;
    return condition;
  }
  if (node.isNot) {
    const not = filterOf({ ...node, isNot: false }, `${place}.not`, places);
    return not && { not };
  }
  const full = node.items.filter((item) => conditionsIn(item).length > 0);
  const [first] = full;
  if (first === undefined) return undefined;
  if (full.length === 1) return filterOf(first, place, places);
  return { [node.join]: full.map((item, at) => filterOf(item, `${place}.${node.join}[${at}]`, places)) };
}

export const conditionsIn = (node: Node): Condition[] => (isGroup(node) ? node.items.flatMap(conditionsIn) : [node]);

/** How deep a filter is: a condition is a level. */
function levelsOf(filter: unknown): number {
  const { and, or, not } = (filter ?? {}) as Record<string, unknown>;
  const inner = [and, or, not].flat().filter((one) => one !== undefined);
  return 1 + Math.max(0, ...inner.map(levelsOf));
}

/** Returns whether the API takes a filter of this size. */
export const fits = (root: Group): boolean =>
  levelsOf(written(root).filter) <= maxLevels && conditionsIn(root).length <= maxConditions;

/** Returns a tree with something in place of one of its nodes; with nothing, without it. */
export const replaced = (root: Group, id: string, by: Node | undefined): Group => ({
  ...root,
  items: root.items.flatMap((item): readonly Node[] => {
    if (item.id === id) return by ? [by] : [];
    return [isGroup(item) ? replaced(item, id, by) : item];
  }),
});

/** Returns whether two filters ask the same. */
export const isSame = (one: Filter | undefined, other: Filter | undefined): boolean =>
  JSON.stringify(written(treeOf(one)).filter) === JSON.stringify(written(treeOf(other)).filter);
