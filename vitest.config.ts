import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/build.ts'],
    testTimeout: 20_000,
    coverage: { provider: 'v8', include: ['src/**', 'routes/**'], reporter: ['text-summary'] },
  },
});
