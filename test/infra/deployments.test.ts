import { beforeAll, describe, expect, test } from 'vitest';
import { readTemplates } from '#infra/local/template.ts';
import { assemblyFolder, type Variant } from '#test/infra/assembly.ts';
import { Account, type Outline, outlineOf, type Template } from '#test/infra/cloudformation.ts';

type Stacks = Record<string, Outline>;

async function outlinesOf(variant: Variant): Promise<Stacks> {
  const templates = readTemplates(await assemblyFolder(variant));
  return Object.fromEntries(templates.map(([stack, template]) => [stack, outlineOf(template as Template)]));
}

let now: Stacks;
beforeAll(async () => {
  now = await outlinesOf('full');
});

/** `cdk deploy --all`: the data first, which the rest reads. */
function deployed(stacks: Stacks, account = new Account()): Account {
  for (const [name, stack] of Object.entries(stacks)) account.deploy(name, stack);
  return account;
}

const changed = (stack: Outline, id: string, change: object | undefined): Outline => {
  const { [id]: resource, ...others } = stack.resources;
  if (!resource) throw new Error(`there is no ${id}`);
  return { ...stack, resources: change ? { ...others, [id]: { ...resource, ...change } } : others };
};

describe('the stacks', () => {
  test('are created, and updated to what they are', () => {
    const account = deployed(now);
    expect([...account.stacks.keys()]).toEqual(['CrmData', 'CrmApi']);
    expect(deployed(now, account).replaced).toEqual([]);
  });

  test('are created after a first creation that failed, and again after they were destroyed', () => {
    const account = new Account();
    const { CrmData, CrmApi } = now as { CrmData: Outline; CrmApi: Outline };
    account.failToCreate('CrmData', CrmData);
    account.deploy('CrmData', CrmData);
    account.failToCreate('CrmApi', CrmApi);
    account.deploy('CrmApi', CrmApi);
    account.destroy('CrmApi');
    account.destroy('CrmData');
    expect([...deployed(now, account).stacks.keys()]).toEqual(['CrmData', 'CrmApi']);
  });

  test('of two stages are deployed side by side with the default one, and none is in the way of another', async () => {
    const account = deployed(now);
    deployed(await outlinesOf('dev'), account);
    deployed(await outlinesOf('prod'), account);
    account.destroy('CrmDevApi');
    account.destroy('CrmDevData');
    expect([...account.stacks.keys()]).toEqual(['CrmData', 'CrmApi', 'CrmProdData', 'CrmProdApi']);
    expect(deployed(now, account).replaced).toEqual([]);
  });

  test('lose no data when a setting goes or a restored table comes', async () => {
    const account = deployed(now);
    deployed(await outlinesOf('bare'), account);
    deployed(await outlinesOf('restored'), account);
    expect(account.replaced).toEqual([]);
  });

  test('read nothing that locks the data: its stack can change every output', () => {
    expect(now['CrmApi']?.imports).toEqual([]);
    const account = deployed(now);
    account.deploy('CrmData', { ...(now['CrmData'] as Outline), exports: [] });
    expect([...account.stacks.keys()]).toHaveLength(2);
  });
});

describe('the simulation refuses', () => {
  const data = () => now['CrmData'] as Outline;
  const api = () => now['CrmApi'] as Outline;

  test('a name that another stack has, or that stayed when its stack went', () => {
    const [group = ''] = Object.entries(api().resources).find(([, { name }]) => name) ?? [];
    const account = deployed(now);
    expect(() => account.deploy('Another', { ...api(), imports: [], exports: [] })).toThrow('already exists');
    const retained = { ...now, CrmApi: changed(api(), group, { isRetained: true }) };
    const again = deployed(retained);
    again.destroy('CrmApi');
    expect(() => again.deploy('CrmApi', retained.CrmApi)).toThrow('already exists');
  });

  test('to remove an export that is in use, and to read an output that there is not', () => {
    const bound = { CrmData: { ...data(), exports: ['Table'] }, CrmApi: { ...api(), imports: ['Table'] } };
    const account = deployed(bound);
    expect(() => account.deploy('CrmData', { ...data(), exports: [] })).toThrow('is in use by CrmApi');
    expect(() => new Account().deploy('CrmApi', api())).toThrow('there is no CrmData.');
  });

  test('nothing, but notes a table that is made anew or goes', () => {
    const [table = ''] = Object.keys(data().resources).filter((id) => id.startsWith('Table'));
    const account = deployed(now);
    account.deploy('CrmData', changed(data(), table, { fixed: '["another"]' }));
    account.deploy('CrmData', changed(data(), table, undefined));
    expect(account.replaced).toEqual([`CrmData/${table}`, `CrmData/${table}`]);
  });
});
