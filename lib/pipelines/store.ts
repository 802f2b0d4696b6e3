import type * as v from 'valibot';
import { contactStages, dealStages } from '#lib/choices.ts';
import { type Board, type BoardQuery, Boards, type BoardWithColumns, type Columns } from '#lib/entities/board.ts';
import { notFound } from '#lib/problem.ts';
import { matching } from '#lib/table/conditions.ts';
import type { Item } from '#lib/table/entity.ts';
import { listPage, type Page } from '#lib/table/list.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { contactColumns, dealColumns } from './columns.ts';

type StoredBoard = Item<typeof Boards>;

/** The two boards that every workspace has (contract section 12). */
export async function createBoards(tx: UnitOfWork): Promise<void> {
  await tx.reserveIds({ board: 2 });
  tx.create(Boards, { id: await tx.nextId(Boards), name: 'Deals', kind: 'deal', isDefault: true, createdAt: tx.now });
  tx.create(Boards, {
    id: await tx.nextId(Boards),
    name: 'Contacts',
    kind: 'contact',
    isDefault: true,
    createdAt: tx.now,
  });
}

const shown = (board: StoredBoard): v.InferOutput<typeof Board> => ({
  ...board,
  columnCount: board.kind === 'deal' ? dealStages.length : contactStages.length,
});

export async function listBoards(
  tx: UnitOfWork,
  query: v.InferOutput<typeof BoardQuery>,
): Promise<Page<v.InferOutput<typeof Board>>> {
  const page = await listPage(tx, Boards, {
    ...query,
    ...matching<StoredBoard>(query.kind !== undefined && (({ kind }) => kind === query.kind)),
  });
  return { ...page, items: page.items.map(shown) };
}

/** The board with its columns; one round trip, because both kinds are counted before the board is known. Raises 404. */
export async function getBoard(tx: UnitOfWork, id: number): Promise<v.InferOutput<typeof BoardWithColumns>> {
  const [board, deals, contacts] = await Promise.all([
    tx.get(Boards, { id }, () => notFound('pipeline')),
    dealColumns(tx),
    contactColumns(tx),
  ]);
  return { ...shown(board), columns: (board.kind === 'deal' ? deals : contacts)(id) };
}

/** All columns of a board in order of position. Raises 404. */
export async function listColumns(tx: UnitOfWork, id: number): Promise<v.InferOutput<typeof Columns>> {
  const { columns } = await getBoard(tx, id);
  return { items: columns, nextCursor: null, hasMore: false };
}
