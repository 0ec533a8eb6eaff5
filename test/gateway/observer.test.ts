// Telemetry that fails costs nobody an answer.
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { type GatewayObserver, SILENT } from '../../src/gateway/observe.js';
import { type Harness, startHarness } from '../support/harness.js';

const fails = (): never => {
  throw new Error('full');
};

/** A gateway with this observer; faults of its own are put into `heard`. */
function observedBy(observer: Partial<GatewayObserver>, heard: unknown[]): Promise<Harness> {
  const tool = {
    name: 'echo',
    input_schema: { type: 'object' },
    module: fileURLToPath(new URL('../fixtures/tools/echo.mjs', import.meta.url)),
    rate_limit: { calls: 1, per_ms: 60_000, burst: 1 },
  };
  return startHarness(
    { tools: [tool] },
    {
      gatewayOptions: {
        observer: { ...SILENT, ...observer },
        onInternalError: (error) => heard.push(error),
      },
    },
  );
}

it('an observer that throws is told to the log, and every call is answered', async () => {
  const heard: unknown[] = [];
  const harness = await observedBy({ callDone: fails }, heard);
  const results = await harness.call([{ tool: 'echo' }, { tool: 'nope' }]);
  expect(results.map(({ status }) => status)).toEqual(['ok', 'error']);
  expect(heard).toHaveLength(2);
  await harness.close();
});

it('one that throws inside a layer makes an INTERNAL_ERROR of that call alone', async () => {
  const heard: unknown[] = [];
  const forTool: GatewayObserver['forTool'] = (tool) => ({
    ...SILENT.forTool(tool),
    rateLimited: fails,
  });
  const harness = await observedBy({ forTool }, heard);
  const results = await harness.call([{ tool: 'echo' }, { tool: 'echo' }, { tool: 'nope' }]);
  expect(results.map(({ error_info }) => error_info?.code)).toEqual([
    undefined,
    'INTERNAL_ERROR',
    'TOOL_NOT_FOUND',
  ]);
  expect(heard).toEqual([new Error('full')]);
  await harness.close();
});

it('one that throws as an attempt ends is told to the log, and the result stands', async () => {
  const heard: unknown[] = [];
  const forTool: GatewayObserver['forTool'] = (tool) => ({
    ...SILENT.forTool(tool),
    attempt: fails,
  });
  const harness = await observedBy({ forTool }, heard);
  expect(await harness.callOne('echo')).toMatchObject({ status: 'ok' });
  expect(heard).toEqual([new Error('full')]);
  await harness.close();
});
