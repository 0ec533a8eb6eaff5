// Tools as a provider declares functions: its name for the tool, the description within its limit,
// and notes on what its schemas cannot carry.
import type { ToolDefinition } from '../call.js';
import type { Offer, OfferNote } from './wire-format.js';

/** The longest description that every provider takes, characters. */
const MAX_DESCRIPTION_CHARS = 1024;

interface Declared<T> {
  readonly tool: T;
  readonly notes: readonly Omit<OfferNote, 'tool'>[];
}

/** Declares each tool in turn and gathers the notes; a tool without an alias cannot be declared. */
export function offerFunctions<T>(
  tools: readonly ToolDefinition[],
  toAlias: (name: string) => string | undefined,
  declare: (tool: ToolDefinition, name: string, description: string) => Declared<T>,
): Offer & { readonly tools: T[] } {
  const notes: OfferNote[] = [];
  const declared = tools.flatMap((tool) => {
    const name = toAlias(tool.name);
    if (name === undefined) {
      notes.push({ tool: tool.name, at: '', note: 'left out: another tool has its name here' });
      return [];
    }
    const description = tool.description.slice(0, MAX_DESCRIPTION_CHARS);
    const { tool: declaration, notes: own } = declare(tool, name, description);
    if (description !== tool.description)
      notes.push({ tool: tool.name, at: '', note: 'the description was cut to 1024 characters' });
    for (const note of own) notes.push({ tool: tool.name, ...note });
    return [declaration];
  });
  return { tools: declared, notes };
}
