import { env } from '#lib/core/env.ts';

/** The address under which a person reaches this deployment, who asked under `domain`. */
export function panelBase({
  domain = 'localhost',
  port,
}: {
  domain?: string | undefined;
  port?: string | undefined;
}): string {
  const own = domain === 'localhost' ? `http://localhost${port === undefined ? '' : `:${port}`}` : `https://${domain}`;
  return env('PUBLIC_URL')?.replace(/\/$/, '') ?? own;
}

/** What lets somebody in who follows it. The token stands behind the `#`, so that no server and no log is told it. */
export const signInLink = (base: string, token: string): string => `${base}/panel/#/sign-in/${token}`;
