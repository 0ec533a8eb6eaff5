// Which tools a server offers: `tools/list` with paging, read raw, so that one bad entry takes
// nothing with it. Bounded, for the list is a stranger's.
import type { JsonObject } from '../../call.js';
import type { Connection } from './connection.js';
import { isObject } from '../../json/object.js';
import { paramHeaderFault } from './param-headers.js';

const MAX_TOOLS = 10_000;
const MAX_PAGES = 1_000;
const PAGE_MAX_BYTES = 32 * 1_048_576;
const PAGE_TIMEOUT_MS = 30_000;
const MAX_NAME_CHARS = 256;

/** MCP's hints on what a tool does; they count only for a trusted server. */
export interface ToolAnnotations {
  readonly title?: string;
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
}

/** A tool as a server describes it. Its texts are a stranger's. */
export interface DiscoveredTool {
  readonly remoteName: string;
  readonly description: string | undefined;
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject;
  readonly annotations?: ToolAnnotations;
  /** Why it cannot be called, in our words. */
  readonly fault?: string;
}

export interface ToolListing {
  readonly tools: readonly DiscoveredTool[];
  /** Entries that are no tool at all, or repeat a name. */
  readonly skipped: number;
  /** There were more than are kept. */
  readonly cut: boolean;
}

/** All pages of `tools/list`; undefined when the server does not answer it. */
export async function listTools(connection: Connection): Promise<ToolListing | undefined> {
  const byName = new Map<string, DiscoveredTool>();
  const seenCursors = new Set<string>();
  let skipped = 0;
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const result = await fetchPage(connection, cursor);
    if (result === undefined) return undefined;
    for (const entry of result.tools) {
      const tool = readTool(entry, connection);
      if (tool === undefined || byName.has(tool.remoteName)) skipped += 1;
      else if (byName.size >= MAX_TOOLS) return { tools: [...byName.values()], skipped, cut: true };
      else byName.set(tool.remoteName, tool);
    }
    cursor = result.nextCursor;
    if (cursor === undefined) return { tools: [...byName.values()], skipped, cut: false };
    // A server that gives a cursor twice would go on for ever.
    if (seenCursors.has(cursor)) break;
    seenCursors.add(cursor);
  }
  return { tools: [...byName.values()], skipped, cut: true };
}

interface Page {
  readonly tools: readonly unknown[];
  readonly nextCursor: string | undefined;
}

async function fetchPage(
  connection: Connection,
  cursor: string | undefined,
): Promise<Page | undefined> {
  const params = cursor === undefined ? {} : { cursor };
  const pending = connection.request('tools/list', params, { maxBytes: PAGE_MAX_BYTES });
  const giveUp = (): void => connection.cancel(pending, 'tools/list timed out');
  const timer = setTimeout(giveUp, PAGE_TIMEOUT_MS);
  const reply = await pending.reply;
  clearTimeout(timer);
  if (reply.kind !== 'result' || !isObject(reply.result)) return undefined;
  const { tools, nextCursor } = reply.result;
  if (!Array.isArray(tools)) return undefined;
  return {
    tools: tools as unknown[],
    nextCursor: typeof nextCursor === 'string' ? nextCursor : undefined,
  };
}

function readTool(entry: unknown, connection: Connection): DiscoveredTool | undefined {
  if (!isObject(entry)) return undefined;
  const { name, description, inputSchema, outputSchema, annotations } = entry;
  if (typeof name !== 'string' || name === '' || name.length > MAX_NAME_CHARS) return undefined;
  const fault = faultOf(inputSchema, outputSchema, connection);
  return {
    remoteName: name,
    description: typeof description === 'string' ? description : undefined,
    inputSchema: isObject(inputSchema) ? inputSchema : { type: 'object' },
    ...(isObject(outputSchema) && { outputSchema }),
    ...(isObject(annotations) && { annotations }),
    ...(fault !== undefined && { fault }),
  };
}

function faultOf(
  inputSchema: unknown,
  outputSchema: unknown,
  connection: Connection,
): string | undefined {
  if (!isObject(inputSchema)) return 'its inputSchema is not an object';
  if (outputSchema !== undefined && !isObject(outputSchema)) {
    return 'its outputSchema is not an object';
  }
  if (!connection.mirrorsParameters) return undefined;
  return paramHeaderFault(inputSchema);
}
