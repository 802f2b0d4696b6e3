import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/system.ts'],
    setupFiles: ['test/environment.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Two cores serve the tests and the system that they test.
    maxWorkers: 2,
  },
});
