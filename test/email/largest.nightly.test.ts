import { beforeAll, test } from 'vitest';
import { bodies, type Script, scripts, storesWhole } from '#test/email/largest.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';

let workspace: TestWorkspace;
beforeAll(async () => {
  workspace = await newWorkspace();
});

const mails = (Object.keys(scripts) as Script[]).flatMap((names) => bodies.map((body) => [names, ...body] as const));

test.each(mails)('a mail with the most of everything is stored whole: names %s, text %s, HTML %s', async (...of) =>
  storesWhole(workspace, ...of),
);
