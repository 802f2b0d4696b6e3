import type { TestWorkspace } from '#test/workspace.ts';

interface BoardColumn {
  id: number;
  key: string;
  stage: string;
  count: number;
}

/** Makes a board with these active stages, one column each. */
export async function newBoard(
  { live }: TestWorkspace,
  stages: readonly string[] = ['lead', 'proposal'],
  name = 'Partners',
) {
  const columns = stages.map((stage) => ({ name: `In ${stage}`, stage }));
  const { id } = (await live.post('/v1/pipelines', { name, columns }, 201)).body;
  return { id, ...(await columnsOf({ live }, id)) };
}

/** Returns the columns of a board, and their ids by key. */
export async function columnsOf({ live }: Pick<TestWorkspace, 'live'>, id: number) {
  const columns: BoardColumn[] = (await live.get(`/v1/pipelines/${id}/columns`)).body.items;
  return {
    columns,
    ids: Object.fromEntries(columns.map((column) => [column.key, column.id])) as Record<string, number>,
  };
}

/** Returns the default board. */
export async function defaultBoard({ live }: TestWorkspace) {
  const { items } = (await live.get('/v1/pipelines', { kind: 'deal' })).body;
  const { id } = items.find(({ isDefault }: { isDefault: boolean }) => isDefault);
  return { id, ...(await columnsOf({ live }, id)) };
}

export const newDeal = async ({ live }: TestWorkspace, given: object = {}) =>
  (await live.post('/v1/deals?include=pipeline', { title: 'Sale', value: 10, ...given }, 201)).body;

/** Returns how many deals each column has, by key, as the board and the lists say. */
export async function countsOf(workspace: TestWorkspace, id: number) {
  const { columns } = await columnsOf(workspace, id);
  const listed = await Promise.all(
    columns.map(async (column) => {
      const { items } = (await workspace.live.get('/v1/deals', { columnId: column.id, limit: 100 })).body;
      if (items.length !== column.count)
        throw new Error(`${column.key} counts ${column.count} and lists ${items.length}`);
      return [column.key, column.count] as const;
    }),
  );
  return Object.fromEntries(listed.filter(([, count]) => count > 0));
}
