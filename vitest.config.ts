import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Four read the whole table, again and again, which is small in the beginning. Two wait for crashes and repairs: begun last, one of them
 * would run alone at the end. The others go by size.
 */
const first = [
  'secrets',
  'faults/pairs',
  'archive/archive',
  'contacts/erasure-archives',
  'faults/faults',
  'webhooks/life',
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
    // Longer than all bounded waits of a test (test/client.ts), which say what they waited for, on a machine that stalls.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 45_000 } },
    // On a machine that stalls. Which tests needed it stands in the output, and at its end.
    retry: process.env['CI'] ? 1 : 0,
    sequence: { sequencer: SomeFirst },
    // Twice the cores that serve the tests and the system that they test: most of a file's time is waiting.
    maxWorkers: 4,
  },
});
