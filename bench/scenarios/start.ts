// Start with a thousand tools: from the process's birth to the first answer, and its memory then.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startGateway, type Rig } from '../lib/rig.js';
import type { Row } from '../lib/report.js';
import { median } from '../lib/stats.js';

const TOOLS = 1000;
const ROUNDS = 3;

function thousandTools(upstream: string): string {
  const tools = Array.from(
    { length: TOOLS },
    (_, index) => `  - name: area${index % 20}.tool_${index}
    description: Looks up record ${index} by its number, with filters.
    input_schema:
      type: object
      properties:
        id: { type: string, minLength: 1, maxLength: ${40 + (index % 9)} }
        limit: { type: integer, minimum: 1, maximum: 100 }
        state: { type: string, enum: [open, closed, any] }
        tags: { type: array, items: { type: string }, maxItems: 10 }
      required: [id]
      additionalProperties: false
    http: { method: GET, url: '${upstream}/fast/{id}' }
`,
  );
  return `version: 1\ntools:\n${tools.join('')}`;
}

export async function start(rig: Rig): Promise<readonly Row[]> {
  const folder = await mkdtemp(join(tmpdir(), 'toolgate-bench-'));
  try {
    const config = join(folder, 'tools.yaml');
    await writeFile(config, thousandTools(rig.upstreamOrigin));
    const seconds: number[] = [];
    const memoryMb: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const bornAt = performance.now();
      const gateway = await startGateway(config, {});
      seconds.push((performance.now() - bornAt) / 1000);
      memoryMb.push((await gateway.child.sample()).rssMb);
      await gateway.child.stop();
    }
    const shared = { sense: 'at-most', note: `median of ${ROUNDS}` } as const;
    return [
      {
        ...shared,
        name: 'start with 1 000 tools',
        value: median(seconds),
        digits: 2,
        unit: ' s',
        bar: 1.5,
      },
      {
        ...shared,
        name: 'memory after it',
        value: median(memoryMb),
        digits: 0,
        unit: ' MB',
        bar: 150,
      },
    ];
  } finally {
    await rm(folder, { recursive: true });
  }
}
