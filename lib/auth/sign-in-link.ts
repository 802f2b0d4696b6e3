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

/** Returns the link that signs a member in. The token is behind the `#`, so that no server and no log receives it. */
export const signInLink = (base: string, token: string): string => `${base}/panel/#/sign-in/${token}`;
