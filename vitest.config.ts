import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Some read the whole table, which is small in the beginning. Others wait, for crashes and repairs or for Telegram: begun last, one of
 * them would run alone at the end. The rest goes by size.
 */
const first = [
  'secrets',
  'contacts/erasure',
  'faults/pairs',
  'archive/archive',
  'contacts/export',
  'stories/a-stranger',
  'contract/idempotency',
  'faults/faults',
  'webhooks/life',
  'telegram/user-files',
  'telegram/user-receiving',
].map((name) => `test/${name}.test.ts`);
const rankOf = ({ moduleId }: TestSpecification) => {
  const rank = first.findIndex((name) => moduleId.endsWith(name));
  return rank === -1 ? first.length : rank;
};

class SomeFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).sort((a, b) => rankOf(a) - rankOf(b));
  }
}

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/system.ts'],
    setupFiles: ['test/environment.ts'],
    // Longer than one bounded wait of a test, which says what it waited for.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 45_000 } },
    // On a machine that stalls. Which tests needed it stands in the output, and at its end.
    retry: process.env['CI'] ? 1 : 0,
    sequence: { sequencer: SomeFirst },
    // Two more than the cores that serve the tests and the system that they test: most of a file's time is waiting.
    maxWorkers: 4,
  },
});
