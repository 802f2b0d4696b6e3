import { defineConfig } from 'vitest/config';
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/harness/assembly.ts'],
    setupFiles: ['test/harness/set-up.ts'],
    testTimeout: 30_000, hookTimeout: 30_000,
    isolate: false,
    maxWorkers: 2,
    pool: 'forks',
    experimental: { viteModuleRunner: false },
  },
});
