// A gateway as a user gets it, built from a configuration text, for tests over `inject` or sockets.
import type { FastifyInstance } from 'fastify';
import { buildApp, type AppOptions } from '../../src/app.js';
import { Gateway, type GatewayOptions } from '../../src/gateway/gateway.js';
import { loadConfig } from '../../src/tools/load.js';
import { formatFault } from '../../src/tools/faults.js';
import type { ErrorInfo } from '../../src/errors/error-info.js';

export interface WireResult {
  id: string;
  tool: string;
  status: 'ok' | 'error' | 'declined';
  result: unknown;
  error: string | null;
  error_info: ErrorInfo | null;
  attempts: number;
  duration_ms: number;
  cached: boolean;
  warnings?: string[];
}

export interface Harness {
  readonly app: FastifyInstance;
  readonly gateway: Gateway;
  /** Posts a native batch and gives its results. */
  readonly call: (calls: object[], envelope?: object) => Promise<WireResult[]>;
  /** Posts one call and gives its result. */
  readonly callOne: (tool: string, args?: unknown, more?: object) => Promise<WireResult>;
  close(): Promise<void>;
}

export interface HarnessOptions extends Partial<Omit<AppOptions, 'gateway'>> {
  readonly env?: NodeJS.ProcessEnv;
  readonly gatewayOptions?: GatewayOptions;
}

/** Builds a gateway from a configuration object; throws its faults. */
export async function startHarness(config: object, options: HarnessOptions = {}): Promise<Harness> {
  const text = JSON.stringify({ version: 1, ...config });
  const loaded = loadConfig({ file: 'test.json', text }, options.env ?? {});
  if (!loaded.ok) throw new Error(loaded.faults.map(formatFault).join('\n'));
  const gateway = new Gateway(loaded.config, options.gatewayOptions);
  await gateway.start();
  const app = await buildApp({ gateway, ...options });
  await app.ready();
  const call = async (calls: object[], envelope: object = {}): Promise<WireResult[]> => {
    const response = await app.inject({
      method: 'POST',
      url: '/v1/tool-calls',
      payload: { calls, ...envelope },
    });
    if (response.statusCode !== 200) throw new Error(`${response.statusCode} ${response.body}`);
    return response.json<{ results: WireResult[] }>().results;
  };
  return {
    app,
    gateway,
    call,
    callOne: async (tool, args = {}, more = {}) => {
      const [result] = await call([{ tool, arguments: args, ...more }]);
      if (result === undefined) throw new Error('no result');
      return result;
    },
    close: async () => {
      await app.close();
      await gateway.close();
    },
  };
}
