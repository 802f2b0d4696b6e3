import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { renderPanelLists } from '#infra/panel-lists.ts';

test('what the page shows of channels, scopes and events is what they declare (npm run panel-lists)', async () => {
  expect(readFileSync('panel/api/lists.ts', 'utf8')).toBe(await renderPanelLists());
});
