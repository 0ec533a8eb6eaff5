// Reads the body of POST /v1/errors/classify against its schema; faults name their place.
import { ErrorReportSchema } from './schemas/errors.js';
import { compileValidator, type Validator } from '../src/tools/validator.js';
import type { ReportedError } from '../src/errors/report.js';

export type Report =
  | {
      readonly ok: true;
      readonly tool: string | undefined;
      readonly idempotent: boolean | undefined;
      readonly error: ReportedError;
    }
  | { readonly ok: false; readonly errors: Readonly<Record<string, string>> };

let validator: Validator | undefined;

/** Made with the first report. */
function compile(): Validator {
  const compiled = compileValidator({ ...ErrorReportSchema }, { trusted: true });
  if (!compiled.ok) throw new Error(`the report's own schema: ${compiled.problem}`);
  return compiled.validator;
}

/** @returns the report, or JSON Pointer -> what is wrong; never throws. */
export function readReport(value: unknown): Report {
  validator ??= compile();
  const errors = validator.validate(value);
  if (errors !== undefined) return { ok: false, errors };
  const { tool, idempotent, error } = value as {
    tool?: string;
    idempotent?: boolean;
    error: ReportedError;
  };
  return { ok: true, tool, idempotent, error };
}
