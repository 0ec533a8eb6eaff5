// Telemetry that fails costs nobody an answer.
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { SILENT } from '../../src/gateway/observe.js';
import { startHarness } from '../support/harness.js';

it('an observer that throws is told to the log, and every call is answered', async () => {
  const heard: unknown[] = [];
  const harness = await startHarness(
    {
      tools: [
        {
          name: 'echo',
          input_schema: { type: 'object' },
          module: fileURLToPath(new URL('../fixtures/tools/echo.mjs', import.meta.url)),
        },
      ],
    },
    {
      gatewayOptions: {
        observer: {
          ...SILENT,
          callDone: () => {
            throw new Error('full');
          },
        },
        onInternalError: (error) => heard.push(error),
      },
    },
  );
  const results = await harness.call([{ tool: 'echo' }, { tool: 'nope' }]);
  expect(results.map(({ status }) => status)).toEqual(['ok', 'error']);
  expect(heard).toHaveLength(2);
  await harness.close();
});
