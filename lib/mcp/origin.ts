import { Problem } from '#lib/core/problem.ts';

const loopback = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/**
 * Refuses a browser's request from another site. On this machine the name must be a loopback one as well: any other may be a
 * stranger's that was pointed here (DNS rebinding). Raises 403.
 */
export function requireOwnOrigin(origin: string | undefined, host: string | undefined, ip: string): void {
  if (origin === undefined) return;
  const url = URL.parse(origin);
  const isLocal = /^(127\.|::1$)/.test(ip);
  if (url && url.host === host && (!isLocal || loopback.test(url.hostname))) return;
  throw new Problem('forbidden', 'a web page of another site made this call: call from a program instead', {
    reason: 'foreign_origin',
  });
}
