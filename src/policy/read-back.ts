// What became of a call whose outcome is unknown: a read-only tool is asked, as the configuration
// declares it (`verify`). It confirms or refutes; anything else leaves the matter open.
import type { CallContext, JsonObject, VerifyPolicy } from '../call.js';
import type { OkOutcome, Outcome, ResultBody } from '../errors/outcome.js';
import { compilePredicate } from '../json/predicate.js';
import { compileTemplate } from '../json/template.js';

/** Runs the read-only tool with these arguments. */
export type RunReadBack = (args: JsonObject, ctx: CallContext) => Promise<Outcome>;

export type ReadBackVerdict =
  | { readonly kind: 'confirmed'; readonly outcome: OkOutcome }
  | { readonly kind: 'refuted' }
  | { readonly kind: 'open' };

/** Asks what became of the call with these arguments. Never rejects. */
export type ReadBack = (args: JsonObject, ctx: CallContext) => Promise<ReadBackVerdict>;

/** In `warnings` of a result that is the read-back's and not the tool's own. */
const CONFIRMED_BY_READ_BACK = 'CONFIRMED_BY_READ_BACK';

const OPEN: ReadBackVerdict = { kind: 'open' };

/** Compiles `verify`; built once per tool. */
export function compileReadBack(verify: VerifyPolicy, run: RunReadBack): ReadBack {
  const holds = compilePredicate(verify.confirmedWhen);
  const fill = compileTemplate(verify.arguments, () => true);
  return async (args, ctx) => {
    if (ctx.cancellation.reason !== undefined || ctx.deadlineAt <= performance.now()) return OPEN;
    try {
      const outcome = await run(fill(args) as JsonObject, ownFacts(ctx));
      if (outcome.kind !== 'ok') return OPEN;
      if (!holds(valueOf(outcome.result))) return { kind: 'refuted' };
      const confirmed: OkOutcome = {
        kind: 'ok',
        result: outcome.result,
        cached: true,
        warnings: [CONFIRMED_BY_READ_BACK],
      };
      return { kind: 'confirmed', outcome: confirmed };
    } catch {
      return OPEN;
    }
  };
}

/** The read-back is a call of its own: its attempts are not those of the call it asks about. */
function ownFacts(ctx: CallContext): CallContext {
  return {
    ...ctx,
    attempts: 0,
    attemptLog: undefined,
    retryStoppedBy: undefined,
    effectMayHaveHappened: false,
    keySent: false,
    verdict: undefined,
  };
}

function valueOf(body: ResultBody): unknown {
  switch (body.kind) {
    case 'value':
      return body.value;
    case 'text':
      return body.text;
    case 'json':
      return JSON.parse(body.text);
    case 'json-bytes':
      return JSON.parse(Buffer.concat(body.chunks).toString('utf8'));
  }
}
