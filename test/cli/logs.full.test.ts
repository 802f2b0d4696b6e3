import { expect, test } from 'vitest';
import { crm, started } from '#test/cli/process.ts';
import { eventually } from '#test/client.ts';
import { newWorkspace } from '#test/workspace.ts';

test('requests are shown as they are logged, chosen ones alone where that is asked for', async () => {
  const { live, liveKey: key } = await newWorkspace();
  await live.get('/v1/me');
  await live.get('/v1/deals/99');
  await eventually(async () => {
    const { items } = (await live.get('/v1/request-logs', { limit: 100 })).body;
    const logged = items.map(({ path }: { path: string }) => path);
    return logged.includes('/v1/me') && logged.includes('/v1/deals/99');
  }, 'the log of both requests');
  const last = async (...args: string[]) => {
    const { code, stdout, stderr } = await crm(['logs', 'tail', '--once', '--last', '5', '--json', ...args], { key });
    expect([code, stderr]).toEqual([0, '']);
    return stdout
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line));
  };
  expect((await last()).map(({ path, status }) => [path, status])).toEqual([
    ['/v1/me', 200],
    ['/v1/deals/99', 404],
  ]);
  expect((await last('--status', '4xx')).map(({ path }) => path)).toEqual(['/v1/deals/99']);
  expect((await last('--route', '/v1/request-logs')).length).toBeGreaterThan(0);

  await using tail = started(['logs', 'tail', '--status', '4xx', '--last', '1'], { key });
  await using all = started(['logs', 'tail', '--last', '1'], { key });
  await tail.says('GET /v1/deals/99');
  await all.says('GET /v1/deals/99');
  await live.get('/v1/contacts');
  await live.get('/v1/contacts/99');
  await tail.says('404 GET /v1/contacts/99');
  await all.says('404 GET /v1/contacts/99');
  await all.says('200 GET /v1/contacts ');
  expect(all.lines().filter((line) => line.includes('/v1/request-logs'))).toEqual([]);
  expect(await all.interrupt()).toMatchObject({ code: 0, stderr: '' });
  const { stdout } = await tail.interrupt();
  expect(stdout.trim().split('\n')).toHaveLength(2);
});

test.each<[string, string[], number, RegExp]>([
  ['a status that is none', ['--status', 'bad'], 1, /^400 bad_request: .*status: /],
  ['a number that is none', ['--last', 'x'], 2, /^--last takes a number\n$/],
])('%s is refused', async (_, args, expected, said) => {
  const { liveKey: key } = await newWorkspace();
  const { code, stdout, stderr } = await crm(['logs', 'tail', ...args], { key });
  expect([code, stdout, stderr]).toEqual([expected, '', expect.stringMatching(said)]);
});

test('a key that may not read them is refused', async () => {
  const { key } = await (await newWorkspace()).mint({ scopes: ['contacts:read'] });
  const { code, stderr } = await crm(['logs', 'tail'], { key });
  expect([code, stderr]).toEqual([1, expect.stringMatching(/^403 .*keys:manage/)]);
});
