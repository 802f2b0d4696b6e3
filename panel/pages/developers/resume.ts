import { api } from '../../app/api.ts';
import { t } from '../../app/texts.ts';
import { attempt } from '../../app/toasts.ts';

/** When what waited has mostly been sent. */
const sentAfterMs = [0, 1500, 5000];

/** Sends what waits for an endpoint, retries included, and ends its pause; then loads how that goes. */
export async function resume(id: number, reload: () => void): Promise<void> {
  const isDone = await attempt(() => api.post('/v1/webhooks/{id}/resume', { params: { path: { id } }, body: {} }), {
    said: t.developers.whatWaitsIsSentNow,
  });
  if (isDone) for (const ms of sentAfterMs) setTimeout(reload, ms);
}
