import type { Environment } from '#lib/core/tenant.ts';
import { Views } from '#lib/entities/view.ts';
import { listAll } from '#lib/table/list.ts';
import type { SagaKind } from '#lib/table/saga.ts';
import { transact } from '#lib/table/transact.ts';

/** Deletes the views of a revoked key that only it could see. */
export const deletingKeyViews: SagaKind<{ keyId: string; env: Environment }, 'key-views'> = {
  name: 'key-views',
  async step(tx, state) {
    // The key may be of the other environment than the one that revokes it.
    const isLeft = await transact({ ...tx.tenant, env: state.env }, tx.actor, async (views) => {
      views.isForOneRow = tx.isForOneRow;
      for (const view of await listAll(views, Views)) {
        if (view.isShared || view.ownerKeyId !== state.keyId) continue;
        if (!views.hasRoom) return true;
        views.delete(Views, view);
      }
      return false;
    });
    return isLeft ? state : undefined;
  },
};
