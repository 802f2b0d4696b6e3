import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Two wait for crashes and repairs: begun last, one of them would run alone at the end. One reads the whole table, which is small in the
 * beginning. The others go by size.
 */
const first = ['test/secrets.test.ts', 'test/faults/faults.test.ts', 'test/webhooks/life.test.ts'];
const isFirst = ({ moduleId }: TestSpecification) => first.some((name) => moduleId.endsWith(name));

class SomeFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).sort((a, b) => Number(isFirst(b)) - Number(isFirst(a)));
  }
}

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/system.ts'],
    setupFiles: ['test/environment.ts'],
    // Longer than one bounded wait of a test, which says what it waited for.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    sequence: { sequencer: SomeFirst },
    // One more than the cores that serve the tests and the system that they test: most of a file's time is waiting.
    maxWorkers: 3,
  },
});
