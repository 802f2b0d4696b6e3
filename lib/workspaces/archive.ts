import { notFound } from '#lib/core/problem.ts';
import type { Archive } from '#lib/entities/archive.ts';
import type { StatedEvent } from '#lib/events/kinds.ts';
import type { Entity, Item } from '#lib/table/entity.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';

type Archived = { archive?: Archive | undefined };

/** `dropsTaken`: it goes without unique values that another record has by then. */
export interface Restoring {
  dropsTaken?: boolean;
}

/** An object whose records are archived. The work writes what its functions return. */
interface Archivable<E extends Entity> {
  of: E;
  /** Does what else an archive means. */
  archived?(tx: UnitOfWork, item: Item<E>): void | Promise<void>;
  /** The item as it is restored. Raises 409 where another one has what is its alone, unless it then goes without. */
  restored?(tx: UnitOfWork, item: Item<E>, how: Restoring): Item<E> | Promise<Item<E>>;
}

/** Returns how records of an object are archived and restored. */
export function archiving<E extends Entity>({ of, archived, restored = (_, item) => item }: Archivable<E>) {
  const noun = of.name;
  const emit = (tx: UnitOfWork, kind: 'archived' | 'restored', id: number) =>
    tx.emit({
      kind: `${noun}.${kind}`,
      subject: `${noun}/${id}`,
      data: { [`${noun}_id`]: String(id), actor: tx.eventActor },
    } as unknown as StatedEvent & { subject: string });

  async function find(tx: UnitOfWork, id: number): Promise<Item<E>> {
    const item = await tx.find(of, { id } as unknown as Partial<Item<E>>);
    if (item === undefined) throw notFound(noun);
    return item;
  }

  async function restore(tx: UnitOfWork, id: number, how: Restoring = {}): Promise<Item<E>> {
    const item = await find(tx, id);
    const { archive, ...live } = item as object & Archived;
    if (archive === undefined) return item;
    const saved = tx.update(of, {
      ...((await restored(tx, live as Item<E>, how)) as object),
      updatedAt: tx.now,
    } as Item<E>);
    emit(tx, 'restored', id);
    return saved;
  }

  return {
    /** Archives a record; the same again changes nothing. Emits <noun>.archived. Raises 404. */
    async archive(tx: UnitOfWork, id: number): Promise<Item<E>> {
      const item = await find(tx, id);
      if ((item as Archived).archive !== undefined) return item;
      const archive: Archive = { archivedAt: tx.now, archivedBy: tx.eventActor };
      await archived?.(tx, item);
      const saved = tx.update(of, { ...(item as object), archive, updatedAt: tx.now } as Item<E>);
      emit(tx, 'archived', id);
      return saved;
    },

    /** Brings a record back; one that is not archived stays as it is. Emits <noun>.restored. Raises 404, 409 `field_value_taken`. */
    restore,
  };
}
