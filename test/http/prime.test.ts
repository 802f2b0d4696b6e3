import { afterEach, expect, test, vi } from 'vitest';
import { handler } from '#functions/contacts/get.ts';
import { prime } from '#lib/http/prime.ts';
import { because } from '#test/refusals.ts';

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

test('a function is primed by refusing a stranger, and nobody hears of it', async () => {
  vi.stubEnv('POWERTOOLS_METRICS_DISABLED', 'false');
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  const answers: unknown[] = [];
  const endpoint = Object.assign(async (...[event, context]: Parameters<typeof handler>) => {
    const answer = await handler(event, context);
    answers.push([answer.statusCode, JSON.parse(answer.body as string).details]);
    return answer;
  }, handler);
  await prime(endpoint);
  // Another function in the same process.
  await prime(endpoint);
  expect(answers).toEqual([[401, because('unknown_key')]]);
  expect(write).not.toHaveBeenCalled();
  process.stdout.write('heard again');
  expect(write).toHaveBeenCalledExactlyOnceWith('heard again');
});

test('a function starts when it cannot reach its table', async () => {
  vi.stubEnv('TABLE_NAME', 'NoSuchTable');
  // As in a process that has not begun: primed is only the first function.
  const again: typeof import('#lib/http/prime.ts') = await import(`#lib/http/prime.ts?${Date.now()}`);
  const endpoint = Object.assign(vi.fn(handler), { route: handler.route, operation: handler.operation });
  await again.prime(endpoint);
  expect((await endpoint.mock.results[0]?.value)?.statusCode).toBeGreaterThanOrEqual(500);
});
