import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { renderImportTargets, renderPanelLists, renderSearchFields } from '#infra/panel-lists.ts';

test('the lists of the page are up to date (npm run panel-lists)', async () => {
  expect(readFileSync('panel/api/lists.ts', 'utf8')).toBe(await renderPanelLists());
  expect(readFileSync('panel/api/search-fields.ts', 'utf8')).toBe(renderSearchFields());
  expect(readFileSync('panel/api/import-targets.ts', 'utf8')).toBe(renderImportTargets());
});
