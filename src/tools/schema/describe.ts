// What a piece of the configuration schema asks for, in words: for fault messages and for the
// generated reference.

/** The part of JSON Schema that the configuration schema is made of. */
export interface SchemaPiece {
  readonly type?: string;
  readonly expected?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly minLength?: number;
  readonly minItems?: number;
  readonly items?: SchemaPiece;
  readonly anyOf?: readonly SchemaPiece[];
  readonly properties?: Readonly<Record<string, SchemaPiece>>;
  readonly required?: readonly string[];
}

/** "a whole number from 1 to 100" */
export function describeSchema(piece: SchemaPiece): string {
  if (piece.expected !== undefined) return piece.expected;
  if (piece.const !== undefined) return JSON.stringify(piece.const);
  if (piece.enum !== undefined) return `one of ${piece.enum.map(String).join(', ')}`;
  switch (piece.type) {
    case 'integer':
      return `a whole number${range(piece)}`;
    case 'number':
      return `a number${range(piece)}`;
    case 'boolean':
      return 'true or false';
    case 'string':
      return piece.minLength === undefined ? 'a text' : 'a text that is not empty';
    case 'array': {
      const item = piece.items?.type === 'object' ? 'objects' : 'texts';
      return `a list of ${item}${piece.minItems === undefined ? '' : ', not empty'}`;
    }
    case 'object':
      return 'an object';
    default:
      return 'any JSON value';
  }
}

function range({ minimum, maximum, exclusiveMinimum }: SchemaPiece): string {
  if (exclusiveMinimum !== undefined)
    return ` above ${exclusiveMinimum}, at most ${maximum ?? '∞'}`;
  if (minimum === undefined) return '';
  return maximum === undefined ? ` from ${minimum}` : ` from ${minimum} to ${maximum}`;
}
