import { configDefaults, defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';

/** Files against a whole system that the run starts (`npm start`), each in a process of its own. */
const whole = (name: string, testTimeout: number, retry = 0): TestProjectInlineConfiguration => ({
  extends: true,
  test: {
    name,
    include: [`test/**/*.${name}.test.ts`],
    globalSetup: ['test/system.ts'],
    setupFiles: ['test/environment.ts'],
    testTimeout,
    hookTimeout: testTimeout,
    retry,
    expect: { poll: { timeout: 45_000 } },
    // After the project `fast`, which has both cores.
    sequence: { groupOrder: 1 },
    // Twice the cores that serve the tests and the system that they test: most of a file's time is waiting.
    maxWorkers: 4,
  },
});

/** Three tiers (CONTRIBUTING.md): `npm test`, `npm run test:full`, `npm run test:nightly`. The name of a file says in which it is. */
export default defineConfig({
  test: {
    reporters: ['default', './test/slowest.ts'],
    projects: [
      {
        extends: true,
        test: {
          name: 'fast',
          include: ['test/**/*.test.ts'],
          exclude: [...configDefaults.exclude, 'test/**/*.{smoke,full,nightly}.test.ts'],
          globalSetup: ['test/harness/assembly.ts'],
          setupFiles: ['test/harness/set-up.ts'],
          // A hang is seen. Waits move the clock and take no time.
          testTimeout: 30_000,
          // The stacks are synthesized in one.
          hookTimeout: 120_000,
          isolate: false,
          maxWorkers: 2,
          experimental: { viteModuleRunner: false, nodeLoader: false },
        },
      },
      whole('smoke', 60_000),
      // On a machine that stalls. Which tests needed it stands in the output.
      whole('full', 300_000, process.env['CI'] ? 1 : 0),
      whole('nightly', 600_000),
    ],
  },
});
