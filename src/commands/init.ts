// `toolgate init`: a configuration to start from.
import { writeFile } from 'node:fs/promises';
import { StartFault } from '../environment.js';

const TEMPLATE = `# Toolgate configuration. Check it with: toolgate check toolgate.yaml
version: 1

# Without clients only this machine is answered. A key's hash: printf %s "$KEY" | sha256sum
# clients:
#   - id: planner
#     key_sha256: "…"
#     tools: ["*"]

defaults:
  timeout_ms: 10000
  retry: { max_attempts: 3, base_ms: 100, max_ms: 5000, max_wait_ms: 10000 }

tools:
  - name: example.get
    description: Fetches the example page's status.
    input_schema:
      type: object
      properties:
        id: { type: string }
      required: [id]
      additionalProperties: false
    http:
      method: GET
      url: https://api.example.com/v1/things/{id}
    errors:
      - when: { status: 404 }
        then: { permanent: no_such_thing }
`;

/** Writes the file; never over one that exists. @throws StartFault where it cannot. */
export async function init(file: string): Promise<void> {
  try {
    await writeFile(file, TEMPLATE, { flag: 'wx' });
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    throw new StartFault(
      code === 'EEXIST' ? `${file} exists already` : `${file} cannot be written (${code})`,
    );
  }
  process.stdout.write(
    `Wrote ${file}. Next: toolgate check ${file}, then TOOLGATE_CONFIG=${file} toolgate serve\n`,
  );
}
