import { expect, test } from 'vitest';
import { heldInPlace } from '#panel/pages/inbox/held.ts';

const open = (id: number) => (row: number) => row === id;

test('the open row stays at its place when others come and when it no longer fits', () => {
  const opened = heldInPlace([5, 4, 3, 2], open(3), undefined);
  expect(opened.rows).toEqual([5, 4, 3, 2]);
  const moved = heldInPlace([3, 5, 4, 2], open(3), opened.held);
  expect(moved.rows).toEqual([5, 4, 3, 2]);
  const gone = heldInPlace([6, 5, 4, 2], open(3), moved.held);
  expect(gone.rows).toEqual([6, 5, 3, 4, 2]);
  expect(heldInPlace([6, 5, 4, 2], open(4), gone.held).rows).toEqual([6, 5, 4, 2]);
  expect(heldInPlace([6, 5], () => false, gone.held)).toEqual({ rows: [6, 5], held: undefined });
});
