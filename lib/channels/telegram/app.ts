import { env } from '#lib/env.ts';

/** The operator's application at my.telegram.org, with which user accounts log in; undefined without one. */
export function telegramApp(): { apiId: number; apiHash: string } | undefined {
  const app = { apiId: env('TELEGRAM_API_ID'), apiHash: env('TELEGRAM_API_HASH') };
  return app.apiId === 0 ? undefined : app;
}
